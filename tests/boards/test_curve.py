"""The live curve: what it draws, how it stops, and what it costs."""

import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from lib.agents.progress import Progress
from lib.boards import LiveCurve
from lib.boards.axes import Scale, number, thinned, ticks
from lib.boards.curve import banded, span, status
from lib.boards.shapes import breadth


def training(total: int = 10, learned: list[int] | None = None) -> Iterator[Progress]:
    for done in range(1, total + 1):
        if learned is not None:
            learned.append(done)
        yield Progress(done, total, "games", {"won": done / total})


def stop(curve: LiveCurve) -> None:
    curve._hear(curve, {"kind": "control", "name": "stop"}, [])


def test_follow_passes_everything_on_and_draws_it() -> None:
    curve = LiveCurve("Learning", "games", "won", baselines={"random": 0.5}, best=1.0)
    reports = list(curve.follow(training(), y="won"))
    assert [report.done for report in reports] == list(range(1, 11))
    assert curve.points == {"": {None: [(float(n), n / 10) for n in range(1, 11)]}}
    assert curve.view["over"]
    assert curve.view["controls"] == []
    words = [shape["text"] for shape in curve.view["shapes"] if shape["kind"] == "text"]
    assert {"random 0.5", "best possible 1", "Learning", "games", "won"} <= set(words)


def test_stop_ends_the_loop_and_keeps_what_was_learned() -> None:
    curve, learned = LiveCurve(), []
    for report in curve.follow(training(1000, learned)):
        assert curve.view["quiet"]  # a screen reader is not told every update
        if report.done == 5:
            stop(curve)
    assert not curve.view["quiet"]
    assert learned == [1, 2, 3, 4, 5]
    assert curve.stopped
    assert curve.view["say"].startswith("Stopped")
    assert list(curve.follow(training(), seed=2)) == []


def test_stop_from_another_thread_while_the_loop_runs() -> None:
    curve, seen = LiveCurve(every=0), 0

    def endless() -> Iterator[Progress]:
        for done in range(10**9):
            time.sleep(0.001)
            yield Progress(done, 10**9, "games", {"won": 0.5})

    timer = threading.Timer(0.15, stop, [curve])
    timer.start()
    for _ in curve.follow(endless()):
        seen += 1
    timer.join()
    assert 0 < seen < 10_000
    assert len(curve.points[""][None]) == seen


def test_an_interrupted_kernel_ends_the_loop_too() -> None:
    learned: list[int] = []

    def interrupted() -> Iterator[Progress]:
        yield from training(3, learned)
        raise KeyboardInterrupt

    curve = LiveCurve()
    assert len(list(curve.follow(interrupted()))) == 3
    assert curve.stopped
    assert curve.closed


def test_interrupting_the_loop_itself_means_stop_and_twice_means_now() -> None:
    curve, seen, before = LiveCurve(), 0, signal.getsignal(signal.SIGINT)
    for _ in curve.follow(training(1000)):
        seen += 1
        if seen == 4:
            signal.raise_signal(signal.SIGINT)
    assert seen == 4
    assert curve.stopped
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        for _ in LiveCurve().follow(training(1000)):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_stop_that_arrives_late_means_nothing() -> None:
    curve = LiveCurve()
    list(curve.follow(training()))
    stop(curve)
    assert not curve.stopped
    assert len(list(curve.follow(training(), seed=2))) == 10


def test_an_error_in_training_is_not_hidden_and_the_curve_is_closed() -> None:
    def broken() -> Iterator[Progress]:
        yield from training(2)
        raise ZeroDivisionError

    curve = LiveCurve()
    with pytest.raises(ZeroDivisionError):
        list(curve.follow(broken()))
    assert curve.closed


def test_a_metric_that_nobody_reports_is_named() -> None:
    with pytest.raises(ValueError, match="'wins': there are won"):
        list(LiveCurve().follow(training(), y="wins"))


def test_a_function_measures_and_seconds_are_an_axis() -> None:
    curve = LiveCurve(xlabel="seconds")
    for _ in curve.follow(training(3), y=lambda report: 2.0 * report.done, x="seconds"):
        time.sleep(0.01)
    xs, ys = zip(*curve.points[""][None], strict=True)
    assert ys == (2.0, 4.0, 6.0)
    assert 0 <= xs[0] < xs[1] < xs[2] < 5


