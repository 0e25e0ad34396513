"""Who can learn each game, by name: what `course.py train` starts, and who plays with its file."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib.agents import registry
from lib.agents.progress import Progress
from lib.game import Agent
from lib.games import GAMES

if TYPE_CHECKING:
    from lib.games.fingers import FingerGame
    from lib.truth.fingers import Choices

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


def trainers(game_name: str) -> dict[str, Trainer]:
    """Every learner of a game by name; the first is the default of `course.py train`."""
    GAMES[game_name]
    return _TRAINERS.get(game_name, {})


def _within(minutes: float, progress: Iterator[Progress]) -> Iterator[Progress]:
    """The training, until it ends or has taken so many CPU-minutes."""
    began = time.process_time()
    for told in progress:
        yield told
        if time.process_time() - began > 60 * minutes:
            return


def _beside_truth(
    training: Iterator[Progress], game: "FingerGame", choices: "Choices"
) -> Iterator[Progress]:
    """The training, told with the number of positions where all choices keep the exact value."""
    from lib.truth.fingers import kept, solve

    truth = solve(game)
    for progress in training:
        exact, positions = kept(truth, choices)
        yield replace(progress, metrics={**progress.metrics, "exact": exact, "of": positions})


def _train_tapnswap(
    form: str, opponents: tuple[str, ...], seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    """10,000 games of Q-learning; resumed, what is left of them, or 10,000 more."""
    from lib.agents.q_learning import FORMS, QLearning, QPlayer
    from lib.games.tapnswap import TapnSwap

    game, games = TapnSwap(), 10_000
    settings = replace(FORMS[form].defaults, opponents=opponents)
    learner = QLearning.load(resume, game) if resume else FORMS[form](game, settings, seed)
    training = _within(minutes, learner.train(games - learner.games % games))
    return _beside_truth(training, game, QPlayer(learner).choices), learner.save


def _train_chopsticks(
    form: str, seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    """1,000 iterations from every position; resumed, as many again."""
    from lib.agents.mcts import MCTS
    from lib.agents.mcts_compiled import CompiledMCTS
    from lib.games.chopsticks import Chopsticks

    game, search = Chopsticks(), CompiledMCTS if form == "compiled" else MCTS
    learner = search.load(resume, game) if resume else search(game, seed=seed)
    training = _within(minutes, learner.train())
    return _beside_truth(training, game, learner.choices), learner.save


def _train_droids(
    recipe: str, seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    """A table for the droid battle, by one of the recipes of `droid_roster`."""
    from lib.agents.droid_roster import RECIPES

    agent, training = RECIPES[recipe].start(seed, resume)
    return _within(minutes, training), agent.save


def _train_dqn(
    recipe: str, seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    from lib.agents import dqn_player

    return dqn_player.start(recipe, seed, minutes, resume)


def _train_project(
    network: str, seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    """10,000 games as in the project that lesson 4 grew from, with its maximum over legal moves."""
    from lib.agents import dqn_project
    from lib.games.game2048 import Game2048

    agent, games = dqn_project.agent(network, seed), 10_000
    if resume:
        agent.load(resume)
    training = agent.fit(Game2048(), games - len(agent.scores) % games)
    return _within(minutes, training), agent.save


def _train_ntuple(
    seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Save]:
    from lib.agents.ntuple import NTuple

    network = NTuple.load(resume, resume=True) if resume else NTuple(seed=seed)
    return network.train(minutes=minutes), network.save


def _train_solitaire(
    kind: str, seed: int, minutes: float, resume: Path | None, **crew: Any
) -> tuple[Iterator[Progress], Save]:
    from lib.agents import solitaire_roster

    progress, save = solitaire_roster.start(kind, seed, minutes, resume, **crew)
    return _within(minutes, progress) if kind == "project" else progress, save


def _tapnswap(summary: str, form: str, *opponents: str, suffix: str = "") -> Trainer:
    start = partial(_train_tapnswap, form, opponents)
    return Trainer(summary, f"tapnswap{suffix}.npz", start, 0.2, registry.q_learning)


def _solitaire(kind: str, summary: str, file: str, minutes: float, **more: Any) -> Trainer:
    start = partial(_train_solitaire, kind)
    return Trainer(summary, file, start, minutes, registry.peg_network, **more)


_TRAINERS: dict[str, dict[str, Trainer]] = {
    "tapnswap": {
        "q-learning": _tapnswap("Q-table by negamax self-play", "NegamaxQLearning", "self"),
        **{
            name: _tapnswap(
                f"Q-table, the opponent as environment: {foe}", "QLearning", *who, suffix=f"-{name}"
            )
            for name, foe, who in (
                ("vs-random", "random play", ("random",)),
                ("vs-self", "itself", ("self",)),
                ("vs-both", "random play, then itself, twice", ("random", "self") * 2),
            )
        },
    },
    "chopsticks": {
        name: Trainer(
            summary,
            file,
            partial(_train_chopsticks, form),
            1,
            registry.mcts,
        )
        for name, form, summary, file in (
            ("mcts", "compiled", "tree search from every position", "chopsticks.npz"),
            ("readable", "readable", "the same in plain Python", "chopsticks-readable.npz"),
        )
    },
    "droids": {
        name: Trainer(
            f"Q-table against {foe}",
            f"droids-{name}.npz",
            partial(_train_droids, name),
            2,
            registry.droid_file,
        )
        for name, foe in (
            ("frozen", "a shooter that slips"),
            ("q-random", "random play"),
            ("q-shooter", "shoot-if-aligned"),
        )
    },
    "2048": {
        **{
            name: Trainer(
                words, f"2048-{name}.npz", partial(_train_dqn, name), minutes, registry.dqn
            )
            for name, words, minutes in (
                ("dqn", "DQN on afterstates, a network of layers", 10),
                ("tuples", "DQN on afterstates, patterns of five cells", 32),
            )
        },
        "ntuple": Trainer(
            "n-tuple network by TD(0)", "2048-ntuple.npz", _train_ntuple, 4, registry.ntuple
        ),
        **{
            name: Trainer(
                f"the project's DQN, {words}",
                f"2048-{name}.pt",
                partial(_train_project, name),
                10,
                partial(registry.dqn_project, name),
            )
            for name, words in (
                ("raw", "fully connected on the raw board"),
                ("planes", "fully connected on binary planes"),
                ("conv", "convolutional on binary planes"),
            )
        },
    },
    "solitaire": {
        "a3c": _solitaire(
            "a3c", "A3C, workers on one network", "solitaire-a3c.pt", 2, spreads=True
        ),
        "long": _solitaire(
            "long", "actor-critic, wide, from all over the board", "solitaire.pt", 45
        ),
        "curriculum": _solitaire(
            "curriculum",
            "actor-critic, 64 games at once, played backwards",
            "solitaire-curriculum.pt",
            1,
        ),
        "project": _solitaire(
            "project", "the project's recipe, 16 games at once", "solitaire-project.pt", 15
        ),
    },
}
