"""Unlucky submissions: honest work in odd files, and the points that it has earned."""

import json
import random
from collections.abc import Callable
from pathlib import Path

from books import ANSWERS, answer_cell, cells_of, code, released, save, solved, with_answers

Unlucky = Callable[[Path], float]  # writes into the student's folder; the points earned
UNLUCKY: dict[str, Unlucky] = {}
NAME = "91_small_things.ipynb"


def unlucky(function: Unlucky) -> Unlucky:
    """Put a submission on the list."""
    UNLUCKY[function.__name__] = function
    return function


@unlucky
def as_it_should_be(own: Path) -> float:
    save(solved(), own / NAME)
    return 10


@unlucky
def not_begun(own: Path) -> float:
    save(released(), own / NAME)
    return 0


@unlucky
def one_mistake_costs_once(own: Path) -> float:
    """`mean_square` calls `squares`, which is wrong: it is judged on top of a right one."""
    save(with_answers(solved(), squares="def squares(numbers): return 1.0"), own / NAME)
    return 6


@unlucky
def renamed(own: Path) -> float:
    save(solved(), own / "Untitled (3).ipynb")
    return 10


@unlucky
def reordered(own: Path) -> float:
    book = solved()
    random.Random(7).shuffle(book["cells"])
    book["cells"] = [c for c in book["cells"] if c not in cells_of(book, "check")]
    save(book, own / NAME)
    return 10


@unlucky
def only_the_answers(own: Path) -> float:
    book = solved()
    book["cells"] = cells_of(book, "answer")
    save(book, own / NAME)
    return 10


@unlucky
def missing_cells(own: Path) -> float:
    book = solved()
    book["cells"] = [c for c in book["cells"] if c not in cells_of(book, "answer")[2:]]
    save(book, own / NAME)
    return 6


@unlucky
def doubled_cells(own: Path) -> float:
    """A cell was copied before it was written; the stub is left behind, below."""
    book = solved()
    book["cells"][3:3] = [cells_of(book, "answer")[0]]
    book["cells"].insert(5, cells_of(released(), "answer")[0])
    save(book, own / NAME)
    return 10


@unlucky
def helper_cells(own: Path) -> float:
    helper = "def square(x):\n    return x * x\nTABLE = {}\nfor n in range(5): TABLE[n] = n"
    answer = "def squares(numbers):\n    return sum(map(square, numbers)) + TABLE[0]"
    book = with_answers(solved(), squares=answer)
    book["cells"].insert(2, code(helper))
    save(book, own / NAME)
    return 10


@unlucky
def helpers_in_the_import_cell(own: Path) -> float:
    book = with_answers(
        solved(), squares="def squares(numbers):\n    return math.fsum(x * x for x in numbers)"
    )
    book["cells"][1]["source"] += "\nimport math"
    save(book, own / NAME)
    return 10


@unlucky
def written_in_a_cell_below(own: Path) -> float:
    """The stub was left, and the answer is in a new cell before the check."""
    book = with_answers(solved(), squares=cells_of(released(), "answer")[0]["source"])
    at = book["cells"].index(cells_of(book, "answer")[0])
    book["cells"].insert(at + 1, code(ANSWERS["squares"]))
    save(book, own / NAME)
    return 10


@unlucky
def metadata_lost(own: Path) -> float:
    """An editor dropped all metadata: what the cells define still counts."""
    book = solved()
    for cell in book["cells"]:
        cell["metadata"] = {}
    save(book, own / NAME)
    return 10


@unlucky
def older_release(own: Path) -> float:
    book = solved()
    first = book["cells"].index(cells_of(book, "answer")[0])
    book["cells"][first] = answer_cell("sum_of_squares", ANSWERS["squares"])
    book["cells"].append(answer_cell("dropped_since", "def dropped_since(): return 1"))
    save(book, own / NAME)
    return 10


@unlucky
def tries_things_out(own: Path) -> float:
    """Cells that train, plot and fail, which no answer depends on."""
    book = solved()
    extra = ["while True: pass", "1 / 0", "import matplotlib.pyplot as plt\nplt.plot([1])"]
    extra += ["result = [squares([x]) for x in range(10**12)]", "%timeit squares([1.0])", "!ls"]
    for source in extra:
        book["cells"].insert(2, code(source))
    save(book, own / NAME)
    return 10


@unlucky
def magics_and_noise(own: Path) -> float:
    answer = (
        "%%time\n%matplotlib inline\nimport sys, warnings\n"
        "def squares(numbers):\n    warnings.warn('old')\n    print('x', file=sys.stderr)\n"
        "    return sum(x * x for x in numbers)\nsquares?\n!echo done"
    )
    save(with_answers(solved(), squares=answer), own / NAME)
    return 10


@unlucky
def error_below_the_answer(own: Path) -> float:
    answer = ANSWERS["squares"] + "\nassert squares([1.0]) == 2.0, 'my own test is wrong'"
    save(with_answers(solved(), squares=answer), own / NAME)
    return 10


@unlucky
def syntax_error(own: Path) -> float:
    save(with_answers(solved(), squares="def squares(numbers)\n    return 1"), own / NAME)
    return 6


@unlucky
def two_files(own: Path) -> float:
    save(solved(), own / NAME)
    (own / "91_small_things-copy.ipynb").write_text(json.dumps(solved())[:100])
    return 10


@unlucky
def outputs_of_five_megabytes(own: Path) -> float:
    book = solved()
    book["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 5**9}]
    save(book, own / NAME)
    return 10


@unlucky
def other_types(own: Path) -> float:
    answer = "def squares(numbers):\n    return np.float64(np.dot(numbers, numbers))"
    save(with_answers(solved(), squares=answer), own / NAME)
    return 10


@unlucky
def unseeded_dice(own: Path) -> float:
    answer = (
        "class Guesser:\n    def guess(self, low, high):\n"
        "        rng = np.random.default_rng()\n        return (low + high + rng.integers(2)) // 2"
    )
    save(with_answers(solved(), Guesser=answer), own / NAME)
    return -1  # as its dice fall, but always the same
