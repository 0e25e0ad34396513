"""Watch a game: two agents, one agent, or a recorded game; step, play, scrub, save.

    Watch(TapnSwap(), agents=(one, other), seed=1)
    Watch(record)                       # from lib.game.play, or board.record()
    watch.save("game.gif"), watch.save("board.png")

Agents are asked for a move when it is first shown, so that a slow one costs nothing before.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lib.boards import raster
from lib.boards.artists import artist_of
from lib.boards.board import MAX_TURNS, registry_agent
from lib.boards.coach import Coach
from lib.boards.controls import Control, button, scrubber, select, toggle
from lib.boards.panel import SPEEDS, chips
from lib.boards.scene import Scene
from lib.boards.session import Session
from lib.boards.shapes import Drawing
from lib.boards.widget import Sheet
from lib.boards.wording import describe_turn, ended, names_of
from lib.game import Agent, Game, Record

KEYS = {
    "ArrowLeft": "control:back",
    "ArrowRight": "control:step",
    " ": "control:play",
    "Home": "control:first",
    "End": "control:last",
    "c": "control:coach",
}
FRAMES = 120  # pictures of an animation at most


class Watch(Sheet):
    """A game to look at; `watch.at` is the turn that is shown.

    With `again` the space bar goes on by one turn, and after the last one a new game starts.
    """

    def __init__(
        self,
        what: Record[Any] | Game[Any],
        agents: Sequence[Agent | str] | Agent | str = (),
        seed: int | None = None,
        start: Any = None,
        coach: bool = False,
        speed: str = "normal",
        names: Sequence[str] = (),
        bottom: int = 0,
        again: bool = False,
    ) -> None:
        super().__init__()
        if speed not in SPEEDS:
            raise ValueError(f"speed={speed!r}: choose one of {', '.join(SPEEDS)}")
        if isinstance(what, Record):
            self.session = _recorded(what)
        else:
            self.session = _live(what, agents, seed, start)
        self.game = self.session.game
        self.bottom = bottom  # who sits at the bottom
        alone = not self._alive() and self.game.n_players == 1  # nobody knows who played a record
        self.names = tuple(names) or names_of(self.game, self.session.seats)
        self.names = ("Player",) if alone and not names else self.names
        self.artist, self.coach, self.coaching = artist_of(self.game), Coach(self.game), coach
        self.at, self.playing, self.speed, self.forward = 0, False, speed, False
        self.note, self.again = "", again and self._alive()
        self.refresh()

    @property
    def state(self) -> Any:
        """The state that is shown."""
        return self.session.states[self.at]

    @property
    def ended(self) -> bool:
        """Whether the last turn of a finished game is shown."""
        last = self.at == len(self.session.moves)
        return last and (self.session.over or not self._alive())

    def _alive(self) -> bool:
        return all(agent is not None for agent in self.session.seats)

    def record(self) -> Record[Any]:
        """The game so far."""
        with self.lock:
            return self.session.record()

    def finish(self) -> Record[Any]:
        """Play the game to its end and return its record."""
        with self.lock:
            while self._alive() and self.session.step():
                pass
            self.refresh()
            return self.session.record()

    def show_turn(self, turn: int) -> None:
        """Go to a turn; a live game is played on as far as needed."""
        with self.lock:
            self._go(turn)
            self.forward = False
            self.refresh()

    def _go(self, turn: int) -> None:
        with self.lock:
            if self.again and self.ended and turn > self.at:
                self.session.new()
                turn = 0
            while turn > len(self.session.moves) and self._alive() and self.session.step():
                pass
            turn = min(max(turn, 0), len(self.session.moves))
            self.forward, self.at = turn == self.at + 1, turn

    def scene(self, turn: int | None = None) -> Scene:
        """What there is to draw of a turn."""
        at = self.at if turn is None else turn
        state, session = self.session.states[at], self.session
        movers = self.game.movers(state)
        marks = self.coach.marks(state, movers[0]) if self.coaching and movers else {}
        return Scene(
            state=state,
            before=session.states[at - 1] if at else None,
            moves=session.moves[at - 1] if at else (),
            player=movers[0] if marks else None,
            bottom=self.bottom,
            watched=True,
            names=self.names,
            marks=marks,
        )

    def drawing(self) -> Drawing:
        """The turn that is shown; nothing on it is to be pressed."""
        whole = self.artist.draw(self.game, self.scene())
        dropped = {"input", "drag"} if self.forward else {"input", "drag", "slide", "pop"}
        shapes = [{k: v for k, v in s.items() if k not in dropped} for s in whole.shapes]
        return replace(whole, shapes=shapes)

    def page(self) -> dict[str, Any]:
        """The words, keys and controls around the drawing."""
        delay = max(SPEEDS[self.speed], 60)
        words, tone = self._words()
        return {
            "game": self.game.name,
            "state": self.game.write(self.state),
            "over": self.ended,
            "alive": True,
            "focus": self.again,
            "say": words,
            "tone": tone,
            "keys": {**KEYS, " ": "control:step"} if self.again else KEYS,
            "chips": chips(self, self.scene()),
            "controls": self._controls(),
            "auto": delay if self.playing else None,
            "ms": min(220, delay // 3) if self.forward else 0,
        }

    def refresh(self) -> None:
        """Send the page the turn that is shown."""
        super().refresh()
        if not self.playing:
            self.keep()

    def _words(self) -> tuple[str, str]:
        moves = self.session.moves
        words, tone = f"Turn {self.at}. ", ""
        if self.at:
            before = self.session.states[self.at - 1]
            words += describe_turn(self.game, before, moves[self.at - 1], self.state, self.names)
        if self.ended and (self.session.over or self.session.truncated):
            said, tone = ended(self.game, self.session, self.names)
            words += f"{said} "
        return f"{words}{self.note}".strip(), tone

    def _controls(self) -> list[Control]:
        speeds = ((name, name) for name in SPEEDS)
        done = self.ended and not self.again
        play, step = ("", "→ or space") if self.again else ("space", "→")
        return [
            button("first", "|◀ Start", "Home", disabled=self.at == 0),
            button("back", "◀ Back", "←", disabled=self.at == 0),
            button("play", "Pause" if self.playing else "▶ Play", play, disabled=done),
            button("step", "Step ▶", step, disabled=done),
            button("last", "End ▶|", "End", disabled=self.ended),
            scrubber("turn", "turn", self.at, len(self.session.moves)),
            select("speed", "Speed", speeds, self.speed),
            toggle("coach", "Coach", self.coaching, "C"),
            button("gif", "Save GIF"),
            button("png", "Save PNG"),
        ]

    def heard(self, message: dict[str, Any]) -> None:
        """The page speaks: a control, or the time for the next turn."""
        self.note = ""
        try:
            if message.get("kind") == "go" and self.playing:
                self._go(self.at + 1)
                self.playing = self.again or not self.ended
            elif message.get("kind") == "control":
                self._control(str(message.get("name")), message.get("value"))
        except Exception as error:  # an agent of the reader's own may do anything
            self.playing, self.note = False, f"{type(error).__name__}: {error}"
        self.refresh()

    def _control(self, name: str, value: Any) -> None:
        goals = {"first": 0, "back": self.at - 1, "step": self.at + 1}
        match name:
            case "first" | "back" | "step":
                self.playing = False
                self._go(goals[name])
            case "last":
                self.playing = False
                self.finish()
                self._go(len(self.session.moves))
            case "turn" if isinstance(value, int) and 0 <= value <= len(self.session.moves):
                self.playing = False
                self._go(value)
            case "play":
                self.playing = not self.playing and (self.again or not self.ended)
            case "speed" if value in SPEEDS:
                self.speed = value
            case "coach":
                self.coaching = not self.coaching
                self.note = self.coach.legend * self.coaching
            case "gif" | "png":
                folder = Path(os.environ.get("RL_FIVE_GAMES_PICTURES", "")).absolute()
                self.note = "Saving …"
                self.refresh()  # a long game takes some seconds
                path = self.save(folder / f"{self.game.name}-game.{name}")
                self.note = f"Saved as {path.name} in {folder}."
            case _:
                raise ValueError(f"no control {name!r} takes {value!r}")

    def drawings(self) -> list[Drawing]:
        """Every turn so far as a drawing; of a long game, evenly chosen ones."""
        last = len(self.session.moves)
        turns = np.unique(np.linspace(0, last, min(last + 1, FRAMES)).round().astype(int))
        return [self.artist.draw(self.game, self.scene(int(turn))) for turn in turns]

    def save(self, path: str | Path, seconds: float = 0.7) -> Path:
        """Write the game so far as a GIF, or the turn that is shown as PNG or SVG."""
        path = Path(path)
        with self.lock:
            match path.suffix.lower():
                case ".gif":
                    return raster.save_gif(self.drawings(), path, seconds=seconds)
                case ".png":
                    return raster.save_png(self.drawing(), path)
                case ".svg":
                    return raster.save_svg(self.drawing(), path)
        raise ValueError(f"{path.name}: a game is saved as .gif, .png or .svg")


def _live(game: Game[Any], agents: Any, seed: int | None, start: Any) -> Session:
    """A game that agents play, given themselves or by name."""
    listed = [agents] if isinstance(agents, str | Agent) else list(agents)
    seats = [registry_agent(game, a) if isinstance(a, str) else a for a in listed]
    if len(seats) != game.n_players:
        raise ValueError(f"{game.title} needs {game.n_players} agent(s) to watch, not {len(seats)}")
    limit = MAX_TURNS if game.n_players == 2 else None
    return Session(game, list(seats), np.random.default_rng(seed), limit, start=start)


def _recorded(record: Record[Any]) -> Session:
    """A game that was played already; nobody sits at the board."""
    limit = len(record.moves) if record.truncated else None
    nobody: list[Agent | None] = [None] * record.game.n_players
    rng = np.random.default_rng(0)
    return Session(record.game, nobody, rng, limit, list(record.states), list(record.moves))
