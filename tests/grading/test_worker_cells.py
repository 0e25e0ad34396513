"""What a worker runs of a notebook: all that the answer depends on, and no more."""

from typing import Any

import pytest

from lib.grading import worker_cells


@pytest.fixture(autouse=True)
def same_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker replaces `__main__`; a test must not."""
    import sys

    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


def run(*cells: tuple[str, str] | str, names: tuple[str, ...] = ("f",), **more: Any) -> Any:
    """The namespace and the report of these cells; a plain string is an answer cell."""
    pairs = [cell if isinstance(cell, tuple) else ("answer", cell) for cell in cells]
    program: dict[str, Any] = {"cells": [{"kind": k, "source": s} for k, s in pairs]}
    program |= {"names": list(names), "others": [], "seconds": 5.0, **more}
    return worker_cells.run(program)


def test_what_the_answer_needs_is_run_and_nothing_else() -> None:
    space, report = run(
        ("own", "def helper(x): return TABLE[x]\nTABLE = {}"),
        ("own", "for n in range(4): TABLE[n] = n * n"),
        ("own", "TABLE.update({9: 81})\nlog = open('/nonexistent/file')"),
        ("own", "import os\nos.abort()"),
        "def f(x): return helper(x)",
        ("own", "unused = 1 / 0"),
    )
    assert not report["missing"] and report["error"] is None
    assert space["f"](3) == 9 and space["f"](9) == 81
    assert "unused" not in space and "log" not in space


def test_definitions_of_the_course_are_there_for_the_judge() -> None:
    cells = ("course", "from enum import Enum\nclass Side(Enum):\n    LEFT = 0\nlimit = 3\n")
    space, _ = run(cells, ("course", "slow = sum(range(10))"), "def f(): return 1")
    assert space["Side"].LEFT.value == 0 and space["limit"] == 3
    assert "slow" not in space


def test_a_cell_without_a_visible_definition_is_run_whole() -> None:
    space, report = run("x = 4\nexec('def f(): return x')")
    assert not report["missing"] and space["f"]() == 4


def test_other_exercises_stay_those_of_the_course() -> None:
    space, _ = run(
        ("course", "def g(): return 'right'"),
        ("own", "def g(): return 'wrong'"),
        "def f(): return g()",
        others=["g"],
    )
    assert space["f"]() == "right"


def test_methods_put_on_a_class_and_names_bound_in_blocks() -> None:
    space, report = run(
        "class A:\n    pass\n",
        "def move(self): return 7\nA.move = move",
        "if True:\n    def f(): return A().move()\nelse:\n    f = None",
        names=("f", "A.move"),
    )
    assert not report["missing"] and space["f"]() == 7


@pytest.mark.parametrize(
    "source, word",
    [
        ("def f(:", "SyntaxError"),
        ("f = undefined_name", "NameError"),
        ("f = 1 / 0", "ZeroDivisionError"),
        ("import sys\nf = sys.exit(1)", "SystemExit"),
    ],
)
def test_errors_name_themselves_and_their_line(source: str, word: str) -> None:
    _, report = run(source)
    assert report["missing"] == ["f"]
    assert report["error"]["type"] == word
    assert report["error"]["text"] in source


def test_time_runs_out_at_the_top_of_a_cell() -> None:
    _, report = run("f = 1\nwhile f: f += 1", seconds=0.2)
    assert report["error"] is None or report["error"]["kind"] == "too long"
    _, report = run("x = 1\nwhile x: x += 1\ndef f(): return x", seconds=0.2)
    assert report["missing"] == ["f"] and report["error"]["kind"] == "too long"


def test_magics_are_passed_over() -> None:
    source = "%matplotlib inline\n!pip list\ndef f():\n    %time 3\n    return 5\nf?\n"
    space, report = run("%%time\n" + source, ("own", "%%bash\nls | grep 'x"))
    assert not report["missing"] and space["f"]() == 5


def test_the_future_applies_to_what_follows() -> None:
    space, _ = run(
        ("own", "from __future__ import annotations"), "def f(x: Nowhere) -> Never: return x"
    )
    assert space["f"](2) == 2


def test_stars_and_failing_imports_end_nothing() -> None:
    cells = ("own", "import no_such_module\nfrom math import *\nfrom lib.truth import nothing")
    space, report = run(cells, "def f(x): return floor(x)")
    assert not report["missing"] and space["f"](2.5) == 2
