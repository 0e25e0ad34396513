"""2048 on the page: tiles that slide with the arrow keys, WASD, a swipe or the four arrows."""

from typing import Any

from lib.boards.scene import Answer, Artist, Mark, Scene, act
from lib.boards.shapes import Drawing, Shape, fitting, poly, rect, text
from lib.game import Game
from lib.games.board2048 import MOVES, cells, largest, slide

STEP, CELL, LEFT_EDGE, TOP = 92, 82, 78, 98  # between cells, a cell, the first one's corner
WIDTH = 2 * LEFT_EDGE + 3 * STEP + CELL
HEIGHT = TOP + 3 * STEP + CELL + 56
MIDDLE = (LEFT_EDGE + (3 * STEP + CELL) / 2, TOP + (3 * STEP + CELL) / 2)
ASIDE, ABOVE = 222, 211  # from the middle of the board to that of an arrow
WAYS = ((0, -1), (0, 1), (-1, 0), (1, 0))  # up, down, left, right in the drawing
ARROWS = {"ArrowUp": 0, "ArrowDown": 1, "ArrowLeft": 2, "ArrowRight": 3}
LETTERS = {"w": 0, "s": 1, "a": 2, "d": 3}


def corner(cell: int) -> tuple[int, int]:
    """The upper left corner of a cell."""
    return LEFT_EDGE + STEP * (cell % 4), TOP + STEP * (cell // 4)


def lane(action: int, number: int) -> list[int]:
    """The cells of one row or column, from the wall that a move goes to: 2, 0 -> [0, 1, 2, 3]."""
    line = [4 * i + number for i in range(4)] if action < 2 else [4 * number + i for i in range(4)]
    return line[::-1] if action in (1, 3) else line


def journeys(board: int, action: int) -> list[tuple[int, int, bool]]:
    """Where each tile of a board goes: (from, to, does it merge with the one before it)."""
    found, tiles = [], cells(board)
    for number in range(4):
        line = lane(action, number)
        after = slide([tiles[cell] for cell in line])[0]
        target, left = -1, 0  # the cell that fills up, and what it still takes
        for cell in line:
            if not tiles[cell]:
                continue
            merges = left == tiles[cell]
            if not merges:
                target += 1
            left = tiles[cell] if not merges and after[target] > tiles[cell] else 0
            found.append((cell, line[target], merges))
    return found


class Tiles(Artist):
    """The 4×4 board, the score above it, and an arrow on each side."""

    swipe = True

    def draw(self, game: Game[Any], scene: Scene) -> Drawing:
        side = 3 * STEP + CELL + 20
        shapes = [
            rect(0, 0, WIDTH, HEIGHT, radius=12, fill="panel"),
            rect(LEFT_EDGE - 10, TOP - 10, side, side, radius=12, fill="cell2"),
            *self._header(scene),
        ]
        for cell in range(16):
            shapes.append(rect(*corner(cell), CELL, CELL, radius=8, fill="cell"))
        shapes += self._tiles(scene)
        for action in range(4):
            shapes += self._arrow(game, scene, action)
        return Drawing(WIDTH, HEIGHT, shapes, f"{game.title}: {self.speak(game, scene)}")

    def _header(self, scene: Scene) -> list[Shape]:
        top = largest(scene.state.board)
        return [
            text(20, 27, f"Score {scene.state.score:,}", size=22, anchor="start", bold=True),
            text(WIDTH - 20, 27, f"largest {top:,}", anchor="end", fill="muted"),
        ]

    def _tiles(self, scene: Scene) -> list[Shape]:
        """The tiles, each coming from where it was before the last move."""
        now = cells(scene.state.board)
        if scene.before is None or not scene.moves:
            return [s for cell in range(16) for s in self._tile(cell, now[cell])]
        old, shapes = cells(scene.before.board), []
        goals = journeys(scene.before.board, scene.moves[0])
        merged = {goal for _, goal, merges in goals if merges}
        for source, goal, _ in goals:
            (x, y), (from_x, from_y) = corner(goal), corner(source)
            shapes += self._tile(goal, old[source], slide=[from_x - x, from_y - y])
        for cell in range(16):
            if cell in merged or (now[cell] and cell not in {goal for _, goal, _ in goals}):
                shapes += self._tile(cell, now[cell], pop="late")
        return shapes

    def _tile(self, cell: int, exponent: int, **motion: Any) -> list[Shape]:
        if not exponent:
            return []
        x, y = corner(cell)
        value = str(1 << exponent)
        size = {1: 38, 2: 36, 3: 32, 4: 27, 5: 22}[len(value)]
        return [
            rect(x, y, CELL, CELL, radius=8, fill=f"tile{exponent}", **motion),
            text(
                x + CELL / 2,
                y + CELL / 2 + 1,
                value,
                size=size,
                fill=f"tileink{exponent}",
                bold=True,
                **motion,
            ),
        ]

    def _arrow(self, game: Game[Any], scene: Scene, action: int) -> list[Shape]:
        """A side's arrow: pressed, it plays; under the coach it carries a value."""
        dx, dy = WAYS[action]
        x, y = MIDDLE[0] + dx * ASIDE, MIDDLE[1] + dy * ABOVE
        legal = scene.player is not None and action in game.legal(scene.state, 0)
        mark, lit = scene.marks.get(action), action == scene.hint
        wide, high = (150, 36) if dy else (58, 100)
        words = f"{MOVES[action]}{'' if legal else ', not possible'}"
        pad = rect(
            x - wide / 2,
            y - high / 2,
            wide,
            high,
            radius=10,
            fill=f"{mark.tone}soft" if mark else ("litsoft" if lit else "cell"),
            stroke="lit" if lit else (mark.tone if mark else None),
            thick=3 if lit else 1,
            dash="6 4" if lit else None,
            opacity=None if legal else 0.45,
            input=f"act:{action}",
            label=f"{words}{', ' + mark.words if mark else ''}",
        )
        aside = (-43 if dy else 0, 0 if dy else -26) if mark else (0, 0)
        head = self._head(x + aside[0], y + aside[1], action, None if legal else 0.35)
        return [pad, head, *(self._value(x, y, bool(dy), mark) if mark else [])]

    def _head(self, x: float, y: float, action: int, opacity: float | None) -> Shape:
        """A triangle that points up, down, left or right."""
        dx, dy = WAYS[action]
        tip, base = (9 * dx, 9 * dy), (-6 * dx, -6 * dy)
        wing = (10 * dy, 10 * dx)
        corners = [tip, *((base[0] + k * wing[0], base[1] + k * wing[1]) for k in (1, -1))]
        return poly([(x + a, y + b) for a, b in corners], fill="ink", opacity=opacity)

    def _value(self, x: float, y: float, flat: bool, mark: Mark) -> list[Shape]:
        """The coach's sign and value, side by side or one below the other."""
        size = fitting(mark.short, 13, 66 if flat else 54)  # not wider than the pad
        style: dict[str, Any] = {"fill": mark.tone, "bold": True, "size": size}
        if flat:
            short = text(x + 3, y, mark.short, anchor="start", **style)
            return [text(x - 13, y, mark.sign, **style), short]
        return [text(x, y + 6, mark.sign, **style), text(x, y + 28, mark.short, **style)]

    def keys(self, game: Game[Any], scene: Scene) -> dict[str, str]:
        return {key: f"act:{action}" for key, action in (ARROWS | LETTERS).items()}

    def answer(self, game: Game[Any], scene: Scene, token: str) -> Answer:
        return Answer(action=act(token))

    def refusal(self, game: Game[Any], state: Any, player: int, action: int) -> str:
        if not 0 <= action < 4:
            return f"{action} is no move: slide up, down, left or right."
        return f"Nothing moves {MOVES[action]}: choose another way."

    def speak(self, game: Game[Any], scene: Scene) -> str:
        values = [str(1 << k) if k else "empty" for k in cells(scene.state.board)]
        rows = "; ".join(", ".join(values[i : i + 4]) for i in range(0, 16, 4))
        return f"score {scene.state.score}. Rows from the top: {rows}."
