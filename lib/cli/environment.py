"""The .venv of the course: made once, checked at every start, redone if it was interrupted.

What a complete .venv was made from stands in a stamp inside it, written last. No stamp means that
a set-up did not finish: the next one starts afresh.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lib.cli import probes
from lib.cli.lock import locked
from lib.files import write_text


class SetupFailed(Exception):
    """The set-up stopped; the message says why, and the remedy."""


@dataclass(frozen=True)
class Environment:
    """The .venv in the course's folder `root`."""

    root: Path
    windows: bool = os.name == "nt"

    @property
    def folder(self) -> Path:
        """The .venv itself."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The .venv's Python."""
        return probes.program(self.folder, "python", self.windows)

    @property
    def stamp(self) -> Path:
        """What the .venv was made from; there only when it is complete."""
        return self.folder / "course.json"

    @property
    def log(self) -> Path:
        """Everything that pip said."""
        return self.root / ".setup" / "log.txt"

    def is_running(self) -> bool:
        """Is this process one of the .venv?"""
        return self.folder.exists() and Path(sys.prefix).resolve() == self.folder.resolve()

    def wanted(self, tests: bool) -> dict[str, str]:
        """Each requirements file with its hash."""
        names = ["requirements.txt", *(["requirements-dev.txt"] if tests else [])]
        return {name: hashlib.sha256(self._read(name)).hexdigest() for name in names}

    def _read(self, name: str) -> bytes:
        try:
            return (self.root / name).read_bytes()
        except OSError as error:
            raise SetupFailed(f"{name} can't be read ({error}): fetch the course again.") from None

    def made_from(self) -> dict[str, str]:
        """What a complete .venv was made from; {} if there is none, or it no longer works."""
        try:
            stamp = json.loads(self.stamp.read_text(encoding="utf-8"))
            whole = stamp["folder"] == str(self.root) and stamp["python"] == self._version()
            return dict(stamp["requirements"]) if whole else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def _version(self) -> str:
        """The version of the .venv's Python, which changes when the system's own is replaced."""
        if self.is_running():
            return f"{sys.version_info[0]}.{sys.version_info[1]}"
        ask = "import sys; print('%d.%d' % sys.version_info[:2])"
        command = [str(self.python), "-I", "-S", "-c", ask]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()

    def is_complete(self, tests: bool) -> bool:
        """Is everything there, in the versions that the requirements name now?"""
        return self.wanted(tests).items() <= self.made_from().items()

    def ensure(self, tests: bool) -> None:
        """Set up what is missing; at once if nothing is."""
        if self.is_complete(tests):
            return
        refuse([probes.folder(self.root)])
        self.log.parent.mkdir(exist_ok=True)
        with locked(self.log.parent / "lock", self._waiting) as lock:
            if not self.is_complete(tests):  # another set-up may have done it meanwhile
                self._set_up(tests, lock)

    def _waiting(self) -> None:
        print("Another set-up of this course is under way: waiting for it ...", flush=True)

    def _set_up(self, tests: bool, lock: IO[bytes]) -> None:
        before = self.made_from()
        tests = tests or "requirements-dev.txt" in before
        wanted = self.wanted(tests)
        # by lines: what pip said last is read from the file when a set-up stops
        with self.log.open("w", encoding="utf-8", buffering=1) as log:
            if before:
                print("Installing what the course needs beyond what it has ...", flush=True)
            else:
                self._make(log)
            old = self.stamp.read_text(encoding="utf-8") if before else ""
            self.stamp.unlink(missing_ok=True)
            try:
                self._install(list(wanted), log, lock)
            except SetupFailed:
                if old:  # pip undoes what it could not finish, so the old .venv still works
                    write_text(self.stamp, old)
                raise
        facts = {"folder": str(self.root), "python": self._version(), "requirements": wanted}
        write_text(self.stamp, json.dumps(facts, indent=1) + "\n")
        print("Set up.", flush=True)

    def _make(self, log: IO[str]) -> None:
        refuse([probes.this_python(), probes.venv_module(), probes.space(self.root)])
        if self.folder.exists():
            print("The course was moved, or its set-up did not finish: it begins anew.")
        print("Setting up the course: once, for some minutes, about 2 GB in .venv.", flush=True)
        base = getattr(sys, "_base_executable", sys.executable) if self.is_running() else None
        command = [base or sys.executable, "-m", "venv", "--clear", str(self.folder)]
        log.write(f"$ {' '.join(command)}\n")
        with self._blamed("making .venv"):
            subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=True)

    def _install(self, files: list[str], log: IO[str], lock: IO[bytes]) -> None:
        options = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
        command = [str(self.python), "-m", "pip", "install", *options]
        for name in files:
            command += ["-r", name]
        log.write(f"$ {' '.join(command)}\n")
        with self._blamed("installing the packages"):
            self._run_pip(command, log, lock)

    def _run_pip(self, command: list[str], log: IO[str], lock: IO[bytes]) -> None:
        """Run pip, which keeps the lock while it lives, even if this process is killed."""
        inherited = {} if self.windows else {"pass_fds": (lock.fileno(),)}
        with subprocess.Popen(
            command,
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            **inherited,  # type: ignore[call-overload]
        ) as pip:
            for line in pip.stdout or ():
                log.write(line)
                show(line.strip())
        if sys.stdout.isatty():
            print()
        if pip.returncode:
            raise subprocess.CalledProcessError(pip.returncode, command)

    @contextmanager
    def _blamed(self, step: str) -> Iterator[None]:
        try:
            yield
        except (OSError, subprocess.CalledProcessError) as error:
            raise SetupFailed(self._diagnosis(step, error)) from None

    def _diagnosis(self, step: str, error: Exception) -> str:
        said = self.log.read_text(encoding="utf-8", errors="replace")
        causes = probes.explain(f"{said}\n{error}")
        machine = [probes.this_python(), probes.venv_module(), probes.space(self.root)]
        causes += [finding for finding in machine if not finding.fine]
        lines = [f"The set-up stopped while {step}. The whole story is in {self.log}"]
        if causes:
            lines += [
                f"- {cause.name}: {cause.seen}\n  remedy: {cause.remedy}" for cause in causes[:3]
            ]
        else:
            lines += [f"  | {line}" for line in said.splitlines()[-8:]]
        lines.append(f"Run the same command again; `{probes.COURSE} doctor` checks everything.")
        return "\n".join(lines)


def refuse(findings: list[probes.Finding]) -> None:
    """SetupFailed, with the remedies, unless everything is fine."""
    bad = [f"- {f.name}: {f.seen}\n  remedy: {f.remedy}" for f in findings if not f.fine]
    if bad:
        raise SetupFailed("\n".join(["The course can't be set up here:", *bad]))


def show(line: str) -> None:
    """One line of what pip does, in place on a terminal; elsewhere only the milestones."""
    if sys.stdout.isatty():
        if line.startswith(("Collecting", "Downloading", "Installing", "Building", "Using")):
            print(f"\r  {line[:74]:<74}", end="", flush=True)
    elif line.startswith("Installing collected packages"):
        print(f"  {line[:74]} ...", flush=True)
