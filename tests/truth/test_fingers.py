"""The finger games' solution: published counts, and a slow solver that shares no code with it."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from lib.agents.baselines import Random
from lib.agents.perfect_fingers import PerfectFingers
from lib.game import play
from lib.games.chopsticks import Chopsticks
from lib.games.fingers import FingerGame, FingerState
from lib.games.tapnswap import TapnSwap
from lib.truth.fingers import solve


@dataclass(frozen=True)
class Row:
    """One rule set of the published table."""

    game: FingerGame
    reachable: int
    counts: tuple[int, int, int] | None  # won, lost, drawn for the mover
    value: int
    plies: int | None


PUBLISHED = [
    Row(TapnSwap(), 191, (120, 61, 10), -1, 26),
    Row(Chopsticks(self_tap=False), 171, None, 0, None),
    Row(Chopsticks(rollover=True, self_tap=False), 204, None, 0, None),
    Row(Chopsticks(rollover=True, self_tap=False, empty_split=True), 207, None, 0, None),
    Row(Chopsticks(self_tap=False, split=False), 92, None, -1, 8),
    Row(Chopsticks(), 199, (134, 65, 0), 1, 23),
    Row(Chopsticks(rollover=True), 208, None, 0, None),
]
EVERY_GAME: list[FingerGame] = [
    TapnSwap(),
    *(Chopsticks(*switches) for switches in itertools.product((False, True), repeat=4)),
]
ALL_HANDS = [(a, b) for a in range(5) for b in range(a, 5)]


def slow_moves(game: FingerGame, own: tuple, other: tuple) -> set[tuple]:
    """The views after one turn, from the rule sheets, on sorted hands."""
    cutoff = isinstance(game, TapnSwap) or not getattr(game, "rollover", False)
    chopsticks = isinstance(game, Chopsticks)
    found = set()
    for mine, (hit, kept) in itertools.product(own, (other, other[::-1])):
        if mine and hit:
            total = mine + hit
            total = total if total < 5 else 0 if cutoff else total - 5
            found.add((tuple(sorted((total, kept))), own))
    if chopsticks and game.self_tap and all(own):
        total = sum(own) if sum(own) < 5 else 0 if cutoff else sum(own) - 5
        found |= {(other, tuple(sorted((total, kept)))) for kept in own}
    for new in ALL_HANDS if not chopsticks or game.split else []:
        may_be_empty = not chopsticks or game.empty_split
        if sum(new) == sum(own) and new != own and (new[0] or may_be_empty):
            found.add((other, new))
    return found


def slow_solution(game: FingerGame) -> dict[tuple, tuple[int, int | None]]:
    """Value and plies by sweeping "decided within n plies" for n = 0, 1, 2, and so on."""
    views = [(own, other) for own in ALL_HANDS for other in ALL_HANDS[1:]]
    solved: dict[tuple, tuple[int, int | None]] = {v: (-1, 0) for v in views if not any(v[0])}
    for n in range(1, 200):
        new = {}
        for view in views:
            if view in solved:
                continue
            after = [solved.get(v) for v in slow_moves(game, *view)]
            if any(known and known[0] == -1 for known in after):
                new[view] = (1, n)
            elif all(known and known[0] == 1 for known in after):
                new[view] = (-1, n)
        solved |= new
    return {view: solved.get(view, (0, None)) for view in views}


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: repr(row.game))
def test_published_table(row: Row) -> None:
    truth = solve(row.game)
    start = row.game.start()
    assert len(truth.reachable()) == row.reachable == sum(truth.counts())
    assert row.counts in (None, truth.counts())
    assert (truth.value(start), truth.distance(start)) == (row.value, row.plies)


def test_tapnswap_has_177_positions_that_are_not_over() -> None:
    truth = solve(TapnSwap())
    assert sum(bool(truth.game.graph.after[s]) for s in truth.reachable()) == 177


@pytest.mark.parametrize("game", EVERY_GAME, ids=repr)
def test_slow_solver_agrees_in_every_state(game: FingerGame) -> None:
    truth, slow = solve(game), slow_solution(game)
    for state in game.states():
        view = tuple(tuple(sorted(hands)) for hands in state[:2])
        assert (truth.value(state), truth.distance(state)) == slow[view], game.write(state)


@pytest.mark.parametrize("game", EVERY_GAME, ids=repr)
def test_best_moves_are_one_ply_nearer(game: FingerGame) -> None:
    truth = solve(game)
    for state in game.states():
        best, keeping = truth.best_moves(state), truth.keeping_moves(state)
        assert set(best) <= set(keeping) <= set(game.legal(state, state.player))
        assert bool(best) == bool(game.movers(state))
        for action in best:
            after = game.play(state, (action,))
            assert truth.value(after) == -truth.value(state)
            if truth.value(state):
                assert truth.distance(after) == truth.distance(state) - 1


def test_principal_lines_end_as_told() -> None:
    for game, plies in ((TapnSwap(), 26), (Chopsticks(), 23)):
        line = solve(game).principal_line(game.start())
        assert len(line) == plies and game.movers(line[-1][1]) == ()
    game = Chopsticks(rollover=True)
    line = solve(game).principal_line(game.start())
    states = [game.start(), *(state for _, state in line)]
    assert states.index(states[-1]) < len(states) - 1, "a drawn line ends where it repeats"


def test_perfect_wins_what_is_won_and_holds_what_is_drawn() -> None:
    perfect, chance = PerfectFingers(), Random()
    for row in PUBLISHED:
        for seat in (0, 1):
            for seed in range(10):
                agents = [perfect, chance] if seat == 0 else [chance, perfect]
                record = play(row.game, agents, np.random.default_rng(seed), max_turns=300)
                sure = row.value if seat == 0 else -row.value
                assert record.outcome[seat] >= sure, (row.game, seat, seed)
        both = play(row.game, [perfect, perfect], np.random.default_rng(1), max_turns=300)
        assert both.outcome[0] == row.value
        assert len(both.moves) == (row.plies or 300)


def test_perfect_names_a_state_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="no state of this game"):
        solve(TapnSwap()).value(FingerState((5, 0), (1, 1), 0))
