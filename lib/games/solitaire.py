"""Peg solitaire: remove pegs by jumping until one is left.

    1. The board is a cross of 33 holes: a 7×7 square without its four 2×2 corners.
    2. At first every hole has a peg, except the one in the centre; any other start will do too.
    3. A jump takes a peg over a neighbour, up, down, left or right, into the empty hole behind it.
       The peg that was jumped over is removed. Nobody jumps diagonally.
    4. The game is over when no jump is left.
    5. It is solved if one peg is left: in the centre, or anywhere (`centre=False`).

A position is an integer of 33 bits, one a hole, row by row from the top left: bit 16 is the centre.
An action is the number of one of the 76 jumps. Columns are a to g, rows 1 (top) to 7, so the centre
is d4. On one line a position is its rows, `o` a peg and `.` a hole: the start is
"ooo/ooo/ooooooo/ooo.ooo/ooooooo/ooo/ooo".
"""

from typing import NamedTuple

import numpy as np

from lib.game import Game

HOLES = tuple((r, c) for r in range(7) for c in range(7) if 2 <= r <= 4 or 2 <= c <= 4)
HOLE_AT = {place: hole for hole, place in enumerate(HOLES)}
CENTRE = HOLE_AT[3, 3]
FULL = (1 << 33) - 1
START = FULL ^ (1 << CENTRE)
SOLVED = 1 << CENTRE
TO_REMOVE = 31  # from the usual start to one peg


class Jump(NamedTuple):
    """The peg in hole `source` jumps over hole `over` into hole `target`."""

    source: int
    over: int
    target: int


def _jumps() -> tuple[Jump, ...]:
    found = []
    for (r, c), source in HOLE_AT.items():
        for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            target = HOLE_AT.get((r + 2 * dr, c + 2 * dc))
            if target is not None:
                found.append(Jump(source, HOLE_AT[r + dr, c + dc], target))
    return tuple(found)


JUMPS = _jumps()
# A jump flips the three holes of FLIPS; it needs pegs in BEFORE, and an un-jump needs AFTER.
FLIPS = tuple((1 << j.source) | (1 << j.over) | (1 << j.target) for j in JUMPS)
BEFORE = tuple((1 << j.source) | (1 << j.over) for j in JUMPS)
AFTER = tuple(1 << j.target for j in JUMPS)
_WITH_BEFORE = tuple(zip(range(76), FLIPS, BEFORE, strict=True))
_WITH_AFTER = tuple(zip(range(76), FLIPS, AFTER, strict=True))


def count_pegs(position: int) -> int:
    """START -> 32"""
    return position.bit_count()


def jumps(position: int) -> list[int]:
    """The jumps that can be made in `position`, in increasing order."""
    return [a for a, flips, before in _WITH_BEFORE if position & flips == before]


def unjumps(position: int) -> list[int]:
    """The jumps that can have led to `position`: played backwards, each puts a peg back."""
    return [a for a, flips, after in _WITH_AFTER if position & flips == after]


def flip(position: int, jump: int) -> int:
    """The position after the jump, or before it: each of its three holes changes."""
    return position ^ FLIPS[jump]


def hole_name(hole: int) -> str:
    """16 -> "d4" """
    row, column = HOLES[hole]
    return f"{'abcdefg'[column]}{row + 1}"


class Solitaire(Game[int]):
    """The rules; `start` is a position or its line, `centre` says where the last peg belongs."""

    name = "solitaire"
    title = "Peg solitaire"
    n_players = 1
    n_actions = 76

    def __init__(self, start: int | str | None = None, *, centre: bool = True) -> None:
        self.centre = centre
        self.first = self.read(start) if isinstance(start, str) else _checked(start)

    def start(self) -> int:
        """All pegs but the centre one, unless another start was given."""
        return self.first

    def movers(self, state: int) -> tuple[int, ...]:
        """(0,) while there is a jump."""
        for _, flips, before in _WITH_BEFORE:
            if state & flips == before:
                return (0,)
        return ()

    def legal(self, state: int, player: int = 0) -> list[int]:
        """The numbers of the jumps that can be made."""
        return jumps(state)

    def play(self, state: int, moves: tuple[int, ...]) -> int:
        """The position after the jump."""
        jump = moves[0] if len(moves) == 1 else -1
        if not (0 <= jump < 76 and state & FLIPS[jump] == BEFORE[jump]):
            self.check_moves(state, moves)
        return state ^ FLIPS[jump]

    def solved(self, state: int) -> bool:
        """One peg is left, and where it belongs."""
        return state == SOLVED if self.centre else count_pegs(state) == 1

    def score(self, state: int) -> tuple[float, ...]:
        """Pegs removed since the start."""
        return (float(count_pegs(self.first) - count_pegs(state)),)

    def outcome(self, state: int) -> tuple[float, ...]:
        """1 if solved, -1 if stuck, 0 while there is a jump."""
        if self.solved(state):
            return (1.0,)
        return (0.0,) if self.movers(state) else (-1.0,)

    def observe(self, state: int, player: int = 0) -> np.ndarray:
        """7×7×3: pegs, the fraction of 31 removed, the fraction of 31 left to remove."""
        planes = np.zeros((7, 7, 3), dtype=np.float32)
        for hole, (r, c) in enumerate(HOLES):
            planes[r, c, 0] = state >> hole & 1
        planes[:, :, 1] = (TO_REMOVE + 1 - count_pegs(state)) / TO_REMOVE
        planes[:, :, 2] = (count_pegs(state) - 1) / TO_REMOVE
        return planes

    def text(self, state: int) -> str:
        """The board with its coordinates."""
        rows = [" ".join(_mark(state, r, c) for c in range(7)).rstrip() for r in range(7)]
        return "\n".join([f"{r + 1} {row}" for r, row in enumerate(rows)] + ["  a b c d e f g"])

    def describe(self, state: int, player: int, action: int) -> str:
        """Such as "d2 over d3 to d4"."""
        source, over, target = (hole_name(hole) for hole in JUMPS[action])
        return f"{source} over {over} to {target}"

    def write(self, state: int) -> str:
        """START -> "ooo/ooo/ooooooo/ooo.ooo/ooooooo/ooo/ooo" """
        rows = ("".join(_mark(state, r, c) for c in range(7)).strip() for r in range(7))
        return "/".join(rows)

    def read(self, line: str) -> int:
        """The position that `write` wrote."""
        rows = line.strip().split("/")
        widths = [len(row) for row in rows]
        if widths != [3, 3, 7, 7, 7, 3, 3] or set("".join(rows)) - {"o", "."}:
            raise ValueError(
                f"{line!r} is no position: write 7 rows of 3, 3, 7, 7, 7, 3 and 3 holes, "
                f"o for a peg and . for none, such as {self.write(START)!r}"
            )
        marks = "".join(rows)
        return _checked(sum(1 << hole for hole, mark in enumerate(marks) if mark == "o"))


def _mark(position: int, row: int, column: int) -> str:
    hole = HOLE_AT.get((row, column))
    if hole is None:
        return " "
    return "o" if position >> hole & 1 else "."


def _checked(position: int | None) -> int:
    if position is None:
        return START
    if not 0 < position < FULL:
        raise ValueError(
            f"position {position} is impossible: it needs 1 to 32 pegs in the 33 holes, "
            f"a number from 1 to {FULL - 1}"
        )
    return int(position)
