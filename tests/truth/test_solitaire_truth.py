"""The solitaire solver and table against a plain recursive solver and the published counts."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lib.games import batch_solitaire as batch
from lib.games.solitaire import CENTRE, FULL, JUMPS, SOLVED, START, Solitaire, flip, jumps
from lib.truth import solitaire as truth
from lib.truth.solitaire_search import PAGODAS, same_class

# Positions with 32, 31, ... 20 pegs, up to symmetry (published by many; together 23,475,688).
FIRST_LEVELS = (1, 1, 2, 8, 39, 171, 719, 2757, 9751, 31312, 89927, 229614, 517854)


@cache
def plainly_solvable(position: int, centre: bool) -> bool:
    """Try everything; no symmetry, no cuts."""
    if position & (position - 1) == 0:
        return position == SOLVED or not centre
    return any(plainly_solvable(flip(position, a), centre) for a in jumps(position))


def few_pegs(pegs: int, count: int, rng: np.random.Generator) -> list[int]:
    holes = (rng.permutation(33)[:pegs] for _ in range(count))
    return [sum(1 << int(hole) for hole in chosen) for chosen in holes]


def assert_solves(position: int, line: list[int], centre: bool) -> None:
    game = Solitaire(position, centre=centre)
    for jump in line:
        position = game.play(position, (jump,))
    assert game.solved(position)


@pytest.mark.parametrize("centre", [True, False])
def test_solver_agrees_with_plain_recursion(centre: bool) -> None:
    rng = np.random.default_rng(1)
    boards = [p for pegs in range(1, 11) for p in few_pegs(pegs, 150, rng)]
    back = np.full(400, SOLVED)
    for _ in range(9):
        back, _ = batch.random_unjump(back, rng)
        boards += back[:100].tolist()
    solved = 0
    for position in boards:
        line = truth.solution(position, centre=centre)
        assert (line is not None) == plainly_solvable(position, centre)
        if line is not None:
            assert_solves(position, line, centre)
            solved += 1
    assert 900 < solved < len(boards)


def test_every_position_of_two_and_three_pegs() -> None:
    boards = [1 << a | 1 << b for a in range(33) for b in range(a)]
    boards += [1 << a | 1 << b | 1 << c for a in range(33) for b in range(a) for c in range(b)]
    for position in boards:
        for centre in (True, False):
            found = truth.solvable(position, centre=centre)
            assert found == plainly_solvable(position, centre)


def test_start_is_solved_and_its_solution_is_legal() -> None:
    line = truth.solution(START)
    assert line is not None and len(line) == 31
    assert_solves(START, line, centre=True)
    assert truth.solution(FULL) is None
    assert truth.solution(SOLVED) == [] and truth.solution(1) is None
    assert truth.solution(1, centre=False) == []


@pytest.mark.parametrize("position", [0, -3, FULL + 1])
def test_impossible_positions_are_refused(position: int) -> None:
    with pytest.raises(ValueError, match="33 holes"):
        truth.solution(position)


def test_no_jump_raises_a_pagoda() -> None:
    for weights in PAGODAS:
        assert len(weights) == 33
        assert all(weights[j.source] + weights[j.over] >= weights[j.target] for j in JUMPS)


def test_class_of_the_start_allows_five_last_holes() -> None:
    assert same_class(START).bit_count() == 5 and same_class(START) >> CENTRE & 1
    board = START
    for jump in truth.solution(START) or []:
        board = flip(board, jump)
        assert same_class(board) == same_class(START)


def test_winning_jumps_are_those_that_keep_it_solvable() -> None:
    assert truth.winning_jumps(START) == jumps(START)
    assert truth.winning_jumps(SOLVED) == []
    for position in few_pegs(7, 60, np.random.default_rng(3)):
        expected = [a for a in jumps(position) if plainly_solvable(flip(position, a), True)]
        assert truth.winning_jumps(position) == expected


def test_first_levels_have_the_published_sizes() -> None:
    level = batch.canonical(np.array([START]))[0]
    sizes = [len(level)]
    while len(sizes) < len(FIRST_LEVELS):
        level = truth.after_jumps(level)
        sizes.append(len(level))
    assert tuple(sizes) == FIRST_LEVELS


def small_set() -> truth.WinningSet:
    """The true levels with up to 6 pegs, from plain sets of plain positions."""
    levels, level = {1: np.array([SOLVED])}, {SOLVED}
    for pegs in range(2, 7):
        from_here = {flip(p, a) for p in level for a in range(76) if a in jumps(flip(p, a))}
        level = {p for p in from_here if p.bit_count() == pegs}
        levels[pegs] = np.unique(batch.canonical(np.array(sorted(level)))[0])
    return truth.WinningSet(levels)


def test_membership_and_draws() -> None:
    winning, rng = small_set(), np.random.default_rng(4)
    for pegs in range(1, 7):
        members = set(winning.levels[pegs].tolist())
        drawn = winning.draw(pegs, 2000, rng)
        assert winning.contains(drawn).all() and (batch.count_pegs(drawn) == pegs).all()
        assert set(batch.canonical(drawn)[0].tolist()) <= members
        others = np.array(few_pegs(pegs, 200, rng))
        expected = [batch.canonical_position(p) in members for p in others.tolist()]
        assert winning.contains(others).tolist() == expected
    assert SOLVED in winning and START not in winning
    counts = np.unique(batch.canonical(winning.draw(4, 80_000, rng))[0], return_counts=True)[1]
    share = 80_000 / len(winning.levels[4])
    assert len(counts) == len(winning.levels[4])
    assert abs(counts - share).max() < 5.5 * share**0.5
    with pytest.raises(ValueError, match="33 pegs"):
        winning.draw(33, 1, rng)


def test_incomplete_file_is_refused(tmp_path: Path) -> None:
    path = truth.save_winning_set(tmp_path / "part.npz", small_set())
    with pytest.raises(ValueError, match="delete it"):
        truth.load_winning_set(path)


@pytest.mark.slow
def test_complete_set_has_the_published_counts(tmp_path: Path) -> None:
    winning = truth.build_winning_set()
    assert len(winning) == truth.WINNING == 1_679_072
    assert all(((np.bitwise_count(level) == n).all()) for n, level in winning.levels.items())
    again = truth.load_winning_set(truth.save_winning_set(tmp_path / "all.npz", winning))
    assert all((again.levels[n] == winning.levels[n]).all() for n in range(1, 33))
    rng = np.random.default_rng(6)
    for pegs in (6, 12, 18, 22, 25):
        for position in winning.draw(pegs, 40, rng).tolist():
            line = truth.solution(position)
            assert line is not None and position in winning
            assert_solves(position, line, centre=True)
            good = [flip(position, a) in winning for a in jumps(position)]
            assert truth.winning_jumps(position) == [
                a for a, wins in zip(jumps(position), good, strict=True) if wins
            ]


@pytest.mark.slow
def test_reachable_positions_and_backward_search_agree_with_the_set() -> None:
    level = batch.canonical(np.array([START]))[0]
    forward = {32: level}
    for pegs in range(31, 0, -1):
        forward[pegs] = truth.after_jumps(forward[pegs + 1])
    assert sum(map(len, forward.values())) == truth.REACHABLE == 23_475_688
    alive = {1: np.array([SOLVED])}
    for pegs in range(2, 33):  # backward through what is reachable: no complement used
        before = truth.before_jumps(alive[pegs - 1])
        alive[pegs] = np.intersect1d(before, forward[pegs], assume_unique=True)
    winning = truth.winning_set()
    assert all((alive[n] == winning.levels[n]).all() for n in range(1, 33))
