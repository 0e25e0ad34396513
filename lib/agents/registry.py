"""Who can play each game, by name: for boards, arcade and commands. Learners: `trainers.py`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lib.agents.baselines import Greedy, Mixture, Preference, Random, ShootIfAligned
from lib.game import Agent
from lib.games import GAMES

LEVELS = ("easy", "medium", "hard", "perfect")
WEIGHTS = Path(__file__).parents[1] / "weights"
RUNS = Path(__file__).parents[2] / "runs"  # where `course.py train` puts its files


def agents(game_name: str) -> dict[str, Callable[[], Agent]]:
    """Every agent of a game by name, weakest first: `agents("tapnswap")["random"]()`."""
    GAMES[game_name]  # names an unknown game
    return {"random": Random, "greedy": Greedy, **_PLAYERS.get(game_name, {})}


def own_agents(game_name: str, folder: Path = RUNS) -> dict[str, Callable[[], Agent]]:
    """Agents that `course.py train` made here, by file: {"q-learning, seed 0": ...}."""
    from lib.agents.trainers import trainers

    found: dict[str, Callable[[], Agent]] = {}
    for name, trainer in trainers(game_name).items():
        for path in sorted(folder.glob(f"{game_name}-{name}-seed*{Path(trainer.file).suffix}")):
            seed = path.stem.rpartition("-seed")[2]
            if trainer.player is not None and seed.isdecimal():  # not what is kept to go on
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


def q_learning(path: Path = WEIGHTS / "tapnswap.npz") -> Agent:
    from lib.agents.q_learning import QLearning, QPlayer
    from lib.games.tapnswap import TapnSwap

    return QPlayer(QLearning.load(path, TapnSwap()))


def mcts(path: Path = WEIGHTS / "chopsticks.npz") -> Agent:
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


def droid_file(path: Path) -> Agent:
    from lib.agents.droid_agents import DroidPlayer
    from lib.agents.droid_q import QAgent

    return DroidPlayer(QAgent.load(path), "q-learning")


def _droid_minimax() -> Agent:
    from lib.agents.droid_agents import DroidPlayer
    from lib.agents.minimax import MinimaxAgent

    return DroidPlayer(MinimaxAgent(), "minimax")


def dqn(path: Path) -> Agent:
    from lib.agents.dqn_player import shipped

    return shipped(path)


def dqn_project(network: str, path: Path) -> Agent:
    """One of the project's agents, from the file of its training."""
    from lib.agents import dqn_project

    return dqn_project.player(network, path)


def ntuple(path: Path = WEIGHTS / "2048-ntuple.npz") -> Agent:
    from lib.agents.dqn_player import NTuplePlayer
    from lib.agents.ntuple import NTuple

    return NTuplePlayer(NTuple.load(path))


def peg_network(path: Path | None = None) -> Agent:
    from lib.agents import solitaire_roster

    return solitaire_roster.player(path or solitaire_roster.SHIPPED)


def _peg_beam() -> Agent:
    from lib.agents import solitaire_roster

    return solitaire_roster.player(beam=64)


def _perfect_solitaire() -> Agent:
    from lib.agents.perfect_solitaire import PerfectSolitaire

    return PerfectSolitaire()


_PLAYERS: dict[str, dict[str, Callable[[], Agent]]] = {
    "tapnswap": {"q-learning": q_learning, "perfect": _perfect_fingers},
    "chopsticks": {"search": _mcts_on_the_spot, "mcts": mcts, "perfect": _perfect_fingers},
    "droids": {
        "aligned": ShootIfAligned,
        "q-learning": _droid_table,
        "minimax": _droid_minimax,
        "perfect": _perfect_droids,
    },
    "2048": {
        "preference": Preference,
        **{n: partial(dqn, WEIGHTS / f"2048-{n}.npz") for n in ("dqn", "tuples")},
        "ntuple": ntuple,
    },
    "solitaire": {
        "actor-critic": peg_network,
        "beam": _peg_beam,
        "perfect": _perfect_solitaire,
    },
}
