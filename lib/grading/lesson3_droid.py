"""Lesson 3, the droid: its methods are put through scenes, beside a droid of the course's own.

A scene is a board, a place, shots and a call. Boards are rarely square, so that rows and columns
can't be mixed up unnoticed; the first scenes are the rule sheet's own examples.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from lib.games.droids import ACTIONS, Action, R2Droid
from lib.grading import compare
from lib.grading.ask import AnswerError, Ask, Handle
from lib.grading.check import Verdict, failed
from lib.grading.judge import attempt
from lib.grading.wire import Member

Board = tuple[int, int, tuple[int, int], int]  # the arguments of the constructor
SHEET: Board = (4, 4, (0, 0), 5)
MIDDLE: Board = (4, 4, (1, 1), 5)


def member(action: Action) -> Member:
    """An action as it is sent to an answer."""
    return Member("Action", action.name)


def boards(rng: np.random.Generator, count: int) -> list[Board]:
    """Droids on boards of 2 to 6 cells a side, never square, at the walls more often than not."""
    found: list[Board] = []
    while len(found) < count:
        rows, cols = (int(n) for n in rng.integers(2, 7, 2))
        if rows != cols:
            row = int(rng.choice([0, rows - 1, int(rng.integers(rows))]))
            col = int(rng.choice([0, cols - 1, int(rng.integers(cols))]))
            found.append((rows, cols, (row, col), int(rng.integers(0, 6))))
    return found


def spelled(board: Board) -> str:
    """A droid as a student would write it."""
    return f"R2Droid({', '.join(map(str, board))})"


def fields(droid: Handle) -> tuple[Any, Any]:
    """What a droid says of itself."""
    return droid.attr("location"), droid.attr("shots")


def differs(
    label: str, asked: str, got: Any, expected: Any, says: str, open: bool = False
) -> Verdict | None:
    """A verdict if the answer is not what it should be; None if it is."""
    if compare.same(expected, got):
        return None
    told = compare.difference(expected, got) if type(got) is not type(expected) else ""
    shown = compare.show(got), compare.show(expected)
    return failed(label, told or says, asked=asked, got=shown[0], expected=shown[1], open=open)


def run_constructor(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """The two fields, and droids that don't share them."""
    for label, shown in (("location", True), ("shots", False)):

        def step(label: str = label, at: int = 2 if shown else 3) -> Verdict | None:
            for board in [SHEET, *boards(rng, 5)]:
                got, asked = ask.new("R2Droid", *board).attr(label), f"{spelled(board)}.{label}"
                says = f"The field `{label}` is not what the constructor was given."
                if wrong := differs(label, asked, got, board[at], says, board == SHEET):
                    return wrong
            return None

        yield attempt(label, step)
    yield attempt("two droids", lambda: _apart(ask))


def _apart(ask: Ask) -> Verdict | None:
    one, other = ask.new("R2Droid", *SHEET), ask.new("R2Droid", 4, 4, (3, 3), 1)
    other.set("shots", 0)
    says = "Two droids share their fields: set them on `self`, in `__init__`."
    asked = f"{spelled(SHEET)} after another droid was made"
    return differs("two droids", asked, fields(one), ((0, 0), 5), says, open=True)


