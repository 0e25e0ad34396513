"""The arcade: every game against every agent and level, in a notebook or as a page of its own."""

from collections.abc import Callable
from typing import Any

import ipywidgets

from lib.agents import registry
from lib.boards.board import Board
from lib.boards.watch import Watch
from lib.game import Agent
from lib.games import GAMES

PEOPLE, LEVEL = "two people", "level: "


class Arcade:
    """Choose a game and an opponent: the board below is made anew; `Watch` shows two agents."""

    def __init__(self, game: str = "tapnswap", seed: int | None = None) -> None:
        names = {GAMES[name].title: name for name in GAMES}
        self.seed = seed
        self.game = ipywidgets.Dropdown(options=names, value=game, description="Game")
        self.against = ipywidgets.Dropdown(description="Against")
        self.watched = ipywidgets.ToggleButton(value=False, description="Watch two agents")
        self.board: Board | Watch = Board(GAMES[game](), level="easy", seed=seed)
        self.place = ipywidgets.VBox([self.board])
        row = ipywidgets.HBox([self.game, self.against, self.watched])
        row.layout.flex_flow = "row wrap"
        self.box = ipywidgets.VBox([row, self.place])
        self._offer()
        self.game.observe(self._new_game, "value")
        self.against.observe(self._renew, "value")
        self.watched.observe(self._renew, "value")

    def opponents(self) -> dict[str, Callable[[], Agent] | str]:
        """Who can be played against: people, levels, shipped agents, those trained here."""
        name = self.game.value
        made: dict[str, Callable[[], Agent] | str] = {}
        if GAMES[name].n_players == 2:
            made[PEOPLE] = PEOPLE
            made |= {f"{LEVEL}{level}": level for level in registry.LEVELS}
        else:
            made["you alone"] = PEOPLE
        return {**made, **registry.agents(name), **registry.own_agents(name)}

    def _offer(self) -> None:
        names = list(self.opponents())
        usual = f"{LEVEL}easy"
        self.offering = True  # new options change the choice: no board for that
        self.against.options = names
        self.against.value = usual if usual in names else names[0]
        self.offering = False

    def _new_game(self, change: Any) -> None:
        self._offer()
        self._renew(change)

    def _renew(self, change: Any) -> None:
        if not self.offering:
            self.board = self._made()
            self.place.children = (self.board,)

    def _made(self) -> Board | Watch:
        game, chosen = GAMES[self.game.value](), self.opponents().get(self.against.value, PEOPLE)
        if self.watched.value:
            return self._watch(game, chosen)
        if isinstance(chosen, str):
            level = None if chosen == PEOPLE else chosen
            return Board(game, level=level, seed=self.seed)
        if game.n_players == 1:  # an agent of a one-player game can only be watched
            return self._watch(game, chosen)
        return Board(game, against=chosen(), seed=self.seed)

    def _watch(self, game: Any, chosen: Callable[[], Agent] | str) -> Watch:
        best = list(registry.agents(game.name).values())[-1]
        if isinstance(chosen, str):
            agent = best() if chosen == PEOPLE else registry.level(game.name, chosen)
        else:
            agent = chosen()
        seats = (agent,) if game.n_players == 1 else (agent, best())
        return Watch(game, agents=seats, seed=self.seed)

    def _ipython_display_(self) -> None:
        """The controls, and a still picture of the board for pages without a kernel."""
        from IPython.display import display

        display(self.board._still_html(), raw=True)
        display(self.box)

    def __repr__(self) -> str:
        return f"Arcade: {self.board!r}"
