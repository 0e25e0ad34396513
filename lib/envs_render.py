"""How every environment shows itself: as text, or as the picture that the boards draw."""

from typing import Any

import numpy as np

from lib.game import Game

MODES = ("ansi", "rgb_array")


def check_mode(render_mode: str | None) -> str | None:
    """The mode itself; ValueError if there is none of this name."""
    if render_mode not in (None, *MODES):
        raise ValueError(f"render_mode {render_mode!r} is unknown: give one of {', '.join(MODES)}")
    return render_mode


def render(game: Game[Any], state: Any, render_mode: str | None) -> str | np.ndarray | None:
    """The state as text ("ansi") or as an n x m x 3 array of bytes ("rgb_array")."""
    if render_mode == "ansi":
        return game.text(state)
    return picture(game, state) if render_mode == "rgb_array" else None


def picture(game: Game[Any], state: Any) -> np.ndarray:
    """The board as pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from lib.boards.artists import artist_of
    from lib.boards.raster import figure
    from lib.boards.scene import Scene

    canvas = FigureCanvasAgg(figure(artist_of(game).draw(game, Scene(state))))
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
