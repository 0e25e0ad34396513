"""The droid battle solved: both move at once, so the best play is a *mix* of actions.

`solve` works backwards from the last round: what a round leads to is a 5 x 5 matrix game, and its
value (lib.truth.matrix) is the value of the state. The values are kept; a state's matrix and mix
are worked out again when asked for. `best_response` does the same against a fixed policy: what it
gains is the policy's *exploitability*, 0 for an equilibrium player.

Two goals: "wins" counts the sign of the final lead, "points" the lead itself.

>>> game = Droids(rounds=6)
>>> truth = solve(game)
>>> truth.value(game.start())
0.0
>>> exploitability(game, truth.policy)
0.0
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from lib.games.droids import Droids, DroidState
from lib.truth.droids_compiled import Tables, equilibrium_layer, fixed_layer, payoffs, tables
from lib.truth.matrix import equilibrium

Policy = Callable[[int], np.ndarray]
"""Rounds left -> shares of the 5 actions at [own shots, other's, lead + shots, pair of places].

The lead axis has length 1 where the policy does not look at the lead.
"""

GOALS: dict[str, Callable[[np.ndarray], np.ndarray]] = {  # what a final lead is worth
    "wins": np.sign,
    "points": np.positive,
    "decided": lambda lead: np.abs(np.sign(lead)),
}
LARGEST = 2e9  # bytes of values that we are ready to keep
NO_POLICY = np.zeros((0, 0, 0, 0, 0))


class Backward:
    """What solutions and best responses share: a board, a goal, and a value for every state."""

    def __init__(self, game: Droids, goal: str, leads: int) -> None:
        if goal not in GOALS:
            raise ValueError(f"no goal is called {goal!r}: choose one of {', '.join(GOALS)}")
        self.game, self.tables = game, board_tables(game.rows, game.cols)
        counts = (game.shots + 1, game.shots + 1, leads, len(self.tables.pairs))
        if 8 * np.prod(counts) * (game.rounds + 1) > LARGEST:
            raise ValueError(
                f"{game.rows} x {game.cols} cells, {game.shots} shots and {game.rounds} rounds "
                f"need more than {LARGEST:.0e} bytes: give a smaller board or fewer shots or rounds"
            )
        self.ends = GOALS[goal](np.arange(leads) - leads // 2.0)
        self.values = np.zeros((game.rounds + 1, *counts))
        self.values[0] = self.ends[:, None]

    def spot(self, state: DroidState, player: int) -> tuple[int, int, int, int]:
        """Where `player` finds the state in a layer: own shots, other's, lead, pair."""
        self.game.check_state(state)
        me, it = player, 1 - player
        lead = state.points[me] - state.points[it] + self.game.shots
        pair = self.tables.pairs[state.locations[me], state.locations[it]]
        leads = self.values.shape[3]
        return state.shots[me], state.shots[it], lead if leads > 1 else 0, pair

    def ahead(self, state: DroidState, player: int) -> int:
        """The lead that the values leave out: points made so far, if there is no lead axis."""
        whole = self.values.shape[3] > 1
        return 0 if whole else state.points[player] - state.points[1 - player]


class Solution(Backward):
    """The equilibrium of the whole game."""

    def __init__(self, game: Droids, goal: str = "wins") -> None:
        super().__init__(game, goal, 2 * game.shots + 1 if goal == "wins" else 1)
        for rounds in range(1, game.rounds + 1):
            self._solve(rounds, self.values[rounds])

    def _solve(self, rounds: int, values: np.ndarray) -> np.ndarray:
        """Solve all matrices with `rounds` left; returns the mixes, fills in `values`."""
        mixes = np.zeros((*values.shape, 5))
        layer = self.values[rounds - 1]
        equilibrium_layer(layer, *self.tables[1:], self.ends, values, mixes)
        return mixes

    def policy(self, rounds: int) -> np.ndarray:
        """The equilibrium player as a `Policy`: its mixes with `rounds` left."""
        return self._solve(rounds, np.empty_like(self.values[rounds]))

    def value(self, state: DroidState, player: int = 0) -> float:
        """What `player` can make sure of, on average: of the outcome, or of the final lead."""
        value = self.values[(state.rounds, *self.spot(state, player))]
        return float(value + self.ahead(state, player)) + 0.0  # never -0.0

    def matrix(self, state: DroidState, player: int = 0) -> np.ndarray:
        """Value for each own action (rows) and each of the other's; nan where one is illegal."""
        if not self.game.movers(state):
            raise ValueError(f"the game is over in {self.game.write(state)}: there is no round")
        rows, columns = np.empty(5, np.int64), np.empty(5, np.int64)
        spot, packed, matrix = self.spot(state, player), np.empty((5, 5)), np.full((5, 5), np.nan)
        layer = self.values[state.rounds - 1]
        m, n = payoffs(layer, *self.tables[1:], spot, rows, columns, packed)
        matrix[np.ix_(rows[:m], columns[:n])] = packed[:m, :n] + self.ahead(state, player)
        return matrix

    def mix(self, state: DroidState, player: int = 0) -> np.ndarray:
        """The share of each of the five actions in an equilibrium."""
        return equilibrium(self.matrix(state, player)).rows


class Response(Backward):
    """The best response to a policy, and the own value of the policy against it or a given one."""

    def __init__(
        self, game: Droids, policy: Policy, goal: str = "wins", reply: Policy | None = None
    ) -> None:
        super().__init__(game, goal, 2 * game.shots + 1)
        self.choices = np.zeros(self.values.shape, np.int8)
        swapped = np.array([self.tables.pairs[b, a] for a, b in self.tables.pairs])
        for rounds in range(1, game.rounds + 1):
            layer = np.ascontiguousarray(policy(rounds), dtype=float)
            answer = NO_POLICY if reply is None else np.ascontiguousarray(reply(rounds), float)
            fixed_layer(
                self.values[rounds - 1],
                *self.tables[1:],
                self.ends,
                layer,
                answer,
                swapped,
                self.values[rounds],
                self.choices[rounds],
            )

    def value(self, state: DroidState, player: int = 0) -> float:
        """What the responder gets as `player`, on average."""
        return -float(self.values[(state.rounds, *self.spot(state, 1 - player))]) + 0.0

    def choice(self, state: DroidState, player: int = 0) -> int:
        """The responder's action as `player`."""
        return int(self.choices[(state.rounds, *self.spot(state, 1 - player))])

    def at_start(self) -> float:
        """What the responder gets from the start, as the mean over both seats."""
        start = self.game.start()
        return (self.value(start, 0) + self.value(start, 1)) / 2


@lru_cache(maxsize=8)
def board_tables(rows: int, cols: int) -> Tables:
    """One round of the rules on a board of this size, as tables."""
    return tables(Droids(rows, cols))


@lru_cache(maxsize=4)
def _solution(rows: int, cols: int, shots: int, rounds: int, goal: str) -> Solution:
    return Solution(Droids(rows, cols, shots, rounds), goal)


def solve(game: Droids, goal: str = "wins") -> Solution:
    """The equilibrium of the whole game; solved once for each board, then remembered."""
    return _solution(game.rows, game.cols, game.shots, game.rounds, goal)


def best_response(game: Droids, policy: Policy, goal: str = "wins") -> Response:
    """The player that does best against `policy`, knowing all of it but its dice."""
    return Response(game, policy, goal)


def exploitability(game: Droids, policy: Policy, goal: str = "wins") -> float:
    """What the best response gains from the start, as the mean over both seats; 0 is perfect."""
    return best_response(game, policy, goal).at_start()


class Odds(NamedTuple):
    """The exact chances in a match between two policies, and the mean final lead."""

    won: float
    drawn: float
    lost: float
    points: float


def odds(game: Droids, one: Policy, other: Policy) -> Odds:
    """How `one` fares against `other`, as the mean over both seats, without playing a game."""
    wins, points, decided = (
        -Response(game, one, goal, other).at_start() for goal in ("wins", "points", "decided")
    )
    return Odds((decided + wins) / 2, 1 - decided, (decided - wins) / 2, points)


def tabulate(
    game: Droids,
    mix: Callable[[DroidState], Sequence[float] | np.ndarray],
    *,
    lead: bool = False,
    rounds: bool = False,
) -> Policy:
    """The `Policy` of a player given as state -> shares of the 5 actions, seen as player 0.

    Say whether it looks at the lead and at the rounds left: it is asked once for each such state.
    """

    def layer(left: int) -> np.ndarray:
        shares = np.zeros((game.shots + 1, game.shots + 1, leads, len(pairs), 5))
        for own, other, ahead in product(
            range(game.shots + 1), range(game.shots + 1), range(leads)
        ):
            points = _points(game, own, other, ahead - game.shots) if lead else (0, 0)
            if points is None or own + other == 0:
                continue
            fired = 0 if rounds else game.shots - min(own, other)  # in rounds that are over
            for places, pair in pairs.items():
                state = DroidState(places, (own, other), points, max(1, left - fired))
                shares[own, other, ahead, pair] = _checked(game, state, mix(state))
        return shares

    pairs, leads = board_tables(game.rows, game.cols).pairs, 2 * game.shots + 1 if lead else 1
    if rounds:
        return layer
    always = layer(game.rounds)
    return lambda left: always


def _points(game: Droids, own: int, other: int, lead: int) -> tuple[int, int] | None:
    """Points that make this lead with these shots left, or None if none do."""
    points = max(lead, 0), max(-lead, 0)
    return points if points[0] <= game.shots - own and points[1] <= game.shots - other else None


def _checked(game: Droids, state: DroidState, shares: Sequence[float] | np.ndarray) -> np.ndarray:
    """The shares as an array; ValueError unless they are chances of legal actions."""
    array, legal = np.asarray(shares, dtype=float), game.legal(state, 0)
    if array.shape != (5,) or array.min() < 0 or abs(array[legal].sum() - 1) > 1e-9:
        raise ValueError(f"{shares} in {game.write(state)}: give shares of the actions {legal}")
    return array
