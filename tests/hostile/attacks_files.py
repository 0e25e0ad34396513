"""Hostile and unlucky files: what is handed in is no notebook, or more than one."""

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

from attacks_code import wrong
from books import code, released, save, solved, with_answers

FileAttack = Callable[[Path, Path], None]  # the student's own folder, and that of the whole class
FILE_ATTACKS: dict[str, FileAttack] = {}
NAME = "91_small_things.ipynb"


def attack(function: FileAttack) -> FileAttack:
    """Put an attack on the list."""
    FILE_ATTACKS[function.__name__] = function
    return function


@attack
def broken_json(own: Path, everyone: Path) -> None:
    (own / NAME).write_text(json.dumps(solved())[:-200])


@attack
def merge_conflict(own: Path, everyone: Path) -> None:
    (own / NAME).write_text("<<<<<<< HEAD\n" + json.dumps(solved()) + "\n=======\n>>>>>>> b\n")


@attack
def binary_junk(own: Path, everyone: Path) -> None:
    (own / NAME).write_bytes(bytes(range(256)) * 400)


@attack
def empty_file(own: Path, everyone: Path) -> None:
    (own / NAME).touch()


@attack
def web_page(own: Path, everyone: Path) -> None:
    (own / NAME).write_text("<!doctype html><title>404</title>")


@attack
def python_2(own: Path, everyone: Path) -> None:
    answer = "def squares(numbers):\n    print 'squares'\n    return 5L"
    save(with_answers(released(), squares=answer), own / NAME)


@attack
def other_language(own: Path, everyone: Path) -> None:
    book = with_answers(released(), squares="squares <- function(numbers) sum(numbers^2)")
    book["metadata"]["kernelspec"] = {"name": "ir", "language": "R", "display_name": "R"}
    save(book, own / NAME)


@attack
def hundred_megabytes_of_cells(own: Path, everyone: Path) -> None:
    with (own / NAME).open("w") as file:
        file.write('{"cells": [')
        cell = json.dumps(code("x = 1\n" * 150_000)) + ","
        for _ in range(100):
            file.write(cell)
        file.write(json.dumps(code("x")) + '], "metadata": {}, "nbformat": 4}')


@attack
def many_cells(own: Path, everyone: Path) -> None:
    book = wrong()
    book["cells"] += [code("squares = squares")] * 20_000
    save(book, own / NAME)


@attack
def deep_json(own: Path, everyone: Path) -> None:
    (own / NAME).write_text("[" * 200_000)


@attack
def deep_expression(own: Path, everyone: Path) -> None:
    answer = "squares = " + "-" * 400_000 + "1"
    save(with_answers(released(), squares=answer), own / NAME)


@attack
def no_cells(own: Path, everyone: Path) -> None:
    (own / NAME).write_text('{"metadata": {"rl_five_games": {"lesson": 91}}, "nbformat": 4}')


@attack
def cells_of_odd_types(own: Path, everyone: Path) -> None:
    cells = [None, 7, [], {}, {"cell_type": "code", "source": 3}, {"cell_type": "code"}]
    cells += [{"cell_type": "code", "source": ["a", 1, None], "metadata": [1]}]
    cells += [{"cell_type": "code", "source": "x", "metadata": {"nbgrader": 3, "tags": 1}, "id": 4}]
    cells += [
        {"cell_type": "code", "source": "\ud800", "metadata": {"rl_five_games": {"role": []}}}
    ]
    metadata = {"rl_five_games": {"lesson": [91]}}
    (own / NAME).write_text(json.dumps({"cells": cells, "metadata": metadata}))


@attack
def link_to_the_solution(own: Path, everyone: Path) -> None:
    (own / NAME).symlink_to(everyone.parent / "solutions" / NAME)


@attack
def link_to_another_submission(own: Path, everyone: Path) -> None:
    (own / NAME).symlink_to(everyone / "ada" / NAME)


@attack
def folder_that_is_a_link(own: Path, everyone: Path) -> None:
    (own / "work").symlink_to(everyone.parent / "solutions")
    (own / NAME).write_text("{}")


@attack
def folder_named_like_a_notebook(own: Path, everyone: Path) -> None:
    (own / NAME).mkdir()
    (own / NAME / "91_small_things-1.ipynb").write_text("")


@attack
def pipe_named_like_a_notebook(own: Path, everyone: Path) -> None:
    os.mkfifo(own / NAME)


@attack
def archive_that_unpacks_to_gigabytes(own: Path, everyone: Path) -> None:
    archive = zipfile.ZipFile(own / "work.zip", "w", zipfile.ZIP_DEFLATED)
    with archive, archive.open(NAME, "w", force_zip64=True) as file:
        for _ in range(300):
            file.write(bytes(1 << 20))


@attack
def archive_that_climbs(own: Path, everyone: Path) -> None:
    with zipfile.ZipFile(own / "work.zip", "w") as archive:
        archive.writestr("../ada/" + NAME, json.dumps(wrong()))
        archive.writestr("/tmp/" + NAME, json.dumps(wrong()))


@attack
def damaged_archive(own: Path, everyone: Path) -> None:
    (own / "91_small_things.zip").write_bytes(b"PK\x03\x04" + bytes(500))


def beside(name: str, text: str) -> FileAttack:
    """A file beside a notebook of wrong answers, which a careless grader would load."""

    def write(own: Path, everyone: Path) -> None:
        save(wrong(), own / NAME)
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_text(text)

    return write


PASS = "import builtins\nbuiltins.PASSED = True\ndef mark(*a, **k): return 10\n"
FILE_ATTACKS["conftest"] = beside(
    "conftest.py", "def pytest_runtest_makereport(item, call): call.excinfo = None\n"
)
FILE_ATTACKS["sitecustomize"] = beside("sitecustomize.py", PASS)
FILE_ATTACKS["fake_lib"] = beside("lib/__init__.py", PASS)
FILE_ATTACKS["fake_grading"] = beside("lib/grading/judge.py", PASS)
FILE_ATTACKS["fake_numpy"] = beside("numpy.py", "def allclose(*a, **k): return True\n")
FILE_ATTACKS["fake_roster"] = beside("roster.csv", "id,name\nada,Mallory\n")
FILE_ATTACKS["fake_results"] = beside("results.json", '{"results": [{"points": 10}]}')


@attack
def in_the_name_of_another(own: Path, everyone: Path) -> None:
    """Metadata that claims to be someone else, and an id of the grader's."""
    book = wrong()
    book["metadata"]["student"] = book["metadata"]["name"] = "ada"
    save(book, own / "ada_91_small_things.ipynb")
