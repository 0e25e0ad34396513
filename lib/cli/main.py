"""From `course.py NAME ...` to the command: read the arguments, set up, run it in the .venv."""

import argparse
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from lib.cli import ROOT, commands
from lib.cli.environment import Environment, SetupFailed
from lib.cli.probes import COURSE


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a console that can't show a character shows a "?"
            stream.reconfigure(errors="replace")
    try:
        code = _main(list(argv))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `course.py ... | head`: nobody listens any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except SetupFailed as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130


def _main(argv: list[str]) -> int:
    known = commands()
    name = argv[0] if argv else "--help"
    if name not in known:
        return _help(known, name)
    module = import_module(f"lib.cli.{name}")
    args = parse(name, module, argv[1:])
    needs = getattr(module, "NEEDS", "course")
    if needs == "nothing":
        return _run(name, module, args)
    environment = Environment(ROOT)
    environment.ensure(tests=needs == "tests")
    if environment.is_running():
        return _run(name, module, args)
    return hand_over([str(environment.python), str(ROOT / "course.py"), *argv])


def _help(known: dict[str, str], name: str) -> int:
    width = max(map(len, known))
    listing = "\n".join(f"  {command:<{width}}  {summary}" for command, summary in known.items())
    text = f"usage: python3 course.py COMMAND [...]\n\n{listing}\n\nMore: course.py COMMAND --help"
    if name in ("-h", "--help", "help"):
        print(text)
        return 0
    print(f"course.py has no command {name!r}.\n\n{text}", file=sys.stderr)
    return 2


def parse(name: str, module: ModuleType, argv: list[str]) -> argparse.Namespace:
    """The arguments of a command; an unknown one is an error unless the command passes it on."""
    parser = argparse.ArgumentParser(
        prog=f"course.py {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    args, unknown = parser.parse_known_args(argv)
    if unknown and not getattr(module, "PASS_ON", False):
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    args.pass_on = unknown
    return args


def _run(name: str, module: ModuleType, args: argparse.Namespace) -> int:
    try:
        return module.run(args)
    except BrokenPipeError:
        raise
    except (ImportError, ValueError, OSError) as error:
        if os.environ.get("COURSE_TRACEBACK"):
            traceback.print_exc()
        remedy = f" (`{COURSE} doctor` says what is missing)" * isinstance(error, ImportError)
        print(f"course.py {name}: {error}{remedy}", file=sys.stderr)
        return 1


def hand_over(command: list[str]) -> int:
    """Become `command`; where that is impossible (Windows), run it and wait."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execv(command[0], command)
    before = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for the command
    try:
        return subprocess.call(command)
    finally:
        signal.signal(signal.SIGINT, before)