def run_copy(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """A copy is like its original, of its own, and on the same board."""
    scenes = [SHEET, *boards(rng, 6)]
    yield attempt("the same droid", lambda: _copies(ask, scenes, _same))
    yield attempt("a droid of its own", lambda: _copies(ask, scenes, _independent))
    yield attempt("on the same board", lambda: _copies(ask, scenes, _walls), easy=True)


def _copies(
    ask: Ask, scenes: list[Board], look: Callable[[Board, Handle, Handle], Verdict | None]
) -> Verdict | None:
    for board in scenes:
        droid = ask.new("R2Droid", *board)
        droid.set("shots", board[3] + 1)  # a copy is of the droid as it is now
        if wrong := look(board, droid, droid.new("copy")):
            return wrong
    return None


def _same(board: Board, droid: Handle, copy: Handle) -> Verdict | None:
    if copy.kind == "NoneType":
        return failed("the same droid", "It returned None: is there a `return`?")
    says = "The copy has another location or other shots than the droid has *now*."
    asked = f"{spelled(board)} with one shot more, .copy()"
    return differs("the same droid", asked, fields(copy), (board[2], board[3] + 1), says)


def _independent(board: Board, droid: Handle, copy: Handle) -> Verdict | None:
    copy.set("location", (1, 1))
    copy.set("shots", 77)
    says = "Changing the copy changed the droid: make a new R2Droid, don't return `self`."
    asked = f"{spelled(board)} after its copy was moved to (1, 1)"
    return differs("a droid of its own", asked, fields(droid), (board[2], board[3] + 1), says)


def _walls(board: Board, droid: Handle, copy: Handle) -> Verdict | None:
    """The fields in which the answer keeps its board, whatever they are called."""
    try:
        kept, copied = (droid.ask("builtins.vars", one) for one in (droid, copy))
    except AnswerError as error:
        if error.kind == "gone":
            raise
        return None  # fields that can't be listed: the matches will tell
    says = "The copy is on a board of another size: hand on the rows and columns as they are."
    asked = f"vars({spelled(board)}.copy())"
    return differs("on the same board", asked, copied, kept, says)


def run_move(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Steps, walls, and shots that are no steps."""
    inside = [(5, 7, (2, int(c)), 3) for c in rng.integers(1, 4, 2)]  # far from any wall
    corners = [(3, 6, (r, c), 2) for r, c in product((0, 2), (0, 5))]
    every = [(b, a) for b in [SHEET, *boards(rng, 8), *corners] for a in ACTIONS]
    free = [(b, a) for b in inside for a in ACTIONS[:4]]
    free = [(SHEET, Action.MOVE_DOWN), (SHEET, Action.MOVE_RIGHT), *free]
    walls = [(b, a) for b, a in every if a is not Action.SHOOT]
    shots = [(b, Action.SHOOT) for b in [MIDDLE, *inside]]
    sheet = "Up is row - 1, down row + 1, left column - 1, right column + 1."
    stays = "Check the walls: rows are 0 to rows - 1, columns 0 to cols - 1, and not the reverse."
    still = "SHOOT is no step: the droid stays, and `move_location` fires no shot."
    yield attempt("steps", lambda: _moves(ask, "steps", free, sheet))
    yield attempt("walls", lambda: _moves(ask, "walls", walls, stays))
    label = "a shot is no step"
    yield attempt(label, lambda: _moves(ask, label, shots, still), easy=True)


def _moves(
    ask: Ask, label: str, scenes: Sequence[tuple[Board, Action]], says: str
) -> Verdict | None:
    for board, action in scenes:
        droid, ours = ask.new("R2Droid", *board), R2Droid(*board)
        droid.call("move_location", member(action))
        ours.move_location(action)
        asked = f"{spelled(board)}.move_location({action}), then location and shots"
        expected = ours.location, ours.shots
        if wrong := differs(label, asked, fields(droid), expected, says, board == SHEET):
            return wrong
    return None


def run_shoot(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Hits, misses, shots used, and what is no shot."""
    hits = [((0, 0), (0, 3)), ((0, 0), (3, 0)), ((2, 3), (0, 3)), ((3, 1), (3, 0))]
    misses = [((1, 2), (0, 0)), ((1, 1), (2, 2)), ((0, 3), (1, 2)), ((2, 0), (3, 3))]
    cells = [(int(r), int(c)) for r, c in rng.integers(0, 4, (24, 2))]
    random = [(a, b) for a, b in zip(cells[::2], cells[1::2], strict=True) if a != b]
    beam = "A beam fills the whole row and the whole column of who fires."
    none = "The other is neither in the row nor in the column: that is a miss."
    used = "Every shot that is fired costs one, hit or miss."
    empty = "With no shot left nothing is fired: return False, and shots stay 0."
    other = "Only `Action.SHOOT` fires: with a move nothing happens, and the answer is False."
    for label, pairs, says, shots, actions in (
        ("hits", hits, beam, 5, [Action.SHOOT]),
        ("misses", misses, none, 5, [Action.SHOOT]),
        ("shots left", [*random, *misses], used, 3, [Action.SHOOT] * 2),
        ("no shot left", hits[:2], empty, 1, [Action.SHOOT] * 2),
        ("a move is no shot", hits, other, 5, ACTIONS[:4]),
    ):

        def step(
            label: str = label,
            pairs: Any = pairs,
            says: str = says,
            shots: int = shots,
            actions: Any = actions,
        ) -> Verdict | None:
            return _shots(ask, label, pairs, says, shots, actions)

        yield attempt(label, step, easy=Action.SHOOT not in actions)


def _shots(ask: Ask, label: str, pairs: Any, says: str, shots: int, actions: Any) -> Verdict | None:
    """The answers to some calls in a row, and the shots left afterwards."""
    for place, target in pairs:
        one, other = ask.new("R2Droid", 4, 4, place, shots), ask.new("R2Droid", 4, 4, target, 5)
        ours, theirs = R2Droid(4, 4, place, shots), R2Droid(4, 4, target, 5)
        got = [one.call("shoot", other, member(a)) for a in actions]
        expected = [ours.shoot(theirs, a) for a in actions]
        calls = ", then ".join(f"shoot(other, {a})" for a in dict.fromkeys(actions))
        asked = f"{spelled((4, 4, place, shots))}.{calls}, other at {target}"
        if wrong := differs(label, asked, got, expected, says):
            told = "It returned None: is there a `return` on every way?" if None in got else says
            return failed(label, told, asked=asked, got=wrong.got, expected=wrong.expected)
        left, rest = one.attr("shots"), f"{asked}, then shots"
        if wrong := differs(label, rest, (left, other.attr("shots")), (ours.shots, 5), says):
            return wrong
    return None


def run_available(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Every cell of some boards, with shots and without."""
    cells = [(r, c, (i, j)) for r, c in ((4, 4), (2, 5), (6, 3)) for i, j in np.ndindex(r, c)]
    middle = [(4, 4, (1, 1), 5), *((r, c, (1, 1), int(rng.integers(1, 6))) for r, c in ((3, 5),))]
    edges = [(*cell, 2) for cell in cells]
    empty = [(*cell, 0) for cell in cells[::3]]
    wall = "A step towards a wall is not available: look at rows for up and down, at columns else."
    shot = "SHOOT is available just if a shot is left."
    yield attempt("in the middle", lambda: _available(ask, "in the middle", middle, wall))
    yield attempt("at the walls", lambda: _available(ask, "at the walls", edges, wall))
    yield attempt("without shots", lambda: _available(ask, "without shots", empty, shot))


def _available(ask: Ask, label: str, scenes: Any, says: str) -> Verdict | None:
    for board in scenes:
        droid = ask.new("R2Droid", *board)
        got, ours = droid.call("available_actions"), R2Droid(*board).available_actions()
        asked, expected = f"{spelled(board)}.available_actions()", {member(a) for a in ours}
        if type(got) not in (set, frozenset):
            return failed(
                label, f"It returned {compare.show(got, 80)}; return a set of actions.", asked=asked
            )
        if wrong := differs(label, asked, got, expected, says, board == MIDDLE):
            return wrong
        if fields(droid) != board[2:]:
            return failed(label, "Asking moved the droid itself: try steps on a copy.", asked=asked)
    return None
