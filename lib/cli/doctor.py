"""Says what is installed, what is missing, and the remedy; the exit code is 1 if lessons can't run.

It changes nothing and needs nothing but Python.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from lib.cli import ROOT, probes
from lib.cli.environment import Environment
from lib.cli.probes import Finding

NEEDS = "nothing"

VERSIONS = """
import importlib.metadata as metadata, json, sys
def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
print(json.dumps({name: version(name) for name in sys.argv[1:]}))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(args: argparse.Namespace) -> int:
    """Look at everything and print it."""
    findings = examine(Environment(ROOT))
    for finding in findings:
        print(line(finding))
    bad = [finding.name for finding in findings if finding.needed and not finding.fine]
    print(f"\n{verdict(bad)}")
    return 1 if bad else 0


def verdict(bad: list[str]) -> str:
    """What all findings come to, given the names of those that are needed and not fine."""
    if bad == [".venv"]:
        return f"All that the set-up needs is here: `{probes.COURSE} lab` does it, once."
    return f"Not ready: {', '.join(bad)}." if bad else "The lessons can run."


def line(finding: Finding) -> str:
    """A finding in a line, and its remedy in another."""
    mark = "ok" if finding.fine else "missing" if finding.needed else "absent"
    shown = f"{mark:<8}{finding.name:<16}{finding.seen}"
    return shown if finding.fine else f"{shown}\n{'':<24}remedy: {finding.remedy}"


def examine(environment: Environment) -> list[Finding]:
    """Everything worth knowing; what only a set-up needs is asked only before one."""
    complete = environment.is_complete(tests=False)
    findings = [probes.folder(environment.root)]
    if not complete:
        python = environment.python if environment.python.exists() else Path(sys.executable)
        findings += [probes.this_python(), probes.venv_module(), probes.space(environment.root)]
        findings.append(probes.network(python))
    findings.append(virtual_environment(environment, complete))
    if complete:
        findings.append(packages(environment, "requirements.txt"))
        findings.append(packages(environment, "requirements-dev.txt"))
    return [*findings, probes.chromium(), probes.bubblewrap()]


def virtual_environment(environment: Environment, complete: bool) -> Finding:
    """Is .venv whole and up to date?"""
    if complete:
        return Finding(".venv", True, "complete")
    seen = "not made yet"
    if environment.made_from():
        seen = "the requirements changed since it was made"
    elif environment.folder.exists():
        seen = "a set-up did not finish, or the folder was moved"
    return Finding(".venv", False, seen, f"`{probes.COURSE} lab` makes it")


def packages(environment: Environment, file: str) -> Finding:
    """Are the pinned packages of a requirements file in .venv, in these versions?"""
    pinned = pins((environment.root / file).read_text(encoding="utf-8"))
    there = installed(environment.python, list(pinned))
    wrong = [
        f"{name} {there.get(name) or 'missing'} instead of {version}"
        for name, version in pinned.items()
        if (there.get(name) or "").partition("+")[0] != version  # 2.13.0+cpu is 2.13.0
    ]
    for_tests = file != "requirements.txt"
    name = "test packages" if for_tests else "packages"
    remedy = f"`{probes.COURSE} test` installs them" if for_tests else "delete the folder .venv"
    remedy = remedy if for_tests else f"{remedy}, {probes.AGAIN}"
    seen = ", ".join(wrong) if wrong else f"{len(pinned)} of {len(pinned)}"
    return Finding(name, not wrong, seen, remedy if wrong else "", needed=not for_tests)


def pins(text: str) -> dict[str, str]:
    """What a requirements file pins: {"torch": "2.13.0", ...}."""
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", text, re.MULTILINE))


def installed(python: Path, names: list[str]) -> dict[str, str | None]:
    """The installed version of each package, as that Python sees it."""
    command = [str(python), "-I", "-c", VERSIONS, *names]
    answer = subprocess.run(command, capture_output=True, text=True)
    return json.loads(answer.stdout) if answer.returncode == 0 else dict.fromkeys(names)
