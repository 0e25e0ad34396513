"""The drawing language of the boards: lists of simple shapes.

One list serves the page (the browser draws and animates it), the static SVG that a reopened
notebook shows, and PNG and GIF files. Colours are named by role (see `palette`). A shape may
carry `input` (what a click on it says), `label` (what a screen reader says), `drag` (it can be
dragged onto another shape with an input) and how it arrives: `slide` from (dx, dy), `pop` up,
or `fade` away.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from lib.boards.palette import colour

Shape = dict[str, Any]


def _shape(kind: str, geometry: dict[str, Any], style: dict[str, Any]) -> Shape:
    shape = {"kind": kind, **geometry}
    shape.update({name: value for name, value in style.items() if value not in (None, False)})
    return shape


def rect(x: float, y: float, w: float, h: float, *, radius: float = 0, **style: Any) -> Shape:
    """A rectangle with its upper left corner at (x, y)."""
    return _shape("rect", {"x": x, "y": y, "w": w, "h": h, "radius": radius}, style)


def circle(x: float, y: float, r: float, **style: Any) -> Shape:
    """A disc around (x, y)."""
    return _shape("circle", {"x": x, "y": y, "r": r}, style)


def poly(
    points: Sequence[tuple[float, float]] | np.ndarray, *, closed: bool = True, **style: Any
) -> Shape:
    """A polygon, or an open line through `points`."""
    rounded = np.round(np.asarray(points, dtype=float), 2).tolist()
    return _shape("poly", {"points": rounded, "closed": closed}, style)


def line(x1: float, y1: float, x2: float, y2: float, **style: Any) -> Shape:
    """A straight line."""
    return poly([(x1, y1), (x2, y2)], closed=False, **style)


def text(
    x: float, y: float, words: object, *, size: float = 14, anchor: str = "middle", **style: Any
) -> Shape:
    """Words centred vertically on y; anchor is start, middle or end."""
    style.setdefault("fill", "ink")
    where = {"x": x, "y": y, "text": str(words), "size": size, "anchor": anchor}
    return _shape("text", where, style)


def breadth(words: str, size: float, *, bold: bool = False) -> float:
    """About how wide words are drawn, in a font with wide letters."""
    shares = {0.36: " .,:;'·|()ijltfr", 0.95: "mwMW%", 0.61: "abcdeghknopqsuvxyz"}
    share = {letter: share for share, letters in shares.items() for letter in letters}
    return size * (1.14 if bold else 1) * sum(share.get(letter, 0.66) for letter in words)


def fitting(words: str, size: float, room: float) -> float:
    """The size, at most `size`, at which bold words are at most `room` wide."""
    return min(size, size * room / (breadth(words, size, bold=True) or 1))


@dataclass(frozen=True, repr=False)
class Drawing:
    """Shapes on a sheet of `width` by `height`, and its title in words."""

    width: float
    height: float
    shapes: list[Shape] = field(default_factory=list)
    title: str = ""

    def svg(self, *, dark: bool = False) -> str:
        """The sheet as a stand-alone SVG."""
        size = f'viewBox="0 0 {self.width:g} {self.height:g}" width="{self.width:g}"'
        paper = f'<rect width="100%" height="100%" rx="8" fill="{colour("paper", dark=dark)}"/>'
        body = "".join(_svg(shape, dark) for shape in self.shapes if not shape.get("fade"))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} height="{self.height:g}" role="img" '
            f'font-family="system-ui, sans-serif" style="max-width:100%;height:auto">'
            f"<title>{escape(self.title)}</title>{paper}{body}</svg>"
        )

    def html(self, *, dark: bool = False) -> str:
        """The sheet as an <img>, which also survives a page that strips SVG from HTML."""
        data = base64.b64encode(self.svg(dark=dark).encode()).decode()
        return (
            f'<img alt="{escape(self.title)}" src="data:image/svg+xml;base64,{data}" '
            f'style="max-width:100%" width="{self.width:g}">'
        )

    def __repr__(self) -> str:
        return self.title

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": self.title}

    def view(self) -> dict[str, Any]:
        """The sheet as JSON for the page."""
        sheet = {"width": self.width, "height": self.height, "shapes": self.shapes}
        return {**sheet, "label": self.title}


def _paint(shape: Shape, dark: bool) -> str:
    fill, stroke = shape.get("fill"), shape.get("stroke")
    parts = [f'fill="{colour(fill, dark=dark)}"' if fill else 'fill="none"']
    if stroke:
        parts.append(f'stroke="{colour(stroke, dark=dark)}"')
        parts.append(f'stroke-width="{shape.get("thick", 1):g}" stroke-linecap="round"')
        parts.append('stroke-linejoin="round"')
    if "dash" in shape:
        parts.append(f'stroke-dasharray="{shape["dash"]}"')
    if "opacity" in shape:
        parts.append(f'opacity="{shape["opacity"]:g}"')
    return " ".join(parts)


def _svg(shape: Shape, dark: bool) -> str:
    paint = _paint(shape, dark)
    match shape["kind"]:
        case "rect":
            place = f'x="{shape["x"]:g}" y="{shape["y"]:g}" width="{shape["w"]:g}"'
            return f'<rect {place} height="{shape["h"]:g}" rx="{shape["radius"]:g}" {paint}/>'
        case "circle":
            return f'<circle cx="{shape["x"]:g}" cy="{shape["y"]:g}" r="{shape["r"]:g}" {paint}/>'
        case "poly":
            tag = "polygon" if shape["closed"] else "polyline"
            points = " ".join(f"{x:g},{y:g}" for x, y in shape["points"])
            return f'<{tag} points="{points}" {paint}/>'
        case _:
            bold = ' font-weight="600"' if shape.get("bold") else ""
            place = f'x="{shape["x"]:g}" y="{shape["y"]:g}" font-size="{shape["size"]:g}"{bold}'
            anchor = f'text-anchor="{shape["anchor"]}" dominant-baseline="central"'
            return f"<text {place} {anchor} {paint}>{escape(shape['text'])}</text>"
