"""The pages: links lead somewhere, Python and shell blocks run, what is generated is in step."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from lib import found, games
from lib.agents.droid_policies import as_policy, shares_of
from lib.agents.droid_roster import trained
from lib.agents.minimax import MinimaxAgent
from lib.agents.registry import WEIGHTS, agents
from lib.arena_results import wilson
from lib.cli import ROOT, docs, play
from lib.cli.docs import RULES, rule_sheets
from lib.cli.main import parse
from lib.games.droids import Droids
from lib.games.tapnswap import TapnSwap
from lib.grading import edition
from lib.grading.distance import distance
from lib.truth import droids

PAGES = [
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("binder/*.md"))
    if path.is_file()
]
BLOCK = re.compile(r"(<!-- not run: [^>]+ -->\n)?^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:srcset|src|href)=\"([^\"]+)\"")


def blocks(path: Path, *languages: str) -> list[str]:
    """The blocks of a page in these languages that are not marked as not to be run."""
    found = BLOCK.findall(path.read_text(encoding="utf8"))
    return [code for mark, language, code in found if language in languages and not mark]


def anchors(path: Path) -> set[str]:
    """The anchors that the headings of a page make."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf8"), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()).strip() for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for one, other in LINK.findall(page.read_text(encoding="utf8")):
        target, _, anchor = (one or other).partition("#")
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        there = (page.parent / target) if target else page
        assert there.exists(), f"{page.name} links to {target}, which is not there"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{page.name} links to #{anchor}, which is not there"


def test_links_of_the_student_edition_lead_somewhere_in_it() -> None:
    inside = {(ROOT / name).resolve() for name in edition.handed_out(ROOT)}
    folders = {folder for path in inside for folder in path.parents}
    for page in (path for path in inside if path.suffix == ".md"):
        for one, other in LINK.findall(page.read_text(encoding="utf8")):
            target = (one or other).partition("#")[0]
            if target and not target.startswith(("http://", "https://", "mailto:")):
                there = (page.parent / target).resolve()
                assert there in inside | folders, f"{page.name} links to {target}"


