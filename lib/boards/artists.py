"""Who draws which game."""

from typing import Any

from lib.boards.droids import DroidArtist
from lib.boards.fingers import Fingers
from lib.boards.pegs import Pegs
from lib.boards.scene import Artist
from lib.boards.tiles import Tiles
from lib.game import Game

ARTISTS: dict[str, Artist] = {
    "tapnswap": Fingers(),
    "chopsticks": Fingers(),
    "droids": DroidArtist(),
    "2048": Tiles(),
    "solitaire": Pegs(),
}


def artist_of(game: Game[Any]) -> Artist:
    """The artist of a game; ValueError if nobody draws it."""
    if game.name not in ARTISTS:
        raise ValueError(f"nobody draws {game.name!r}: the boards know {', '.join(ARTISTS)}")
    return ARTISTS[game.name]
