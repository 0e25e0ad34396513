"""A table in the terminal: people and agents play game after game, and the score is kept."""

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from lib.boards.session import Session
from lib.boards.wording import describe_turn, ended, names_of
from lib.cli.rules import HOW, KEYS, RULES
from lib.game import Agent
from lib.games.fingers import FingerGame

Ask = Callable[[str], str]
Say = Callable[[str], object]

ALIASES = {"w": "up", "a": "left", "s": "down", "d": "right", "x": "shoot"}
WORDS = {"q": "quit", "exit": "quit", "h": "hint", "?": "hint"}
WORDS |= {word: word for word in ("quit", "hint", "undo", "rules", "new")}
UNITS = {"2048": "points", "solitaire": "pegs taken"}


class Quit(Exception):
    """Somebody has had enough."""


class Table:
    """A session with people at it; `ask` and `say` are the terminal, or a test's script.

    Where two people choose at once, `secret` asks without showing what is typed.
    """

    def __init__(
        self, session: Session, helper: Callable[[], Agent], ask: Ask, say: Say, secret: Ask
    ) -> None:
        self.session, self.game, self.make_helper = session, session.game, helper
        self.ask, self.say = ask, say
        people = sum(seat is None for seat in session.seats)
        at_once = len(self.game.movers(session.state)) > 1
        self.ask_move = secret if at_once and people > 1 else ask
        self.names = names_of(self.game, session.seats)
        self.results: list[tuple[float, ...]] = []
        self.scores: list[float] = []

    def sit(self) -> None:
        """Play game after game until somebody quits."""
        self.explain()
        try:
            self.play_one()
            while not self.ask("Another game? [yes/no] ").strip().lower().startswith(("n", "q")):
                self.session.new()
                self.play_one()
        except (Quit, EOFError, KeyboardInterrupt):
            self.say("")
        self.say(f"{self.tally()} Goodbye." if self.results else "Goodbye.")

    def explain(self) -> None:
        """The rules, and how to answer."""
        name = self.game.name
        lines = [self.game.title, "", self.rules, "", HOW, *([KEYS[name]] if name in KEYS else [])]
        if name == "droids":
            pairs = zip(self.names, "AB", strict=True)
            seats = [f"{who} {'are' if who == 'You' else 'is'} {mark}" for who, mark in pairs]
            lines.append(f"{', '.join(seats)}.")
        self.say("\n".join(lines))

    @property
    def rules(self) -> str:
        """How the game goes; of one without a text for terminals, what its class says."""
        return RULES.get(self.game.name) or inspect.getdoc(type(self.game)) or self.game.title

    def play_one(self) -> None:
        """One game to its end, and the score after it."""
        session = self.session
        while not session.over:
            before, turns = session.state, len(session.moves)
            if session.persons:
                self._person(session.persons[0])
            else:
                session.step()
            if len(session.moves) == turns + 1 and self.game.n_players == 2:
                self.say(self._turn(before))
        self.say(f"\n{self.board()}\n\n{ended(self.game, session, self.names)[0]}")
        record = session.record()
        self.results.append((0.0,) * len(self.names) if record.truncated else record.outcome)
        self.scores.append(record.score[0])
        self.say(self.tally())

    def _turn(self, before: Any) -> str:
        """The last turn in words."""
        moves, after = self.session.moves[-1], self.session.state
        return describe_turn(self.game, before, moves, after, self.names).strip()

    def _person(self, player: int) -> None:
        """Ask a person until there is a move, or a new position to look at."""
        state = self.session.state
        legal = self.game.legal(state, player)
        options = [self.game.describe(state, player, action) for action in legal]
        if not self.session.chosen:
            self.say(f"\n{self.board()}\n")
        self.say(listed(options))
        while True:
            typed = self.ask_move(f"{self.names[player]}: ").strip()
            if word := WORDS.get(typed.lower()):
                if self._obey(word, player):
                    return
                continue
            found = find(typed, options, ALIASES if self.game.name in ("2048", "droids") else {})
            if len(found) == 1:
                self.session.choose(player, legal[found[0]])
                return
            self.say(unclear(typed, [options[number] for number in found]))

    def _obey(self, word: str, player: int) -> bool:
        """Do what a word asks that is no move; True if there is a new position to look at."""
        if word == "quit":
            raise Quit
        if word == "new":
            self.session.new()
            return True
        if word == "undo" and self.session.undo():
            return True
        answers = {
            "undo": lambda: "There is nothing to take back.",
            "hint": lambda: self.hint(player),
        }
        self.say(answers.get(word, lambda: self.rules)())
        return False

    @cached_property
    def helper(self) -> Agent:
        """Who gives hints; loaded when first asked."""
        return self.make_helper()

    def hint(self, player: int) -> str:
        """What the best player would do here."""
        action = self.helper.act(self.game, self.session.state, player)
        return f"I would: {self.game.describe(self.session.state, player, action)}"

    def board(self) -> str:
        """The state as text, with the names of those who play; the mover sits at the bottom."""
        game, state = self.game, self.session.state
        if not isinstance(game, FingerGame):
            return game.text(state)
        bottom, top = self.names[state.player], self.names[1 - state.player]
        return game.picture(top, state.other, bottom, state.own)

    def tally(self) -> str:
        """The running score: "You 2, medium 1, draws 0." """
        if self.game.n_players == 1:
            won = sum(result[0] > 0 for result in self.results)
            best, mean = max(self.scores), sum(self.scores) / len(self.scores)
            unit = UNITS.get(self.game.name, "points")
            return (
                f"Played {len(self.scores)}, won {won}; best {best:,.0f} {unit}, mean {mean:,.1f}."
            )
        wins = [sum(result[player] > 0 for result in self.results) for player in (0, 1)]
        parts = [f"{name} {won}" for name, won in zip(self.names, wins, strict=True)]
        return f"{', '.join(parts)}, draws {len(self.results) - sum(wins)}."


def find(typed: str, options: Sequence[str], aliases: dict[str, str]) -> list[int]:
    """Which options are meant: by number from 1 on, or by words that begin some of its words.

    >>> find("2", ["tap 1 on 2", "tap 3 on 2"], {})
    [1]
    >>> find("tap 3", ["tap 1 on 2", "tap 3 on 2"], {})
    [1]
    """
    if typed.isdecimal():
        return [int(typed) - 1] if 0 < int(typed) <= len(options) else []
    words = [aliases.get(word, word) for word in typed.lower().split()]
    exact = [n for n, option in enumerate(options) if option.lower().split() == words]
    return exact or [n for n, option in enumerate(options) if words and _begin(words, option)]


def _begin(words: list[str], option: str) -> bool:
    """Do the words, in their order, begin some words of the option?"""
    rest = iter(option.lower().split())
    return all(any(part.startswith(word) for part in rest) for word in words)


def unclear(typed: str, found: Sequence[str]) -> str:
    """Why an answer is no move."""
    if found:
        return f"Which one: {'; '.join(found)}?"
    return f"{typed!r} is none of these moves. {HOW}" if typed else HOW


def listed(options: Sequence[str]) -> str:
    """The moves by number, in one line if they fit."""
    line = "   ".join(f"{number} {option}" for number, option in enumerate(options, start=1))
    if len(line) < 80:
        return line
    return "\n".join(f"{number:>4} {option}" for number, option in enumerate(options, start=1))
