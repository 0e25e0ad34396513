"""A class, a tournament and a sweep on a real two-node Ray cluster: the same results as here.

Each time one of the nodes is removed in the middle. RL_FIVE_GAMES_CLASS says how many submissions
of lesson 2 there are: 200, which take some four minutes on two busy cores, unless told otherwise.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cluster import cluster_here
from lib import parallel
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
STUDENTS = int(os.environ.get("RL_FIVE_GAMES_CLASS", "200"))
HOSTILE = (  # what the answers of such a student do when they are called
    "import os; os._exit(0)",
    "import os; os.kill(os.getppid(), 9); os.kill(-1, 9)",
    "import os; os.closerange(0, 4096)",
    "raise SystemExit('full marks')",
    "return [bytearray(1 << 30) for _ in range(64)]",
)
SPY = """
    import os, socket
    found = [name for name in os.environ if "RAY" in name]
    for place in ("/tmp/ray", "/dev/shm"):
        found += [place] if os.path.isdir(place) and os.listdir(place) else []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                found += [f"process {pid}"] if b"RAY_" in file.read() else []
        except OSError:
            pass
    try:
        socket.create_connection(("HOST", PORT), 5)
        found.append("the cluster")
    except OSError:
        pass
"""


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


def test_a_worker_sees_nothing_of_the_cluster(cluster: Any, tmp_path: Path) -> None:
    host, port = cluster.address.split(":")
    spy = SPY.replace("HOST", host).replace("PORT", port)
    folder = sample_class(tmp_path / "submissions", 2, 1)
    path = next(folder.glob("*/*.ipynb"))
    book = cells.read(path)
    for exercise, cell in cells.by_role(book, "answer").items():
        cell.source = f"def {exercise}(*args, **more):\n{spy}    raise ValueError(f'saw {{found}}')"
    cells.write(path, book)
    row = Run(Settings(folder, tmp_path / "out", 2, seed=7)).grade(ray=cluster.address)[0]
    told = [exercise["verdicts"][0]["message"] for exercise in row["exercises"]]
    assert any("saw []" in message for message in told), told
    assert not any("saw ['" in message for message in told), told

    def unguarded(_: int) -> list[str]:
        names: dict[str, Any] = {}
        exec(f"def look():\n{spy}    return list(map(str, found))", names)
        return names["look"]()

    seen = parallel.gather([0], unguarded, ray=cluster.address)[0]
    assert "the cluster" in seen and "/tmp/ray" in seen, "without a sandbox there is much to see"


def test_interrupted_at_the_driver_it_goes_on(cluster: Any, tmp_path: Path) -> None:
    folder = sample_class(tmp_path / "submissions", 2, 8)

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    first = Run(Settings(folder, tmp_path / "out", 2))
    with pytest.raises(KeyboardInterrupt):
        first.grade(ray=cluster.address, progress=stop)
    left: list[int] = []
    again = Run(Settings(folder, tmp_path / "out", 2))
    rows = again.grade(ray=cluster.address, progress=lambda done, total: left.append(total))
    assert again.seed == first.seed and left == [6] * 6  # two were kept
    here = Run(Settings(folder, tmp_path / "here", 2, seed=first.seed)).grade(jobs=1)
    assert [row["student"] for row in rows] == [row["student"] for row in here]
    assert json.dumps([row["exercises"] for row in rows]) == json.dumps(
        [row["exercises"] for row in here]
    )


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