def test_links_of_the_notebooks_lead_somewhere() -> None:
    for path in ROOT.glob("notebooks/*.ipynb"):
        for target in re.findall(r"\]\((\w[\w./]*\.ipynb)\)", path.read_text(encoding="utf8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_the_solved_games_on_the_page_of_the_seeds_are_in_step() -> None:
    page = found.PAGE.read_text(encoding="utf8").split(found.BEGIN)[1].split(found.END)[0]
    solved = {f"chopsticks, {name}": game for name, game in found.RULES.items()}
    for name, game in {"TapnSwap, from the start": TapnSwap(), **solved}.items():
        assert f"| {name} | {found.verdict(game)} |" in page
    for asked, answer in (*found.pegs_left(), *found.games_of_2048(), *found.droid_games()):
        assert f"| {asked} | {answer} |" in page


def test_measuring_anew_writes_the_table_into_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "seeds.md"
    page.write_text(f"before\n{found.BEGIN}\nold\n{found.END}\nafter\n", encoding="utf8")
    monkeypatch.setattr(found, "PAGE", page)
    monkeypatch.setattr(found, "rows", lambda: iter([("how many", "7")]))
    assert docs.run(parse("docs", docs, ["--measure"])) == 0
    made = "| asked | found |\n| --- | --- |\n| how many | 7 |"
    written = f"before\n{found.BEGIN}\n{made}\n{found.END}\nafter\n"
    assert page.read_text(encoding="utf8") == written and made in capsys.readouterr().out


def row(page: Path, *words: str) -> str:
    """The one line of a page with these words."""
    lines = page.read_text(encoding="utf8").splitlines()
    (found,) = [line for line in lines if all(word in line for word in words)]
    return found


# What the README's table says in percent, beside the bench's bar for it and its number of games.
MEASURED = {
    "04_": [
        ("2048, layers, shipped: % reached", 1_000),
        ("2048, tuple embeddings, shipped: % reached", 1_000),
    ],
    "05_": [
        ("Solitaire, shipped: % of positions with 22 pegs solved, greedy", 10_000),
        ("Solitaire, shipped: % of positions with 22 pegs solved, beam of 64", 500),
    ],
}


@pytest.mark.parametrize("lesson", MEASURED)
def test_the_figures_of_the_readme_agree_with_the_last_results(lesson: str) -> None:
    told = row(ROOT / "README.md", f"(notebooks/{lesson}").split("|")[4]
    shares = [float(figure) for figure in re.findall(r"(\d+\.\d) %", told)]
    for share, (bar, played) in zip(shares, MEASURED[lesson], strict=True):
        measured = float(row(ROOT / "benchmarks" / "RESULTS.md", f"| {bar} |").split("|")[2])
        low, high = wilson(played * measured / 100, played)
        assert low <= share / 100 <= high, f"README says {share}, RESULTS.md {measured}: {bar}"


def test_minimax_against_the_frozen_agent_is_as_the_readme_says() -> None:
    told = row(ROOT / "README.md", "(notebooks/03_")
    game, players = Droids(), agents("droids")
    policies = [as_policy(shares_of(agent)) for agent in (MinimaxAgent(), trained("frozen"))]
    odds = droids.odds(game, *policies)
    assert f"wins {100 * odds.won:.1f} % of games" in told and "loses none" in told
    assert odds.lost == 0
    results = row(ROOT / "benchmarks" / "RESULTS.md", "| minimax against the frozen agent: won |")
    low, high = map(float, results.split("|")[3].split(" to "))
    assert low <= 100 * odds.won <= high
    both = (players["minimax"](), players["q-learning"]())
    values = [distance(game, agent).removeprefix("exploitability ") for agent in both]
    assert f"exploitability is {values[0]}, the Q agent's {values[1]}" in told


def test_the_ladder_on_the_page_of_the_seeds_is_in_step() -> None:
    ladder = json.loads((WEIGHTS / "2048-ladder.json").read_text(encoding="utf8"))["ladder"]
    mean = {name: np.mean([run["score"] for run in runs]) for name, runs in ladder.items()}
    page = found.PAGE.read_text(encoding="utf8")
    assert "learning the value of the board after a move triples the score" in page
    assert mean["afterstates"] > 3 * mean["symmetry"] and len(ladder["afterstates"]) == 5


@pytest.fixture(scope="module")
def guide() -> ModuleType:
    """The guide for contributors as a module: its blocks, one after the other."""
    made = ModuleType("guide")
    code = blocks(ROOT / "docs" / "contributors.md", "python")
    assert len(code) >= 7
    for block in code:
        exec(compile(block, "docs/contributors.md", "exec"), made.__dict__)
    return made


def test_the_game_of_the_guide_for_contributors_is_played_in_the_terminal(
    guide: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(games._PLACES, "nim", ("guide", "Nim"))
    monkeypatch.setitem(sys.modules, "guide", guide)
    monkeypatch.setattr(play, "GAME_NAMES", (*play.GAME_NAMES, "nim"))
    said: list[str] = []
    typed = iter(["take 2", "hint", "rules", *["1"] * 10])
    args = parse("play", play, ["nim", "--level", "easy", "--seed", "1"])
    play.laid(args, ask=lambda _: next(typed, "quit"), say=said.append).sit()
    assert "who takes the last one has won" in said[0]
    assert any(line.startswith("I would: take ") for line in said)
    assert "||||||||||" in "".join(said) and said[-1].endswith("Goodbye.")


def test_every_block_is_run_or_marked() -> None:
    """Shell blocks and the guide's Python are run below and above; text is called text."""
    for page in PAGES:
        for mark, language, code in BLOCK.findall(page.read_text(encoding="utf8")):
            run = language == "sh" or (language == "python" and page.name == "contributors.md")
            assert mark or run or language == "text", f"{page.name}: mark as not run: {code[:80]}"


def test_the_rule_sheets_are_in_step() -> None:
    assert RULES.read_text(encoding="utf8") == rule_sheets()


SHELL = [path for path in PAGES if blocks(path, "sh", "shell", "bash")]
BESIDE = ("notebooks", "solutions", "requirements.txt", "pyproject.toml", "README.md")


def run_here(line: str, folder: Path) -> None:
    """One command of the course, in a folder beside the course's own."""
    for name in BESIDE:
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    words = shlex.split(line, comments=True)
    assert words[:2] == ["python3", "course.py"], f"mark what is not ours as not run: {line}"
    done = subprocess.run(
        [sys.executable, str(ROOT / "course.py"), *words[2:]],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@pytest.mark.slow
@pytest.mark.parametrize("page", SHELL, ids=lambda path: path.name)
def test_shell_blocks_run(page: Path, tmp_path: Path) -> None:
    for line in "\n".join(blocks(page, "sh", "shell", "bash")).splitlines():
        words = shlex.split(line, comments=True)
        if words and words[2:3] != ["lab"]:  # opens JupyterLab: tests/grading/test_lab.py
            run_here(line, tmp_path)


@pytest.mark.slow
def test_the_three_commands_of_the_readme_grade_a_smaller_class(tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf8").partition("in three commands")[2]
    block = BLOCK.search(page)
    assert block
    sample, grade, cup = block[3].splitlines()
    assert "--students 30 " in sample
    run_here(sample.replace("--students 30 ", "--students 3 "), tmp_path)
    run_here(grade, tmp_path)
    run_here(cup.replace("--jobs", "--games 2 --jobs"), tmp_path)
    assert "s0003" in (tmp_path / "grades" / "gradebook.csv").read_text(encoding="utf8")
    assert "<h2>" in (tmp_path / "grades" / "cup.html").read_text(encoding="utf8")
