"""The benchmarks: their arithmetic, a run cut short, a peer that fails, tables from kept runs."""

import json
import os
import sys
from pathlib import Path
from random import Random

import cloudpickle
import numpy as np
import pytest

from benchmarks import engines, load, peers, plain, report, runs
from benchmarks.measure import Effort, costs, rates, slope, summary, told_effort
from benchmarks.parts import Bar, Part, Row, Table, reached
from lib.cli.bench import PARTS
from lib.games.droids import Droids
from lib.games.solitaire import Solitaire
from lib.games.tapnswap import TapnSwap

TINY = Effort("quick", 0.01, 3)


def counted(values: list[float], calls: list[str], name: str = "x") -> Row:
    """A row that notes when it is measured."""

    def run(effort: Effort) -> dict[str, list[float]]:
        calls.append(name)
        return {"values": values}

    return Row(name, run)


def part_of(*rows: Row, bars: tuple[Bar, ...] = ()) -> Part:
    return Part("made", "Made up", {"t": Table("A table", "things a second", rows)}, bars)


def test_rates_divide_work_by_cpu_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.5, 1.0, 10.0, 11.0])  # two calls of half a second, then one of a second
    monkeypatch.setattr("benchmarks.measure.time.process_time", lambda: next(clock))
    assert rates(lambda: 100, Effort("quick", 0.8, 2)) == [200.0, 100.0]


def test_costs_leave_the_first_call_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([1.0, 1.25, 5.0, 7.0])
    monkeypatch.setattr("benchmarks.measure.time.process_time", lambda: next(clock))
    calls: list[int] = []
    assert costs(lambda: calls.append(1), 2) == [0.25, 2.0]
    assert len(calls) == 3


def test_summary_and_slope_by_hand() -> None:
    assert summary([3.0, 1.0, 2.0, 10.0]) == (2.5, 1.0, 10.0)
    assert slope([1, 10, 100], [5, 50, 500]) == pytest.approx(1)
    assert slope([1, 2, 4], [3, 12, 48]) == pytest.approx(2)


def test_a_run_cut_short_goes_on(tmp_path: Path) -> None:
    calls: list[str] = []
    part = part_of(*(counted([1.0], calls, name) for name in "abc"))
    tasks = list(part.tasks("quick"))
    cut = runs.measure(runs.open_run("quick", tasks, tmp_path), [part])
    next(cut), next(cut), next(cut)  # a and b are measured when c is announced
    cut.close()  # type: ignore[attr-defined]
    again = runs.open_run("quick", tasks, tmp_path)
    assert calls == ["a", "b"] and set(again.results) == {"made/t/a", "made/t/b"}
    list(runs.measure(again, [part]))
    assert calls == ["a", "b", "c"] and again.finished
    assert runs.open_run("quick", tasks, tmp_path).results == {}  # a finished run is left alone
    assert len(runs.all_runs(tmp_path)) == 1


def test_repeats_are_taken_in_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(runs.EFFORTS, "normal", Effort(turns=3))
    calls: list[str] = []

    def broken(effort: Effort) -> dict[str, list[float]]:
        calls.append("b")
        raise ValueError("no luck")

    rows = (counted([1.0, 2.0], calls, "a"), Row("b", broken), counted([3.0], calls, "c"))
    other = Table("Once", "u", (counted([4.0], calls, "d"),))
    part = Part("made", "T", {"t": Table("T", "u", rows, in_turns=True), "o": other})
    tasks = list(part.tasks("normal"))
    cut = runs.measure(runs.open_run("normal", tasks, tmp_path), [part])
    seen = [next(cut) for _ in range(7)]  # until a row of the second turn is measured and kept
    cut.close()  # type: ignore[attr-defined]
    assert calls == ["a", "b", "c", "d", "a", "c"]
    assert [progress.done for progress in seen] == [0, 1, 4, 5, 6, 7, 8]
    assert {progress.total for progress in seen} == {10}
    run = runs.open_run("normal", tasks, tmp_path)
    list(runs.measure(run, [part]))
    assert calls == ["a", "b", "c", "d", "a", "c", "a", "c"] and run.finished
    values = {name[-1]: found.get("values") for name, found in run.results.items()}
    assert values == {"a": [1.0, 2.0] * 3, "b": None, "c": [3.0] * 3, "d": [4.0]}