def test_several_seeds_are_a_mean_within_a_band() -> None:
    one = [(0.0, 0.0), (10.0, 1.0)]
    other = [(0.0, 1.0), (5.0, 0.0), (10.0, 2.0)]
    line = banded("q", [one, other])
    assert line.points == [(0.0, 0.5), (5.0, 0.25), (10.0, 1.5)]
    assert line.low == [(0.0, 0.0), (5.0, 0.0), (10.0, 1.0)]
    assert line.high == [(0.0, 1.0), (5.0, 0.5), (10.0, 2.0)]
    assert "2 seeds" in line.name


def test_a_seed_that_has_just_begun_counts_where_it_is_known() -> None:
    line = banded("", [[(0.0, 1.0), (10.0, 1.0)], [(0.0, 3.0)]])
    assert line.points == [(0.0, 2.0), (10.0, 1.0)]


def test_the_page_is_told_a_few_times_a_second_and_the_last_point_always() -> None:
    curve = LiveCurve(every=60)
    before = curve.seq
    for x in range(1000):
        curve.add(x, x)
    assert curve.seq - before <= 1
    curve.close()
    assert curve.view["state"] == "1000"


def test_an_update_costs_under_two_milliseconds() -> None:
    curve, rng = (
        LiveCurve("Cost", every=0, best=1.0, baselines={"random": 0.5}),
        np.random.default_rng(0),
    )
    costs = []
    for x in range(300):
        for series in ("one", "other"):
            began = time.process_time()
            curve.add(x, rng.random(), series)
            costs.append(time.process_time() - began)
    assert np.median(costs) < 0.002
    assert max(len(s.get("points", ())) for s in curve.view["shapes"]) <= 200


def test_words_about_time() -> None:
    assert span(4.2) == "4 s"
    assert span(130) == "2 min 10 s"
    assert span(0.3) == "less than 1 s"
    assert status(Progress(9, 10), 0.9) == "9 of 10 games · 1 s · about 1 s left"
    assert status(Progress(3000, 10_000), 3.0) == "3,000 of 10,000 games · 3 s · about 7 s left"


def test_ticks_are_round_and_inside() -> None:
    assert ticks(0, 0.93, 5) == [0, 0.2, 0.4, 0.6, 0.8]
    assert ticks(0, 10_000) == [0, 2000, 4000, 6000, 8000, 10_000]
    for low, high in ((-3.7, 12.2), (0.001, 0.0017), (5e5, 7e6)):
        found = ticks(low, high)
        assert 2 <= len(found) <= 8
        assert all(low <= x <= high for x in found)
    assert [number(x) for x in (0.25, 1000, 3e6)] == ["0.25", "1,000", "3M"]


def drawn_words(curve: LiveCurve) -> dict[str, Any]:
    return {s["text"]: s for s in curve.drawing().shapes if s["kind"] == "text"}


def test_names_of_curves_have_room_beside_the_axis_name() -> None:
    names = ["games won against random", "positions whose value is kept", "lost", "2048", "drawn"]
    for count in (2, 5):
        curve = LiveCurve("Much to tell", "games", "share of games", every=60)
        for name in names[:count]:
            curve.add(1, 0.5, name)
        found = drawn_words(curve)
        end = found["share of games"]["x"] + breadth("share of games", 13)
        for name in names[:count]:
            assert found[name]["x"] - 32 > end  # with the piece of line before it
            end = found[name]["x"] + breadth(name, found[name]["size"])
        assert end <= 640 - 28 + 1e-6


def test_a_level_is_named_where_no_curve_runs() -> None:
    curve = LiveCurve("Falling", "games", "score", {"fixed order": 2576, "random": 1094}, every=60)
    for x, y in enumerate((2800, 2500, 1500, 1400, 1000, 1000, 1500, 1100, 1200)):
        curve.add(x, y)
    found = drawn_words(curve)
    assert found["random 1,094"]["x"] == 76
    assert found["fixed order 2,576"]["x"] > 400


def test_points_are_drawn_where_they_belong() -> None:
    scale = Scale((0, 10), (0, 1))
    corners = scale.at([(0, 0), (10, 1)])
    assert corners.tolist() == [[66, 288], [612, 58]]
    assert len(thinned([(float(n), 0.0) for n in range(10_000)])) <= 151
    assert thinned([(0.0, 1.0), (1.0, float("nan"))]).tolist() == [[0.0, 1.0]]
