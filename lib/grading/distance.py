"""How far from perfect an agent is, asked move by move where the truth of its game is known.

A tournament only says who beat whom. The finger games, the droids and solitaire are solved, so that
an agent can be measured without an opponent; of 2048 nobody knows the truth.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lib import parallel
from lib.agents.baselines import Random, ShootIfAligned
from lib.agents.droid_agents import DroidPlayer
from lib.agents.droid_compiled import random_shares, shooter_shares
from lib.agents.droid_policies import as_policy, shares_of
from lib.agents.perfect_droids import PerfectDroids
from lib.arena import Player, Table, one_thread
from lib.arena_results import HEADINGS
from lib.game import Agent, Forfeit, Game
from lib.games.droids import Droids, DroidState
from lib.games.fingers import FingerGame
from lib.games.solitaire import Solitaire
from lib.truth import droids, fingers, solitaire

PATIENCE = 30.0  # seconds for one agent
PEGS, EACH = (10, 16, 22), 4  # solvable positions that an agent of solitaire is asked about
PROBES = 200  # droid positions that are asked again, at another lead and in another round
UNKNOWN = "not known"
HEADING = "distance from the truth"


class TooSlow(Exception):
    """It would take longer than PATIENCE."""


def distance(game: Game[Any], agent: Agent, seed: int = 0) -> str:
    """In words: "value kept in 170 of 177 positions", "exploitability 0.41"."""
    measure = _measure(game)
    if measure is None:
        return UNKNOWN
    try:
        with one_thread():
            return measure(game, _Asked(game, agent, seed))
    except Forfeit as given_up:
        return f"not measured: {given_up}"
    except TooSlow:
        return f"not measured: more than {PATIENCE:g} s"


def _measure(game: Game[Any]) -> "Callable[[Any, _Asked], str] | None":
    """What asks an agent of this game; None if nobody knows the game's truth."""
    measures: dict[type, Callable[[Any, _Asked], str]] = {
        FingerGame: _fingers,
        Droids: _droids,
        Solitaire: _pegs,
    }
    return next((m for kind, m in measures.items() if isinstance(game, kind)), None)


class _Asked:
    """An agent that is asked about positions out of the blue, each with dice of its own."""

    def __init__(self, game: Game[Any], agent: Agent, seed: int) -> None:
        self.game, self.agent = game, agent
        self.rng, self.end = np.random.default_rng(seed), time.monotonic() + PATIENCE

    def __call__(self, state: Any, player: int) -> int:
        if time.monotonic() > self.end:
            raise TooSlow
        self.agent.begin(self.rng.spawn(1)[0])
        return self.agent.act(self.game, state, player)


def _fingers(game: FingerGame, ask: _Asked) -> str:
    """The share of reachable positions in which its move keeps the value."""
    kept, of = fingers.kept(fingers.solve(game), lambda state: [ask(state, state.player)])
    return f"value kept in {kept} of {of} positions"


def _pegs(game: Solitaire, ask: _Asked) -> str:
    """The share of random solvable positions that its jump leaves solvable."""
    rng = np.random.default_rng(0)  # the same positions for everyone
    states = [int(s) for pegs in PEGS for s in solitaire.random_solvable(pegs, EACH, rng)]
    kept: list[bool] = []
    try:
        for state in states:
            kept.append(ask(state, 0) in solitaire.winning_jumps(state))
    except TooSlow:
        return (
            f"still solvable after {sum(kept)} of {len(kept)} moves, then {PATIENCE:g} s were over"
        )
    return f"still solvable after {sum(kept)} of {len(kept)} moves"


def _droids(game: Droids, ask: _Asked) -> str:
    """What a best response wins of it: 0 is safe, 1 loses every game to who knows it."""
    policy = _known_policy(game, ask.agent) or _asked_policy(game, ask)
    if policy is None:
        return "not measured: its moves depend on dice, the lead or the round"
    return f"exploitability {droids.exploitability(game, policy):.2f}"


def _known_policy(game: Droids, agent: Agent) -> droids.Policy | None:
    """The policy of a shipped agent, without asking."""
    if isinstance(agent, PerfectDroids):
        return droids.solve(game).policy
    if isinstance(agent, Random):
        return as_policy(random_shares(game))
    if isinstance(agent, ShootIfAligned):
        return as_policy(shooter_shares(game))
    if not isinstance(agent, DroidPlayer):
        return None
    try:
        return as_policy(shares_of(agent.agent, game))
    except ValueError:  # of another kind
        return None


def _asked_policy(game: Droids, ask: _Asked) -> droids.Policy | None:
    """Its answers at every place with any shots; None if it looks at more than these."""

    def certain(state: DroidState) -> np.ndarray:
        return np.eye(5)[ask(state, 0)]

    policy = droids.tabulate(game, certain)
    return policy if _looks_at_no_more(game, ask, policy(game.rounds)[:, :, 0]) else None


def _looks_at_no_more(game: Droids, ask: _Asked, shares: np.ndarray) -> bool:
    """Asked again, in the other seat, at another lead and in another round: the same answers?"""
    rng, pairs = np.random.default_rng(1), list(droids.board_tables(game.rows, game.cols).pairs)
    number = droids.board_tables(game.rows, game.cols).pairs
    for _ in range(PROBES):
        own, other = (int(n) for n in rng.integers(1, game.shots + 1, 2))
        here, there = pairs[rng.integers(len(pairs))]
        points = int(rng.integers(game.shots - own + 1)), int(rng.integers(game.shots - other + 1))
        played = max(game.shots - own, game.shots - other, sum(points))  # at least
        rounds = int(rng.integers(1, game.rounds - played + 1))
        state = DroidState((there, here), (other, own), points[::-1], rounds)
        if shares[own, other, number[here, there], ask(state, 1)] < 1:
            return False
    return True


@dataclass(frozen=True)
class Judged:
    """A tournament's table with one column more: how far each agent is from the truth."""

    table: Table
    distances: Mapping[str, str]

    def rows(self) -> list[tuple[str, ...]]:
        """As `Table.rows`, with the new column at the end."""
        return [(*row, self.distances[row[1]]) for row in self.table.rows()]

    @property
    def headings(self) -> tuple[str, ...]:
        """What the columns are."""
        return (*HEADINGS, HEADING)

    def __str__(self) -> str:
        rows = [self.headings, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in rows]
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        line = ("---:", "---", "---:", "---:", "---:", "---:", "---", "---")
        return "\n".join(f"| {' | '.join(row)} |" for row in (self.headings, line, *self.rows()))


def judged(game: Game[Any], table: Table, players: Mapping[str, Player], **where: Any) -> Judged:
    """The table of a tournament with the distances of its players, given as for `tournament`.

    `where` they are asked is as for `lib.parallel.run`: `jobs`, `ray`, `progress`.
    """
    if _measure(game) is None:  # no agent needs to be made, loaded and asked for that
        return Judged(table, dict.fromkeys(table.names, UNKNOWN))
    asked = [players[name] for name in table.names]
    found = parallel.gather(asked, partial(_measured, game), **where)
    return Judged(table, dict(zip(table.names, found, strict=True)))


def _measured(game: Game[Any], player: Player) -> str:
    """The distance of an agent, made first if it is given as what makes it."""
    return distance(game, player if isinstance(player, Agent) else player())
