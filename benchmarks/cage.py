"""A cage for tools that run hostile notebooks with nothing around them, so that nothing is harmed.

bubblewrap with processes of its own, no network, the course read only and one folder to write in.
It stops what runs away and changes nothing else: limits are far above what a tool needs.
"""

import os
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

from benchmarks.graders import family
from lib.grading.sandbox import SYSTEM

USERS = 61_000, 4_000  # nobody else's, one for each cage: its processes are counted apart
SECONDS = 180  # by the clock
PROCESSES = 400  # and threads
MEMORY = 4 << 10  # MB of all processes together
LIMITS = {"--nproc": PROCESSES, "--as": MEMORY << 20, "--fsize": 512 << 20, "--core": 0}
PATHS = (*SYSTEM, "/etc/passwd", "/etc/group", "/etc/hosts", sys.base_prefix, sys.prefix)


def run(
    command: Sequence[str],
    place: Path,
    environment: dict[str, str],
    shown: dict[Path, Path],
    seconds: float = SECONDS,
) -> str:
    """Run a command in `place`, the one folder that it can write; why it was stopped, or "".

    `shown` says what else is to be read, and where.
    """
    line = [*_room(place, shown), "--", *_without_rights(place), *command]
    process = subprocess.Popen(
        line,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"HOME": "/tmp", "LANG": "C.UTF-8", **environment},
    )
    end = time.monotonic() + seconds
    try:
        while process.poll() is None:
            if time.monotonic() > end:
                return f"still ran after {seconds:g} s"
            if _megabytes(process.pid) > MEMORY:
                return f"more than {MEMORY:,} MB"
            time.sleep(0.2)
    finally:
        process.kill()  # and with it, its whole process table
        process.wait()
    return ""


def _room(place: Path, shown: dict[Path, Path]) -> list[str]:
    """bubblewrap with the system, Python and `shown` read only; `place` where it is."""
    line = ["bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net"]
    line += ["--unshare-ipc", "--unshare-uts", "--proc", "/proc", "--dev", "/dev"]
    line += ["--perms", "1777", "--size", str(1 << 30), "--tmpfs", "/tmp"]
    line += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if _root() else []
    for path in PATHS:
        if os.path.islink(path):
            line += ["--symlink", os.readlink(path), path]
        else:
            line += [*_above(path), "--ro-bind-try", path, path]
    for source, target in shown.items():
        line += [*_above(str(target)), "--ro-bind", str(source), str(target)]
    return [*line, *_above(str(place)), "--bind", str(place), str(place), "--chdir", str(place)]


def _above(path: str) -> list[str]:
    """The folders above a mount, readable for all."""
    above = [str(folder) for folder in reversed(Path(path).parents)][1:]
    return [word for folder in above for word in ("--perms", "0755", "--dir", folder)]


def _user(place: Path) -> int:
    """Whose a folder's cage is."""
    first, many = USERS
    return first + zlib.crc32(str(place).encode()) % many


def _without_rights(place: Path) -> list[str]:
    """As an ordinary user, with limits."""
    number = str(_user(place))
    user = ["setpriv", "--reuid", number, "--regid", number, "--clear-groups", "--no-new-privs"]
    limits = ["prlimit", *(f"{name}={value}" for name, value in LIMITS.items())]
    return [*(user if _root() else []), *limits]


def _root() -> bool:
    return os.getuid() == 0


def own(place: Path) -> None:
    """Let the caged user write in a folder."""
    place.chmod(0o755)
    if _root():
        user = _user(place)
        for folder, names, files in os.walk(place):
            for name in (".", *names, *files):
                os.chown(os.path.join(folder, name), user, user, follow_symlinks=False)


def _megabytes(pid: int) -> float:
    """What a process and all its descendants have in memory."""
    return (
        sum(int(fields[21]) for fields in family(pid).values()) * os.sysconf("SC_PAGESIZE") / 2**20
    )
