"""Writes what follows from the code in the pages of docs/: the rule sheets, measured figures.

course.py docs             write the rule sheets
course.py docs --check     say whether they are in step, and change nothing
course.py docs --measure   measure the figures of docs/seeds.md anew (half a minute)
"""

import argparse

from lib.cli import GAME_NAMES, ROOT

RULES = ROOT / "docs" / "rules.md"
HEAD = """# The rule sheets

Each is the first page of the game's own file, and `python3 course.py docs` writes it here.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--check, --measure."""
    parser.add_argument("--check", action="store_true", help="only say whether they are in step")
    parser.add_argument("--measure", action="store_true", help="the figures of docs/seeds.md anew")


def run(args: argparse.Namespace) -> int:
    """Write the pages, or compare them."""
    from lib.files import write_text

    if args.check:
        same = RULES.exists() and RULES.read_text(encoding="utf-8") == rule_sheets()
        print("docs/rules.md is in step" if same else "docs/rules.md is old: run course.py docs")
        return 0 if same else 1
    if args.measure:
        from lib import found

        print(found.write(), "wrote docs/seeds.md", sep="\n\n")
        return 0
    write_text(RULES, rule_sheets())
    print("wrote docs/rules.md")
    return 0


def rule_sheets() -> str:
    """All five rule sheets as one page."""
    import inspect
    from importlib import import_module

    from lib.games import GAMES

    parts = [HEAD]
    for name in GAME_NAMES:
        game = GAMES[name]
        sheet = inspect.cleandoc(import_module(game.__module__).__doc__ or "")
        place = game.__module__.replace(".", "/")
        parts.append(f"## {game.title}\n\n```text\n{sheet}\n```\n\n`{place}.py`\n")
    return "\n".join(parts)
