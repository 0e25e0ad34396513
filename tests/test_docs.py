"""The pages: links lead somewhere, Python and shell blocks run, what is generated is in step."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lib import found
from lib.cli import ROOT
from lib.cli.docs import RULES, rule_sheets
from lib.games.tapnswap import TapnSwap

PAGES = [
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("binder/*.md"))
    if path.is_file()
]
BLOCK = re.compile(r"(<!-- not run: [^>]+ -->\n)?^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


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


def test_links_of_the_notebooks_lead_somewhere() -> None:
    for path in ROOT.glob("notebooks/*.ipynb"):
        for target in re.findall(r"\]\((\w[\w./]*\.ipynb)\)", path.read_text(encoding="utf8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_the_solved_games_on_the_page_of_the_seeds_are_in_step() -> None:
    page = found.PAGE.read_text(encoding="utf8").split(found.BEGIN)[1].split(found.END)[0]
    solved = {f"chopsticks, {name}": game for name, game in found.RULES.items()}
    for name, game in {"TapnSwap, from the start": TapnSwap(), **solved}.items():
        assert f"| {name} | {found.verdict(game)} |" in page
    for asked, answer in (*found.pegs_left(), *found.games_of_2048()):
        assert f"| {asked} | {answer} |" in page


def test_the_guide_for_contributors_runs() -> None:
    namespace: dict = {"__name__": "guide"}
    code = blocks(ROOT / "docs" / "contributors.md", "python")
    assert len(code) >= 4
    for block in code:
        exec(compile(block, "docs/contributors.md", "exec"), namespace)


def test_the_rule_sheets_are_in_step() -> None:
    assert RULES.read_text(encoding="utf8") == rule_sheets()


SHELL = [path for path in PAGES if blocks(path, "sh", "shell", "bash")]


@pytest.mark.slow
@pytest.mark.parametrize("page", SHELL, ids=lambda path: path.name)
def test_shell_blocks_run(page: Path, tmp_path: Path) -> None:
    """Every command of the course, in an empty folder beside the course's own."""
    for name in ("notebooks", "solutions", "requirements.txt", "pyproject.toml", "README.md"):
        (tmp_path / name).symlink_to(ROOT / name)
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    for line in "\n".join(blocks(page, "sh", "shell", "bash")).splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        assert words[:2] == ["python3", "course.py"], f"mark what is not ours as not run: {line}"
        command = [sys.executable, str(ROOT / "course.py"), *words[2:]]
        done = subprocess.run(
            command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
