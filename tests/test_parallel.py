"""Work comes back the same, once each, from this process, several processes and a Ray cluster."""

import os
import sys
import time
from pathlib import Path

import cloudpickle
import pytest

from lib import parallel

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # a cluster can't import this file


def square(number: int) -> int:
    return number * number


def where(_: int) -> int:
    return os.getpid()


def die_once(marker: str) -> str:
    """Ends its process the first time, without a word, and works the second time."""
    path = Path(marker)
    if not path.exists():
        path.write_text("died")
        os._exit(9)
    return path.name


def always_die(number: int) -> int:
    if number == 3:
        os._exit(7)
    return number


def refuse(number: int) -> int:
    if number == 2:
        raise ValueError(f"{number} is refused")
    return number


class Awkward(Exception):
    """An exception that pickles but can't be unpickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"awkward {one} {two}")


def raise_awkward(number: int) -> int:
    raise Awkward(number, number)


def tidies_up(marker: str) -> None:
    """Leaves something to do for the end of its process."""
    import atexit

    atexit.register(Path(marker).touch)


def test_processes_may_tidy_up_at_the_end(tmp_path: Path) -> None:
    marks = [str(tmp_path / str(n)) for n in range(4)]
    parallel.gather(marks, tidies_up, jobs=2)
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("jobs", [1, 2, 0])
def test_results_are_the_same_for_any_number_of_jobs(jobs: int) -> None:
    results = dict(parallel.run(range(20), square, jobs=jobs))
    assert results == {n: n * n for n in range(20)}
    assert parallel.gather([5, 3], square, jobs=jobs) == [25, 9]


def test_several_processes_are_used_and_none_is_ours() -> None:
    pids = set(parallel.gather(range(8), where, jobs=2))
    assert os.getpid() not in pids and 1 <= len(pids) <= 2
    assert set(parallel.gather(range(8), where, jobs=1)) == {os.getpid()}


def test_a_closure_can_travel() -> None:
    offset = 40
    assert parallel.gather([1, 2], lambda n: n + offset, jobs=2) == [41, 42]


def test_a_process_that_dies_costs_time_not_results(tmp_path: Path) -> None:
    markers = [str(tmp_path / f"task{n}") for n in range(6)]
    results = list(parallel.run(markers, die_once, jobs=2))
    assert sorted(results) == [(n, f"task{n}") for n in range(6)]


def test_a_task_that_always_dies_is_named() -> None:
    with pytest.raises(parallel.Lost, match=r"task 3 ended its process 4 times .*exit code 7"):
        parallel.gather(range(6), always_die, jobs=2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_task_raises_is_raised_here(jobs: int) -> None:
    with pytest.raises(ValueError, match="2 is refused"):
        parallel.gather(range(5), refuse, jobs=jobs)


def test_an_exception_that_can_not_travel_arrives_as_text() -> None:
    with pytest.raises(RuntimeError, match="awkward 1 1"):
        parallel.gather([1], raise_awkward, jobs=2)


def test_leaving_early_ends_the_processes() -> None:
    import multiprocessing

    stream = parallel.run([0.0, 60.0, 60.0], time.sleep, jobs=2)
    assert next(stream) == (0, None)
    assert multiprocessing.active_children()
    stream.close()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_is_told_after_each_result(jobs: int) -> None:
    told: list[tuple[int, int]] = []
    report = lambda done, total: told.append((done, total))  # noqa: E731
    parallel.gather(range(4), square, jobs=jobs, progress=report)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_bar_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    parallel.gather(range(4), square, progress="games")
    assert "4/4" in capsys.readouterr().err


def test_no_tasks_no_results() -> None:
    assert parallel.gather([], square, jobs=2) == []


def test_a_negative_number_of_jobs_is_refused() -> None:
    with pytest.raises(ValueError, match="jobs=-1"):
        parallel.run([1], square, jobs=-1)


def test_kept_results_are_not_computed_again(tmp_path: Path) -> None:
    path, calls = tmp_path / "kept.jsonl", []

    def counted(number: int) -> tuple[int, int]:
        calls.append(number)
        return number, number * number

    stream = parallel.kept(path, "squares", [4, 5, 6], counted)
    assert next(stream) == (0, [4, 16])
    stream.close()
    with path.open("a") as file:
        file.write('{"key": "squares", "ind')  # as an interrupt in mid-write leaves it
    other = dict(parallel.kept(path, "other tasks", [7], counted))
    rest = dict(parallel.kept(path, "squares", [4, 5, 6], counted))
    again = dict(parallel.kept(path, "squares", [4, 5, 6], counted))
    assert other == {0: [7, 49]}
    assert rest == again == {0: [4, 16], 1: [5, 25], 2: [6, 36]}
    assert calls == [4, 7, 5, 6]


def test_without_ray_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install -e '\.\[cluster\]'"):
        parallel.run([1], square, ray="auto")


def test_where_no_cluster_answers_the_message_says_how_to_start_one() -> None:
    pytest.importorskip("ray", reason="Ray is an optional extra: pip install -e .[cluster]")
    with pytest.raises(ValueError, match=r"no Ray cluster answers at '127\.0\.0\.1:9': start one"):
        parallel.gather([1], square, ray="127.0.0.1:9")
