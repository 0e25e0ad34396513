"""Someone at a board in a browser: clicks, keys, drags, and the page's state against Python's."""

import json
import time
from pathlib import Path
from typing import Any

PLACES = """(root) => Object.fromEntries([...root.querySelectorAll("[data-input]")].map((node) => {
  const box = node.getBBox();
  return [node.dataset.input, [box.x + box.width / 2, box.y + box.height / 2]];
}))"""
RING = """(root) => {
  const id = root.querySelector(".rl-stage").getAttribute("aria-activedescendant");
  return id ? document.getElementById(id).dataset.input : null;
}"""
RUN_CELL = """async ([id, source]) => {
  const content = window.jupyterapp.shell.currentWidget.content;
  const place = content.widgets.findIndex((cell) => cell.model.id === id);
  if (source) content.widgets[place].model.sharedModel.setSource(source);
  content.activeCellIndex = place;
  await window.jupyterapp.commands.execute("notebook:run-cell");
  return JSON.stringify(content.widgets[place].model.outputs?.toJSON() ?? []);
}"""
START_CELL = """([id, source]) => {
  const content = window.jupyterapp.shell.currentWidget.content;
  const place = content.widgets.findIndex((cell) => cell.model.id === id);
  if (source) content.widgets[place].model.sharedModel.setSource(source);
  content.activeCellIndex = place;
  void window.jupyterapp.commands.execute("notebook:run-cell");
}"""  # as RUN_CELL, without waiting until it has run


def cell_with(lesson: Path, words: str) -> tuple[int, str]:
    """Place and id of the lesson's first code cell that says this."""
    cells = json.loads(lesson.read_text(encoding="utf8"))["cells"]
    return next(
        (at, cell["id"])
        for at, cell in enumerate(cells)
        if cell["cell_type"] == "code" and words in "".join(cell["source"])
    )


class Hand:
    """Someone at one board of the page."""

    def __init__(self, page: Any, game: str, folder: Path) -> None:
        self.page, self.file = page, folder / f"{game}.json"
        self.root = page.locator(f'.rl-live[data-game="{game}"]')
        self.root.scroll_into_view_if_needed()
        self.stage = self.root.locator(".rl-stage")

    def data(self, name: str) -> str:
        return str(self.root.get_attribute(f"data-{name}"))

    def status(self) -> str:
        return str(self.root.locator(".rl-status").inner_text())

    def same(self) -> str:
        """The state on the page, once it is the one in Python; fails if they stay apart."""
        end, python = time.monotonic() + 20, {}
        while time.monotonic() < end:
            try:
                python = json.loads(self.file.read_text())
            except ValueError:  # it is being written
                continue
            shown = self.root.evaluate("(root) => ({...root.dataset})")
            if shown["seq"] == str(python.get("seq")):
                assert shown["state"] == python["state"]
                return str(shown["state"])
            time.sleep(0.005)
        raise AssertionError(f"the page is at {self.data('seq')}, Python at {python}")

    def after(self, act: Any) -> str:
        """Do something, and return the state after the answer to it."""
        seq = int(self.data("seq"))
        act()
        self.page.wait_for_function(
            "([root, seq]) => Number(root.dataset.seq) > seq",
            arg=[self.root.element_handle(), seq],
        )
        return self.same()

    def wait_for_turn(self) -> None:
        """Until it is this person's move, or the game is over."""
        self.page.wait_for_function(
            "(root) => root.dataset.over === 'true' || /Your move|Slide|Press a/"
            ".test(root.querySelector('.rl-status').textContent)",
            arg=self.root.element_handle(),
        )
        self.same()

    @property
    def over(self) -> bool:
        return self.data("over") == "true"

    def click(self, token: str) -> str:
        return self.after(lambda: self.root.locator(f'[data-input="{token}"]').first.click())

    def control(self, name: str) -> str:
        return self.after(lambda: self.root.locator(f'[data-control="{name}"]').click())

    def key(self, name: str) -> str:
        self.stage.focus()
        return self.after(lambda: self.page.keyboard.press(name))

    def go_to(self, token: str) -> None:
        """Move the keyboard's cursor to an input, by arrow keys alone."""
        self.stage.focus()
        for _ in range(12):
            here = self.root.evaluate(RING)
            if here == token:
                return
            if here is None:
                self.page.keyboard.press("ArrowDown")
                continue
            places = self.root.evaluate(PLACES)
            dx, dy = (a - b for a, b in zip(places[token], places[here], strict=True))
            side = "ArrowRight" if dx > 0 else "ArrowLeft"
            self.page.keyboard.press(
                side if abs(dx) > abs(dy) else "ArrowDown" if dy > 0 else "ArrowUp"
            )
        raise AssertionError(f"the arrow keys do not lead to {token}")

    def drag(self, source: str, target: str) -> str:
        boxes = [
            self.root.locator(f'[data-input="{token}"]').first.bounding_box()
            for token in (source, target)
        ]
        middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]

        def act() -> None:
            self.page.mouse.move(*middles[0])
            self.page.mouse.down()
            self.page.mouse.move(*middles[1], steps=4)
            self.page.mouse.up()

        return self.after(act)
