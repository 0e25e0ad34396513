"""The droid battle's equilibrium against a slow solver that shares no code with it, and by play."""

import doctest
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

import lib.truth.droids as module
from lib.agents.baselines import Random, ShootIfAligned
from lib.agents.perfect_droids import PerfectDroids
from lib.arena import match
from lib.game import Agent
from lib.games.droids import Droids, DroidState
from lib.truth import matrix as matrices
from lib.truth.droids import best_response, exploitability, odds, solve, tabulate

SMALL = [Droids(2, 3, shots=2, rounds=4), Droids(3, 3, shots=1, rounds=4)]
SHOOT = 4


def by_supports(payoff: np.ndarray) -> float:
    """The value of a matrix game: try all pairs of equally large supports (Shapley and Snow)."""
    m, n = payoff.shape
    for size in range(1, min(m, n) + 1):
        for rows, columns in product(combinations(range(m), size), combinations(range(n), size)):
            part = payoff[np.ix_(rows, columns)]
            mine, its = equalised(part), equalised(part.T)
            if mine is None or its is None:
                continue
            (x, value), (y, _) = mine, its
            if (x @ payoff[list(rows)] > value - 1e-9).all() and (
                payoff[:, list(columns)] @ y < value + 1e-9
            ).all():
                return value
    raise AssertionError(f"no equilibrium of\n{payoff}")


def equalised(part: np.ndarray) -> tuple[np.ndarray, float] | None:
    """Shares of the rows that make all columns worth the same, and that worth."""
    size = len(part)
    system = np.zeros((size + 1, size + 1))
    system[:size, :size], system[:size, size], system[size, :size] = part.T, -1, 1
    try:
        *shares, value = np.linalg.solve(system, np.eye(size + 1)[size])
    except np.linalg.LinAlgError:
        return None
    return (np.array(shares), float(value)) if min(shares) > -1e-9 else None


class Plain:
    """Every state that play from any two cells leads to, solved by the plain rules."""

    def __init__(self, game: Droids, goal: str) -> None:
        self.game = game
        self.worth = np.sign if goal == "wins" else np.positive
        self.value = cache(self._value)
        self.states: list[DroidState] = []
        cells = list(product(range(game.rows), range(game.cols)))
        for here, there in product(cells, cells):
            if here != there:
                self.value(game.start()._replace(locations=(here, there)))

    def matrix(self, state: DroidState) -> np.ndarray:
        mine, its = self.game.legal(state, 0), self.game.legal(state, 1)
        return np.array([[self.value(self.game.play(state, (a, b))) for b in its] for a in mine])

    def _value(self, state: DroidState) -> float:
        if not self.game.movers(state):
            return float(self.worth(state.points[0] - state.points[1]))
        self.states.append(state)
        return by_supports(self.matrix(state))


@pytest.mark.parametrize("goal", ["wins", "points"])
@pytest.mark.parametrize("game", SMALL, ids=["2x3", "3x3"])
def test_every_state_of_a_small_board(game: Droids, goal: str) -> None:
    plain, truth = Plain(game, goal), solve(game, goal)
    assert len(plain.states) > 900
    mixed = 0
    for state in plain.states:
        value, payoff = plain.value(state), plain.matrix(state)
        assert truth.value(state) == pytest.approx(value, abs=1e-9)
        assert truth.value(state, player=1) == pytest.approx(-value, abs=1e-9)
        shares = truth.mix(state)[game.legal(state, 0)]
        assert shares.sum() == pytest.approx(1) and shares.min() >= 0
        assert (shares @ payoff).min() > value - 1e-9, "the mix makes sure of the value"
        low, high = payoff.min(axis=1).max(), payoff.max(axis=0).min()
        whole = truth.matrix(state)
        assert matrices.pessimistic(whole) == pytest.approx(low, abs=1e-9)
        assert matrices.optimistic(whole) == pytest.approx(high, abs=1e-9)
        assert low - 1e-9 <= value <= high + 1e-9
        mixed += low < high - 1e-9
    assert mixed > 30, "some rounds need dice"


@pytest.mark.parametrize("whole_numbers", [True, False])
def test_matrix_games_against_enumeration(whole_numbers: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(150):
        shape = rng.integers(1, 6, 2)
        payoff = (
            rng.integers(-2, 3, shape).astype(float) if whole_numbers else rng.normal(size=shape)
        )
        value, rows, columns = matrices.equilibrium(payoff)
        assert value == pytest.approx(by_supports(payoff), abs=1e-9)
        assert (rows @ payoff).min() == pytest.approx(value, abs=1e-9)
        assert (payoff @ columns).max() == pytest.approx(value, abs=1e-9)


def test_matrix_games_leave_out_what_is_not_allowed() -> None:
    rock = np.array([[0.0, np.nan, -1, 1], [1, np.nan, 0, -1], [np.nan] * 4, [-1, np.nan, 1, 0]])
    value, rows, columns = matrices.equilibrium(rock)
    assert value == pytest.approx(0)
    assert rows == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])
    assert columns == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    for bad in (np.full((2, 2), np.nan), np.array([[1.0, np.nan], [0.0, 1.0]]), np.zeros((0, 3))):
        with pytest.raises(ValueError, match="finite payoffs"):
            matrices.equilibrium(bad)


def odd_mix(game: Droids, state: DroidState) -> np.ndarray:
    """A fixed policy that looks at everything: weights by a hash of the state."""
    rng = np.random.default_rng(
        [*np.ravel(state.locations), *state.shots, *state.points, state.rounds]
    )
    weights = np.zeros(5)
    legal = game.legal(state, 0)
    weights[legal] = rng.integers(0, 3, len(legal)) + 0.25
    return weights / weights.sum()


