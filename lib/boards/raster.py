"""Drawings as PNG and GIF files, by matplotlib and Pillow."""

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lib.boards.palette import colour
from lib.boards.shapes import Drawing, Shape
from lib.files import write_text, write_whole

DOTS = 2.0  # pixels for each unit of a drawing
FRAME_DOTS = 1.5  # the same in an animation: a long game is some hundred pictures


def _patch(shape: Shape, dark: bool) -> Any:
    from matplotlib import patches

    fill, stroke = shape.get("fill"), shape.get("stroke")
    style: dict[str, Any] = {
        "facecolor": colour(fill, dark=dark) if fill else "none",
        "edgecolor": colour(stroke, dark=dark) if stroke else "none",
        "linewidth": shape.get("thick", 1) if stroke else 0,
        "alpha": shape.get("opacity"),
        "joinstyle": "round",
        "capstyle": "round",
    }
    if "dash" in shape:
        thick = shape.get("thick", 1)  # matplotlib counts dashes in widths of the line
        style["linestyle"] = (0, [float(length) / thick for length in shape["dash"].split()])
    if shape["kind"] == "rect":
        corner, (w, h) = (shape["x"], shape["y"]), (shape["w"], shape["h"])
        if not shape["radius"]:
            return patches.Rectangle(corner, w, h, **style)
        round_box = patches.BoxStyle.Round(pad=0, rounding_size=min(shape["radius"], w / 2, h / 2))
        return patches.FancyBboxPatch(corner, w, h, boxstyle=round_box, **style)
    if shape["kind"] == "circle":
        return patches.Circle((shape["x"], shape["y"]), shape["r"], **style)
    return patches.Polygon(shape["points"], closed=shape["closed"], **style)


def figure(drawing: Drawing, *, dark: bool = False, dots: float = DOTS) -> Any:
    """The drawing as a matplotlib figure, one point to a unit."""
    from matplotlib.figure import Figure

    fig = Figure(figsize=(drawing.width / 72, drawing.height / 72), dpi=72 * dots)
    fig.patch.set_facecolor(colour("paper", dark=dark))
    axes = fig.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    for order, shape in enumerate(s for s in drawing.shapes if not s.get("fade")):
        if shape["kind"] == "text":
            axes.text(
                shape["x"],
                shape["y"],
                shape["text"],
                fontsize=shape["size"] * 0.92,  # DejaVu is wider than a system font
                color=colour(shape.get("fill", "ink"), dark=dark),
                alpha=shape.get("opacity"),
                ha={"start": "left", "middle": "center", "end": "right"}[shape["anchor"]],
                va="center_baseline",
                weight="bold" if shape.get("bold") else "normal",
                zorder=order,
                parse_math=False,
            )
        else:
            patch = _patch(shape, dark)
            patch.set_zorder(order)
            axes.add_patch(patch)
    return fig


def png(drawing: Drawing, *, dark: bool = False) -> bytes:
    """The drawing as the bytes of a PNG file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    buffer = io.BytesIO()
    FigureCanvasAgg(figure(drawing, dark=dark)).print_png(buffer)
    return buffer.getvalue()


def save_png(drawing: Drawing, path: str | Path, *, dark: bool = False) -> Path:
    """Write the drawing as a PNG file."""
    picture = png(drawing, dark=dark)
    return write_whole(path, lambda file: file.write(picture))


def save_svg(drawing: Drawing, path: str | Path, *, dark: bool = False) -> Path:
    """Write the drawing as an SVG file."""
    return write_text(path, drawing.svg(dark=dark))


def _frame(drawing: Drawing) -> Any:
    """The drawing as one picture of an animation."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(figure(drawing, dots=FRAME_DOTS))
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def save_gif(drawings: Iterable[Drawing], path: str | Path, *, seconds: float = 0.7) -> Path:
    """Write the drawings as an animation that stays three times as long on its last picture."""
    frames = [_frame(drawing) for drawing in drawings]
    if not frames:
        raise ValueError("an animation needs at least one drawing")
    times: Sequence[int] = [int(seconds * 1000)] * (len(frames) - 1) + [int(seconds * 3000)]
    return write_whole(
        path,
        lambda file: frames[0].save(
            file, "GIF", save_all=True, append_images=frames[1:], duration=list(times), loop=0
        ),
    )
