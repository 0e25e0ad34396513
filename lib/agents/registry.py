"""Who can play and who can learn each game, by name: for boards, arcade and commands."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lib.agents.baselines import Greedy, Mixture, Preference, Random, ShootIfAligned
from lib.agents.progress import Progress
from lib.game import Agent
from lib.games import GAMES

LEVELS = ("easy", "medium", "hard", "perfect")
WEIGHTS = Path(__file__).parents[1] / "weights"
RUNS = Path(__file__).parents[2] / "runs"  # where `course.py train` puts its files

Save = Callable[[Path], object]


@dataclass(frozen=True)
class Trainer:
    """How `course.py train` makes one agent: what it is, its file, and how to start it.

    `start(seed, minutes, resume)` gives the training and the function that saves it at any time.
    Minutes are CPU-minutes; `resume` is a file that was saved before, or None. One that `spreads`
    also takes `workers=` and `ray=`: how many processes one training has, and on which cluster.
    """

    summary: str
    file: str  # the name of its weights in lib/weights
    start: Callable[..., tuple[Iterator[Progress], Save]]
    minutes: float = 10.0  # unless `--minutes` says otherwise
    player: Callable[[Path], Agent] | None = None  # who plays with a file that was saved
    spreads: bool = False


def agents(game_name: str) -> dict[str, Callable[[], Agent]]:
    """Every agent of a game by name, weakest first: `agents("tapnswap")["random"]()`."""
    GAMES[game_name]  # names an unknown game
    return {"random": Random, "greedy": Greedy, **_PLAYERS.get(game_name, {})}


def own_agents(game_name: str, folder: Path = RUNS) -> dict[str, Callable[[], Agent]]:
    """Agents that `course.py train` made here, by file: {"q-learning, seed 0": ...}."""
    found: dict[str, Callable[[], Agent]] = {}
    for name, trainer in trainers(game_name).items():
        for path in sorted(folder.glob(f"{game_name}-{name}-seed*{Path(trainer.file).suffix}")):
            if trainer.player is not None:
                seed = path.stem.rpartition("-seed")[2]
                found[f"my {name}, seed {seed}"] = partial(trainer.player, path)
    return found


def level(game_name: str, name: str) -> Agent:
    """The opponent of a level: `level("chopsticks", "easy")`."""
    if name not in LEVELS:
        raise ValueError(f"no level is called {name!r}: choose one of {', '.join(LEVELS)}")
    best = list(agents(game_name).values())[-1]
    if name == "easy":
        return Mixture(best(), Random(), 0.75, name)
    if name == "medium":
        return Mixture(best(), Random(), 0.35, name)
    if name == "hard":
        return Mixture(best(), Random(), 0.1, name)
    return best()


def trainers(game_name: str) -> dict[str, Trainer]:
    """Every learner of a game by name; the first is the default of `course.py train`."""
    GAMES[game_name]
    return _TRAINERS.get(game_name, {})


def _q_learning(path: Path = WEIGHTS / "tapnswap.npz") -> Agent:
    from lib.agents.q_learning import QLearning, QPlayer
    from lib.games.tapnswap import TapnSwap

    return QPlayer(QLearning.load(path, TapnSwap()))


def _mcts(path: Path = WEIGHTS / "chopsticks.npz") -> Agent:
    from lib.agents.mcts import MCTSPlayer
    from lib.agents.mcts_nodes import Nodes
    from lib.games.chopsticks import Chopsticks

    return MCTSPlayer(Nodes.load(path, Chopsticks())[0])


def _mcts_on_the_spot() -> Agent:
    from lib.agents.mcts import MCTSPlayer

    return MCTSPlayer()


def _perfect_fingers() -> Agent:
    from lib.agents.perfect_fingers import PerfectFingers

    return PerfectFingers()


def _perfect_droids() -> Agent:
    from lib.agents.perfect_droids import PerfectDroids

    return PerfectDroids()


def _droid_table() -> Agent:
    from lib.agents.droid_agents import DroidPlayer
    from lib.agents.droid_roster import trained

    return DroidPlayer(trained("frozen"), "q-learning")


def _droid_file(path: Path) -> Agent:
    from lib.agents.droid_agents import DroidPlayer
    from lib.agents.droid_q import QAgent

    return DroidPlayer(QAgent.load(path), "q-learning")


def _droid_minimax() -> Agent:
    from lib.agents.droid_agents import DroidPlayer
    from lib.agents.minimax import MinimaxAgent

    return DroidPlayer(MinimaxAgent(), "minimax")


def _dqn(path: Path) -> Agent:
    from lib.agents.dqn_player import shipped

    return shipped(path)


def _ntuple(path: Path = WEIGHTS / "2048-ntuple.npz") -> Agent:
    from lib.agents.dqn_player import NTuplePlayer
    from lib.agents.ntuple import NTuple

    return NTuplePlayer(NTuple.load(path))


def _peg_network(path: Path | None = None) -> Agent:
    from lib.agents import solitaire_roster

    return solitaire_roster.player(path or solitaire_roster.SHIPPED)


def _peg_beam() -> Agent:
    from lib.agents import solitaire_roster

    return solitaire_roster.player(beam=64)


def _perfect_solitaire() -> Agent:
    from lib.agents.perfect_solitaire import PerfectSolitaire

    return PerfectSolitaire()


_PLAYERS: dict[str, dict[str, Callable[[], Agent]]] = {
    "tapnswap": {"q-learning": _q_learning, "perfect": _perfect_fingers},
    "chopsticks": {"search": _mcts_on_the_spot, "mcts": _mcts, "perfect": _perfect_fingers},
    "droids": {
        "aligned": ShootIfAligned,
        "q-learning": _droid_table,
        "minimax": _droid_minimax,
        "perfect": _perfect_droids,
    },
    "2048": {
        "preference": Preference,
        **{n: partial(_dqn, WEIGHTS / f"2048-{n}.npz") for n in ("dqn", "tuples")},
        "ntuple": _ntuple,
    },
    "solitaire": {
        "actor-critic": _peg_network,
        "beam": _peg_beam,
        "perfect": _perfect_solitaire,
    },
}


def _within(minutes: float, progress: Iterator[Progress]) -> Iterator[Progress]:
    """The training, until it ends or has taken so many CPU-minutes."""
    began = time.process_time()
    for told in progress:
        yield told
        if time.process_time() - began > 60 * minutes:
            return


def _train_tapnswap(
    seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    """10,000 games against itself; resumed, what is left of them, or 10,000 more."""
    from lib.agents.q_learning import NegamaxQLearning, QLearning, QPlayer
    from lib.games.tapnswap import TapnSwap
    from lib.truth.fingers import kept, solve

    game, games = TapnSwap(), 10_000
    learner = QLearning.load(resume, game) if resume else NegamaxQLearning(game, seed=seed)

    def told() -> Iterator[Progress]:
        truth, player = solve(game), QPlayer(learner)
        for progress in _within(minutes, learner.train(games - learner.games % games)):
            exact, positions = kept(truth, player.choices)
            metrics = {**progress.metrics, "exact": exact, "of": positions}
            yield replace(progress, metrics=metrics)

    return told(), learner.save


def _train_chopsticks(
    seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    """1,000 iterations from every position; resumed, as many again."""
    from lib.agents.mcts_compiled import CompiledMCTS
    from lib.games.chopsticks import Chopsticks
    from lib.truth.fingers import kept, solve

    game = Chopsticks()
    learner = CompiledMCTS.load(resume, game) if resume else CompiledMCTS(game, seed=seed)

    def told() -> Iterator[Progress]:
        truth = solve(game)
        for progress in _within(minutes, learner.train()):
            exact, positions = kept(truth, learner.choices)
            metrics = {**progress.metrics, "exact": exact, "of": positions}
            yield replace(progress, metrics=metrics)

    return told(), learner.save


def _train_dqn(
    recipe: str, seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    from lib.agents import dqn_player

    return dqn_player.start(recipe, seed, minutes, resume)


def _train_ntuple(
    seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    from lib.agents.ntuple import NTuple

    network = NTuple.load(resume, resume=True) if resume else NTuple(seed=seed)
    return network.train(minutes=minutes), network.save


def _train_droids(
    recipe: str, seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    """A table for the droid battle, by one of the recipes of `droid_roster`."""
    from lib.agents.droid_roster import RECIPES

    agent, training = RECIPES[recipe].start(seed, resume)
    return _within(minutes, training), agent.save


def _train_solitaire(
    kind: str, seed: int, minutes: float, resume: Path | None, **crew: Any
) -> tuple[Iterator[Progress], Save]:
    from lib.agents import solitaire_roster

    return solitaire_roster.start(kind, seed, minutes, resume, **crew)


_TRAINERS: dict[str, dict[str, Trainer]] = {
    "tapnswap": {
        "q-learning": Trainer(
            "Q-table by negamax self-play", "tapnswap.npz", _train_tapnswap, 0.2, _q_learning
        ),
    },
    "chopsticks": {
        "mcts": Trainer(
            "tree search from every position", "chopsticks.npz", _train_chopsticks, 1, _mcts
        ),
    },
    "droids": {
        name: Trainer(
            f"Q-table against {foe}",
            f"droids-{name}.npz",
            partial(_train_droids, name),
            2,
            _droid_file,
        )
        for name, foe in (
            ("frozen", "a shooter that slips"),
            ("q-random", "random play"),
            ("q-shooter", "shoot-if-aligned"),
        )
    },
    "solitaire": {
        "a3c": Trainer(
            "A3C, workers on one network",
            "solitaire-a3c.pt",
            partial(_train_solitaire, "a3c"),
            2,
            _peg_network,
            spreads=True,
        ),
        "long": Trainer(
            "actor-critic, wide, from all over the board",
            "solitaire.pt",
            partial(_train_solitaire, "long"),
            45,
            _peg_network,
        ),
    },
    "2048": {
        **{
            name: Trainer(words, f"2048-{name}.npz", partial(_train_dqn, name), minutes, _dqn)
            for name, words, minutes in (
                ("dqn", "DQN on afterstates, a network of layers", 10),
                ("tuples", "DQN on afterstates, patterns of five cells", 32),
            )
        },
        "ntuple": Trainer("n-tuple network by TD(0)", "2048-ntuple.npz", _train_ntuple, 4, _ntuple),
    },
}
