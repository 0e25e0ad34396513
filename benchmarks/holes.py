"""The hostile suite of `tests/hostile` through this course's grader, nbval, nbgrader and otter.

    .venv/bin/python -m benchmarks.holes nbval os_exit      one submission, to look at

Every submission is graded in one batch with an honest one after it. The other tools run in a cage
(`cage.py`), in the way that their documentation describes; the lesson's checks are their tests.
"""

import atexit
import contextlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import xml.etree.ElementTree as xml
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks import cage, peers
from lib.cli import ROOT
from lib.files import write_text

HOSTILE = ROOT / "tests" / "hostile"
RESULTS = Path(__file__).parent / "results" / "holes.json"
PAGE = RESULTS.with_suffix(".md")
NAME, LESSON = "91_small_things.ipynb", "91_small_things"
POINTS = {"squares": 4.0, "mean_square": 2.0, "halve": 2.0, "Guesser": 2.0}
FULL = sum(POINTS.values())
OURS = "ours, the class grader"
ABOUT = (
    "The submissions of `tests/hostile`, each in one batch with an honest one after it; every tool "
    "runs the lesson's own checks."
)
CELL = 10  # seconds that a tool gives a cell, where it can be told
WHOLE = 60  # CPU-seconds of a process, where it can't: a busy machine takes no result from a tool
CLOCK = 4 * WHOLE  # seconds by the clock for such a submission
BOTH_CLOCKS = 2 * CLOCK + 60  # seconds for two of them
AT_ONCE = 4  # cages: most of those that take long only wait
CUT = "uses_the_network"  # not tried in the cage, which has no network
Marks = dict[str, float | None]  # "points" of a submission, "deserved", and of the honest "next"
Make = Callable[[Path, Path], float]  # writes a submission; the points that it deserves
TOP = f"""# The hostile suite, submission by submission

Made by `python3 course.py bench grading`; do not edit.
{ABOUT}
nbval: one `pytest --nbval-lax`, {CELL} s a cell; a check cell that passes has its points.
nbgrader: one `nbgrader autograde`, {CELL} s a cell; a result is an autograded version.
otter-grader: one `otter run` after the other, each within {WHOLE} CPU-seconds and {CLOCK} s by the
clock (`otter grade` would put each into a Docker container).
They ran in a cage without a network that ends what still runs after {cage.SECONDS} s, for otter
{BOTH_CLOCKS} s, or takes more than {cage.MEMORY >> 10} GB, and keeps nothing else from them.

*held*: no point that was not earned. A number of points in bold is undeserved: nothing in that
submission answers the exercise by itself. Some of these look for something that a notebook should
not see, such as expected values on the stack or another process, and answer rightly only if they
find it. *no result*: the tool ended, or was ended, without one.
"""


@cache
def suite() -> dict[str, Make]:
    """Every submission of the suite by name."""
    sys.path.insert(0, str(HOSTILE))
    importlib.import_module("attacks_system")
    code, files = importlib.import_module("attacks_code"), importlib.import_module("attacks_files")
    books, unlucky = importlib.import_module("books"), importlib.import_module("unlucky")
    sys.path.remove(str(HOSTILE))

    def answer(attack: Callable[[], Any]) -> Make:
        return lambda own, everyone: books.save(attack(), own / NAME) or 0.0

    def beside(attack: Callable[[Path, Path], None]) -> Make:
        return lambda own, everyone: attack(own, everyone) or 0.0

    def odd(make: Callable[[Path], float]) -> Make:
        return lambda own, everyone: (lambda earned: earned if earned >= 0 else FULL)(make(own))

    found = {f"unlucky: {name}": odd(make) for name, make in unlucky.UNLUCKY.items()}
    found |= {name: answer(attack) for name, attack in code.ATTACKS.items()}
    return found | {f"file: {name}": beside(attack) for name, attack in files.FILE_ATTACKS.items()}


SOLVED, UNSOLVED = "unlucky: as_it_should_be", "unlucky: not_begun"


