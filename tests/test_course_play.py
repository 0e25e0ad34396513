"""`course.py play`: whole games by a scripted keyboard, and all that one can type beside moves."""

import doctest
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from lib.agents.perfect_fingers import PerfectFingers
from lib.cli import ROOT, lab, play, table
from lib.cli.main import parse
from lib.cli.rules import RULES
from lib.cli.table import Table, find
from lib.games import GAMES
from lib.games.solitaire import JUMPS, hole_name
from lib.truth.fingers import solve
from lib.truth.solitaire import solution

Answer = str | Callable[[], str]


class Terminal:
    """A keyboard that types a script, a screen that remembers; EOF when the script ends."""

    def __init__(self, *argv: str, script: Iterable[Answer] = ()) -> None:
        self.lines: list[str] = []
        self.asked: list[str] = []
        self.hidden: list[str] = []
        self.script = iter(script)
        terminal = {"ask": self.ask, "say": self.lines.append, "secret": self.secret}
        self.table: Table = play.laid(parse("play", play, list(argv)), **terminal)
        self.session = self.table.session

    def ask(self, prompt: str) -> str:
        self.asked.append(prompt)
        answer = next(self.script, None)
        if answer is None:
            raise EOFError
        return answer if isinstance(answer, str) else answer()

    def secret(self, prompt: str) -> str:
        self.hidden.append(prompt)
        return self.ask(prompt)

    def type(self, *script: Answer | Iterable[Answer]) -> str:
        """Sit down, type, and return all that was shown."""
        one = script[0] if len(script) == 1 else script
        self.script = iter([one] if isinstance(one, str) or callable(one) else one)
        self.table.sit()
        return "\n".join(self.lines)

    def move(self, action: int) -> str:
        """The number under which an action of the person on move is listed."""
        player = self.session.persons[0]
        return str(self.session.game.legal(self.session.state, player).index(action) + 1)


def best(terminal: Terminal) -> str:
    """What a person who knows the truth types."""
    session = terminal.session
    player = PerfectFingers(seed=1)
    return terminal.move(player.act(session.game, session.state, session.persons[0]))


def test_three_games_with_a_running_score() -> None:
    """The second player wins TapnSwap: a person who plays the truth wins every game."""
    terminal = Terminal("tapnswap", "--against", "random", "--first", "it", "--seed", "3")

    def three_games() -> Iterable[Answer]:
        for left in (2, 1, 0):
            while not terminal.session.over:
                yield best(terminal)
            yield "yes" if left else "no"

    shown = terminal.type(three_games())
    for count in (1, 2, 3):
        assert f"random 0, You {count}, draws 0." in shown
    assert shown.count("You win, after") == 3 and shown.endswith("Goodbye.")
    assert RULES["tapnswap"] in shown and "random: tap" in shown


@pytest.mark.parametrize("ending", ["quit", "q", "Exit", EOFError, KeyboardInterrupt])
def test_every_way_out_is_kind(ending: Any) -> None:
    terminal = Terminal("chopsticks", "--seed", "0")

    def leave() -> str:
        if isinstance(ending, str):
            return ending
        raise ending

    assert terminal.type("1", leave).endswith("Goodbye.")


def test_hint_undo_rules_and_new() -> None:
    terminal = Terminal("tapnswap", "--level", "perfect", "--seed", "2")
    start = terminal.session.state
    shown = terminal.type("undo", "1", "undo", "hint", "rules", "1", "new", "quit")
    assert "There is nothing to take back." in shown
    assert terminal.session.state == start and terminal.session.moves == []
    assert shown.count(RULES["tapnswap"]) == 2
    hint = next(line for line in terminal.lines if line.startswith("I would: "))
    game = terminal.session.game
    good = solve(game).best_moves(start)  # type: ignore[arg-type]
    assert hint[9:] in [game.describe(start, 0, action) for action in good]


def test_what_is_no_move_is_explained() -> None:
    terminal = Terminal("tapnswap", "--two")
    shown = terminal.type("fly", "99", "0", "tap", "", "quit")
    assert "'fly' is none of these moves" in shown and "'99' is none of these moves" in shown
    assert "Which one: tap left 1 on left 1; tap left 1 on right 1; tap right" in shown
    assert terminal.session.moves == []


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("1", [0]),
        ("3", [2]),
        ("4", []),
        ("0", []),
        ("", []),
        ("swap", [2]),
        ("tap left", [0, 1]),
        ("TAP left on left", [0]),
        ("t l l", [0]),
        ("swap 0-2", [2]),
        ("swap 0-3", []),
        ("left tap", []),
        ("²", []),
    ],
)
def test_find(typed: str, found: list[int]) -> None:
    options = ["tap left 1 on left 1", "tap left 1 on right 1", "swap 1-1 for 0-2"]
    assert find(typed, options, {}) == found


def test_examples() -> None:
    result = doctest.testmod(table)
    assert result.failed == 0 < result.attempted