def test_a_run_of_other_rows_is_not_gone_on_with(tmp_path: Path) -> None:
    part = part_of(counted([1.0], [], "a"), counted([1.0], [], "b"))
    first = runs.open_run("quick", list(part.tasks("quick")), tmp_path)
    first.results["made/t/a"] = {"values": [1.0]}
    first.save()
    assert runs.open_run("quick", ["made/t/a"], tmp_path).results == {}
    assert runs.open_run("full", list(part.tasks("full")), tmp_path).results == {}


def test_a_peer_that_cannot_be_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "FOLDER", tmp_path / "peers")
    monkeypatch.setitem(peers.PEERS, "nowhere", (("--no-index", "no-such-package-at-all"),))
    missing = Row("nowhere", engines.peer("nowhere", "open_spiel_2048.py"), "peer")
    part = part_of(missing, counted([4.0, 5.0, 6.0], [], "ours"))
    run = runs.open_run("quick", list(part.tasks("quick")), tmp_path)
    list(runs.measure(run, [part]))
    assert "no-such-package-at-all" in run.results["made/t/nowhere"]["error"]
    assert run.results["made/t/ours"]["values"] == [4.0, 5.0, 6.0]
    text = report.write_report([part], [run], tmp_path).read_text()
    assert "| nowhere | not measured: Missing: nowhere:" in text
    assert "| ours | 5.00 | 4.00 to 6.00 |" in text


def test_a_peer_script_tells_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom benchmarks.measure import tell, told_effort\n"
        "print('noise')\ntell(values=[told_effort().repeats, float(sys.argv[2])])\n"
    )
    monkeypatch.setattr(peers, "SCRIPTS", tmp_path)
    monkeypatch.setattr(peers, "python_of", lambda peer: Path(sys.executable))
    assert peers.ask("any", "script.py", TINY, "7") == {"values": [3, 7.0]}
    script.write_text("raise SystemExit('no luck')")
    with pytest.raises(peers.Missing, match="any: no luck"):
        peers.ask("any", "script.py", TINY)
    monkeypatch.setattr(sys, "argv", ["x", json.dumps({"mode": "full"})])
    assert told_effort() == Effort("full")


def test_tables_and_figures_come_from_the_kept_runs(tmp_path: Path) -> None:
    rows = (counted([2e6, 1e6, 3e6], [], "ours"), counted([5e3], [], "peer"))
    bars = (Bar("ours: 300 times", "t", "ours", 300, "peer"), Bar("fast", "t", "ours", 5e6))
    growth = Table("G", "s", (Row("line", lambda _: {"x": [1, 10], "y": [0.1, 10.0]}),), "n")
    part = Part("made", "Made up", {"t": Table("T", "u", rows), "g": growth}, bars)
    for _ in range(2):
        run = runs.open_run("quick", list(part.tasks("quick")), tmp_path / "kept")
        run.path = tmp_path / "kept" / f"{len(runs.all_runs(tmp_path / 'kept'))}.json"
        list(runs.measure(run, [part]))
    kept = runs.all_runs(tmp_path / "kept")
    text = report.write_report([part], kept, tmp_path).read_text()
    assert "| ours | 2.00 M | 1.00 M to 3.00 M | 1.00 | 2.00 M |" in text
    assert "| peer | 5.00 k | 5.00 k to 5.00 k | 0.00250 | 5.00 k |" in text
    assert "| line | 1: 0.100, 10: 10.0 | 2.00 |" in text
    assert "| ours: 300 times | 400 times | 300 times | reached |" in text
    assert "| fast | 2.00 M | 5.00 M | **not reached** |" in text
    pictures = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert pictures == ["made-g.png", "made-t.png"]


