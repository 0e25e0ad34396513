"""Chopsticks: two players, two hands each, one finger raised on every hand at the start.

In turn, a player taps or splits; which hand is the left one does not matter.
- Tap: with one of your live hands, touch a live hand of the other player. Your fingers are added
  to that hand. Under the *cut-off* rule 5 or more fingers kill it (0 fingers); under *roll-over*
  exactly 5 kill it and from more than 5 five are taken away. You may also tap your own other
  hand in the same way, if it is alive (the switch `self_tap`).
- Split: move fingers from one of your hands to the other. No hand may get more than 4 or be left
  empty; the result must differ from what you had. A dead hand may be revived.
- Who has no fingers left has lost.

A state is written `1322C`: the fingers of the player who moves (the actioner), smaller hand first,
those of the other (the receiver), and who moves: C for the computer, P for the player. Actions:
0 to 3 tap with the smaller or larger hand on the smaller or larger one (2 x tapping + tapped),
4 and 5 tap one's own other hand with the smaller or larger one, 6 + s splits so that the smaller
hand has s. Of two equal hands only the smaller one's actions count: they are the same move.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from lib.games.fingers import FingerGame, FingerState, Pair, View

SMALLER, LARGER = 0, 1
SELF_TAP, SPLIT = 4, 6  # the first action of its kind
LETTERS = "CP"


class Hands(NamedTuple):
    """Two hands without left and right."""

    smaller: int
    larger: int

    @classmethod
    def of(cls, one: int, two: int) -> "Hands":
        """Hands.of(3, 1) -> Hands(smaller=1, larger=3)."""
        if not (0 <= one <= 4 and 0 <= two <= 4):
            raise ValueError(f"hands of {one} and {two} can't be: each holds 0 to 4 fingers")
        return cls(min(one, two), max(one, two))

    def add_fingers(self, hand: int, fingers: int, rollover: bool = False) -> "Hands":
        """Hands(1, 3).add_fingers(LARGER, 3) -> Hands(0, 1); with roll-over Hands(1, 1)."""
        if hand not in (SMALLER, LARGER) or not self[hand] or not 1 <= fingers <= 4:
            raise ValueError(
                f"can't add {fingers} fingers to hand {hand} of {tuple(self)}: "
                "tap with 1 to 4 fingers on a live hand, 0 (smaller) or 1 (larger)"
            )
        total = self[hand] + fingers
        if total >= 5:
            total = total - 5 if rollover else 0
        return Hands.of(total, self[1 - hand])

    def splits(self, empty: bool = False) -> list["Hands"]:
        """Hands(1, 3).splits() -> [Hands(2, 2)]; with `empty` also Hands(0, 4)."""
        total = sum(self)
        smallest = max(0 if empty else 1, total - 4)
        results = (Hands(s, total - s) for s in range(smallest, total // 2 + 1))
        return [hands for hands in results if hands != self]

    def live(self) -> list[int]:
        """The hands that can tap or be tapped, one of two equal ones."""
        if self.smaller == self.larger:
            return [SMALLER] if self.smaller else []
        return [hand for hand in (SMALLER, LARGER) if self[hand]]


@dataclass(frozen=True)
class Chopsticks(FingerGame):
    """The rules above; the default is the rule set under which who starts wins."""

    rollover: bool = False  # more than 5 fingers wrap round instead of killing
    self_tap: bool = True  # one may tap one's own other hand
    empty_split: bool = False  # a split may leave a hand empty
    split: bool = True  # one may split at all

    name = "chopsticks"
    title = "Chopsticks"
    names = ("Computer", "Player")
    middle = "--------------------"

    def pairs(self) -> list[Pair]:
        return [Hands(a, b) for a in range(5) for b in range(a, 5)]

    def moves(self, own: Pair, other: Pair) -> dict[int, View]:
        mine, hers = Hands(*own), Hands(*other)
        found: dict[int, View] = {}
        for tapping in mine.live():
            for tapped in hers.live():
                result = hers.add_fingers(tapped, mine[tapping], self.rollover)
                found[2 * tapping + tapped] = (mine, result)
            if self.self_tap and mine[1 - tapping]:
                result = mine.add_fingers(1 - tapping, mine[tapping], self.rollover)
                found[SELF_TAP + tapping] = (result, hers)
        for result in mine.splits(self.empty_split) if self.split else ():
            found[SPLIT + result.smaller] = (result, hers)
        return found

    def start(self) -> FingerState:
        return FingerState(Hands(1, 1), Hands(1, 1), 0)

    def write(self, state: FingerState) -> str:
        return "".join(map(str, (*state.own, *state.other))) + LETTERS[state.player]

    def read(self, line: str) -> FingerState:
        match = re.fullmatch(r"(\d)(\d)(\d)(\d)([CP])", line.strip())
        if not match:
            raise ValueError(f"{line!r} is no state: write it as '1322C' or '0133P'")
        a, b, c, d = map(int, match.groups()[:4])
        if a > b or c > d:
            raise ValueError(f"{line!r} is no state: the smaller hand of each player comes first")
        return self.state_of(Hands(a, b), Hands(c, d), LETTERS.index(match[5]), line)

    def describe(self, state: FingerState, player: int, action: int) -> str:
        own, other = state.own, state.other
        if not 0 <= action < self.n_actions:
            raise ValueError(f"{action} is no action: they are numbered 0 to {self.n_actions - 1}")
        if action < SELF_TAP:
            return f"tap {own[action // 2]} on {other[action % 2]}"
        if action < SPLIT:
            return f"tap {own[action - SELF_TAP]} on own {own[SPLIT - 1 - action]}"
        smaller = action - SPLIT
        return f"split {own[0]}-{own[1]} for {smaller}-{sum(own) - smaller}"
