"""Entries of the tournament: forfeits cost a game, workers play, and a class gets its page."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lib.agents.baselines import Random
from lib.arena import evaluate, match
from lib.cli import ROOT
from lib.cli.main import main
from lib.game import Agent, Forfeit
from lib.games.solitaire import Solitaire
from lib.games.tapnswap import TapnSwap
from lib.grading import sandbox
from lib.grading.ask import LocalAsk
from lib.grading.edition import write_edition
from lib.grading.entries import SECONDS, Seated, handed_in
from lib.grading.lesson7 import LESSON, Solver
from lib.grading.sample import sample_class
from lib.grading.tournament import by_game, find_entries

RANDOM = """
class MyAgent(Agent):
    plays = "tapnswap"
    def act(self, game, state, player):
        return int(self.rng.choice(game.legal(state, player)))
"""


class Quitter(Agent):
    """Gives up at once."""

    def act(self, game, state, player):
        raise Forfeit(self, "enough")


def entry(folder: Path, source: str) -> Path:
    """A submission of the tournament with this answer."""
    notebook = json.loads((ROOT / "notebooks" / "07_tournament.ipynb").read_text(encoding="utf8"))
    cell = next(c for c in notebook["cells"] if c["id"] == "answer-my-agent")
    cell["source"] = source
    folder.mkdir(parents=True)
    path = folder / "07_tournament.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf8")
    return path


def test_who_forfeits_has_lost_in_either_seat() -> None:
    result = match(TapnSwap(), Quitter(), Random(), games=6)
    assert (result.wins, result.losses) == (0, 6) and result.as_second == (0, 0, 3)
    assert evaluate(Solitaire(), Quitter(), games=2).outcomes == (-1.0, -1.0)


def test_the_courses_own_entry_solves_every_game() -> None:
    assert evaluate(Solitaire(), Solver, games=2).wins == 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [("return 99", "It answered 99"), ("return True", "It answered True"), ("1 / 0", "ZeroDiv")],
)
def test_a_seat_says_why_it_forfeits(wrong: str, words: str) -> None:
    namespace: dict = {"Agent": Agent}
    exec(RANDOM.replace("return int(self.rng.choice(game.legal(state, player)))", wrong), namespace)
    seated = Seated(LocalAsk(namespace))
    seated.begin(np.random.default_rng(0))
    with pytest.raises(Forfeit, match=words):
        seated.act(TapnSwap(), TapnSwap().start(), 0)


def test_the_lesson_tells_how_much_may_be_computed() -> None:
    lesson = (ROOT / "notebooks" / "07_tournament.ipynb").read_text(encoding="utf8")
    limits = sandbox.limits_for(LESSON["my_agent"].seconds, LESSON.memory)
    assert "One move may take ten seconds" in lesson and SECONDS == 10
    assert "all games with the grader together a thousand" in lesson and limits.total == 1000


def test_a_notebook_without_an_entry_says_so(tmp_path: Path) -> None:
    path = tmp_path / "empty.ipynb"
    path.write_text('{"cells": [], "metadata": {}}', encoding="utf8")
    with pytest.raises(ValueError, match=r"empty\.ipynb: It has no entry"):
        handed_in(path)


@pytest.mark.slow
def test_an_entry_plays_from_its_worker_and_copies_do_too(tmp_path: Path) -> None:
    entered = handed_in(entry(tmp_path / "ann", RANDOM))
    assert entered.plays() == "tapnswap"
    first = match(TapnSwap(), entered, Random(), games=12, seed=5)
    again = match(TapnSwap(), copy.copy(entered), Random(), games=12, seed=5)
    assert first == again and first.games == 12, "the dice are the match's, wherever it runs"


@pytest.mark.slow
def test_an_entry_that_ends_its_process_loses_that_game_and_no_other(tmp_path: Path) -> None:
    """Whoever plays against it goes on, and nothing is left running between its games."""
    quits = "import os\n        os._exit(3) if self.rng.random() < 0.1 else 0\n        return int"
    entered = handed_in(entry(tmp_path / "ann", RANDOM.replace("return int", quits)))
    assert entered.plays() == "tapnswap" and "ask" not in vars(entered)
    entered.begin(np.random.default_rng(0))
    state, ended, moves = TapnSwap().start(), 0, 0
    for _ in range(40):
        try:
            moves += entered.act(TapnSwap(), state, 0) in TapnSwap().legal(state, 0)
        except Forfeit:
            assert "exit code 3" in entered.problem and "ask" not in vars(entered)
            entered.begin(np.random.default_rng(ended := ended + 1))
    assert ended > 1 and moves == 40 - ended
    assert match(TapnSwap(), entered, Random(), games=10, seed=1).games == 10


@pytest.mark.slow
def test_a_class_gets_a_page_with_tables_and_replays(tmp_path: Path, capsys) -> None:
    entry(tmp_path / "class" / "ann", RANDOM)
    entry(tmp_path / "class" / "bob", RANDOM.replace("int(self", "99 or int(self"))
    entry(tmp_path / "class" / "eve", "class MyAgent:\n    plays = 'chess'")
    entry(tmp_path / "class" / "zoe", RANDOM.replace("return int", "raise NotImplementedError # "))
    page = tmp_path / "cup.html"
    assert main(["tournament", str(tmp_path / "class"), "--out", str(page), "--games", "4"]) == 0
    told, text = capsys.readouterr().out, page.read_text(encoding="utf8")
    assert "perfect (shipped)" in told and "not in the tournament: eve" in told
    assert "not in the tournament: zoe: Not written yet" in told and "zoe against" not in text
    assert "ann against" in text and "bob against" in text and "forfeited (It answered 99" in text
    assert "distance from the truth" in told and "value kept in 177 of 177 positions" in text
    assert text.count("<svg") > 3 and "no game is called" in text
    assert "2 entries." in text and "Turn 1. ann: " in text and ">ann<" in text


def test_of_a_class_everyones_last_entry_counts_and_other_lessons_do_not(tmp_path: Path) -> None:
    sample_class(tmp_path, 1, 2)
    (tmp_path / "s0002" / "07_tournament.ipynb").write_text("half a noteb", encoding="utf8")
    (tmp_path / "s0002" / "02_mcts_chopsticks.ipynb").write_text("{", encoding="utf8")
    (tmp_path / "roster.csv").write_text("id,name\ns0001,Ada\ns0002,Alan\n", encoding="utf8")
    for at, source in enumerate((RANDOM, RANDOM.replace("tapnswap", "2048"))):
        path = entry(tmp_path / "moodle" / f"Alan_471{at}_assignsubmission_file_", source)
        path = path.rename(tmp_path / f"Alan_471{at}_07_tournament.ipynb")
        os.utime(path, (at, at))
    entries, problems = find_entries(tmp_path)
    assert list(entries) == ["s0002"] and list(problems) == ["s0002"]
    assert "2048" in str(entries["s0002"].program) and "not a whole notebook" in problems["s0002"]


@pytest.mark.slow
def test_a_made_up_class_enters_several_games(tmp_path: Path) -> None:
    games, problems = by_game(find_entries(sample_class(tmp_path, 7, 8))[0])
    assert list(games) == ["tapnswap", "2048"]
    assert len(problems) == 4 and set(problems.values()) == {"Not written yet."}
    assert all(entry.written for entries in games.values() for entry in entries.values())


@pytest.mark.slow
def test_classmates_play_in_the_student_edition_too(tmp_path: Path) -> None:
    write_edition(ROOT, tmp_path / "edition")
    entry(tmp_path / "classmates" / "ann", RANDOM)
    code = """
from pathlib import Path
from lib.agents.baselines import Random
from lib.arena import match
from lib.games.tapnswap import TapnSwap
from lib.grading.tournament import by_game, find_entries
ann = by_game(find_entries(Path("classmates"))[0])[0]["tapnswap"]["ann"]
print(match(TapnSwap(), ann, Random(), games=2).games, ann.problem or "plays")
"""
    environ = {**os.environ, "PYTHONPATH": str(tmp_path / "edition")}
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert said.stdout == "2 plays\n", said.stderr
