"""The benchmarks: their arithmetic, a run cut short, a peer that fails, tables from kept runs."""

import json
import sys
from pathlib import Path
from random import Random

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


def test_readme_table_is_copied_between_its_markers(tmp_path: Path) -> None:
    part = part_of(counted([7.0], [], "ours"), bars=(Bar("seven", "t", "ours", 5),))
    run = runs.open_run("quick", list(part.tasks("quick")), tmp_path)
    list(runs.measure(run, [part]))
    results, readme = report.write_report([part], [run], tmp_path), tmp_path / "README.md"
    readme.write_text("before\n")
    assert not report.fill_readme(results, readme) and readme.read_text() == "before\n"
    readme.write_text("before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n")
    assert report.fill_readme(results, readme)
    assert "| seven | 7.00 | 5.00 | reached |" in readme.read_text()
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


def test_every_bar_names_a_row() -> None:
    for name in PARTS:
        part = load(name)
        rows = {(key, row.name) for key, table in part.tables.items() for row in table.rows}
        for bar in part.bars:
            assert (bar.table, bar.row) in rows, bar.text
            assert not bar.over or (bar.table, bar.over) in rows, bar.text
