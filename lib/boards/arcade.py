"""The arcade: every game against every agent and level, in a notebook or as a page of its own."""

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets

from lib.agents import registry
from lib.boards.board import Board
from lib.boards.watch import Watch
from lib.game import Agent
from lib.games import GAMES

PEOPLE, LEVEL = "two people", "level: "
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
        self.box = ipywidgets.VBox([row, self.place])
        self.offering = False  # new options change the choice: no board for that
        self._new_game()
        self.game.observe(self._new_game, "value")
        for chooser in (self.against, self.rival, self.watched):
            chooser.observe(self._renew, "value")
        self.replayed.observe(self._replay, "value")

    def opponents(self) -> dict[str, Opponent]:
        """Who can be played against: people, levels, shipped agents, those trained here."""
        made: dict[str, Opponent] = {}
        if GAMES[self.game.value].n_players == 2:
            made[PEOPLE] = PEOPLE
            made |= {f"{LEVEL}{level}": level for level in registry.LEVELS}
        else:
            made["you alone"] = PEOPLE
        return made | self.agents()

    def agents(self) -> dict[str, Callable[[], Agent]]:
        """Who can play without a person: shipped agents, those trained here, the reader's own."""
        game = self.game.value
        return registry.agents(game) | registry.own_agents(game) | dict(self.more.get(game, {}))

    def _new_game(self, change: Any = None) -> None:
        names, agents, usual = list(self.opponents()), list(self.agents()), f"{LEVEL}easy"
        self.offering = True
        self.against.options, self.rival.options = names, agents
        self.against.value = usual if usual in names else names[0]
        self.rival.value = list(registry.agents(self.game.value))[-1]
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
            return Board(game, against=chosen(), seed=self.seed, fixed=True)
        level = None if chosen == PEOPLE else chosen
        return Board(game, level=level, seed=self.seed, fixed=True)

    def _watch(self, game: Any, chosen: Opponent) -> Watch:
        rival = self.agents()[self.rival.value]
        if isinstance(chosen, str):  # nobody plays for a person but the best there is
            agent = rival() if chosen == PEOPLE else registry.level(game.name, chosen)
        else:
            agent = chosen()
        seats = (agent,) if game.n_players == 1 else (agent, rival())
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
