"""A film: drawings that follow each other, live while they are made, to scrub through later.

film = Film("The tree grows")
for _ in run_mcts(root, 200):
    film.add(search_tree(root))
"""

from pathlib import Path
from typing import Any

from lib.boards import raster
from lib.boards.controls import button, scrubber
from lib.boards.shapes import Drawing
from lib.boards.widget import Sheet

MOST = 400  # drawings that are kept; of more, every other one goes
KEYS = {"ArrowLeft": "control:back", "ArrowRight": "control:step", " ": "control:play"}


class Film(Sheet):
    """Drawings in a row; the last one stays in the notebook."""

    def __init__(self, title: str = "", ms: int = 300) -> None:
        super().__init__()
        self.title, self.ms = title, ms
        self.drawings: list[Drawing] = []
        self.at, self.playing = 0, False
        self.refresh()

    def add(self, drawing: Drawing) -> None:
        """One more drawing, shown at once."""
        self.show()
        with self.lock:
            self.drawings.append(drawing)
            if len(self.drawings) > MOST:
                self.drawings = [*self.drawings[:-1:2], drawing]
            self.at = len(self.drawings) - 1
            self.refresh()

    def drawing(self) -> Drawing:
        """The drawing that is shown."""
        return self.drawings[self.at] if self.drawings else Drawing(420, 60, [], self.title)

    def page(self) -> dict[str, Any]:
        """The slider and the buttons."""
        last = max(len(self.drawings) - 1, 0)
        return {
            "game": "film",
            "state": str(self.at),
            "over": self.at == last,
            "alive": True,
            "say": f"{self.title}: {self.drawing().title}" if self.title else self.drawing().title,
            "keys": KEYS,
            "controls": [
                button("back", "◀ Back", "←", disabled=self.at == 0),
                button("play", "Pause" if self.playing else "▶ Play", "space", disabled=last == 0),
                button("step", "Step ▶", "→", disabled=self.at == last),
                scrubber("at", "picture", self.at, last),
            ],
            "auto": self.ms if self.playing else None,
            "ms": 0,
        }

    def heard(self, message: dict[str, Any]) -> None:
        """The page speaks: a control, or the time for the next drawing."""
        last = max(len(self.drawings) - 1, 0)
        name, value = message.get("name"), message.get("value")
        if message.get("kind") == "go" and self.playing:
            self.at = min(self.at + 1, last)
            self.playing = self.at < last
        elif name == "play":
            self.playing = not self.playing and last > 0
            self.at = 0 if self.playing and self.at == last else self.at
        elif name in ("back", "step"):
            self.playing = False
            self.at = min(max(self.at + (1 if name == "step" else -1), 0), last)
        elif name == "at" and isinstance(value, int):
            self.playing, self.at = False, min(max(value, 0), last)
        self.refresh()

    def refresh(self) -> None:
        """Send the page the drawing that is shown, and leave it in the notebook."""
        super().refresh()
        if not self.playing:
            self.keep()

    def save(self, path: str | Path, seconds: float = 0.3) -> Path:
        """Write all drawings as a GIF."""
        return raster.save_gif(self.drawings, path, seconds=seconds)