def plain_response(game: Droids, goal: str, state: DroidState) -> float:
    """What the best answer of player 1 to `odd_mix` of player 0 gets, by plain recursion."""

    @cache
    def value(state: DroidState) -> float:
        if not game.movers(state):
            lead = state.points[1] - state.points[0]
            return float(np.sign(lead) if goal == "wins" else lead)
        shares, mine = odd_mix(game, state), game.legal(state, 0)
        return max(
            sum(shares[a] * value(game.play(state, (a, b))) for a in mine)
            for b in game.legal(state, 1)
        )

    return value(state)


@pytest.mark.parametrize("goal", ["wins", "points"])
def test_best_response_against_plain_recursion(goal: str) -> None:
    game = Droids(2, 3, shots=2, rounds=4)
    # The lead is all that a policy sees of the points, so the hash may use no more.
    policy = tabulate(game, lambda state: odd_mix(game, state), lead=True, rounds=True)
    response = best_response(game, policy, goal)
    start = game.start()
    early = DroidState(start.locations, start.shots, start.points, 2)
    for state in (early, DroidState(((0, 0), (1, 2)), (1, 2), (0, 0), 2)):
        assert response.value(state, player=1) == pytest.approx(plain_response(game, goal, state))


def uniform(game: Droids, state: DroidState) -> np.ndarray:
    legal = game.legal(state, 0)
    return np.isin(np.arange(5), legal) / len(legal)


def aligned(game: Droids, state: DroidState) -> np.ndarray:
    """`ShootIfAligned` in words of its own."""
    legal, (here, there) = game.legal(state, 0), state.locations
    sees = SHOOT in legal and any(a == b for a, b in zip(here, there, strict=True))
    allowed = [SHOOT] if sees else [a for a in legal if a != SHOOT]
    return np.isin(np.arange(5), allowed) / len(allowed)


@pytest.mark.parametrize("rounds", [10, pytest.param(50, marks=pytest.mark.slow)])
def test_the_usual_board(rounds: int) -> None:
    game = Droids(rounds=rounds)
    truth = solve(game)
    assert truth.value(game.start()) == 0.0 == solve(game, "points").value(game.start())
    assert exploitability(game, truth.policy) == pytest.approx(0, abs=1e-9)
    by_chance = tabulate(game, lambda state: uniform(game, state))
    shooting = tabulate(game, lambda state: aligned(game, state))
    assert exploitability(game, by_chance) > (0.99 if rounds == 50 else 0.8)
    assert exploitability(game, shooting) > 0.5
    found = odds(game, by_chance, by_chance)
    assert found.won == pytest.approx(found.lost) and found.points == pytest.approx(0)
    if rounds == 50:  # 35 / 36 / 29 % of games played were won, lost and drawn
        assert found[:3] == pytest.approx((0.355, 0.29, 0.355), abs=0.01)
    rng = np.random.default_rng(2)
    state, values = game.start(), []
    while game.movers(state):
        whole = truth.matrix(state)
        value = truth.value(state)
        assert matrices.pessimistic(whole) - 1e-9 <= value <= matrices.optimistic(whole) + 1e-9
        assert value == pytest.approx(matrices.equilibrium(whole).value, abs=1e-9)
        values.append(value)
        state = game.play(state, tuple(int(rng.choice(game.legal(state, p))) for p in (0, 1)))
    assert len(set(values)) > 2


PLAYERS: dict[str, Agent] = {
    "random": Random(),
    "aligned": ShootIfAligned(),
    "perfect": PerfectDroids(),
}


@pytest.mark.parametrize(("one", "other"), list(combinations(PLAYERS, 2)))
def test_odds_against_games_played(one: str, other: str) -> None:
    game, games = Droids(rounds=6), 300
    policies = {
        "random": tabulate(game, lambda state: uniform(game, state)),
        "aligned": tabulate(game, lambda state: aligned(game, state)),
        "perfect": solve(game).policy,
    }
    expected = odds(game, policies[one], policies[other])
    assert expected.won + expected.drawn + expected.lost == pytest.approx(1)
    result = match(game, PLAYERS[one], PLAYERS[other], games=games, seed=5)
    for seen, chance in zip((result.wins, result.draws, result.losses), expected[:3], strict=True):
        assert abs(seen - games * chance) < 4.5 * (games * chance * (1 - chance)) ** 0.5 + 1
    if other == "perfect":
        assert expected.won <= expected.lost + 1e-9


def test_bad_input_is_named() -> None:
    game = SMALL[1]
    with pytest.raises(ValueError, match="no goal is called 'glory'"):
        solve(game, "glory")
    with pytest.raises(ValueError, match="give shares of the actions"):
        tabulate(game, lambda state: [0, 0, 0, 0, 2])
    with pytest.raises(ValueError, match="smaller board"):
        solve(Droids(9, 9, shots=9, rounds=200))
    with pytest.raises(ValueError, match="can't be: two droids"):
        solve(game).value(DroidState(((0, 0), (0, 0)), (1, 1), (0, 0), 3))
    over = DroidState(((0, 0), (0, 1)), (1, 1), (0, 0), 0)
    with pytest.raises(ValueError, match="the game is over"):
        solve(game).matrix(over)


def test_the_examples_in_the_docstrings() -> None:
    for examples in (module, matrices):
        result = doctest.testmod(examples)
        assert result.failed == 0 < result.attempted