def hand_in(name: str, own: Path, honest: Path, place: Path) -> float:
    """Write a submission, an honest one and what lies around them; what the first deserves."""
    for folder in (own, honest, place / "solutions", place / "submissions" / "ada"):
        folder.mkdir(parents=True, exist_ok=True)
    for folder in (honest, place / "solutions", place / "submissions" / "ada"):
        suite()[SOLVED](folder, place / "submissions")
    return suite()[name](own, place / "submissions")


@cache
def scratch() -> Path:
    """A folder for what all runs share, until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="holes-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    return folder


@cache
def course() -> Path:
    """The course's `lib` with the suite's lesson in it."""
    copy, left_out = scratch() / "lib", shutil.ignore_patterns("weights")
    shutil.copytree(ROOT / "lib", copy, ignore=left_out)
    shutil.copy2(HOSTILE / "lesson" / "lesson91.py", copy / "grading")
    return copy


def caged(
    command: list[str],
    place: Path,
    more: dict[Path, Path],
    seconds: float = cage.SECONDS,
    **environment: str,
) -> None:
    """Run a tool in its cage, with the course and the suite's lesson to import."""
    cage.own(place)
    settings = {"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1", **environment}
    cage.run(command, place, settings, {course(): ROOT / "lib", **more}, seconds)


def nbval(name: str, place: Path) -> Marks:
    """One pytest for both; an exercise has its points if its check cell passes."""
    handed, report = place / "handed", place / "report.xml"
    deserved = hand_in(name, handed / "mallory", handed / "zoe", place)
    options = ["--nbval-lax", "--nbval-cell-timeout", str(CELL), "--continue-on-collection-errors"]
    options += ["-p", "nbval.plugin", "-p", "nbval_points", "--junitxml", str(report)]
    command = [sys.executable, "-m", "pytest", *options, str(handed)]
    settings = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "RL_FIVE_GAMES_RAISE": "1"}
    script = peers.SCRIPTS / "nbval_points.py"
    more = {script: Path("/plugin/nbval_points.py")}
    caged(command, place, more, PYTHONPATH="/plugin", **settings)
    mallory, zoe = (passed(report, student) for student in ("mallory", "zoe"))
    return {"points": mallory, "next": zoe, "deserved": deserved}


def passed(report: Path, student: str) -> float | None:
    """The points of the checks that passed; None if the report does not speak of the student."""
    try:
        tests = [t for t in xml.parse(report).iter("testcase") if student in str(t.attrib)]
    except (OSError, xml.ParseError):
        return None
    good = [
        t
        for t in tests
        if not any(t.find(bad) is not None for bad in ("failure", "error", "skipped"))
    ]
    names = {
        p.get("value") for t in good for p in t.iter("property") if p.get("name") == "exercise"
    }
    return sum(POINTS.get(str(name), 0.0) for name in names) if tests else None


@cache
def nbgrader_course() -> Path:
    """A course of nbgrader's with the lesson released, to be copied for every submission."""
    root = scratch() / "course"
    suite()[SOLVED](root / "source" / LESSON, root)
    config = "c = get_config()\nc.CourseDirectory.course_id = 'course'\n"
    config += f"c.ExecutePreprocessor.timeout = {CELL}\n"
    (root / "nbgrader_config.py").write_text(config)
    line = [sys.executable, "-m", "nbgrader", "generate_assignment", LESSON, "--create"]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # it calls alembic
    shown = {"cwd": root, "env": {**os.environ, "PATH": path}, "capture_output": True}
    subprocess.run(line, check=True, **shown)  # type: ignore[call-overload]
    return root


def nbgrader(name: str, place: Path) -> Marks:
    """One autograde for both; a submission has a result if there is an autograded version."""
    root = place / "course"
    shutil.copytree(nbgrader_course(), root)
    students = {student: root / "submitted" / student / LESSON for student in ("mallory", "zoe")}
    deserved = hand_in(name, students["mallory"], students["zoe"], place)
    line = [sys.executable, "-m", "nbgrader", "autograde", LESSON, "--create"]
    line += ["--course-dir", str(root)]
    command = ["/usr/bin/env", "-C", str(root), *line]
    caged(command, place, {}, PATH=f"{Path(sys.executable).parent}:/usr/bin:/bin")
    mallory, zoe = (scored(root, student) for student in students)
    return {"points": mallory, "next": zoe, "deserved": deserved}


