"""Typical wrong answers to lesson 2, the rules and UCB1, so that a check can name them."""

import math
from typing import Any

from lib.agents.mcts import ucb1
from lib.grading.ask import Outcome
from lib.grading.check import Case, Mistake
from lib.grading.lesson2_reference import add_fingers

Pair = tuple[int, int]


def _added(hands: Pair, hand: int, total: int) -> Pair:
    other = hands[1 - hand]
    return min(total, other), max(total, other)


def _always_cut(hands: Pair, hand: int, fingers: int, rollover: bool) -> Pair:
    return add_fingers(hands, hand, fingers, False)


def _always_round(hands: Pair, hand: int, fingers: int, rollover: bool) -> Pair:
    return add_fingers(hands, hand, fingers, True)


def _five_lives(hands: Pair, hand: int, fingers: int, rollover: bool) -> Pair:
    total = hands[hand] + fingers
    return _added(hands, hand, total if total <= 5 else total - 5 if rollover else 0)


def _unsorted(hands: Pair, hand: int, fingers: int, rollover: bool) -> Pair:
    total = hands[hand] + fingers
    total = total if total < 5 else total - 5 if rollover else 0
    return (total, hands[1]) if hand == 0 else (hands[0], total)


def _replaced(hands: Pair, hand: int, fingers: int, rollover: bool) -> Pair:
    return _added(hands, hand, fingers)


ADD_FINGERS = (
    Mistake("Sort them: the smaller hand comes first, whichever hand was tapped.", _unsorted),
    Mistake("`rollover` makes a difference: more than 5 fingers wrap round then.", _always_cut),
    Mistake("Without `rollover`, 5 fingers or more kill the hand: it has 0.", _always_round),
    Mistake("Exactly 5 fingers kill the hand under both rules: it has 0.", _five_lives),
    Mistake("The fingers are *added* to those of the hand that is tapped.", _replaced),
)


def _splits(hands: Pair, lowest: int, highest: int, same: bool = False) -> list[Pair]:
    total = sum(hands)
    pairs = [(s, total - s) for s in range(lowest, total // 2 + 1)]
    return [pair for pair in pairs if pair[1] <= highest and (same or pair != tuple(hands))]


LEGAL_SPLITS = (
    Mistake("A split may not leave a hand empty.", lambda hands: _splits(hands, 0, 4)),
    Mistake("No hand may get more than 4 fingers.", lambda hands: _splits(hands, 1, 8)),
    Mistake(
        "A split must change something: leave out the hands as they are.",
        lambda hands: _splits(hands, 1, 4, same=True),
    ),
    Mistake(
        "Which hand is the left one does not matter: list each pair once, smaller hand first.",
        lambda hands: sorted({p for a, b in _splits(hands, 1, 4) for p in ((a, b), (b, a))}),
    ),
    Mistake(
        "A dead hand may come back to life: 0-4 can become 1-3 or 2-2.",
        lambda hands: _splits(hands, 1, 4) if hands[0] else [],
    ),
)


def _bounds(won: list[float], games: list[int], bonus: Any) -> list[float]:
    return [w / n + bonus(n) if n else math.inf for w, n in zip(won, games, strict=True)]


def _own_visits(won: list[float], games: list[int], parent_games: int, c: float) -> list[float]:
    return _bounds(won, games, lambda n: c * math.sqrt(math.log(n) / n))


def _added_up(won: list[float], games: list[int], parent_games: int, c: float) -> list[float]:
    return ucb1(won, games, sum(games), c)


def _no_root(won: list[float], games: list[int], parent_games: int, c: float) -> list[float]:
    return _bounds(won, games, lambda n: c * math.log(parent_games) / n)


def _log_outside(won: list[float], games: list[int], parent_games: int, c: float) -> list[float]:
    return _bounds(won, games, lambda n: c * math.log(parent_games) / math.sqrt(n))


def _c_inside(won: list[float], games: list[int], parent_games: int, c: float) -> list[float]:
    return _bounds(won, games, lambda n: math.sqrt(c * math.log(parent_games) / n))


def _without_c(won: list[float], games: list[int], parent_games: int, c: float) -> list[float]:
    return ucb1(won, games, parent_games, 1.0)


def _greedy(won: list[float], games: list[int], parent_games: int, c: float) -> list[float]:
    return ucb1(won, games, parent_games, 0.0)


def _wins_not_shares(
    won: list[float], games: list[int], parent_games: int, c: float
) -> list[float]:
    bonus = ucb1([0.0] * len(games), games, parent_games, c)
    return [w + b for w, b in zip(won, bonus, strict=True)]


def _untried_last(case: Case, got: Outcome, wanted: Outcome) -> bool:
    if type(got.value) is not list or len(got.value) != len(wanted.value):
        return False
    pairs = zip(wanted.value, got.value, strict=True)
    return any(w == math.inf and g != math.inf for w, g in pairs)


UCB1 = (
    Mistake(
        "The logarithm is of the *parent's* visits: `math.log(parent_games)`, not of the child's.",
        _own_visits,
    ),
    Mistake("Take `parent_games` as it is given: it is not the sum of `games`.", _added_up),
    Mistake("The square root is missing: c · sqrt(log N / n).", _no_root),
    Mistake("The logarithm stands under the square root too: c · sqrt(log N / n).", _log_outside),
    Mistake("`c` stands in front of the square root, not under it.", _c_inside),
    Mistake("`c` is not used: it says how much exploration is worth.", _without_c),
    Mistake("That is the share of wins alone: add what little knowledge is worth.", _greedy),
    Mistake("Divide the wins by the games: the first part is a share.", _wins_not_shares),
    Mistake(
        "A child that was never tried comes first: its bound is `math.inf`.", sign=_untried_last
    ),
    Mistake(
        "Nothing can be divided by 0 games: an untried child is `math.inf`.",
        raises="ZeroDivisionError",
    ),
    Mistake("log(0) is not defined, but then all children are untried, too.", raises="ValueError"),
)
