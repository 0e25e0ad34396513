"""A class, a tournament and a sweep on a real two-node Ray cluster: the same results as here.

Each time one of the nodes is removed in the middle. RL_FIVE_GAMES_CLASS says how many submissions
of lesson 2 there are: 30 unless told otherwise, so that the tests stay short; 200 is the real size.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ray_cluster import cluster_here

from lib.cli.sweep import Training, sweep
from lib.grading import cells, sandbox
from lib.grading.classroom_run import Run, Settings
from lib.grading.lessons import lesson
from lib.grading.sample import sample_class
from lib.grading.tournament import by_game, find_entries, hold

pytest.importorskip("ray", reason="Ray is an optional extra: pip install -e .[cluster]")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(sandbox.why_not_boxed()), reason="nodes need bubblewrap"),
]
STUDENTS = int(os.environ.get("RL_FIVE_GAMES_CLASS", "30"))
HOSTILE = (  # what the answers of such a student do when they are called
    "import os; os._exit(0)",
    "import os; os.kill(os.getppid(), 9); os.kill(-1, 9)",
    "import os; os.closerange(0, 4096)",
    "raise SystemExit('full marks')",
    "return [bytearray(1 << 30) for _ in range(64)]",
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with cluster_here() as made:
        yield made


@pytest.fixture
def losing(cluster: Any) -> Callable[[int], dict[str, Any]]:
    """Where to run: on two nodes, of which one goes after so many results."""

    def where(after: int) -> dict[str, Any]:
        extra = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()

        def gone(done: int, total: int) -> None:
            if done == after:
                assert after < total
                cluster.remove_node(extra, allow_graceful=False)

        return {"ray": cluster.address, "progress": gone}

    return where


def class_of(folder: Path, students: int) -> Path:
    """Submissions of lesson 2, every tenth of them hostile."""
    sample_class(folder, 2, students)
    name = f"{lesson(2).notebook}.ipynb"
    for at, path in enumerate(sorted(folder.glob(f"*/{name}"))[::10]):
        book = cells.read(path)
        for exercise, cell in cells.by_role(book, "answer").items():
            cell.source = f"def {exercise}(*args, **more):\n    {HOSTILE[at % len(HOSTILE)]}"
        cells.write(path, book)
    return folder


def test_a_class(losing: Any, tmp_path: Path) -> None:
    folder = class_of(tmp_path / "submissions", STUDENTS)

    def graded(out: str, **where: Any) -> list[Any]:
        rows = Run(Settings(folder, tmp_path / out, 2, seed=7)).grade(**where)
        return json.loads(json.dumps([(row["student"], row["exercises"]) for row in rows]))

    here = graded("here", jobs=1)
    assert len(here) == STUDENTS
    points = [sum(exercise["points"] for exercise in exercises) for _, exercises in here]
    assert not any(points[::10]) and sum(points) > 0, "hostile work earns nothing, other work does"
    assert graded("there", **losing(STUDENTS // 3)) == here


def test_a_tournament(losing: Any, tmp_path: Path) -> None:
    entries, _ = find_entries(sample_class(tmp_path, 7, 2))
    game, players = next(iter(by_game(entries)[0].items()))
    here = hold(game, players, 6, seed=3)
    there = hold(game, players, 6, seed=3, **losing(2))
    assert there.table == here.table


def test_a_sweep_of_16_seeds(losing: Any, tmp_path: Path) -> None:
    tasks = [Training("tapnswap", "q-learning", 0.2, seed) for seed in range(16)]
    here = sweep(tasks, tmp_path / "here", resume=False)
    where = losing(5)
    there = sweep(tasks, tmp_path / "there", resume=False, **where)
    assert len(here) == 16 and there == here
    for path in (tmp_path / "here").iterdir():
        assert (tmp_path / "there" / path.name).read_bytes() == path.read_bytes(), path.name
