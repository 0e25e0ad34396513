"""Who draws which game."""

from typing import Any

from lib.boards.droids import DroidArtist
from lib.boards.fingers import Fingers
from lib.boards.pegs import Pegs
from lib.boards.scene import Artist
from lib.boards.tiles import Tiles
from lib.boards.words import Words
from lib.game import Game

ARTISTS: dict[str, Artist] = {
    "tapnswap": Fingers(),
    "chopsticks": Fingers(),
    "droids": DroidArtist(),
    "2048": Tiles(),
    "solitaire": Pegs(),
}


def artist_of(game: Game[Any]) -> Artist:
    """The artist of a game; one that nobody draws is shown in words."""
    return ARTISTS.get(game.name) or Words()
