"""Typical wrong answers to lesson 1, so that a check can name them."""

from typing import Any

import numpy as np

from lib.grading.check import Mistake
from lib.grading.lesson1_reference import (
    Position,
    epsilon_greedy,
    legal_actions,
    q_update,
    self_play,
    tap,
)


def _tapped(position: Position, tapping: int, tapped: int, total: int) -> Position:
    own, other = position
    hands = list(other)
    hands[tapped] = total
    return (hands[0], hands[1]), own


def _more_than_five(position: Position, tapping: int, tapped: int) -> Position:
    total = position[0][tapping] + position[1][tapped]
    return _tapped(position, tapping, tapped, 0 if total > 5 else total)


def _nobody_dies(position: Position, tapping: int, tapped: int) -> Position:
    return _tapped(position, tapping, tapped, position[0][tapping] + position[1][tapped])


def _rolls_over(position: Position, tapping: int, tapped: int) -> Position:
    return _tapped(position, tapping, tapped, (position[0][tapping] + position[1][tapped]) % 5)


def _own_first(position: Position, tapping: int, tapped: int) -> Position:
    other, own = tap(position, tapping, tapped)
    return own, other


def _own_hand(position: Position, tapping: int, tapped: int) -> Position:
    own, other = position
    hands = list(own)
    hands[tapping] += other[tapped]
    if hands[tapping] >= 5:
        hands[tapping] = 0
    return other, (hands[0], hands[1])


TAP = (
    Mistake(
        "After the tap it is the other player's turn: her hands come first in what you return.",
        _own_first,
    ),
    Mistake("A hand dies with 5 fingers or more: exactly 5 kills too.", _more_than_five),
    Mistake("A hand with 5 or more fingers is dead: it has 0.", _nobody_dies),
    Mistake("Here a hand with more than 5 fingers does not start again: it is dead.", _rolls_over),
    Mistake("The hand that is tapped grows; your own hand stays as it is.", _own_hand),
)


def _swaps(own: tuple[int, int], allowed: Any) -> list[tuple[int, int, int]]:
    numbers = [(giving, n) for giving in (0, 1) for n in range(1, own[giving] + 1)]
    return [(1, g, n) for g, n in numbers if allowed(own[g] - n, own[1 - g] + n, own[1 - g])]


def _taps(position: Position) -> list[tuple[int, int, int]]:
    return [action for action in legal_actions(position) if action[0] == 0]


def _dead_hands_tap(position: Position) -> list[tuple[int, int, int]]:
    return [(0, i, j) for i in (0, 1) for j in (0, 1)] + _swaps(position[0], _right)


def _right(left_over: int, filled: int, before: int) -> bool:
    return filled <= 4 and left_over != before


LEGAL_ACTIONS = (
    Mistake(
        "Only live hands tap and are tapped: a hand with 0 fingers does neither.", _dead_hands_tap
    ),
    Mistake(
        "A swap may not give the mirror image: 3-1 may not become 1-3.",
        lambda p: _taps(p) + _swaps(p[0], lambda left_over, filled, before: filled <= 4),
    ),
    Mistake(
        "A swap may empty a hand: 3-1 may become 4-0.",
        lambda p: _taps(p) + _swaps(p[0], lambda l, f, b: _right(l, f, b) and l > 0),
    ),
    Mistake(
        "No hand may get more than 4 fingers by a swap.",
        lambda p: _taps(p) + _swaps(p[0], lambda left_over, filled, before: left_over != before),
    ),
    Mistake(
        "A dead hand may be revived by a swap: 2-0 may become 1-1.",
        lambda p: _taps(p) + _swaps(p[0], lambda l, f, b: _right(l, f, b) and b > 0),
    ),
    Mistake("The swaps are missing: (1, giving, n).", _taps),
)

ACTION_CODES = (
    Mistake(
        "The number of fingers n begins at 1, so the first swap, (1, 0, 1), has the number 4.",
        sign=lambda case, got, wanted: case.name == "encode" and got.value == wanted.value + 1,
    ),
    Mistake(
        "The swaps come after the four taps: add 4.",
        sign=lambda case, got, wanted: case.name == "encode" and got.value == wanted.value - 4,
    ),
    Mistake(
        "The tapping hand counts twice, the tapped one once: (0, 1, 0) is 2.",
        sign=lambda case, got, wanted: (
            case.name == "encode" and case.args[0][0] == 0 and got.value == 3 - wanted.value
        ),
    ),
    Mistake(
        "n runs from 1 to 3: the first swap, number 4, is (1, 0, 1).",
        sign=lambda case, got, wanted: (
            case.name == "decode"
            and list(got.value) == [1, *wanted.value[1:2], wanted.value[2] - 1]
        ),
    ),
    Mistake(
        "decode is the inverse of encode: decode(encode(action)) must be the action.",
        sign=lambda case, got, wanted: case.name == "decode" and len(got.value) == 3,
    ),
)


