"""Lets two droids fight on a page in the browser, as in the assignment of lesson 3.

    course.py droids                                  you against minimax
    course.py droids QAgent MinimaxAgent 100000       two agents; the first trains that many rounds
    course.py droids QAgent QAgent 100000             both learn from each other
    course.py droids KeyboardAgent MinimaxAgent       you play: W A S D to move, space to shoot
    course.py droids KeyboardAgent QAgent 100000 MinimaxAgent
                                                      it trains against minimax, then you play
    course.py droids --standings                      what the exact game says of every agent

Space goes to the next round (or shoots, if you play), and a new game starts by itself. Also known:
FrozenAgent, ShooterAgent, RandomAgent. With --terminal all this happens in the terminal: Enter
shows the next round, q and Enter ends.
"""

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lib.agents.droid_agents import DroidAgent

AGENTS = (
    "QAgent", "MinimaxAgent", "KeyboardAgent", "FrozenAgent", "ShooterAgent", "RandomAgent",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Two agents, how long to train, against whom."""
    parser.add_argument("one", nargs="?", choices=AGENTS, metavar="AGENT", help=", ".join(AGENTS))
    parser.add_argument("other", nargs="?", choices=AGENTS, metavar="AGENT", help="its opponent")
    parser.add_argument("rounds", nargs="?", type=int, default=0, help="of training (0)")
    parser.add_argument("against", nargs="?", choices=AGENTS, metavar="AGENT", help="to train with")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the dice (0)")
    parser.add_argument("--games", type=int, metavar="N", help="play N games, show the result only")
    parser.add_argument("--terminal", action="store_true", help="as text, without a browser")
    parser.add_argument("--standings", action="store_true", help="the exact table of all agents")
    parser.add_argument("--save", action="store_true", help="with --standings: store the table")


class Ended(Exception):
    """The player has had enough."""


def run(args: argparse.Namespace) -> int:
    """Train, then show rounds or play games."""
    if args.standings:
        return show_standings(args.save)
    if args.one is None:
        args.one, args.other = "KeyboardAgent", "MinimaxAgent"
    if args.other is None:
        raise ValueError("name two agents, such as `droids QAgent MinimaxAgent 100000`")
    if args.rounds < 0 or (args.games is not None and args.games < 1):
        raise ValueError("rounds are 0 or more, games 1 or more")
    agents = made(args.one, args.seed), made(args.other, args.seed + 1)
    if args.rounds:
        prepare(args, agents)
    if not args.terminal and not args.games:
        return page(agents)
    try:
        return several(agents, args.games) if args.games else watch(agents)
    except (Ended, EOFError):
        print("\nThat was it.")
        return 0


def made(name: str, seed: int) -> "DroidAgent":
    """An agent by the name of the command line."""
    from lib.agents import droid_agents, droid_q, droid_roster, minimax

    if name == "KeyboardAgent":
        return droid_agents.KeyboardAgent(key)
    if name == "FrozenAgent":
        return droid_roster.trained("frozen", seed)
    if name == "QAgent":
        return droid_q.QAgent(seed=seed)
    if name == "MinimaxAgent":
        return minimax.MinimaxAgent(seed=seed)
    if name == "ShooterAgent":
        return droid_agents.ShooterAgent(seed=seed)
    return droid_agents.RandomAgent(seed=seed)


def key() -> str:
    """The next key of the player's; Ended if it is q."""
    line = input("W A S D or a blank, then Enter: ")
    if line.strip().lower() == "q":
        raise Ended
    return line[:1]


def prepare(args: argparse.Namespace, agents: "tuple[DroidAgent, DroidAgent]") -> None:
    """Train every Q agent: against the one named, else against each other."""
    from lib.agents.droid_agents import train
    from lib.cli.follow import follow, stoppable

    names = (args.one, args.other)
    learners = [agent for name, agent in zip(names, agents, strict=True) if name == "QAgent"]
    if not learners:
        raise ValueError(f"neither {args.one} nor {args.other} learns: leave out the rounds")
    if args.against == "KeyboardAgent" or (args.against is None and "KeyboardAgent" in names):
        raise ValueError("name who the QAgent trains with: `droids KeyboardAgent QAgent N AGENT`")
    for learner in learners[: 1 if args.against is None else 2]:
        other = agents[1] if learner is agents[0] else agents[0]
        foe = made(args.against, args.seed + 2) if args.against else other
        with stoppable() as stop:
            learns = foe in learners or args.against == "QAgent"
            training = train(learner, foe, args.rounds, both=learns)
            follow(training, lambda: None, stop)


def watch(agents: "tuple[DroidAgent, DroidAgent]") -> int:
    """Game after game, a round at a time, until the player ends it."""
    from numpy.random import default_rng

    from lib.agents.droid_agents import DroidPlayer, KeyboardAgent
    from lib.game import turns
    from lib.games.droids import Droids

    game, rng, wins = Droids(), default_rng(), [0, 0, 0]
    waits = not any(isinstance(agent, KeyboardAgent) for agent in agents)
    while True:
        print(f"\n{game.text(game.start())}")
        for turn in turns(game, [DroidPlayer(agent) for agent in agents], rng):
            if waits and input().strip().lower() == "q":
                raise Ended
            moves = [game.describe(turn.state, p, m) for p, m in enumerate(turn.moves)]
            print(f"\nA: {moves[0]}, B: {moves[1]}\n{game.text(turn.next_state)}")
        outcome = game.outcome(turn.next_state)[0]
        wins[1 - int(outcome)] += 1
        print(f"\n{ended(outcome)} A won {wins[0]}, B {wins[2]}, drawn {wins[1]}.")


def page(agents: "tuple[DroidAgent, DroidAgent]") -> int:
    """Open the board as a page by voila; Ctrl-C ends it."""
    from lib.cli.play import serve

    with tempfile.TemporaryDirectory() as folder:
        return serve(written(agents, Path(folder)))


def written(agents: "tuple[DroidAgent, DroidAgent]", folder: Path) -> Path:
    """A notebook that shows these two on a board; what they learned lies beside it."""
    import cloudpickle
    import nbformat

    (folder / "agents.bin").write_bytes(cloudpickle.dumps(agents))
    code = (
        "import pathlib, cloudpickle\nfrom lib.cli.droids import board\n"
        "board(cloudpickle.loads(pathlib.Path('agents.bin').read_bytes()))"
    )
    cells = [nbformat.v4.new_markdown_cell(how(agents)), nbformat.v4.new_code_cell(code)]
    path = folder / "droids.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def how(agents: "tuple[DroidAgent, DroidAgent]") -> str:
    """The page's heading, and the keys that it knows."""
    from lib.agents.droid_agents import KeyboardAgent

    people = sum(isinstance(agent, KeyboardAgent) for agent in agents)
    keys = (
        "Space goes to the next round.",
        "W A S D or the arrow keys move, space shoots.",
        "R2: W A S D and space. Q5: the arrow keys and Enter.",
    )[people]
    return f"# Droid battle\n\n{keys} After a game the next one starts by itself."


def board(agents: "tuple[DroidAgent, DroidAgent]") -> Any:
    """The two on a board: played by whom a keyboard steers, else watched."""
    from lib.agents.droid_agents import DroidPlayer, KeyboardAgent
    from lib.boards import Board, Watch
    from lib.games.droids import Droids

    people = [isinstance(agent, KeyboardAgent) for agent in agents]
    if all(people):
        return Board(Droids(), again=True)
    if not any(people):
        return Watch(Droids(), agents=[DroidPlayer(agent) for agent in agents], again=True)
    seat = people.index(True)
    other = DroidPlayer(agents[1 - seat])
    return Board(Droids(), against=other, first=("me", "it")[seat], again=True)


def ended(outcome: float) -> str:
    """Who won, in words."""
    return {1.0: "A wins.", -1.0: "B wins."}.get(outcome, "A draw.")


def several(agents: "tuple[DroidAgent, DroidAgent]", games: int) -> int:
    """Many games, and their result alone."""
    from lib.agents.droid_agents import fight, summary

    leads = [sum(fight(*agents, swapped=number % 2 == 1)) for number in range(games)]
    shares = summary(leads)
    drawn = 1 - shares["won"] - shares["lost"]
    print(f"{games} games: won {shares['won']:.0%}, drawn {drawn:.0%}, lost {shares['lost']:.0%}")
    return 0


def show_standings(save: bool) -> int:
    """The exact chances of every agent against random play, and its exploitability."""
    import json

    from lib.agents.droid_roster import STANDINGS, standings
    from lib.files import write_text

    rows = standings()
    print(f"{'agent':14}{'won':>8}{'drawn':>8}{'lost':>8}{'exploitability':>16}")
    for row in rows:
        shares = "".join(f"{share:8.1%}" for share in row[1:4])
        print(f"{row.name:14}{shares}{row.exploitability:16.4f}")
    if save:
        write_text(STANDINGS, json.dumps(rows, indent=1) + "\n")
    return 0
