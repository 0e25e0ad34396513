"""One round of the droid battle: the five actions, and what two of them do at once.

Apart from the droids themselves, so that a droid of one's own can be put through a round.
"""

from enum import Enum
from typing import Protocol

Location = tuple[int, int]  # (row, column), (0, 0) at the top left


class Action(Enum):
    """What a droid can do in a round; the game's own integer for it is `value - 1`."""

    MOVE_UP = 1
    MOVE_DOWN = 2
    MOVE_LEFT = 3
    MOVE_RIGHT = 4
    SHOOT = 5


ACTIONS = tuple(Action)  # ACTIONS[a] is the action with the integer a
STEPS = {
    Action.MOVE_UP: (-1, 0),
    Action.MOVE_DOWN: (1, 0),
    Action.MOVE_LEFT: (0, -1),
    Action.MOVE_RIGHT: (0, 1),
}


class Droid(Protocol):
    """What a round asks of a droid."""

    location: Location

    def move_location(self, move: Action) -> None: ...

    def shoot(self, other: "Droid", move: Action) -> bool: ...


def play_round(one: Droid, other: Droid, moves: tuple[Action, Action]) -> int:
    """Both droids act at once, in place; returns the score change of `one`: 1, 0 or -1.

    >>> from lib.games.droids import R2Droid
    >>> one, other = R2Droid(4, 4, (2, 0), 5), R2Droid(4, 4, (2, 3), 5)
    >>> play_round(one, other, (Action.SHOOT, Action.MOVE_LEFT))
    1
    """
    before = one.location, other.location
    one.move_location(moves[0])
    other.move_location(moves[1])
    after = one.location, other.location
    if after[0] == after[1] or after == before[::-1]:
        one.location, other.location = before
    hit, was_hit = one.shoot(other, moves[0]), other.shoot(one, moves[1])
    return hit - was_hit
