"""What the machine has and lacks, each with the remedy: for `doctor`, and for a failed set-up."""

import importlib.util
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

COURSE = "py course.py" if os.name == "nt" else "python3 course.py"
PYTHONS = ((3, 11), (3, 12), (3, 13), (3, 14))  # those with wheels of torch 2.13.0 and numba 0.68.1
SPACE = 3  # GB; with the CUDA libraries that some Linux wheels of torch bring, more
AGAIN = f"then run `{COURSE} lab` again"


@dataclass(frozen=True)
class Finding:
    """One thing looked at: is it fine, what was seen, and what to do if not."""

    name: str
    fine: bool
    seen: str
    remedy: str = ""
    needed: bool = True  # False: the lessons work without it


def this_python() -> Finding:
    """Is this Python one that torch 2.13.0 has wheels for?"""
    version, system, machine = sys.version_info[:2], platform.system(), platform.machine()
    seen = f"Python {platform.python_version()}, {struct.calcsize('P') * 8} bit, {system} {machine}"
    remedy = ""
    if version not in PYTHONS or platform.python_implementation() != "CPython":
        remedy = f"use CPython {_listed(PYTHONS)}{_other_python()}"
    elif struct.calcsize("P") != 8:
        remedy = f"use a 64-bit Python {_listed(PYTHONS)}: torch has no 32-bit wheels"
    elif sysconfig.get_config_var("Py_GIL_DISABLED"):
        remedy = "use the ordinary build of Python, not the free-threaded one"
    elif system == "Darwin" and machine == "x86_64":
        remedy = "torch 2.13.0 has no wheels for Intel Macs: use another computer, or Linux in a VM"
    elif system == "Windows" and machine.upper() == "ARM64":
        remedy = "torch 2.13.0 has no wheels for ARM Windows: use a 64-bit x86 Python, or WSL"
    elif system == "Linux" and platform.libc_ver()[0] != "glibc":
        remedy = (
            "torch has wheels for glibc only: use Debian, Ubuntu, Fedora or the like, not Alpine"
        )
    return Finding("Python", not remedy, seen, remedy)


def _listed(versions: tuple[tuple[int, int], ...]) -> str:
    names = [f"{major}.{minor}" for major, minor in versions]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _other_python() -> str:
    for major, minor in reversed(PYTHONS):
        if shutil.which(f"python{major}.{minor}"):
            return f", which is here: `python{major}.{minor} course.py lab`"
    return " from python.org or your system's packages"


def venv_module() -> Finding:
    """Debian keeps `venv` in a package of its own."""
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    remedy = (
        f"`sudo apt install {package}` (Debian, Ubuntu), or reinstall Python with all its parts"
    )
    seen = f"no module {' and no module '.join(missing)}" if missing else "there"
    return Finding("venv module", not missing, seen, "" if not missing else f"{remedy}, {AGAIN}")


def folder(root: Path) -> Finding:
    """May we write into the folder of the course?"""
    try:
        tempfile.TemporaryFile(dir=root).close()
    except OSError as error:
        remedy = (
            "move the course to a folder of your own (not one that is synchronised or read-only)"
        )
        return Finding("folder", False, f"{root} can't be written: {error.strerror}", remedy)
    return Finding("folder", True, f"{root} can be written")


def space(root: Path) -> Finding:
    """Is there room for .venv?"""
    free = shutil.disk_usage(root).free / 1e9
    remedy = f"free some space: the course needs {SPACE} GB, more where torch comes with CUDA"
    return Finding("space", free >= SPACE, f"{free:.1f} GB free", "" if free >= SPACE else remedy)


def network(python: Path, requirement: str = "tqdm") -> Finding:
    """Can pip fetch a small package from wherever it is told to look?"""
    with tempfile.TemporaryDirectory() as place:
        if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode:
            # No pip yet (Debian's own Python): one in a throw-away environment will do.
            subprocess.run([sys.executable, "-m", "venv", f"{place}/venv"], capture_output=True)
            python = program(Path(place) / "venv", "python")
        fetch = ["download", "--no-deps", "--no-cache-dir", "--timeout", "10", "--retries", "1"]
        try:
            answer = subprocess.run(
                [python, "-m", "pip", *fetch, "--dest", place, requirement],
                capture_output=True,
                text=True,
            )
        except OSError:
            return Finding("network", False, "not tried: there is no pip", "see above")
    if answer.returncode == 0:
        return Finding("network", True, "pip can fetch packages")
    causes = explain(answer.stdout + answer.stderr)
    remedy = causes[0].remedy if causes else "connect to the internet, or set up pip's proxy"
    return Finding("network", False, "pip can't fetch packages", remedy)


