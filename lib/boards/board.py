"""The board: play any of the five games on the page.

Board(TapnSwap(), level="medium")              # against an opponent of that strength
Board(Droids(), against=my_agent, first="it")  # against an agent of your own
Board(Chopsticks())                            # two people, one board
Board(Game2048(), coach=True)                  # with the truth about every move
"""

from typing import Any

import numpy as np

from lib.agents import registry
from lib.boards.artists import artist_of
from lib.boards.coach import Coach
from lib.boards.panel import OWN, PEOPLE, SPEEDS, around
from lib.boards.scene import Scene
from lib.boards.session import Session
from lib.boards.shapes import Drawing
from lib.boards.widget import Sheet
from lib.boards.wording import ended, happened, names_of, prompt
from lib.game import Agent, Game, Record

MAX_TURNS = 200  # a finger game that runs in circles ends here, as a draw


class Board(Sheet):
    """One game on the page; `board.state` is where it stands, `board.record()` how it went."""

    def __init__(
        self,
        game: Game[Any],
        against: Agent | str | None = None,
        level: str | None = None,
        first: str = "me",
        coach: bool = False,
        speed: str = "normal",
        seed: int | None = None,
        start: Any = None,
        again: bool = False,
        fixed: bool = False,
    ) -> None:
        super().__init__()
        _check("first", first, ("me", "it"))
        _check("speed", speed, SPEEDS)
        _check("level", level or registry.LEVELS[0], registry.LEVELS)
        self.game, self.first, self.speed, self.start = game, first, speed, start
        self.again = again  # whether a new game starts by itself
        self.fixed = fixed  # whether the opponent is chosen elsewhere
        self.given = registry_agent(game, against) if isinstance(against, str) else against
        self.level = level or (PEOPLE if against is None else OWN)
        self.rng = np.random.default_rng(seed)
        self.artist, self.coach, self.coaching = artist_of(game), Coach(game), coach
        self.selected, self.said, self.tone = "", "", ""
        self.hint: int | None = None
        self.notes: list[str] = []
        self.moved = False  # whether the last turn is to be shown as a movement
        self.failed = False  # whether the opponent broke down
        self._sit()
        self.refresh()

    def _sit(self) -> None:
        """Everyone takes a seat and a new game begins."""
        seats: list[Agent | None] = [None] * self.game.n_players
        if self.game.n_players == 2 and self.level != PEOPLE:
            known = self.given if self.level == OWN else registry.level(self.game.name, self.level)
            seats[1 if self.first == "me" else 0] = known
        limit = MAX_TURNS if self.game.n_players == 2 else None
        self.session = Session(self.game, seats, self.rng, limit, start=self.start)
        self._begin()

    def _begin(self) -> None:
        self._forget()
        self._say(self._prompt())

    def _forget(self) -> None:
        self.selected, self.hint, self.notes = "", None, []
        self.moved = self.failed = False

    @property
    def state(self) -> Any:
        """Where the game stands."""
        return self.session.state

    @property
    def names(self) -> tuple[str, ...]:
        """What the players are called: ("You", "perfect")."""
        return names_of(self.game, self.session.seats)

    @property
    def bottom(self) -> int:
        """Who sits at the bottom: the person, if there is one."""
        return next((p for p, agent in enumerate(self.session.seats) if agent is None), 0)

    def record(self) -> Record[Any]:
        """The game so far."""
        with self.lock:
            return self.session.record()

    def scene(self) -> Scene:
        """What there is to draw."""
        session = self.session
        player = session.persons[0] if session.persons else None
        coached = self.coaching and player is not None
        marks = self.coach.marks(self.state, player) if coached and player is not None else {}
        people = sum(agent is None for agent in session.seats)
        shown = self.moved and session.moves
        return Scene(
            state=self.state,
            before=session.states[-2] if shown else None,
            moves=session.moves[-1] if shown else (),
            player=player,
            bottom=self.bottom,
            together=len(self.game.movers(self.state)) == 2 and people == self.game.n_players,
            names=self.names,
            selected=self.selected,
            hint=self.hint,
            marks=marks,
        )

    def drawing(self) -> Drawing:
        """The board as it stands."""
        return self.artist.draw(self.game, self.scene())

    def refresh(self) -> None:
        """Send the page the board as it stands: one drawing, one message."""
        with self.lock:
            self.seq += 1
            scene = self.scene()
            drawing = self.artist.draw(self.game, scene)
            self.view = {**drawing.view(), **around(self, scene), "seq": self.seq}
            self.moved = False
            if self.session.over:
                self.keep()

    def heard(self, message: dict[str, Any]) -> None:
        """The page speaks: an input on the board, a control, or the time for the next move."""
        try:
            self._react(message)
        except Exception as error:  # an agent of the reader's own may do anything
            self.session.chosen.clear()
            self.failed = message.get("kind") == "go"
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            self._say(f"{kind}{error}", "bad")
        self.refresh()

    def _react(self, message: dict[str, Any]) -> None:
        kind = message.get("kind")
        if kind == "go":
            self.go()
        elif kind == "input":
            tokens = message.get("tokens")
            if not isinstance(tokens, list) or not all(isinstance(t, str) for t in tokens):
                raise ValueError(f"an input is a list of words, not {tokens!r}")
            if len(tokens) > 1:
                self.selected = ""
            for token in tokens[:2]:
                self.input(token)
        elif kind == "control":
            self._control(str(message.get("name")), message.get("value"))

    def input(self, token: str) -> None:
        """A click, a key, or one end of a drag."""
        if self.session.over:
            again = "Press New game to play again."
            return self._say(f"{self.said.removesuffix(again).strip()} {again}", self.tone)
        if not self.session.persons:
            return self._say("One moment: the other has not moved yet.")
        answer = self.artist.answer(self.game, self.scene(), token)
        if answer.action is not None:
            return self.play(answer.action, answer.player)
        self.selected = answer.selected
        return self._say(answer.say or self._prompt())

    def play(self, action: int, player: int | None = None) -> None:
        """A person plays an action; an illegal one is refused with a word why."""
        player = self.session.persons[0] if player is None else player
        if player not in self.session.persons:
            return self._say(f"{self.names[player]} has chosen already.")
        if action not in self.game.legal(self.state, player):
            self.selected = ""
            return self._say(self.artist.refusal(self.game, self.state, player, action), "bad")
        return self._moved(self.session.choose(player, action))

    def go(self) -> None:
        """The agents whose turn it is move, or a new game starts by itself."""
        if self.session.over and self.again:
            self.session.new()
            self._begin()
        elif not self.session.persons and not self.session.over:
            self._moved(self.session.step())

    def _moved(self, complete: bool) -> None:
        self._forget()
        self.moved = complete
        if self.session.over:
            self._end()
        else:
            last = happened(self.game, self.session, self.names) if complete else ""
            self._say(f"{last}{self._prompt()}")

    def _end(self) -> None:
        """Say how the game ended; with the coach on, also where it was lost."""
        words, tone = ended(self.game, self.session, self.names)
        self.notes = self._review() if self.coaching else []
        if tone == "bad" and self.coach.judge and not self.notes:
            lost = "No move gave it away." if self.coaching else "Coach shows where it was lost."
            words = f"{words} {lost}"
        self._say(words, tone)

    def _review(self) -> list[str]:
        """The moves of the people here that gave most away."""
        record = self.session.record()
        people = [p for p, agent in enumerate(self.session.seats) if agent is None]
        return [note for player in people for note in self.coach.review(record, player)]

    def _control(self, name: str, value: Any) -> None:
        match name:
            case "new":
                self.session.new()
                self._begin()
            case "undo":
                undone = self.session.undo()
                self._forget()
                self._say(("" if undone else "Nothing to take back. ") + self._prompt())
            case "hint":
                self._give_hint()
            case "coach":
                self.coaching = not self.coaching
                if self.session.over:
                    self._end()
                else:
                    self._say(self.coach.legend * self.coaching + self._prompt())
            case "speed" if value in SPEEDS:
                self.speed = value
            case "first" if value in ("me", "it"):
                self.first = value
                self._sit()
            case "level" if value in (PEOPLE, *registry.LEVELS) or (value == OWN and self.given):
                self.level = value
                self._sit()
            case _:
                raise ValueError(f"no control {name!r} takes {value!r}")

    def _give_hint(self) -> None:
        if not self.session.persons:
            return self._say("No hint now: it is not your move.")
        player = self.session.persons[0]
        action, words = self.coach.advice(self.state, player)
        self.selected, self.hint = "", action
        what = self.game.describe(self.state, player, action)
        return self._say(f"Hint: {what}{f' ({words})' if words else ''}.")

    def _prompt(self) -> str:
        return prompt(self.game, self.session, self.names)

    def _say(self, words: str, tone: str = "") -> None:
        self.said, self.tone = words, tone


def _check(what: str, value: str, known: Any) -> None:
    if value not in known:
        raise ValueError(f"{what}={value!r}: choose one of {', '.join(known)}")


def registry_agent(game: Game[Any], name: str) -> Agent:
    """An agent of the game by name; ValueError, with the names there are, if nobody has it."""
    known = registry.agents(game.name)
    if name not in known:
        raise ValueError(f"no agent of {game.title} is called {name!r}: choose {', '.join(known)}")
    return known[name]()
