"""Pictures of what an algorithm thinks, in the drawing language of the boards.

search_tree(node)                    visits and values on the branches of a search tree
tile_values(state, values)           a value for each of the four moves of 2048
peg_policy(position, probabilities)  how likely each jump is
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lib.boards.pegs import Pegs, place
from lib.boards.scene import Mark, Scene
from lib.boards.shapes import Drawing, Shape, line, poly, rect, text
from lib.boards.tiles import Tiles
from lib.games.game2048 import Game2048, State
from lib.games.solitaire import JUMPS, Solitaire, hole_name


def tile_values(
    state: State | int, values: Sequence[float] | Mapping[int, float], title: str = ""
) -> Drawing:
    """A 2048 board with the value of each move on its arrow, the highest marked."""
    state = State(state) if isinstance(state, int) else state
    game, found = (
        Game2048(),
        dict(values) if isinstance(values, Mapping) else dict(enumerate(values)),
    )
    legal = game.legal(state, 0)
    best = max(legal, key=lambda action: found[action], default=None)
    marks = {
        action: Mark(
            "good" if action == best else "even", f"value {found[action]:.4g}", _short(value)
        )
        for action, value in found.items()
        if action in legal
    }
    drawing = Tiles().draw(game, Scene(state, player=0, marks=marks))
    words = ", ".join(f"{game.describe(state, 0, a)} {marks[a].short}" for a in marks)
    return replace(_inert(drawing), title=title or f"2048, values: {words}")


def _short(value: float) -> str:
    return f"{value / 1000:.1f}k" if abs(value) >= 1000 else f"{value:.3g}"


def peg_policy(
    position: int,
    probabilities: Sequence[float] | np.ndarray,
    title: str = "",
    least: float = 0.005,
) -> Drawing:
    """The board with an arrow for each jump, as thick as it is likely, and its probability."""
    chances = np.asarray(probabilities, dtype=float)
    if chances.shape != (76,):
        raise ValueError(f"one probability for each of the 76 jumps expected, not {chances.shape}")
    drawing = Pegs().draw(Solitaire(), Scene(position))
    likely = [a for a in np.argsort(chances).tolist() if chances[a] >= least]
    shapes = [s for action in likely for s in _jump_arrow(action, float(chances[action]))]
    words = ", ".join(
        f"{hole_name(JUMPS[a].source)}-{hole_name(JUMPS[a].target)} {chances[a]:.0%}"
        for a in reversed(likely)
    )
    inert = _inert(drawing)
    return replace(inert, shapes=inert.shapes + shapes, title=title or f"Jumps: {words}")


def _jump_arrow(action: int, chance: float) -> list[Shape]:
    (x, y), (to_x, to_y) = place(JUMPS[action].source), place(JUMPS[action].target)
    dx, dy = np.sign(to_x - x), np.sign(to_y - y)
    tip = (to_x - 6 * dx, to_y - 6 * dy)
    back = (tip[0] - 16 * dx, tip[1] - 16 * dy)
    wing = (9 * dy, 9 * dx)
    head = [tip, (back[0] + wing[0], back[1] + wing[1]), (back[0] - wing[0], back[1] - wing[1])]
    words, (mid_x, mid_y) = f"{chance:.0%}", ((x + to_x) / 2, (y + to_y) / 2)
    return [
        line(x, y, *back, stroke="lit", thick=2 + 10 * chance, opacity=0.45 + 0.55 * chance),
        poly(head, fill="lit", opacity=0.45 + 0.55 * chance),
        rect(mid_x - 20, mid_y - 11, 40, 22, radius=11, fill="litsoft", stroke="lit"),
        text(mid_x, mid_y, words, size=13, bold=True),
    ]


def _inert(drawing: Drawing) -> Drawing:
    """The drawing with nothing to press."""
    shapes = [{k: v for k, v in s.items() if k not in ("input", "drag")} for s in drawing.shapes]
    return replace(drawing, shapes=shapes)
