"""What a worker may import and see; what is not there can't be read, patched or forged."""

import json
from pathlib import Path

import pytest
from small_class import lesson91

from lib.grading import sandbox, sandbox_stage
from lib.grading.check import Exercise, Lesson
from lib.grading.lessons import lesson, lesson_numbers
from lib.grading.referee import Referee

FORBIDDEN = ("lib/truth", "lib/weights", "lib/grading", "lib/cli")


def test_a_module_brings_what_it_imports_and_nothing_hidden() -> None:
    found = sandbox_stage.allowed(["lib.games.tapnswap"])
    assert {"lib", "lib.game", "lib.games", "lib.games.fingers", "lib.games.tapnswap"} <= found
    assert not sandbox_stage.allowed(["lib.games.tapnswap"], ["lib.games.fingers"]) & {
        "lib.games.tapnswap",
        "lib.games.fingers",
    }
    with pytest.raises(ValueError, match=r"lib\.truth"):
        sandbox_stage.allowed(["lib.truth.fingers"])
    with pytest.raises(ValueError, match="no module"):
        sandbox_stage.allowed(["lib.games.nothing"])


def test_the_stage_holds_what_is_allowed_only() -> None:
    folder = sandbox_stage.stage(["lib.games.droids"])
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert "lib/games/droids.py" in files and "worker/warm.py" in files
    assert not [name for name in files if name.startswith(FORBIDDEN)]
    assert not [name for name in files if "judge" in name or "check" in name or "lesson" in name]


@pytest.mark.parametrize("number", lesson_numbers())
def test_no_lesson_lets_its_answers_import_their_reference(number: int) -> None:
    course = lesson(number)
    for exercise in course.exercises:
        there = sandbox_stage.allowed(course.modules, exercise.hides)
        homes = {getattr(right, "__module__", "") for right in exercise.references.values()}
        assert not homes & there, f"{exercise.name}: add {homes & there} to its `hides`"


LOOK = """
import os, sys
def look(question):
    if question == "files":
        found = []
        for folder, folders, names in os.walk("/"):
            if folder == "/":
                folders[:] = [f for f in folders if f not in ("proc", "usr", "dev")]
            if "site-packages" in folder or "/python3" in folder:
                folders[:] = []
                continue
            found += [os.path.join(folder, name) for name in names]
        return found
    if question == "environment":
        return dict(os.environ)
    if question == "modules":
        return sorted(sys.modules)
    if question == "processes":
        return [p for p in os.listdir("/proc") if p.isdigit()]
    if question == "interfaces":
        return open("/proc/net/dev").read() if os.path.exists("/proc/net/dev") else ""
    if question == "user":
        return [os.getuid(), os.getgid(), os.getgroups()]
    if question == "write":
        done = []
        for folder in ("/", "/worker", "/usr", "/etc", "/root", "/tmp", "/dev/shm", "/var/tmp"):
            try:
                open(folder + "/x", "w").close()
                done.append(folder)
            except OSError:
                pass
        return done
    return __import__(question) and "imported"
"""
PROGRAM = {
    "cells": [{"kind": "answer", "source": LOOK}],
    "names": ["look"],
    "others": [],
    "dice": 1,
}


@pytest.mark.slow
@pytest.mark.skipif(bool(sandbox.why_not_boxed()), reason="needs bubblewrap")
def test_a_worker_sees_nothing_but_the_room_it_is_in(tmp_path: Path) -> None:
    from lib.grading.ask import AnswerError
    from lib.grading.referee_pipe import PipeAsk

    exercise = Exercise("look", 1, "Look", len)
    course = Lesson(99, "Look", "99_look", [exercise], modules=("lib.games.tapnswap",))
    (tmp_path / "secret.txt").write_text("here")
    with lesson91(), Referee() as referee:
        ask = PipeAsk(referee.warm(course, exercise), sandbox.limits_for(10.0, 512))
        assert not ask.start(PROGRAM)["missing"]
        files = ask("look", "files")
        assert any(name.endswith("lib/games/tapnswap.py") for name in files) or files
        bad = ("secret", "solutions", ".ipynb", "lesson", "judge", "truth", "weights", ".git/")
        assert not [name for name in files if any(word in name for word in bad)]
        environment = ask("look", "environment")
        assert not [k for k in environment if k.startswith("RL_") and k != "RL_FIVE_GAMES_CACHE"]
        assert "SEED" not in json.dumps(environment).replace("PYTHONHASHSEED", "")
        modules = ask("look", "modules")
        assert "lib.games.tapnswap" in modules
        assert not [m for m in modules if m.startswith(("lib.truth", "lib.weights", "lib.cli"))]
        assert {m for m in modules if m.startswith("lib.grading")} <= {
            "lib.grading",
            "lib.grading.notebook",
        }
        assert len(ask("look", "processes")) <= 1
        assert "eth" not in ask("look", "interfaces")
        assert 0 not in ask("look", "user")[:2] and ask("look", "user")[2] == []
        assert set(ask("look", "write")) <= {"/tmp", "/dev/shm"}
        for name in ("lib.truth", "lib.weights", "lib.grading.judge", "lib.grading.check"):
            with pytest.raises(AnswerError, match=r"No module named|not there"):
                ask("look", name)
        ask.close()
        second = PipeAsk(referee.warm(course, exercise), sandbox.limits_for(10.0, 512))
        assert not second.start(PROGRAM)["missing"]
        assert not [name for name in second("look", "files") if name in ("/tmp/x", "/dev/shm/x")]
        second.close()
