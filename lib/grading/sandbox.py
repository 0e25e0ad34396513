"""The room that answers run in: what is there to see, what may be used, and who builds it.

bubblewrap shows a worker the interpreter, the installed packages and a staged copy of those files
of the course that a lesson's answers may import: no solutions, no submissions, no home, no network.
Where bubblewrap is missing or refused, resource limits remain, and every report says so.
"""

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lib.grading.sandbox_stage import LIB

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/ld.so.cache")


@dataclass(frozen=True)
class Limits:
    """What one answer may use; time is CPU time, with the clock as a last guard."""

    seconds: float = 10.0  # of one call
    total: float = 100.0  # of the whole exercise
    wall: float = 600.0  # of the whole exercise, by the clock
    memory: int = 1024  # MB beyond what the imports take, by all its processes together
    processes: int = 24  # and threads
    disk: int = 64  # MB in its own /tmp
    file: int = 64  # MB of one file
    nobody: bool = True  # give up root, where the interpreter can still be read then

    def as_dict(self) -> dict[str, Any]:
        """The limits as plain data, for the guard of a worker."""
        return asdict(self)


def limits_for(seconds: float, memory: int) -> Limits:
    """The limits of an exercise whose calls may take that long: ten such calls, far apart."""
    total = 10.0 * seconds
    return Limits(seconds, total, 6.0 * total, memory)


@functools.cache
def why_not_boxed() -> str:
    """Why bubblewrap can't be used here, in words; "" if it can."""
    if os.environ.get("RL_FIVE_GAMES_NO_SANDBOX"):
        return "RL_FIVE_GAMES_NO_SANDBOX is set"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (on Debian and Ubuntu: apt install bubblewrap)"
    probe = [*_bubblewrap([], {}), "--", "/usr/bin/env", "true"]
    try:
        done = subprocess.run(probe, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start: {error}"
    if done.returncode:
        return f"bubblewrap is refused here: {done.stderr.strip()[:200]}"
    return ""


def fit() -> str:
    """Why this machine should not grade on a cluster; "" if it may."""
    reason = why_not_boxed()
    return f"answers can't be shut in there: {reason}" if reason else ""


def protections() -> list[str]:
    """What is on, in words, for the report."""
    reason = why_not_boxed()
    always = "limits on CPU time, memory, processes, open files and file sizes; output is discarded"
    if reason:
        return [
            always,
            f"NO sandbox: {reason}. Answers can read what {_whoever()} can read, and use the net",
        ]
    return [
        always,
        "bubblewrap: no network, no view of solutions, submissions, the home or the referee",
        "each answer in process, file and user namespaces of its own, without any rights",
    ]


def refuse_root() -> None:
    """ValueError if answers would run as root, with all its rights and no walls around them."""
    if why_not_boxed() and os.getuid() == 0 and not nobody_can_read():
        raise ValueError(
            f"answers would run as root without a sandbox ({why_not_boxed()}): make bubblewrap "
            "work, or grade as an ordinary user"
        )


def _whoever() -> str:
    return "the user nobody" if nobody_can_read() else "you"


def nobody_can_read() -> bool:
    """Whether a user without rights could still read the interpreter outside of bubblewrap."""
    folders = [Path(sys.base_prefix), Path(sysconfig.get_path("purelib"))]
    return all(
        parent.stat().st_mode & 0o005 == 0o005
        for folder in folders
        for parent in (folder, *folder.parents)
    )


def command(stage: Path, config: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """The command that starts a warm parent, and its environment."""
    interpreter = [os.path.realpath(sys.executable), "-s", "-S"]
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # sets in the same order, so that grading again gives the same
        "PYTHONDONTWRITEBYTECODE": "1",
        "RL_FIVE_GAMES_CACHE": "/tmp/cache",
        "NUMBA_CACHE_DIR": str(stage / "numba"),
        **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
        "NUMBA_NUM_THREADS": "1",
    }
    run = [*interpreter, str(stage / "worker" / "warm.py")]
    if not config["boxed"]:
        return run, environment
    shown = {str(stage / "lib"): str(LIB), str(stage / "worker"): "/worker"}
    shown[str(stage / "numba")] = environment["NUMBA_CACHE_DIR"] = "/numba"
    run[-1] = "/worker/warm.py"
    return [*_bubblewrap(_read_only(), shown), "--", *run], environment


def search_path(stage: Path, boxed: bool) -> list[str]:
    """Where a warm parent imports from: the staged course and the packages, no .pth files."""
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return [str(LIB.parent if boxed else stage), *sorted(packages)]


def _read_only() -> list[str]:
    """Folders that a worker sees where they are: the packages."""
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    inside = [sys.base_prefix] if Path(sys.base_prefix).is_relative_to(LIB.parent) else []
    return [*inside, *sorted(packages)]


def _bubblewrap(read_only: Sequence[str], shown: dict[str, str]) -> list[str]:
    """bubblewrap with the system, and then these folders, read only; the course's own hidden."""
    line = ["bwrap", "--die-with-parent", "--new-session", "--hostname", "worker"]
    line += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    line += ["--unshare-cgroup-try"]
    if os.getuid() != 0:  # root needs no user namespace, and must be able to become nobody
        line += ["--unshare-user", "--cap-add", "ALL", *_last_user_namespace()]
    for path in (*SYSTEM, sys.base_prefix):
        if os.path.islink(path):
            line += ["--symlink", os.readlink(path), path]
        else:
            line += [*_parents(path), "--ro-bind-try", path, path]
    line += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    line += [
        *_parents(str(LIB)),
        "--tmpfs",
        str(LIB.parent),
    ]  # wherever the course is, it is not to be seen
    for path in read_only:
        line += [*_parents(path), "--ro-bind-try", path, path]
    for source, target in shown.items():
        line += [*_parents(target), "--ro-bind", source, target]
    # These folders belong to an ordinary user who grades: what one worker left there, or took away,
    # the next would find, and import.
    line += [word for path in ("/dev", str(LIB.parent), "/") for word in ("--remount-ro", path)]
    return [*line, "--chdir", "/tmp"]


@functools.cache
def _last_user_namespace() -> list[str]:
    """bubblewrap's option against further user namespaces, from its version 0.8 on."""
    told = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, timeout=60).stdout
    return ["--disable-userns"] if "--disable-userns" in told else []


def _parents(path: str) -> list[str]:
    """Make the folders above a mount readable for all: bubblewrap would make them for root only."""
    above = [str(folder) for folder in reversed(Path(path).parents)][1:]
    return [word for folder in above for word in ("--perms", "0755", "--dir", folder)]
