"""The droid that agents are given in graded matches: what the rule sheet promises, and no more.

Who writes agents may rely on `location`, `shots`, `copy`, `move_location`, `shoot` and
`available_actions`. A droid of one's own may have other fields; this one has none to be found.
"""

from lib.games.droid_round import STEPS, Action, Droid, Location


class SealedDroid:
    """A droid without anything but what the rule sheet names."""

    __slots__ = ("__cols", "__rows", "location", "shots")

    def __init__(self, rows: int, cols: int, location: Location, shots: int) -> None:
        self.__rows, self.__cols = rows, cols
        self.location, self.shots = location, shots

    def copy(self) -> "SealedDroid":
        """A droid of its own in the same place."""
        return SealedDroid(self.__rows, self.__cols, self.location, self.shots)

    def move_location(self, move: Action) -> None:
        """Step one cell, unless `move` is a shot or a wall is in the way."""
        if move in self.__steps():
            down, right = STEPS[move]
            self.location = self.location[0] + down, self.location[1] + right

    def shoot(self, other: Droid, move: Action) -> bool:
        """Fire if `move` is a shot and one is left: True if `other` is in this row or column."""
        if move is not Action.SHOOT or self.shots == 0:
            return False
        self.shots -= 1
        return self.location[0] == other.location[0] or self.location[1] == other.location[1]

    def available_actions(self) -> set[Action]:
        """The moves that no wall blocks, and the shot if one is left."""
        steps = self.__steps()
        return steps | {Action.SHOOT} if self.shots else steps

    def __steps(self) -> set[Action]:
        row, col = self.location
        inside = {Action.MOVE_UP: row > 0, Action.MOVE_DOWN: row < self.__rows - 1}
        inside |= {Action.MOVE_LEFT: col > 0, Action.MOVE_RIGHT: col < self.__cols - 1}
        return {move for move, free in inside.items() if free}
