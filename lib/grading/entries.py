"""Entered agents: each behind its seat, in this process or in a worker of its own.

A failure of any kind (an exception, an illegal move, too long a thought) is a `Forfeit`: it costs
that game and no other.
"""

import contextlib
import functools
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from lib.cli import ROOT
from lib.game import Agent, Forfeit, Game
from lib.games import GAMES
from lib.grading.ask import AnswerError, Ask, Handle
from lib.grading.lessons import lesson
from lib.grading.referee import Referee
from lib.grading.submission import Notebook, Pristine, parse, program, read_bytes
from lib.grading.wire import Make

TOURNAMENT = 7  # the lesson that entries are handed in for
SECONDS = 10.0  # CPU guard of one move
CLASS = "MyAgent"
SEAT = "lib.agents.entry.Seat"


class Seated(Agent):
    """An entry that is asked through `ask`; `problem` is why it forfeited last."""

    def __init__(self, ask: Ask, name: str = "entry") -> None:
        super().__init__()
        self.name, self.ask, self.problem = name, ask, ""
        self.written = True  # as far as is known: not a stub
        self._seat: Handle | None = None

    def _call(self, method: str, *args: Any) -> Any:
        try:
            if self._seat is None:
                self._seat = self.ask.new(SEAT, Make.name(CLASS), seconds=SECONDS)
            return self._seat.call(method, *args, seconds=SECONDS)
        except AnswerError as error:
            self._seat, self.problem = None, error.sentence
            self.written = error.kind != "unwritten"
            if error.kind == "gone":
                self.rest()
            raise Forfeit(self, error.sentence) from None

    def rest(self) -> None:
        """It is not asked for a while; what it runs in, if that is its own, may end."""

    def begin(self, rng: np.random.Generator) -> None:
        self._dice: int | None = int(rng.integers(2**62))  # told with the first move

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        if self._dice is not None:
            self._call("begin", self._dice)
            self._dice = None
        action = self._call("move", game.write(state), player)
        if type(action) is not int or action not in game.legal(state, player):
            self.problem = (
                f"It answered {action!r} in {game.write(state)}; legal are "
                f"{game.legal(state, player)}."
            )
            raise Forfeit(self, self.problem)
        return action


@functools.cache
def _referee() -> Referee:
    return Referee()


class Entered(Seated):
    """A handed-in entry: its code runs in a sandboxed worker, started where it is first asked.

    `program` is what `lib.grading.submission.program` made of the notebook; copies of this agent
    in other processes start workers of their own.
    """

    def __init__(self, program: dict[str, Any], name: str) -> None:
        Agent.__init__(self)
        self.program, self.name, self.problem, self.written = program, name, "", True
        self._seat = None
        self._end: weakref.finalize[Any, Any] | None = None

    @functools.cached_property
    def ask(self) -> Ask:  # type: ignore[override]
        """The pipe to the worker, with the entry's code loaded."""
        course = lesson(TOURNAMENT)
        context = _referee().worker(course, course.exercises[0])
        ask = context.__enter__()
        self._end = weakref.finalize(self, context.__exit__, None, None, None)
        ask.start({**self.program, "dice": 0})
        return ask

    def rest(self) -> None:
        """End its worker; the next question starts another."""
        self.__dict__.pop("ask", None)
        self._seat = None
        if self._end is not None:
            self._end()

    def plays(self) -> str:
        """The game it is for; ValueError if it names none, can't be loaded or is not written."""
        try:
            name = str(self.ask("lib.agents.entry.plays", Make.name(CLASS)))
            self._try_a_move(GAMES[name]())
        except AnswerError as error:
            raise ValueError(error.sentence) from None
        finally:
            self.rest()  # a class has many entries, and each guard looks at all processes
        return name

    def _try_a_move(self, game: Game[Any]) -> None:
        """ValueError if it is still the stub; another failure is a matter of its games."""
        rng = np.random.default_rng(0)
        self.begin(rng)
        state = game.settle(game.start(), rng)
        with contextlib.suppress(Forfeit):
            self.act(game, state, game.movers(state)[0])
        if not self.written:
            raise ValueError(self.problem)

    def __getstate__(self) -> dict[str, Any]:
        kept = ("program", "name", "rng", "written")
        kept_here = {name: self.__dict__[name] for name in kept}
        return {**kept_here, "problem": "", "_seat": None, "_end": None}


def handed_in(path: Path) -> Entered:
    """The entry in a notebook of the tournament; ValueError if there is none in it."""
    try:
        return entered(parse(read_bytes(path)), path.stem)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def entered(notebook: Notebook, name: str, released: Path = ROOT / "notebooks") -> Entered:
    """The entry of `name` in a notebook that was read; ValueError if there is none in it.

    It is put into the released notebook: a student's edition, too, lets classmates play.
    """
    course = lesson(TOURNAMENT)
    if not notebook.answered(course.exercises[0]):
        raise ValueError(f"It has no entry: there is no cell that defines {CLASS}.")
    cells = parse((released / f"{course.notebook}.ipynb").read_bytes()).cells
    stubs = tuple(cell.source.strip() for cell in cells if cell.role == "answer")
    made = program(course, course.exercises[0], Pristine(cells, stubs), notebook)
    return Entered(made, name)
