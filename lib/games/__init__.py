"""The rules of the five games, one file each."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from lib.game import Game

_PLACES = {
    "tapnswap": ("lib.games.tapnswap", "TapnSwap"),
    "chopsticks": ("lib.games.chopsticks", "Chopsticks"),
    "droids": ("lib.games.droids", "Droids"),
    "2048": ("lib.games.game2048", "Game2048"),
    "solitaire": ("lib.games.solitaire", "Solitaire"),
}


class _Games(Mapping[str, type[Game[Any]]]):
    """Name -> class; a game's file is imported when it is asked for."""

    def __getitem__(self, name: str) -> type[Game[Any]]:
        if name not in _PLACES:
            raise ValueError(f"no game is called {name!r}: choose one of {', '.join(_PLACES)}")
        module, cls = _PLACES[name]
        return getattr(import_module(module), cls)

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


GAMES = _Games()
