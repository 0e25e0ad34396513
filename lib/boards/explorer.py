"""Stored curves behind sliders: move one, and the curves of those settings are drawn.

Explorer("Q-learning", "games", "won", {"epsilon": (0.1, 0.5), "alpha": (0.1, 0.3)}, curves)

where `curves(epsilon=0.1, alpha=0.3)` returns {name: [points of one seed, of the next, ...]}.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lib.boards.axes import Level, Point, plot
from lib.boards.controls import scrubber
from lib.boards.curve import banded
from lib.boards.shapes import Drawing
from lib.boards.widget import Sheet

Curves = Mapping[str, list[list[Point]]]


class Explorer(Sheet):
    """Curves of the chosen settings; several seeds of a name are a mean and a band."""

    def __init__(
        self,
        title: str,
        xlabel: str,
        ylabel: str,
        settings: Mapping[str, Sequence[Any]],
        curves: Callable[..., Curves],
        baselines: Mapping[str, float] | None = None,
        **chosen: Any,
    ) -> None:
        super().__init__()
        self.title, self.xlabel, self.ylabel = title, xlabel, ylabel
        self.settings, self.curves = {k: list(v) for k, v in settings.items()}, curves
        self.levels = [Level(name, value) for name, value in (baselines or {}).items()]
        self.chosen = {name: values[0] for name, values in self.settings.items()}
        for name, value in chosen.items():
            self.choose(name, value)
        self.refresh()

    def choose(self, name: str, value: Any) -> None:
        """Set one setting to one of its values."""
        if value not in self.settings.get(name, ()):
            raise ValueError(f"{name}={value!r}: choose one of {self.settings.get(name, 'none')}")
        self.chosen[name] = value

    def words(self) -> str:
        """The chosen settings: "epsilon 0.1, alpha 0.3"."""
        return ", ".join(f"{name} {value}" for name, value in self.chosen.items())

    def drawing(self) -> Drawing:
        """The curves of the chosen settings."""
        found = self.curves(**self.chosen)
        lines = [banded(name, seeds) for name, seeds in found.items()]
        return plot(f"{self.title}: {self.words()}", self.xlabel, self.ylabel, lines, self.levels)

    def page(self) -> dict[str, Any]:
        """A slider for each setting."""
        sliders = [
            {
                **scrubber(name, name, values.index(self.chosen[name]), len(values) - 1),
                "words": f"{name} {self.chosen[name]}",
            }
            for name, values in self.settings.items()
        ]
        return {
            "game": "explorer",
            "state": self.words(),
            "over": False,
            "alive": False,
            "say": "",
            "controls": sliders,
            "ms": 0,
        }

    def heard(self, message: dict[str, Any]) -> None:
        """A slider was moved."""
        name, place = str(message.get("name")), message.get("value")
        values = self.settings.get(name, [])
        if message.get("kind") == "control" and isinstance(place, int) and 0 <= place < len(values):
            self.chosen[name] = values[place]
        self.refresh()
        self.keep()
