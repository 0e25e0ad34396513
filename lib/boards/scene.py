"""What a board shows at one moment, and what a game's own drawing has to answer."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from lib.boards.shapes import Drawing
from lib.game import Game

SIGNS = {"good": "✓", "even": "=", "bad": "✗"}


@dataclass(frozen=True)
class Mark:
    """The coach's word on one move: tone is good, even or bad."""

    tone: str
    words: str  # such as "win in 5"
    short: str = ""  # such as "W5", where there is little room

    @property
    def sign(self) -> str:
        """The verdict without colour: ✓, = or ✗."""
        return SIGNS[self.tone]


@dataclass(frozen=True)
class Scene:
    """A state, how it came about, and what the person at the board has in mind."""

    state: Any
    before: Any = None  # the state before, if the last move is to be shown
    moves: tuple[int, ...] = ()  # the moves that led here
    player: int | None = None  # whose input is awaited
    bottom: int = 0  # who sits at the bottom
    together: bool = False  # two people at this board choose at once
    watched: bool = False  # nobody plays here: what a coach marks can't be pressed
    names: tuple[str, ...] = ("Player 1", "Player 2")
    selected: str = ""
    hint: int | None = None
    marks: dict[int, Mark] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What an input means: an action, a new selection, or a word why not."""

    action: int | None = None
    selected: str = ""
    say: str = ""
    player: int | None = None  # who meant it, where two people share the keys


class Artist(ABC):
    """Draws one game and understands clicks and keys on it."""

    swipe = False  # arrows can be swiped
    drag = False  # shapes can be dragged
    lists_moves = False  # all legal moves are offered as buttons too
    first = ""  # where the keyboard's cursor begins
    seats: tuple[tuple[str, str], ...] = ()  # "me" and "it" in words, where nobody moves first

    @abstractmethod
    def draw(self, game: Game[Any], scene: Scene) -> Drawing:
        """The scene as shapes; an `input` of "act:3" plays action 3."""

    @abstractmethod
    def answer(self, game: Game[Any], scene: Scene, token: str) -> Answer:
        """What the input `token` means in this scene."""

    def keys(self, game: Game[Any], scene: Scene) -> dict[str, str]:
        """Keys and the inputs they stand for."""
        return {}

    def refusal(self, game: Game[Any], state: Any, player: int, action: int) -> str:
        """Why an action is not legal here, in words."""
        return "That move is not possible here."

    def speak(self, game: Game[Any], scene: Scene) -> str:
        """The state in words, for a screen reader."""
        return game.text(scene.state)


def act(token: str) -> int | None:
    """The action that an input names outright: "act:3" -> 3."""
    kind, _, number = token.partition(":")
    return int(number) if kind == "act" and number.isdecimal() else None
