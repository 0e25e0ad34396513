"""Who can play and who can learn each game, by name: for boards, arcade and commands."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lib.agents.baselines import Greedy, Mixture, Random
from lib.agents.progress import Progress
from lib.game import Agent
from lib.games import GAMES

LEVELS = ("easy", "medium", "hard", "perfect")
WEIGHTS = Path(__file__).parents[1] / "weights"

Save = Callable[[Path], None]


@dataclass(frozen=True)
class Trainer:
    """How `course.py train` makes one agent: what it is, its file, and how to start it."""

    summary: str
    file: str  # the name of its weights in lib/weights
    start: Callable[
        [int, float, Path | None], tuple[Iterator[Progress], Save]
    ]  # seed, minutes, resume


def agents(game_name: str) -> dict[str, Callable[[], Agent]]:
    """Every agent of a game by name, weakest first: `agents("tapnswap")["random"]()`."""
    GAMES[game_name]  # names an unknown game
    return {"random": Random, "greedy": Greedy, **_PLAYERS.get(game_name, {})}


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


_PLAYERS: dict[str, dict[str, Callable[[], Agent]]] = {}
_TRAINERS: dict[str, dict[str, Trainer]] = {}
