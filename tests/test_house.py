"""The house rules: format, lint, types, spelling, pins, and which part may know which."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIB = ROOT / "lib"

# Who stands on whom: a part may import what is on its own floor or below, `truth` no agents.
FLOORS = (
    {"files", "game", "parallel", "weights"},
    {"games"},
    {"truth"},
    {"agents"},
    {"arena", "envs", "boards", "plots"},
    {"grading"},
    {"cli", "found", "front"},
)
# Constants of lib/cli/__init__, which knows nobody.
NAMES = {"lib.cli", "lib.cli.ROOT", "lib.cli.GAME_NAMES"}
COMMANDS = {"classroom.py"}  # the half of `course.py grade` that the student edition leaves out
# Written so that no pattern finds itself here.
PRIVATE = {
    "a folder of one machine": r"/wor[k]/|/hom[e]/\w|/roo[t]/|/User[s]/\w|\b[A-Z]:\\User[s]",
    "a private address": r"\b(10\.\d{1,3}|192\.168|172\.(1[6-9]|2\d|3[01]))(\.\d{1,3}){2}(?![.\d])",
    "a host of one network": r"\b[\w-]+\.(internal|corp|intra|lan)\b(?!\w*\()",
}


@cache
def tracked() -> list[Path]:
    """Every file that git would hand out; the test is skipped where there is no repository."""
    command = ["git", "ls-files", "-z"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if answer.returncode:
        pytest.skip("not a git repository: nothing is known about what is tracked")
    return [ROOT / name for name in answer.stdout.split("\0") if name and (ROOT / name).is_file()]


@cache
def texts() -> dict[Path, str]:
    """The tracked files that are text."""
    found = {}
    for path in tracked():
        data = path.read_bytes()
        if b"\0" not in data:
            found[path.relative_to(ROOT)] = data.decode("utf-8")
    return found


@cache
def trees() -> dict[Path, ast.Module]:
    """The syntax tree of every module of the course."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(LIB.rglob("*.py"))}


@pytest.mark.parametrize(
    "tool",
    [["ruff", "format", "--check"], ["ruff", "check"], ["mypy"], ["codespell"]],
    ids=" ".join,
)
def test_tool_finds_nothing(tool: list[str]) -> None:
    module = "codespell_lib" if tool[0] == "codespell" else tool[0]
    command = [sys.executable, "-m", module, *tool[1:]]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize("what", PRIVATE)
def test_nothing_private_is_handed_out(what: str) -> None:
    found = [
        f"{path}: {match[0]}"
        for path, text in texts().items()
        for match in re.finditer(PRIVATE[what], text)
    ]
    assert not found


@pytest.mark.parametrize(
    ("what", "example"),
    [
        ("a folder of one machine", "see /hom" + "e/ada/course"),
        ("a private address", "http://10.0" + ".0.7:8888"),
        ("a host of one network", "git@code.inter" + "nal"),
    ],
)
def test_private_things_would_be_found(what: str, example: str) -> None:
    assert re.search(PRIVATE[what], example)


def imported(tree: ast.Module, package: str) -> Iterator[str]:
    """Every module that a file imports, also inside its functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] + "." if node.level else ""
            yield f"{base}{node.module or ''}"
            yield from (f"{base}{node.module or ''}.{alias.name}" for alias in node.names)


def floor(part: str) -> int:
    """Where a part of lib stands, by its first word: `arena_results` stands beside `arena`."""
    for number, parts in enumerate(FLOORS):
        if part.split("_")[0] in parts:
            return number
    raise AssertionError(f"lib/{part} has no floor: add it to FLOORS in {Path(__file__).name}")


def test_imports_point_one_way() -> None:
    wrong, known = [], {p.stem if p.suffix else p.name for p in LIB.iterdir()}
    for path, tree in trees().items():
        inside = path.relative_to(ROOT).with_suffix("").parts
        if inside == ("lib", "__init__"):
            continue
        for name in imported(tree, ".".join(inside[:-1])):
            parts = name.split(".")
            ours = parts[0] == "lib" and len(parts) > 1 and parts[1] in known
            ours = ours and name not in NAMES
            if ours and floor(parts[1]) > floor(inside[1]):
                wrong.append(f"{'/'.join(inside)} imports {name}")
    assert not wrong


def test_rules_stay_light() -> None:
    """The rules of all games, and the boards, load without what only learning or drawing needs."""
    heavy = ["torch", "matplotlib", "ipywidgets", "gymnasium", "pettingzoo", "numba"]
    rules = "from lib.games import GAMES\nlist(map(GAMES.get, GAMES))\nimport lib.agents.registry"
    show = f"import json, sys\nprint(json.dumps([m for m in {heavy!r} if m in sys.modules]))"
    answer = subprocess.run(
        [sys.executable, "-c", f"{rules}\n{show}"], cwd=ROOT, capture_output=True, text=True
    )
    assert json.loads(answer.stdout) == [], answer.stderr
    for path, tree in trees().items():
        if path.parent.name == "games":
            tops = {name.split(".")[0] for name in imported(tree, "lib.games")}
            assert not tops & {"torch", "matplotlib", "ipywidgets"}, path


def test_only_commands_print() -> None:
    prints = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in trees().items()
        if path.parent.name != "cli" and path.name not in COMMANDS
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    assert not prints


def test_torch_is_pinned_everywhere() -> None:
    required = re.compile(
        r"""^torch\b.*$|\btorch *[=<>~!]=? *[\d.]+|install[^\n`]*\btorch\b\S*""", re.M
    )
    found = {
        f"{path}: {match[0]}"
        for path, text in texts().items()
        if path.suffix in (".txt", ".toml", ".md", ".yml", ".yaml", ".cfg", ".sh", "")
        for match in required.finditer(text)
    }
    assert any("requirements.txt" in line for line in found)
    assert [line for line in found if "torch==2.13.0" not in line] == []


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_requirements_are_pinned(name: str) -> None:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    if name == "requirements.txt":
        assert wanted.pop() == "-e .", "the course itself comes last"
    assert wanted == sorted(wanted)
    assert all(re.fullmatch(r"[a-z0-9-]+==\d[\w.]*", line) for line in wanted)


def test_every_package_is_installed() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = set(re.findall(r'"(lib[\w.]*)"', re.search(r"packages = \[.*?\]", settings, re.S)[0]))  # type: ignore[index]
    folders = {".".join(p.parent.relative_to(ROOT).parts) for p in LIB.rglob("__init__.py")}
    assert listed == folders


def test_weights_are_data_and_each_is_explained() -> None:
    for path, text in texts().items():
        if path.parts[0] == "lib":
            assert not re.search(
                r"allow_pickle=True|weights_only=False|\bpickle\.loads?\b", text
            ), path
    rows = (LIB / "weights" / "README.md").read_text(encoding="utf-8")
    files = [
        p.name for p in tracked() if p.parent == LIB / "weights" and p.suffix not in (".py", ".md")
    ]
    assert files and [name for name in files if f"`{name}`" not in rows] == []
