"""A game that nobody draws yet, on the page all the same: its text, and its moves as buttons."""

from typing import Any

from lib.boards.scene import Answer, Artist, Scene, act
from lib.boards.shapes import Drawing, rect, text
from lib.game import Game

WIDTH, EDGE, LINE = 440, 24, 26
ROOM = 40  # characters of a line; a longer one is written smaller


class Words(Artist):
    """What `Game.text` says of a state; the moves are offered below."""

    lists_moves = True

    def draw(self, game: Game[Any], scene: Scene) -> Drawing:
        lines = game.text(scene.state).splitlines() or ["(nothing)"]
        size = 18 * min(1.0, ROOM / max(map(len, lines)))
        height = 2 * EDGE + LINE * len(lines)
        shapes = [rect(0, 0, WIDTH, height, radius=12, fill="panel")]
        for place, words in enumerate(lines):
            y = EDGE + LINE * (place + 0.5)
            shapes.append(text(WIDTH / 2, y, words, size=size))
        return Drawing(WIDTH, height, shapes, f"{game.title}: {self.speak(game, scene)}")

    def answer(self, game: Game[Any], scene: Scene, token: str) -> Answer:
        return Answer(action=act(token))