def scored(root: Path, student: str) -> float | None:
    """What nbgrader's gradebook says."""
    from nbgrader.api import Gradebook

    if not list((root / "autograded" / student).glob("*/*.ipynb")):
        return None
    with contextlib.suppress(Exception), Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        grades = [g for n in book.find_submission(LESSON, student).notebooks for g in n.grades]
        shares = {g.name.removeprefix("check_"): g.score / g.max_score for g in grades}
        return sum(points * shares.get(name, 0.0) for name, points in POINTS.items())
    return None


TEST = """OK_FORMAT = True
test = {{"name": {name!r}, "points": {points}, "suites": [{{"cases": [
    {{"code": {code!r}, "hidden": False, "locked": False}}],
    "scored": True, "setup": "", "teardown": "", "type": "doctest"}}]}}
"""
DOCTEST = """>>> import contextlib, io
>>> from lib.grading.notebook import check
>>> with contextlib.redirect_stdout(io.StringIO()):
...     _ = check("{name}", {name})
"""
BOTH = """ulimit -t {cpu}
for student in mallory zoe; do
    file=$(ls -d handed/$student/{name} handed/$student/*.ipynb handed/$student/*.zip | head -n 1)
    mkdir -p out/$student
    timeout -k 5 {seconds} {python} -m otter run -a autograder.zip -o out/$student "$file"
done
"""


@cache
def otter_files() -> tuple[Path, Path, Path]:
    """otter's Python, its autograder.zip, and a folder that makes the course importable there."""
    python, root = peers.python_of("otter-grader"), scratch() / "otter"
    for folder in ("tests", "site"):
        (root / folder).mkdir(parents=True)
    for name, points in POINTS.items():
        text = TEST.format(name=name, points=points, code=DOCTEST.format(name=name))
        (root / "tests" / f"{name}.py").write_text(text)
    packages = [str(ROOT), sysconfig.get_paths()["purelib"]]
    (root / "site" / "sitecustomize.py").write_text(f"import sys\nsys.path += {packages!r}\n")
    line = [str(python), "-m", "otter", "generate", "-t", "tests", "-o", "autograder.zip"]
    settings = ["--no-config", "--no-requirements", "--no-environment"]
    subprocess.run([*line, *settings], cwd=root, check=True, capture_output=True)
    return python, root / "autograder.zip", root / "site"


def otter(name: str, place: Path) -> Marks:
    """`otter run` for one after the other, each with a time limit as `otter grade` has."""
    python, archive, site = otter_files()
    deserved = hand_in(name, place / "handed" / "mallory", place / "handed" / "zoe", place)
    shutil.copy2(archive, place)
    script = BOTH.format(name=NAME, cpu=WHOLE, seconds=CLOCK, python=python)
    more = {python.parent.parent: python.parent.parent, site: Path("/site")}
    settings = {"PYTHONPATH": "/site", "RL_FIVE_GAMES_RAISE": "1"}
    caged(["/bin/bash", "-c", script], place, more, BOTH_CLOCKS, **settings)
    mallory, zoe = (told(place / "out" / student) for student in ("mallory", "zoe"))
    return {"points": mallory, "next": zoe, "deserved": deserved}


