"""The droid battle: two droids, one board, both move at once.

1. The board has 4 x 4 cells, or any other size. Each droid stands on a cell and has 5 shots.
2. In every round both droids choose at the same time: one cell up, down, left or right, unless a
   wall is there, or a shot, if one is left.
3. Moves come first. Both moves are cancelled if the droids would meet on one cell or swap places;
   a move onto a droid that stands still is cancelled too. To follow a droid that leaves is fine.
4. Then the shots: a beam fills the whole row and the whole column of the droid that fires, and hits
   the other if it stands there now. A hit is a point. If both are hit in one round, neither counts.
5. The game ends after 50 rounds, or when no droid has a shot left. More points win.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lib.game import Game
from lib.games.droid_round import ACTIONS, STEPS, Action, Droid, Location, play_round

__all__ = [
    "ACTIONS",
    "STEPS",
    "Action",
    "DroidState",
    "Droids",
    "Location",
    "R2Droid",
    "play_round",
]


@dataclass(slots=True)
class R2Droid:
    """A droid on a board of rows x cols, at (row, column), with `shots` shots left.

    >>> droid = R2Droid(4, 4, (0, 0), 5)
    >>> droid.location
    (0, 0)
    >>> droid.shots
    5
    """

    rows: int
    cols: int
    location: Location
    shots: int

    def __post_init__(self) -> None:
        if self.shots < 0:
            raise ValueError(f"a droid can't have {self.shots} shots: give 0 or more")
        if not self._inside(self.location):
            raise ValueError(f"{self.location} is not on a board of {self.rows} x {self.cols}")

    def _inside(self, location: Location) -> bool:
        return 0 <= location[0] < self.rows and 0 <= location[1] < self.cols

    def copy(self) -> "R2Droid":
        """A droid of its own in the same place.

        >>> droid = R2Droid(4, 4, (0, 0), 5)
        >>> droid_copy = droid.copy()
        >>> droid_copy.location = (1, 1)
        >>> droid.location
        (0, 0)
        >>> droid_copy.location
        (1, 1)
        """
        return R2Droid(self.rows, self.cols, self.location, self.shots)

    def move_location(self, move: Action) -> None:
        """Step one cell, unless `move` is a shot or a wall is in the way.

        >>> droid = R2Droid(4, 4, (0, 0), 5)
        >>> droid.move_location(Action.MOVE_DOWN)
        >>> droid.location
        (1, 0)
        >>> droid.move_location(Action.MOVE_RIGHT)
        >>> droid.location
        (1, 1)
        >>> droid = R2Droid(4, 4, (0, 0), 5)
        >>> droid.move_location(Action.MOVE_LEFT)
        >>> droid.location
        (0, 0)
        """
        down, right = STEPS.get(move, (0, 0))
        target = self.location[0] + down, self.location[1] + right
        if self._inside(target):
            self.location = target

    def shoot(self, other: Droid, move: Action) -> bool:
        """Fire if `move` is a shot and one is left: True if `other` is in this row or column.

        >>> r2 = R2Droid(4, 4, (0, 0), 5)
        >>> q5 = R2Droid(4, 4, (0, 3), 5)
        >>> r2.shoot(q5, Action.SHOOT)
        True
        >>> r2.shots
        4
        >>> r2 = R2Droid(4, 4, (0, 0), 5)
        >>> q5 = R2Droid(4, 4, (1, 2), 5)
        >>> q5.shoot(r2, Action.SHOOT)
        False
        >>> q5.shots
        4
        """
        if move is not Action.SHOOT or self.shots == 0:
            return False
        self.shots -= 1
        return self.location[0] == other.location[0] or self.location[1] == other.location[1]

    def available_actions(self) -> set[Action]:
        """The moves that no wall blocks, and the shot if one is left.

        >>> droid = R2Droid(4, 4, (1, 1), 5)
        >>> droid.available_actions() == {Action.MOVE_UP, Action.MOVE_DOWN, Action.MOVE_LEFT,
        ...                               Action.MOVE_RIGHT, Action.SHOOT}
        True
        >>> droid.move_location(Action.MOVE_UP)
        >>> droid.available_actions() == {Action.MOVE_DOWN, Action.MOVE_LEFT, Action.MOVE_RIGHT,
        ...                               Action.SHOOT}
        True
        >>> droid = R2Droid(4, 4, (1, 1), 0)
        >>> droid.available_actions() == {Action.MOVE_UP, Action.MOVE_DOWN, Action.MOVE_LEFT,
        ...                               Action.MOVE_RIGHT}
        True
        """
        row, col = self.location
        actions = {
            move for move, (down, right) in STEPS.items() if self._inside((row + down, col + right))
        }
        return actions | {Action.SHOOT} if self.shots else actions


class DroidState(NamedTuple):
    """Everything that matters, player 0 first."""

    locations: tuple[Location, Location]
    shots: tuple[int, int]
    points: tuple[int, int]
    rounds: int  # left to play


class Droids(Game[DroidState]):
    """The droid battle for players 0 ("A") and 1 ("B")."""

    name = "droids"
    title = "Droid battle"
    n_players = 2
    n_actions = len(ACTIONS)

    def __init__(
        self,
        rows: int = 4,
        cols: int = 4,
        shots: int = 5,
        rounds: int = 50,
        starts: tuple[Location, Location] | None = None,
    ) -> None:
        """The usual starts are (2, 0) and (2, 3): both ends of the row below the middle."""
        if rows < 2 or cols < 2:
            raise ValueError(f"a board of {rows} x {cols} is too small: give 2 x 2 or more")
        if shots < 0 or rounds < 1:
            raise ValueError(f"{shots} shots and {rounds} rounds: give 0 or more, and 1 or more")
        first, second = starts or ((rows // 2, 0), (rows // 2, cols - 1))
        if first == second:
            raise ValueError(f"both droids can't start on {first}: give two cells")
        self.rows, self.cols, self.shots, self.rounds = rows, cols, shots, rounds
        for place in (first, second):
            R2Droid(rows, cols, place, shots)  # refuses a start outside the board
        self.starts = first, second
        cells = [(row, col) for row in range(rows) for col in range(cols)]
        self._moves = {
            cell: sorted(a.value - 1 for a in R2Droid(rows, cols, cell, 0).available_actions())
            for cell in cells
        }

    def start(self) -> DroidState:
        """Both droids at their starts, with all shots and rounds."""
        return DroidState(self.starts, (self.shots, self.shots), (0, 0), self.rounds)

    def movers(self, state: DroidState) -> tuple[int, ...]:
        """Both players at once, until the rounds or all shots are used up."""
        return (0, 1) if state.rounds and any(state.shots) else ()

    def legal(self, state: DroidState, player: int) -> list[int]:
        """0 to 3 for up, down, left, right where no wall is, 4 for a shot if one is left."""
        moves = self._moves[state.locations[player]]
        return [*moves, 4] if state.shots[player] else list(moves)

    def play(self, state: DroidState, moves: tuple[int, ...]) -> DroidState:
        """The state after one round; see `play_round`."""
        self.check_moves(state, moves)
        one, other = self.droids(state)
        change = play_round(one, other, (ACTIONS[moves[0]], ACTIONS[moves[1]]))
        points = state.points[0] + (change > 0), state.points[1] + (change < 0)
        return DroidState(
            (one.location, other.location), (one.shots, other.shots), points, state.rounds - 1
        )

    def droids(self, state: DroidState, player: int = 0) -> tuple[R2Droid, R2Droid]:
        """The droid of `player` and the other's, as copies of their own."""
        one, other = (
            R2Droid(self.rows, self.cols, location, shots)
            for location, shots in zip(state.locations, state.shots, strict=True)
        )
        return (other, one) if player else (one, other)

    def score(self, state: DroidState) -> tuple[float, ...]:
        """The points of each player."""
        return float(state.points[0]), float(state.points[1])

    def outcome(self, state: DroidState) -> tuple[float, ...]:
        """Who has more points has won, once the game is over."""
        lead = 0 if self.movers(state) else state.points[0] - state.points[1]
        return float(np.sign(lead)), float(np.sign(-lead))

    def observe(self, state: DroidState, player: int) -> np.ndarray:
        """Row, column, shots, points: its own, then the other's; then the rounds left."""
        each = [(*place, *rest) for place, *rest in zip(*state[:3], strict=True)]
        own, other = each[player], each[1 - player]
        return np.array([*own, *other, state.rounds], dtype=np.float32)

    def text(self, state: DroidState) -> str:
        """The board, droid A for player 0 and B for player 1, with a line about each."""
        marks = dict(zip(state.locations, "AB", strict=True))
        cells = [
            [marks.get((row, col), ".") for col in range(self.cols)] for row in range(self.rows)
        ]
        board = [" ".join(row) for row in cells]
        each = [f"{m}: {s} shots, {p} points" for m, s, p in zip("AB", *state[1:3], strict=True)]
        return "\n".join([*board, *each, f"{state.rounds} rounds left"])

    def describe(self, state: DroidState, player: int, action: int) -> str:
        """The action in words: "move up", "shoot"."""
        return ACTIONS[action].name.lower().replace("_", " ")

    def write(self, state: DroidState) -> str:
        """Row, column, shots and points of each, and the rounds left: "2,0,5,0 2,3,5,0 50"."""
        each = [f"{r},{c},{s},{p}" for (r, c), s, p in zip(*state[:3], strict=True)]
        return f"{each[0]} {each[1]} {state.rounds}"

    def read(self, line: str) -> DroidState:
        """The state that `write` wrote; ValueError if no game on this board can come to it."""
        try:
            one, other, rounds = line.split()
            (ra, ca, sa, pa), (rb, cb, sb, pb) = (map(int, d.split(",")) for d in (one, other))
            state = DroidState(((ra, ca), (rb, cb)), (sa, sb), (pa, pb), int(rounds))
        except ValueError:
            example = self.write(self.start())
            raise ValueError(f"{line!r} is no state: write it like {example!r}") from None
        self.check_state(state)
        return state

    def check_state(self, state: DroidState) -> None:
        """ValueError, in words, unless the state can be on this board."""
        played = self.rounds - state.rounds
        used = [self.shots - shots for shots in state.shots]
        problems = {
            "off the board": any(place not in self._moves for place in state.locations),
            "two droids on one cell": state.locations[0] == state.locations[1],
            f"shots are 0 to {self.shots}": not all(0 <= n <= self.shots for n in used),
            f"rounds are 0 to {self.rounds}": not 0 <= played <= self.rounds,
            "more shots fired than rounds played": max(used) > played,
            "more points than shots fired": not all(
                0 <= p <= n for p, n in zip(state.points, used, strict=True)
            ),
            "more points than rounds played": sum(state.points) > played,
        }
        for problem, found in problems.items():
            if found:
                raise ValueError(f"{self.write(state)!r} can't be: {problem}")
