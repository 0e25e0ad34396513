"""TapnSwap: two players, two hands each, one finger raised on every hand at the start.

In turn, a player either taps or swaps.
- Tap: with one of your live hands, touch a live hand of the other player. Your fingers are added
  to that hand; with 5 or more it is dead (0 fingers). Your own hand stays as it is.
- Swap: move one or more fingers from one of your hands to the other. No hand may get more than 4.
  A dead hand may be revived, and a hand may be emptied; but the result may be neither what you
  had nor its mirror image (3-1 may not become 1-3).
- Who has no fingers left has lost.

Seen by the player who moves, a position is `[[3, 1], [2, 4]]`: her left and right hand, then the
other player's. An action is `[0, tapping, tapped]` or `[1, giving, n]`, with 0 for a left hand
and 1 for a right one; as an integer it is its place in `ACTIONS`. After Jean-Remy Conti's
TapnSwap (2020).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lib.games.fingers import FingerGame, FingerState, Pair, View

ACTIONS: tuple[tuple[int, int, int], ...] = (
    *((0, tapping, tapped) for tapping in (0, 1) for tapped in (0, 1)),
    *((1, giving, n) for giving in (0, 1) for n in (1, 2, 3)),  # 4 would be a mirror image
)
SIDES = ("left", "right")
WRITTEN = re.compile(r"\[\[(\d), (\d)\], \[(\d), (\d)\]\] Player ([12])")


def code(action: Sequence[int]) -> int:
    """The integer of an action: [0, 1, 0] -> 2, [1, 0, 1] -> 4."""
    try:
        return ACTIONS.index(tuple(action))
    except ValueError:
        raise ValueError(
            f"{list(action)} is no action: write [0, tapping, tapped] or [1, giving, n] with hands "
            "0 (left) or 1 (right) and n from 1 to 3"
        ) from None


def decode(number: int) -> list[int]:
    """The action of an integer: 2 -> [0, 1, 0]."""
    if not 0 <= number < len(ACTIONS):
        raise ValueError(f"{number} is no action: they are numbered 0 to {len(ACTIONS) - 1}")
    return list(ACTIONS[number])


def tap(own: Pair, other: Pair, tapping: int, tapped: int) -> Pair:
    """The other player's hands after a tap: (3, 1), (2, 4), left on left -> (0, 4)."""
    if not (own[tapping] and other[tapped]):
        raise ValueError(
            f"tap [0, {tapping}, {tapped}] is illegal from {own} on {other}: "
            "only live hands tap and are tapped"
        )
    total = own[tapping] + other[tapped]
    return replace(other, tapped, total if total < 5 else 0)


def swap(own: Pair, giving: int, n: int) -> Pair:
    """One's own hands after a swap: (3, 1), the left gives 1 -> (2, 2)."""
    if not can_swap(own, giving, n):
        raise ValueError(
            f"swap [1, {giving}, {n}] is illegal from {own}: it moves at least 1 finger, leaves 0 "
            "to 4 on each hand, and may not give the mirror image"
        )
    left = own[0] - n if giving == 0 else own[0] + n
    return (left, sum(own) - left)


def can_swap(own: Pair, giving: int, n: int) -> bool:
    """Whether `giving` has n fingers to give, the other has room, and it gives no mirror image."""
    left_over, filled = own[giving] - n, own[1 - giving] + n
    return n >= 1 and left_over >= 0 and filled <= 4 and left_over != own[1 - giving]


def replace(hands: Pair, hand: int, fingers: int) -> Pair:
    """The hands with one of them changed: (2, 4), right, 0 -> (2, 0)."""
    return (fingers, hands[1]) if hand == 0 else (hands[0], fingers)


@dataclass(frozen=True)
class TapnSwap(FingerGame):
    """The rules above; `write` gives "[[3, 1], [2, 4]] Player 1", the mover first."""

    name = "tapnswap"
    title = "TapnSwap"
    names = ("Player 1", "Player 2")

    def pairs(self) -> list[Pair]:
        return [(left, right) for left in range(5) for right in range(5)]

    def moves(self, own: Pair, other: Pair) -> dict[int, View]:
        found: dict[int, View] = {}
        for number, (kind, hand, n) in enumerate(ACTIONS):
            if kind == 0 and own[hand] and other[n]:
                found[number] = (own, tap(own, other, hand, n))
            elif kind == 1 and can_swap(own, hand, n):
                found[number] = (swap(own, hand, n), other)
        return found

    def lists(self, state: FingerState) -> list[list[int]]:
        """The position as the mover sees it: [[3, 1], [2, 4]]."""
        return [list(state.own), list(state.other)]

    def from_lists(self, hands: Sequence[Sequence[int]], player: int = 0) -> FingerState:
        """The state in which `player` moves and sees [[3, 1], [2, 4]]."""
        try:
            (a, b), (c, d) = hands
        except (TypeError, ValueError):
            raise ValueError(f"{hands!r} is no position: write it as [[3, 1], [2, 4]]") from None
        return self.state_of((a, b), (c, d), player, str(hands))

    def write(self, state: FingerState) -> str:
        return f"{self.lists(state)} {self.names[state.player]}"

    def read(self, line: str) -> FingerState:
        match = WRITTEN.fullmatch(line.strip())
        if not match:
            raise ValueError(f"{line!r} is no state: write it as '[[3, 1], [2, 4]] Player 1'")
        a, b, c, d, player = map(int, match.groups())
        return self.state_of((a, b), (c, d), player - 1, line)

    def describe(self, state: FingerState, player: int, action: int) -> str:
        kind, hand, n = decode(action)
        if kind == 0:
            return f"tap {SIDES[hand]} {state.own[hand]} on {SIDES[n]} {state.other[n]}"
        before, after = state.own, swap(state.own, hand, n)
        return f"swap {before[0]}-{before[1]} for {after[0]}-{after[1]}"