def _update(choose: Any) -> Any:
    """An update whose target is `choose(reward, gamma, values, next_legal)`."""

    def wrong(Q: Any, s: Any, a: int, *rest: Any) -> None:
        reward, next_s, legal, alpha, gamma = rest
        target = choose(reward, gamma, Q[next_s], legal)
        Q[s][a] += alpha * (target - Q[s][a])

    return wrong


def _overwritten(Q: Any, s: Any, a: int, *rest: Any) -> None:
    reward, next_s, legal, _, gamma = rest
    Q[s][a] = reward + gamma * max((Q[next_s][b] for b in legal), default=0)


def _added(Q: Any, s: Any, a: int, *rest: Any) -> None:
    reward, next_s, legal, alpha, gamma = rest
    Q[s][a] += alpha * (reward + gamma * max((Q[next_s][b] for b in legal), default=0))


Q_UPDATE = (
    Mistake(
        "The maximum must run over the legal actions alone: the others are stuck at their first "
        "value and hide that all is lost.",
        _update(lambda r, g, q, legal: r + g * max(q) if legal else r),
    ),
    Mistake(
        "Nothing follows the end: where next_legal is empty the target is the reward alone.",
        _update(lambda r, g, q, legal: r + g * (max(q[b] for b in legal) if legal else max(q))),
    ),
    Mistake(
        "The next value counts gamma times.",
        _update(lambda r, g, q, legal: r + max((q[b] for b in legal), default=0)),
    ),
    Mistake(
        "Take the best next value, not the mean of them.",
        _update(lambda r, g, q, legal: r + g * (np.mean(q[legal]) if legal else 0)),
    ),
    Mistake("Move a step of alpha towards the target, not all the way.", _overwritten),
    Mistake("The step is alpha times the *difference* between target and Q[s][a].", _added),
    Mistake(
        "Q[s][a] did not change: assign to `Q[s][a]`, in the table that was given.",
        sign=lambda case, got, wanted: all(
            np.array_equal(got.args[0].get(s), values) for s, values in case.args[0].items()
        ),
    ),
)


def _episode(reward_lost: int = -1, last: bool = True, after_reply: bool = True) -> Any:
    """An episode with one thing wrong."""

    def wrong(Q: Any, moves: Any, s: Any, opponent: Any, *rest: Any) -> int:
        epsilon, alpha, gamma, rng = rest
        for _ in range(200):
            a = epsilon_greedy(Q[s], list(moves[s]), epsilon, rng)
            theirs = moves[s][a]
            if not moves[theirs]:
                if last:
                    q_update(Q, s, a, 1, theirs, [], alpha, gamma)
                return 1
            next_s = moves[theirs][opponent(theirs)]
            reward = 0 if moves[next_s] else reward_lost
            seen = next_s if after_reply else theirs
            q_update(Q, s, a, reward, seen, list(moves[seen]), alpha, gamma)
            if not moves[next_s]:
                return reward
            s = next_s
        return 0

    return wrong


EPISODE = (
    Mistake(
        "The next position is the one after the opponent's reply: learn from that, not from the "
        "position in which the opponent moves.",
        _episode(after_reply=False),
    ),
    Mistake("A lost game ends with a reward of -1.", _episode(reward_lost=0)),
    Mistake("A lost game ends with a reward of -1, not of 1.", _episode(reward_lost=1)),
    Mistake(
        "The last move of a won game is learned from too: its reward is 1.", _episode(last=False)
    ),
    Mistake(
        "The game is over when a position has no moves: who should move there has lost.",
        raises="ValueError",
    ),
    Mistake(
        "That position is not in the table: after the opponent's reply, go on from *that* "
        "position, in which you move.",
        raises="KeyError",
    ),
)


def _wrong_sign(moves: Any, start: Any, games: int, *rest: Any) -> Any:
    epsilon, alpha, gamma, rng = rest
    return self_play(moves, start, games, epsilon, alpha, -gamma, rng)


def _no_gamma(moves: Any, start: Any, games: int, *rest: Any) -> Any:
    epsilon, alpha, _, rng = rest
    return self_play(moves, start, games, epsilon, alpha, 1.0, rng)


SELF_PLAY = (
    Mistake(
        "The next position is the other player's: what is good there is bad here, so it counts "
        "with a minus.",
        _wrong_sign,
    ),
    Mistake("The next value counts gamma times, with a minus.", _no_gamma),
)