def test_two_runs_agree_where_their_values_overlap(tmp_path: Path) -> None:
    part = part_of(*(counted([1.0], [], name) for name in ("same", "other", "one value", "new")))
    first = {"same": [1.0, 2.0, 3.0], "other": [1.0, 2.0, 3.0], "one value": [5.0]}
    second = {"same": [2.9, 4.0, 5.0], "other": [3.1, 4.0, 5.0], "one value": [6.0], "new": [1, 2]}

    def kept(values: dict[str, list[float]], **machine: object) -> runs.Run:
        results = {f"made/t/{name}": {"values": row} for name, row in values.items()}
        facts = {**runs.machine(), "started": "then", **machine}
        return runs.Run(tmp_path / "x.json", "normal", facts, results)

    text = report.write_report([part], [kept(first), kept(second)], tmp_path).read_text()
    assert "agree on 1 of the 2 rows" in text
    assert "| same | 4.00 | 2.90 to 5.00 | 1.00 | 2.00 |" in text
    assert "| other | 4.00 | 3.10 to 5.00 | 1.00 | **2.00** |" in text
    assert "| one value | 6.00 | 6.00 to 6.00 | 1.50 | 5.00 |" in text
    elsewhere = kept(first, processor="another")
    text = report.write_report([part], [elsewhere, kept(second)], tmp_path).read_text()
    assert "both measured" not in text and "| other | 4.00 | 3.10 to 5.00 | 1.00 |  |" in text


def test_rows_of_parts_that_spread_run_in_other_processes(tmp_path: Path) -> None:
    def pid(effort: Effort) -> dict[str, list[float]]:
        return {"values": [float(os.getpid())]}

    def broken(effort: Effort) -> dict[str, list[float]]:
        raise ValueError("no luck")

    rows = (Row("a", pid), Row("b", broken), Row("c", pid))
    there = Part("there", "T", {"t": Table("A table", "u", rows)}, spreads=True)
    here = part_of(Row("a", pid))
    tasks = [*there.tasks("quick"), *here.tasks("quick")]
    run = runs.open_run("quick", tasks, tmp_path)
    told = [progress.done for progress in runs.measure(run, [here, there], jobs=2)]
    assert told == [0, 1, 2, 3, 4] and run.finished
    assert run.results["made/t/a"]["values"] == [os.getpid()]
    for name in ("there/t/a", "there/t/c"):
        assert run.results[name]["values"] != [os.getpid()]
    assert run.results["there/t/b"]["error"] == "ValueError: no luck"
    text = report.write_report([there, here], [run], tmp_path).read_text()
    assert text.count("at the start, several rows at once.") == 1


@pytest.mark.parametrize("name", PARTS)
def test_rows_of_parts_that_spread_can_travel(name: str) -> None:
    part = load(name)
    for row in part.tasks("full").values() if part.spreads else ():
        assert cloudpickle.loads(cloudpickle.dumps(row)).name == row.name


def test_readme_table_is_copied_between_its_markers(tmp_path: Path) -> None:
    part = part_of(counted([7.0], [], "ours"), bars=(Bar("seven", "t", "ours", 5),))
    run = runs.open_run("quick", list(part.tasks("quick")), tmp_path)
    list(runs.measure(run, [part]))
    results, readme = report.write_report([part], [run], tmp_path), tmp_path / "README.md"
    readme.write_text("before\n")
    assert not report.fill_readme(results, readme) and readme.read_text() == "before\n"
    readme.write_text("before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n")
    assert report.fill_readme(results, readme)
    assert "1 of 1 bars reached</summary>\n\n| what |" in readme.read_text()
    assert "| seven | 7.00 | 5.00 | reached |\n\n</details>\n<!-- bench:end" in readme.read_text()
    assert "old" not in readme.read_text() and readme.read_text().endswith("-->\nafter\n")


def test_a_cost_is_compared_the_other_way_round() -> None:
    results = {"made/t/ours": {"values": [0.5]}, "made/t/peer": {"values": [4.0]}}
    assert reached(Bar("", "t", "ours", 1, "peer", less=True), results, "made") == 8
    assert reached(Bar("", "t", "ours", 1, "peer"), results, "made") == 0.125
    assert reached(Bar("", "t", "ours", 1, "peer", scale=80.0), results, "made") == 10
    assert reached(Bar("", "t", "ours", 1, "absent"), results, "made") is None


def test_an_unknown_part_is_refused() -> None:
    from argparse import Namespace

    from lib.cli import bench

    with pytest.raises(ValueError, match="no part 'speed': choose from engines"):
        bench.run(Namespace(names=["engines", "speed"], quick=True, full=False, out=Path("x")))


@pytest.mark.parametrize("name", PARTS)
def test_bars_speak_of_rows_that_exist(name: str) -> None:
    part = load(name)
    known = {(key, row.name) for key, table in part.tables.items() for row in table.rows}
    for bar in part.bars:
        assert (bar.table, bar.row) in known and (bar.table, bar.over or bar.row) in known


