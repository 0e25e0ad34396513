"""The arcade: every game against every agent and level, in a notebook or as a page of its own."""

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets

from lib.agents import registry
from lib.boards.board import Board
from lib.boards.watch import Watch
from lib.game import Agent
from lib.games import GAMES

PEOPLE, ALONE, LEVEL = "two people", "you alone", "level: "
Opponent = Callable[[], Agent] | str


class Arcade:
    """Choose a game and an opponent: the board below is made anew.

    `watched` lets two agents play, `replayed` shows the game on the board once more. `more` are
    agents of the reader's own, by game and name: {"tapnswap": {"my entry": MyAgent}}.
    """

    def __init__(
        self,
        game: str = "tapnswap",
        seed: int | None = None,
        more: Mapping[str, Mapping[str, Callable[[], Agent]]] | None = None,
    ) -> None:
        names = {GAMES[name].title: name for name in GAMES}
        self.seed, self.more = seed, more or {}
        self.game = ipywidgets.Dropdown(options=names, value=game, description="Game")
        self.against = ipywidgets.Dropdown(description="Against")
        self.rival = ipywidgets.Dropdown(description="against")
        self.watched = ipywidgets.ToggleButton(value=False, description="Watch agents")
        self.replayed = ipywidgets.ToggleButton(value=False, description="Replay")
        self.replayed.tooltip = "The game on the board, step by step; once more, and it goes on"
        self.place = ipywidgets.VBox([])
        row = ipywidgets.HBox([self.game, self.against, self.rival, self.watched, self.replayed])
        row.layout.flex_flow = "row wrap"
        for part in row.children:  # as wide as what it says, so that all fit in a line
            part.layout.width = "auto"
            if isinstance(part, ipywidgets.Dropdown):
                part.style.description_width = "initial"
        self.box = ipywidgets.VBox([row, self.place])
        self.offering = False  # new options change the choice: no board for that
        self._new_game()
        self.game.observe(self._new_game, "value")
        for chooser in (self.against, self.rival):
            chooser.observe(self._renew, "value")
        self.watched.observe(self._toggled, "value")
        self.replayed.observe(self._replay, "value")

    def opponents(self) -> dict[str, Opponent]:
        """Who can be played against: people, levels, agents; or, without people, be watched."""
        made: dict[str, Opponent] = {}
        two = GAMES[self.game.value].n_players == 2
        if not self.watched.value:
            made[PEOPLE if two else ALONE] = PEOPLE
        if two:
            made |= {f"{LEVEL}{level}": level for level in registry.LEVELS}
        return made | self.agents()

    def agents(self) -> dict[str, Callable[[], Agent]]:
        """Who can play without a person: shipped agents, those trained here, the reader's own."""
        game = self.game.value
        return registry.agents(game) | registry.own_agents(game) | dict(self.more.get(game, {}))

    @property
    def best(self) -> str:
        """The strongest agent that comes with the game."""
        return list(registry.agents(self.game.value))[-1]

    def _new_game(self, change: Any = None) -> None:
        self.offering = True
        self.rival.options = list(self.agents())
        self.rival.value = self.best
        self._offer(f"{LEVEL}easy")

    def _toggled(self, change: Any = None) -> None:
        """Nobody watches a person; and who plays a game for one is watched, or it is you."""
        alone = GAMES[self.game.value].n_players == 1 and not self.watched.value
        self._offer(ALONE if alone else self.against.value)

    def _offer(self, wanted: str) -> None:
        """Offer those who can play now, with this choice if it is among them."""
        self.offering, names = True, list(self.opponents())
        self.against.options = names
        other = self.best if self.watched.value else names[0]
        self.against.value = wanted if wanted in names else other
        self.offering = False
        self._renew()

    def _renew(self, change: Any = None) -> None:
        if self.offering:
            return
        game = GAMES[self.game.value]()
        chosen = self.opponents().get(self.against.value, PEOPLE)
        # an agent of a one-player game can only be watched
        watched = self.watched.value or (game.n_players == 1 and not isinstance(chosen, str))
        pair = watched and game.n_players == 2
        self.rival.layout.display = "" if pair else "none"
        self.against.description = (
            "Watch" if watched else "Against" if game.n_players == 2 else "By"
        )
        self.board: Board | Watch = (
            self._watch(game, chosen) if watched else self._play(game, chosen)
        )
        self.replayed.value = False
        self.place.children = (self.board,)

    def _play(self, game: Any, chosen: Opponent) -> Board:
        if not isinstance(chosen, str):
            return Board(
                game, against=_named(self.against.value, chosen), seed=self.seed, fixed=True
            )
        level = None if chosen == PEOPLE else chosen
        return Board(game, level=level, seed=self.seed, fixed=True)

    def _watch(self, game: Any, chosen: Opponent) -> Watch:
        if isinstance(chosen, str):
            seats = [registry.level(game.name, chosen)]
        else:
            seats = [_named(self.against.value, chosen)]
        if game.n_players == 2:
            seats.append(_named(self.rival.value, self.agents()[self.rival.value]))
        return Watch(game, agents=seats, seed=self.seed)

    def _replay(self, change: Any) -> None:
        board = self.board
        again = Watch(board.record(), names=board.names, bottom=board.bottom)
        self.place.children = (again if self.replayed.value else board,)

    def _ipython_display_(self) -> None:
        """The controls, and a still picture of the board for pages without a kernel."""
        from IPython.display import display

        display(self.board._still_html(), raw=True)
        display(self.box)

    def __repr__(self) -> str:
        return f"Arcade: {self.board!r}"


def _named(name: str, make: Callable[[], Agent]) -> Agent:
    """An agent under the name that it was chosen by: "my q-learning", not its teacher's."""
    agent = make()
    agent.name = name.partition(",")[0]
    return agent
