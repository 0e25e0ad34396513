"""The row of buttons and choices under a board, as plain data for the page."""

from collections.abc import Iterable
from typing import Any

Control = dict[str, Any]


def button(name: str, label: str, key: str = "", *, disabled: bool = False) -> Control:
    """A button; the page shows its key when the pointer rests on it."""
    help_ = f"key {key}" if key else ""
    return {"kind": "button", "name": name, "label": label, "help": help_, "disabled": disabled}


def toggle(name: str, label: str, value: bool, key: str = "") -> Control:
    """A switch."""
    return {**button(name, label, key), "kind": "toggle", "value": value}


def select(name: str, label: str, options: Iterable[tuple[str, str]], value: str) -> Control:
    """A choice among (value, label)."""
    listed = [list(option) for option in options]
    return {"kind": "select", "name": name, "label": label, "options": listed, "value": value}


def scrubber(name: str, label: str, value: int, most: int) -> Control:
    """A slider from 0 to `most`."""
    return {"kind": "range", "name": name, "label": label, "value": value, "max": most}
