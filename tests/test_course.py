"""The one command: its help, its errors, and that it ends as a command should."""

import argparse
import ast
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import lib.cli.main as entry
from lib.cli import GAME_NAMES, ROOT, commands
from lib.cli import test as tests
from lib.cli.environment import Environment, SetupFailed
from lib.games import GAMES

COURSE = ROOT / "course.py"


def command(run: object = None, **attributes: object) -> ModuleType:
    """A command made for one test."""
    module = SimpleNamespace(
        __doc__="Does a test's bidding.",
        add_arguments=lambda parser: parser.add_argument("--size", type=int),
        run=run or (lambda args: 0),
        NEEDS="nothing",
        **attributes,
    )
    return module  # type: ignore[return-value]


def call(module: ModuleType, monkeypatch: pytest.MonkeyPatch, *argv: str) -> int:
    """`course.py doctor ...`, with the test's command in doctor's place."""
    monkeypatch.setattr(entry, "import_module", lambda name: module)
    return entry.main(["doctor", *argv])


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["help"]])
def test_help_lists_every_command(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(argv) == 0
    shown = capsys.readouterr().out
    for name, summary in commands().items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", shown, re.MULTILINE)


def test_commands_are_the_files_with_the_two_functions() -> None:
    known = commands()
    assert {"play", "train", "test", "doctor"} <= set(known)
    assert not {"main", "probes", "environment", "lock"} & set(known)
    assert list(known)[:1] in (["lab"], ["play"]) and all(known.values())


@pytest.mark.parametrize("name", commands())
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        entry.main([name, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert f"usage: course.py {name}" in shown and commands()[name].split()[0] in shown


def test_commands_load_on_a_bare_python() -> None:
    """Before the .venv exists there is only the standard library."""
    names = ", ".join(f"lib.cli.{name}" for name in (*commands(), "main"))
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport {names}"
    answer = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr


def test_game_names_are_the_games() -> None:
    assert tuple(GAMES) == GAME_NAMES


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["dance"]) == 2
    said = capsys.readouterr().err
    assert "no command 'dance'" in said and "doctor" in said and "Traceback" not in said


def test_unknown_arguments(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        call(command(), monkeypatch, "--siz", "3")
    assert ended.value.code == 2 and "unrecognized arguments: --siz 3" in capsys.readouterr().err
    seen: list[argparse.Namespace] = []
    passing = command(lambda args: seen.append(args) or 7, PASS_ON=True)
    assert call(passing, monkeypatch, "--size", "3", "-k", "stamp") == 7
    assert seen[0].size == 3 and seen[0].pass_on == ["-k", "stamp"]


def failing(error: BaseException) -> ModuleType:
    """A command that ends in `error`."""

    def run(args: argparse.Namespace) -> int:
        raise error

    return command(run)


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (KeyboardInterrupt(), 130, "Stopped."),
        (ValueError("7 is no seat"), 1, "course.py doctor: 7 is no seat"),
        (FileNotFoundError(2, "No such file", "a.npz"), 1, "a.npz"),
        (ModuleNotFoundError("No module named 'ray'"), 1, "doctor` says what is missing"),
        (SetupFailed("no space\n  remedy: free some"), 1, "remedy: free some"),
    ],
)
def test_errors_end_in_a_line(
    error: BaseException,
    code: int,
    shown: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(failing(error), monkeypatch) == code
    said = capsys.readouterr().err
    assert shown in said and "Traceback" not in said


def test_traceback_on_demand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COURSE_TRACEBACK", "1")
    assert call(failing(ValueError("odd")), monkeypatch) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_mistake_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        call(failing(ZeroDivisionError()), monkeypatch)


def test_a_command_runs_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(Environment, "ensure", lambda self, tests: asked.append(tests))
    monkeypatch.setattr(entry, "hand_over", lambda line: asked.append(line) or 5)
    monkeypatch.setattr(Environment, "is_running", lambda self: False)
    needing = command(lambda args: 3)
    needing.NEEDS = "tests"  # type: ignore[attr-defined]
    assert call(needing, monkeypatch, "--size", "2") == 5
    python = str(Environment(ROOT).python)
    assert asked == [True, [python, str(COURSE), "doctor", "--size", "2"]]
    monkeypatch.setattr(Environment, "is_running", lambda self: True)
    assert call(needing, monkeypatch) == 3


def test_tests_run_in_whole_files_and_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(
        subprocess, "call", lambda line, cwd, env: seen.append((line, env)) or (cwd != ROOT)
    )
    args = entry.parse("test", tests, ["--quick", "tests/test_x.py", "-k", "stamp"])
    assert tests.run(args) == 0
    line, environment = seen[0]
    assert line[:3] == [sys.executable, "-m", "pytest"] and "loadfile" in line
    assert line[line.index("not slow and not browser") - 1] == "-m"
    assert line[-3:] == ["tests/test_x.py", "-k", "stamp"]
    assert environment["OMP_NUM_THREADS"] and environment["NUMBA_NUM_THREADS"]
    assert environment["PYTHONHASHSEED"], "sets have another order in each run"
    assert "not slow and not browser" not in tests.command(False, [])


def test_an_old_python_is_told_so() -> None:
    source = COURSE.read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 4))
    code = f"import sys; sys.version_info = (3, 8, 1); exec({source!r})"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.returncode == 1
    assert "needs Python 3.11" in answer.stderr and "this is 3.8" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_closed_pipe_is_no_error() -> None:
    """`course.py --help | head -0` in a shell."""
    with subprocess.Popen(
        [sys.executable, str(COURSE), "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        said = process.stderr.read().decode()
    assert "Traceback" not in said


@pytest.mark.slow
def test_doctor_in_a_fresh_clone(tmp_path: Path) -> None:
    clone = tmp_path / "course"
    if subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)]).returncode:
        pytest.skip("not a git repository")
    line = [getattr(sys, "_base_executable", sys.executable), str(clone / "course.py"), "doctor"]
    answer = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert answer.returncode == 1, "there is no .venv yet"
    assert re.search(r"missing +\.venv +not made yet\n +remedy: .*course\.py lab", answer.stdout)
    assert re.search(r"ok +venv module", answer.stdout)
    assert "All that the set-up needs is here" in answer.stdout
    assert not answer.stderr and not (clone / ".venv").exists(), "doctor changes nothing"
