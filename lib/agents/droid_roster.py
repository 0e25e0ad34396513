"""The droid agents that the course ships: how each was trained, and what the exact game says of it.

The *frozen* opponent of lesson 3 is chosen knowingly. Trained long against random play, a table
leaves nothing to win: a safe minimax never loses to it, and draws 9 games of 10. Trained against
the shooter alone it has never seen half of the board. So it learned from a shooter that slips in
every twentieth round, looking at everything (epsilon 1), for 5 million rounds, far from all it
could: it beats random play in 9 games of 10, a careful player wins half of the games, and one that
is careful first and hopeful second nearly all. Of the seeds 0 to 31 the one that shows this most
clearly at all depths of search was taken: with the others the reference won 49 to 95 of 100.
"""

import json
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lib.agents.droid_agents import DroidAgent, RandomAgent, ShooterAgent
from lib.agents.droid_compiled import learn, random_shares, shooter_shares
from lib.agents.droid_policies import as_policy, shares_of
from lib.agents.droid_q import DroidQSettings, QAgent
from lib.agents.minimax import MinimaxAgent
from lib.agents.progress import Progress
from lib.games.droids import Droids
from lib.truth.droids import Policy, exploitability, odds, solve

WEIGHTS = Path(__file__).parents[1] / "weights"
STANDINGS = WEIGHTS / "droids-standings.json"


@dataclass(frozen=True)
class Recipe:
    """How a shipped table was learned."""

    opponent: Callable[[Droids], np.ndarray]
    rounds: int
    seed: int
    settings: DroidQSettings = field(default_factory=DroidQSettings)

    def start(
        self, seed: int | None = None, resume: Path | None = None
    ) -> tuple[QAgent, Iterator[Progress]]:
        """An agent, empty or from a file, and what is left of its training, or as much again."""
        own, its = np.random.SeedSequence(self.seed if seed is None else seed).spawn(2)
        agent = QAgent.load(resume) if resume else QAgent(self.settings, np.random.default_rng(own))
        dice = np.random.default_rng(its if not resume else [agent.rounds])
        left, game = max(self.rounds - agent.rounds, 0) or self.rounds, Droids()
        return agent, learn(agent, self.opponent(game), left, 500_000, game, dice)


EXPLORE = DroidQSettings(alpha=0.1, gamma=0.93, epsilon=1.0)
RECIPES = {
    "frozen": Recipe(lambda game: shooter_shares(game, slips=0.05), 5_000_000, 29, EXPLORE),
    "q-random": Recipe(random_shares, 3_000_000, 1, DroidQSettings(gamma=0.95)),
    "q-shooter": Recipe(shooter_shares, 3_000_000, 1, DroidQSettings(gamma=0.95)),
}


def weights(name: str) -> Path:
    """The file of a shipped table."""
    return WEIGHTS / f"droids-{name}.npz"


@cache
def _table(name: str) -> QAgent:
    return QAgent.load(weights(name))


def trained(name: str, seed: int | None = None) -> QAgent:
    """A shipped agent: "frozen", "q-random" or "q-shooter". Don't train it: others share it."""
    if name not in RECIPES:
        raise ValueError(f"no table is called {name!r}: choose one of {', '.join(RECIPES)}")
    agent = copy(_table(name))
    agent.rng = np.random.default_rng(seed)
    return agent


def roster() -> dict[str, DroidAgent]:
    """Every agent that lesson 3 compares, by name."""
    return {
        "random": RandomAgent(),
        "shooter": ShooterAgent(),
        "Q vs random": trained("q-random"),
        "Q vs shooter": trained("q-shooter"),
        "Q frozen": trained("frozen"),
        "optimist": MinimaxAgent("optimistic"),
        "pessimist": MinimaxAgent("pessimistic"),
        "minimax": MinimaxAgent("combined"),
    }


class Standing(NamedTuple):
    """An agent's exact chances against random play, and what its best response wins of it."""

    name: str
    won: float
    drawn: float
    lost: float
    exploitability: float  # 0 is safe, 1 loses every game to who knows it


def standings(agents: dict[str, DroidAgent] | None = None) -> list[Standing]:
    """Both columns for every agent, and for `Perfect`: half a minute, no game played."""
    game = Droids()
    policies = {name: as_policy(shares_of(agent)) for name, agent in (agents or roster()).items()}
    return [standing(name, policy, game) for name, policy in policies.items()] + [
        standing("perfect", solve(game).policy, game)
    ]


def stored_standings() -> list[Standing]:
    """What `standings` found, from lib/weights."""
    return [Standing(*row) for row in json.loads(STANDINGS.read_text(encoding="utf-8"))]


def standing(name: str, policy: Policy, game: Droids) -> Standing:
    """One row of `standings`."""
    chances = odds(game, policy, as_policy(random_shares(game)))
    return Standing(name, *chances[:3], exploitability(game, policy))