def test_two_people_take_turns() -> None:
    terminal = Terminal("tapnswap", "--two")
    shown = terminal.type("tap left on left", "tap right on left", "quit")
    assert terminal.asked[:2] == ["Player 1: ", "Player 2: "] and not terminal.hidden
    assert "Player 1: tap left 1 on left 1." in shown
    assert "Player 2: tap right 1 on left 1." in shown


def test_two_droids_choose_in_secret() -> None:
    terminal = Terminal("droids", "--two")
    shown = terminal.type("x", "w", "a", "d", "quit")
    assert terminal.hidden[:2] == ["Player 1: ", "Player 2: "]
    assert terminal.session.moves[0] == (4, 0) and terminal.session.state.rounds == 49
    assert "Player 1: shoot; Player 2: move up" in shown
    assert "'a' is none of these moves" in shown, "a wall is on the left of droid A"


def test_droids_against_an_agent() -> None:
    terminal = Terminal("droids", "--against", "aligned", "--first", "it", "--seed", "5")
    shown = terminal.type(*["s", "w"] * 60)
    assert not terminal.hidden and "aligned is A, You are B" in shown
    assert "aligned: shoot; You: move down: aligned hits." in shown
    assert "droids" not in terminal.table.tally() and "aligned 1, You 0, draws 0." in shown


def test_2048_by_keys() -> None:
    terminal = Terminal("2048", "--seed", "7")

    def any_key() -> str:
        if terminal.session.over:
            return "no"
        return {0: "w", 1: "s", 2: "a", 3: "right"}[
            terminal.session.game.legal(terminal.session.state, 0)[-1]
        ]

    shown = terminal.type(*[any_key] * 2000)
    score = terminal.session.state.score
    assert f"Played 1, won 0; best {score:,} points, mean {score:,.1f}." in shown
    assert "No move is left" in shown


def test_solitaire_by_holes() -> None:
    terminal = Terminal("solitaire")
    jumps = [JUMPS[a] for a in solution(terminal.session.state) or []]
    line = [f"{hole_name(jump.source)} {hole_name(jump.target)}" for jump in jumps]
    shown = terminal.type(*line, "no")
    assert "Solved: one peg is left." in shown
    assert "Played 1, won 1; best 31 pegs taken, mean 31.0." in shown


def test_circles_end_as_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "LIMIT", 6)
    terminal = Terminal("tapnswap", "--two")
    shown = terminal.type("swap 0-2", "swap 0-2", "swap 1-1", "3", "5", "swap 0-2", "no")
    assert "A draw: 6 moves without an end." in shown
    assert "Player 1 0, Player 2 0, draws 1. Goodbye." in shown


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_begun_and_gives_a_hint(game: str) -> None:
    terminal = Terminal(game, "--seed", "1")
    shown = terminal.type("hint", "1", "undo", "quit")
    assert "I would: " in shown and RULES[game] in shown


def test_who_sits_where() -> None:
    assert Terminal("tapnswap", "--first", "me").session.seats[0] is None
    assert Terminal("tapnswap", "--first", "it").session.seats[1] is None
    assert Terminal("tapnswap").table.names == ("You", "medium")
    assert Terminal("tapnswap", "--level", "hard").table.names == ("You", "hard")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["2048", "--level", "easy"], "2048 is a game for one: leave out --level"),
        (["solitaire", "--two"], "leave out --two"),
        (["tapnswap", "--two", "--first", "it"], "--two is for two people: leave out --first"),
        (["tapnswap", "--against", "deep"], "no agent called 'deep': there is random"),
        (["tapnswap", "--against", "random", "--level", "easy"], "give one of them"),
    ],
)
def test_options_that_do_not_fit(argv: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Terminal(*argv)


def test_no_game_named() -> None:
    with pytest.raises(ValueError, match=r"which game\? Give one of tapnswap"):
        play.run(parse("play", play, []))


def test_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "ROOT", tmp_path)
    with pytest.raises(ValueError, match="the arcade is missing"):
        play.run(parse("play", play, ["--page"]))
    arcade = tmp_path / "notebooks" / "06_arcade.ipynb"
    arcade.parent.mkdir()
    arcade.touch()
    called: list[Any] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **rest: called.append(command))
    monkeypatch.setattr(lab, "attend", lambda server, port, url: called.append((port, url)) or 0)
    assert play.run(parse("play", play, ["--page"])) == 0
    command, (port, url) = called
    assert command[1:4] == ["-m", "voila", str(arcade)]
    assert f"--port={port}" in command and url == f"http://127.0.0.1:{port}/"


@pytest.mark.slow
def test_in_a_real_process() -> None:
    command = [sys.executable, str(ROOT / "course.py"), "play", "tapnswap", "--seed", "1"]
    answer = subprocess.run(command, input="1\nhint\n", capture_output=True, text=True, cwd=ROOT)
    assert answer.returncode == 0 and answer.stdout.endswith("Goodbye.\n"), answer.stderr
    assert "I would: " in answer.stdout and "Traceback" not in answer.stderr