def told(folder: Path) -> float | None:
    """The sum of otter's results.json."""
    try:
        tests = json.loads((folder / "results.json").read_text())["tests"]
        return float(sum(test.get("score", 0.0) for test in tests))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def ours() -> dict[str, Marks]:
    """The whole suite as one class, an honest submission after each."""
    with tempfile.TemporaryDirectory() as name:
        place, deserved = Path(name), list[float]()
        for at, attack in enumerate(suite()):
            folders = [place / "submissions" / f"s{at:03}{part}" for part in ("", "-next")]
            deserved.append(hand_in(attack, *folders, place))
        line = [sys.executable, str(ROOT / "course.py"), "grade", str(place / "submissions")]
        line += ["--out", str(place / "out"), "--solutions", str(place / "solutions")]
        environment = {**os.environ, "RL_FIVE_GAMES_LESSONS": str(HOSTILE / "lesson")}
        shown = {"env": environment, "capture_output": True, "check": True}
        subprocess.run([*line, "--lesson", "91", "--jobs", "2"], **shown)  # type: ignore[call-overload]
        rows = json.loads((place / "out" / "results.json").read_text())["results"]
    points = {row["student"]: graded(row) for row in rows}
    return {
        attack: {
            "points": points.get(f"s{at:03}"),
            "next": points.get(f"s{at:03}-next"),
            "deserved": deserved[at],
        }
        for at, attack in enumerate(suite())
    }


def graded(row: dict[str, Any]) -> float | None:
    """The points of one of our results; None where the grader gave up."""
    trouble = any(exercise["status"] == "trouble" for exercise in row["exercises"])
    return None if trouble or not row["exercises"] else float(row["points"])


TOOLS: dict[str, Callable[[str, Path], Marks]] = {
    "nbval": nbval,
    "nbgrader": nbgrader,
    "otter-grader": otter,
}


def alone(tool: str, name: str) -> Marks:
    """One submission and an honest one through a tool."""
    with tempfile.TemporaryDirectory() as place:
        return TOOLS[tool](name, Path(place))


@cache
def sweep(tool: str) -> dict[str, Marks]:
    """The suite through a tool; AssertionError if honest work is not marked as it should be."""
    if tool == OURS:
        found = ours()
    else:
        names = [name for name in suite() if name != CUT]
        check_fairness(tool)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = dict(zip(names, pool.map(partial(alone, tool), names), strict=True))
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    write_text(RESULTS, json.dumps({**kept, tool: found}, indent=1) + "\n")
    write_text(PAGE, page({**kept, tool: found}))
    return found


def check_fairness(tool: str) -> None:
    """AssertionError unless solved work has all points with a tool, and unsolved work none."""
    for name, points in ((SOLVED, FULL), (UNSOLVED, 0.0)):
        marks = alone(tool, name)
        assert marks == {"points": points, "next": FULL, "deserved": points}, (tool, name, marks)


def undeserved(marks: Marks) -> bool:
    """Whether a submission has more points than its answers earn."""
    return marks["points"] is not None and marks["points"] > (marks["deserved"] or 0.0)


def lost(marks: Marks) -> bool:
    """Whether there is no result."""
    return marks["points"] is None


def harmed(marks: Marks) -> bool:
    """Whether the honest submission that came next lost points or its result."""
    return marks["next"] != FULL


def cell(marks: Marks | None) -> str:
    """One cell of the page: "held", "4 points", "no result; next one harmed"."""
    if marks is None:
        return "not tried"
    points, deserved = marks["points"], marks["deserved"] or 0.0
    said = "held" if not deserved else "right"
    if points is None:
        said = "no result"
    elif points != deserved:
        said = f"**{points:g} points**" if not deserved else f"{points:g} of {deserved:g} points"
    return f"{said}; next one harmed" if harmed(marks) else said


def page(results: dict[str, dict[str, Marks]]) -> str:
    """Every submission of the suite with what each tool made of it."""
    tools = [tool for tool in (OURS, *TOOLS) if tool in results]
    head = f"| submission | {' | '.join(tools)} |\n| --- |{' --- |' * len(tools)}\n"
    rows = [
        f"| {name.replace('_', ' ')} | {' | '.join(cell(results[t].get(name)) for t in tools)} |"
        for name in suite()
    ]
    return f"{TOP}\n{head}" + "\n".join(rows) + "\n"


if __name__ == "__main__":
    print(alone(sys.argv[1], sys.argv[2]))
