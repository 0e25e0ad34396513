"""The widget under every board and curve: it shows a drawing and hears what the reader does."""

import json
import sys
import threading
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from lib.boards import palette
from lib.boards.shapes import Drawing

HERE = Path(__file__).parent

# A live widget hides the still picture above it; a dead one ("model not found") is hidden itself.
# Words and pictures that a cell shows next have a MIME type on the page, which widgets do not.
STILL_CSS = (
    ".jp-OutputArea-child:has(.rl-still):has(+ .jp-OutputArea-child .rl-live){display:none}"
    ".jp-OutputArea-child:has(.rl-still)"
    " + .jp-OutputArea-child:not(:has(.rl-live, [data-mime-type])){display:none}"
)


class Sheet(anywidget.AnyWidget):
    """Shows `drawing()`; `heard(message)` answers the page. Everything it touches is locked."""

    _esm = "\n".join((HERE / name).read_text(encoding="utf8") for name in ("stage.js", "board.js"))
    _css = palette.css() + (HERE / "board.css").read_text(encoding="utf8")
    # As one string: ipywidgets would look for binary data in every number of a nested value.
    view = traitlets.Dict().tag(
        sync=True,
        to_json=lambda view, _: json.dumps(view),
        from_json=lambda text, _: json.loads(text),
    )

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.RLock()  # events can arrive in another thread while a cell runs
        self.seq = 0
        self._still: Any = None
        self.on_msg(self._hear)

    def drawing(self) -> Drawing:
        """What there is to see now."""
        raise NotImplementedError

    def page(self) -> dict[str, Any]:
        """Everything around the drawing: status, controls, keys."""
        return {}

    def heard(self, message: dict[str, Any]) -> None:
        """The reader did something: an input, a control, or the time for the next move."""

    def refresh(self) -> None:
        """Send the page what there is to see now."""
        with self.lock:
            self.seq += 1
            self.view = {**self.drawing().view(), **self.page(), "seq": self.seq}

    def _hear(self, widget: Any, content: Any, buffers: Any) -> None:
        if not isinstance(content, dict):
            return
        with self.lock:
            self.heard(content)

    def svg(self, *, dark: bool = False) -> str:
        """What there is to see now, as a stand-alone SVG."""
        with self.lock:
            return self.drawing().svg(dark=dark)

    def __repr__(self) -> str:
        return self.drawing().title

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**bundle, "text/plain": repr(self), "image/svg+xml": self.svg()}, metadata

    def _still_html(self) -> dict[str, str]:
        picture = f'<style>{STILL_CSS}</style><div class="rl-still">{self.drawing().html()}</div>'
        return {"text/html": picture, "text/plain": repr(self)}

    def show(self) -> None:
        """Display it now, once, in a notebook; elsewhere nothing happens."""
        if self._still is None and _in_notebook():
            self._ipython_display_()

    def _ipython_display_(self) -> None:
        """The still picture for later, then the live widget: only one of them is ever seen."""
        from IPython.display import display

        self._still = display(self._still_html(), raw=True, display_id=True)
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        display({**bundle, "text/plain": ""}, metadata=metadata, raw=True)

    def keep(self) -> None:
        """Renew the still picture, so that a reopened notebook shows how it ended."""
        if self._still is not None:
            self._still.update(self._still_html(), raw=True)


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs this code; only then IPython is loaded already."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None