@pytest.mark.parametrize(
    "name, game, bare",
    [
        ("tapnswap", TapnSwap(), plain.tapnswap),
        ("droids", Droids(), plain.droids),
        ("solitaire", Solitaire(), plain.solitaire),
    ],
)
def test_the_bare_loops_play_our_games(name: str, game, bare) -> None:
    """The same length of a random game, within five standard errors: Python, C and ours."""
    one_game, dice, count = engines.through_interface(game), Random(1), 600
    ours, theirs = (np.array([f() for _ in range(count)]) for f in (one_game, lambda: bare(dice)))
    error = 5 * ((ours.var() + theirs.var()) / count) ** 0.5
    assert abs(ours.mean() - theirs.mean()) < error
    in_c = engines.in_c(name)(TINY)
    assert len(in_c["values"]) == 3 and min(in_c["values"]) > 0
    assert abs(in_c["moves a game"] - ours.mean()) < error


def test_2048_in_c_is_our_2048() -> None:
    from lib.games.game2048 import Game2048

    one_game = engines.through_interface(Game2048())
    ours = np.array([one_game() for _ in range(150)])
    in_c = engines.in_c("2048")(TINY)["moves a game"]
    assert abs(in_c - ours.mean()) < 5 * ours.std() / 150**0.5


def test_a_short_run_of_real_rows() -> None:
    """Batches are faster than the plain interface, which no machine changes."""
    rows = {row.name: row for row in engines.TABLES["solitaire"].rows}
    batch, one = (rows[name].run(TINY) for name in ("ours, batch of 1024", "ours, plain interface"))
    assert min(batch["values"]) > 5 * max(one["values"]) > 0


def test_a_bar_may_count_the_worst_seed_or_the_mean() -> None:
    found = {"made/t/a": {"values": [1.0, 2.0, 6.0]}}
    bars = {take: Bar("a", "t", "a", 2, take=take) for take in ("median", "mean", "worst")}
    assert {take: reached(bar, found, "made") for take, bar in bars.items()} == {
        "median": 2.0,
        "mean": 3.0,
        "worst": 1.0,
    }


def test_a_bar_may_be_a_limit_or_a_slope() -> None:
    line = {"made/g/line": {"x": [1, 10, 100], "y": [2.0, 20.0, 200.0]}}
    steady = Bar("steady", "g", "line", at_least=0.9, at_most=1.1)
    assert report.bar_line(steady, line, "made") == "| steady | 1.00 | 0.900 to 1.10 | reached |"
    quick = Bar("quick", "t", "a", at_most=25)
    for value, verdict in ((10.4, "reached"), (30.0, "**not reached**")):
        found = {"made/t/a": {"values": [value]}}
        assert report.bar_line(quick, found, "made") == f"| quick | {value} | ≤ 25.0 | {verdict} |"
    dear = Bar("dear", "t", "a", over="b", at_most=1.3)
    costs_of = {"made/t/a": {"values": [3.0]}, "made/t/b": {"values": [2.0]}}
    line_of = report.bar_line(dear, costs_of, "made")
    assert line_of == "| dear | 1.50 times | ≤ 1.30 times | **not reached** |"


def test_a_quick_run_or_a_shorter_one_does_not_replace_a_longer_one(tmp_path: Path) -> None:
    part = part_of(counted([1.0], [], "a"), counted([1.0], [], "b"))

    def kept(mode: str, **values: float) -> runs.Run:
        results = {f"made/t/{row}": {"values": [value]} for row, value in values.items()}
        return runs.Run(tmp_path / "x.json", mode, {**runs.machine(), "started": mode}, results)

    old, full, normal = kept("normal", a=1, b=1), kept("full", a=2, b=2), kept("normal", a=3)
    assert report.chosen(part, "t", [old, full, normal])[0] is full
    assert report.chosen(part, "t", [old, kept("quick", a=4, b=4)])[0] is old
    newer = kept("normal", a=5, b=5)
    assert report.chosen(part, "t", [full, newer])[0] is newer
    text = report.write_report([part], [old, newer], tmp_path).read_text()
    assert "| a | 5.00 | 5.00 to 5.00 | 1.00 | 1.00 |" in text
