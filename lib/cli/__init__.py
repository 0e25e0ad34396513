"""The commands of `course.py`, one file each.

A command is a module `lib/cli/NAME.py`; adding the file adds `course.py NAME`. It has

    \"\"\"One line for `course.py --help`. What follows is shown by `course.py NAME --help`.\"\"\"
    def add_arguments(parser: argparse.ArgumentParser) -> None: ...
    def run(args: argparse.Namespace) -> int: ...      # the exit code

and, where they apply, `NEEDS = "tests"` (also install requirements-dev.txt; "nothing" runs without
the .venv) and `PASS_ON = True` (arguments that the parser does not know arrive in `args.pass_on`).

The parser is built before the .venv exists, by the Python that the student happens to have. So a
command imports the standard library and `lib.cli` at its top, and everything else inside `run`.
A ValueError or OSError that leaves `run` is shown as one line, without a traceback.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROMPT = "lib.cli.sockets.PromptConnection"  # how servers of ours talk to their kernels
GAME_NAMES = ("tapnswap", "chopsticks", "droids", "2048", "solitaire")
ORDER = ("lab", "play", "train", "grade", "test", "doctor")  # the others follow by name


def commands() -> dict[str, str]:
    """The name of every command and the first line of its docstring."""
    found = {}
    for path in Path(__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        if {"add_arguments", "run"} <= functions:
            found[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    rank = {name: place for place, name in enumerate(ORDER)}
    names = sorted(found, key=lambda name: (rank.get(name, len(rank)), name))
    return {name: found[name] for name in names}