def program(environment: Path, name: str, windows: bool = os.name == "nt") -> Path:
    """Where a virtual environment keeps a program: bin/python, or Scripts/python.exe."""
    return environment / "Scripts" / f"{name}.exe" if windows else environment / "bin" / name


def chromium_path() -> str | None:
    """A Chromium, Chrome or Edge on this machine."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    for name in (*names, "microsoft-edge", "msedge"):
        if found := shutil.which(name):
            return found
    apps = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]
    apps.append("/Applications/Chromium.app/Contents/MacOS/Chromium")
    for folder_ in filter(None, map(os.environ.get, ("PROGRAMFILES", "PROGRAMFILES(X86)"))):
        apps.append(os.path.join(folder_, "Google", "Chrome", "Application", "chrome.exe"))
        apps.append(os.path.join(folder_, "Microsoft", "Edge", "Application", "msedge.exe"))
    return next((app for app in apps if os.path.exists(app)), None)


def chromium() -> Finding:
    """The browser tests drive a Chromium; the lessons open in any browser."""
    found = chromium_path()
    remedy = "install Chromium or Chrome (Debian: `sudo apt install chromium`)"
    return Finding("chromium", bool(found), found or "none", "" if found else remedy, needed=False)


def bubblewrap() -> Finding:
    """Graders lock submissions in with bubblewrap, where there is one (Linux)."""
    found = shutil.which("bwrap")
    if not found and platform.system() != "Linux":
        return Finding("bubblewrap", True, "exists on Linux only: graders use other limits here")
    remedy = "`sudo apt install bubblewrap`"
    return Finding("bubblewrap", bool(found), found or "none", "" if found else remedy, False)


_CAUSES = (
    ("space", r"No space left|Errno 28|WinError 112|not enough (disk )?space",
     "free some space on the disk (and in the folder for temporary files, see TMPDIR)"),
    ("certificates", r"CERTIFICATE_VERIFY_FAILED|SSLError|SSLCertVerificationError",
     "check the computer's clock; behind a company's proxy, tell pip its certificate (PIP_CERT)"),
    ("network", r"name resolution|getaddrinfo failed|nodename nor servname|NewConnectionError"
     r"|Network is unreachable|ConnectTimeout|Read timed out|ProxyError|Connection(Reset|Refused)"
     r"|ConnectionError|Remote end closed",
     "connect to the internet (behind a proxy, set HTTPS_PROXY)"),
    ("download", r"DO NOT MATCH THE HASHES|BadZipFile|IncompleteRead|Connection broken:"
     r"|zlib\.error",
     "a download arrived damaged: try once more, or empty pip's cache with `pip cache purge`"),
    ("venv module", r"ensurepip is not available|No module named '?(ensurepip|venv)",
     "install Python's venv module (Debian, Ubuntu: `sudo apt install python3-venv`)"),
    ("long paths", r"WinError 206|path .*too long|File name too long",
     "move the course to a folder with a short name, such as C:\\course"),
    ("memory", r"MemoryError|Cannot allocate memory|Killed",
     "close other programs: pip ran out of memory"),
    ("permission", r"Permission denied|Access is denied|WinError (5|32)\b|PermissionError",
     "close JupyterLab and other programs that use .venv; the folder must be your own"),
    ("packages", r"No matching distribution found for (?P<what>\S+)",
     f"use CPython {_listed(PYTHONS)}: other Pythons have no such package"),
)  # fmt: skip


def explain(log: str) -> list[Finding]:
    """The likely cause of a failure, from what pip or venv wrote; the first is the likeliest."""
    causes = []
    for name, pattern, remedy in _CAUSES:
        if match := re.search(pattern, log, re.IGNORECASE):
            causes.append(Finding(name, False, match[0].strip(), remedy))
    # Pip ends with "No matching distribution" whatever kept it from looking.
    return [cause for cause in causes if cause.name != "packages"] or causes
