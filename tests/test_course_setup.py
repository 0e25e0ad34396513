"""The set-up: made once, checked at every start, redone if it was interrupted; and its remedies."""

import json
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

from lib.cli import doctor, environment, probes
from lib.cli.environment import Environment, SetupFailed
from lib.cli.lock import locked
from lib.cli.probes import Finding


@dataclass(frozen=True)
class Pretended(Environment):
    """An environment whose venv and pip only write down that they were called."""

    did: list[str] = field(default_factory=list)
    pip: Callable[[IO[str]], None] = lambda log: None

    def _version(self) -> str:
        return "3.11" if self.folder.exists() else ""

    def _make(self, log: IO[str]) -> None:
        self.did.append("venv")
        self.folder.mkdir(exist_ok=True)

    def _run_pip(self, command: list[str], log: IO[str], lock: IO[bytes]) -> None:
        self.did.append("pip " + " ".join(part for part in command if part.endswith(".txt")))
        self.pip(log)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "requirements.txt").write_text("numpy==1\n", encoding="utf-8")
    (tmp_path / "requirements-dev.txt").write_text("ruff==1\n", encoding="utf-8")
    return tmp_path


MADE = ["venv", "pip requirements.txt"]


def broken(said: str) -> Callable[[IO[str]], None]:
    """A pip that says something and fails."""

    def pip(log: IO[str]) -> None:
        log.write(f"{said}\n")
        raise subprocess.CalledProcessError(1, "pip")

    return pip


def interrupted(log: IO[str]) -> None:
    raise KeyboardInterrupt


def test_made_once(root: Path) -> None:
    first = Pretended(root)
    assert not first.is_complete(tests=False)
    first.ensure(tests=False)
    assert first.did == MADE and first.is_complete(tests=False)
    assert not first.is_complete(tests=True)
    second = Pretended(root)
    second.ensure(tests=False)
    assert second.did == []


def test_changed_requirements_are_installed(root: Path) -> None:
    Pretended(root).ensure(tests=False)
    (root / "requirements.txt").write_text("numpy==2\n", encoding="utf-8")
    again = Pretended(root)
    again.ensure(tests=False)
    assert again.did == ["pip requirements.txt"] and again.is_complete(tests=False)


def test_tests_need_more_and_keep_it(root: Path) -> None:
    Pretended(root).ensure(tests=False)
    for_tests = Pretended(root)
    for_tests.ensure(tests=True)
    assert for_tests.did == ["pip requirements.txt requirements-dev.txt"]
    assert for_tests.is_complete(tests=True) and for_tests.is_complete(tests=False)
    (root / "requirements-dev.txt").write_text("ruff==2\n", encoding="utf-8")
    lab = Pretended(root)
    lab.ensure(tests=False)
    assert lab.did == [], "the lessons don't care"
    (root / "requirements.txt").write_text("numpy==2\n", encoding="utf-8")
    lab.ensure(tests=False)
    assert lab.did == ["pip requirements.txt requirements-dev.txt"]


@pytest.mark.parametrize("complete_before", [False, True])
def test_interrupted_set_up_is_redone(root: Path, complete_before: bool) -> None:
    if complete_before:
        Pretended(root).ensure(tests=False)
        (root / "requirements.txt").write_text("numpy==2\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        Pretended(root, pip=interrupted).ensure(tests=False)
    assert Pretended(root).made_from() == {}, "half of a .venv is none"
    again = Pretended(root)
    again.ensure(tests=False)
    assert again.did == MADE and again.is_complete(tests=False)


def test_failed_update_leaves_what_worked(root: Path) -> None:
    Pretended(root).ensure(tests=False)
    old = Pretended(root).made_from()
    (root / "requirements.txt").write_text("numpy==2\n", encoding="utf-8")
    with pytest.raises(SetupFailed, match="connect to the internet"):
        Pretended(root, pip=broken("NewConnectionError")).ensure(tests=False)
    assert Pretended(root).made_from() == old


def change_stamp(key: str, value: str) -> Callable[[Environment], None]:
    def change(made: Environment) -> None:
        stamp = json.loads(made.stamp.read_text(encoding="utf-8")) | {key: value}
        made.stamp.write_text(json.dumps(stamp), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    "spoil",
    [
        lambda made: made.stamp.unlink(),
        lambda made: made.stamp.write_text("{", encoding="utf-8"),
        lambda made: made.stamp.write_text("[]", encoding="utf-8"),
        change_stamp("folder", "elsewhere"),  # the course was moved, and .venv has absolute paths
        change_stamp("python", "3.10"),  # the system's Python was replaced under the .venv
    ],
    ids=["no stamp", "half a stamp", "another stamp", "moved", "another Python"],
)
def test_spoilt_environment_is_made_again(root: Path, spoil: Callable[[Environment], None]) -> None:
    made = Pretended(root)
    made.ensure(tests=False)
    spoil(made)
    again = Pretended(root)
    again.ensure(tests=False)
    assert again.did == MADE and again.is_complete(tests=False)


def test_two_set_ups_at_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second waits for the first and finds everything done."""
    busy, go_on = threading.Event(), threading.Event()

    def slowly(log: IO[str]) -> None:
        busy.set()
        assert go_on.wait(20)

    first, second = Pretended(root, pip=slowly), Pretended(root)
    threads = [threading.Thread(target=each.ensure, args=(False,)) for each in (first, second)]
    threads[0].start()
    assert busy.wait(20)
    threads[1].start()
    time.sleep(0.3)
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert first.did == MADE and second.did == []
    assert "Another set-up of this course is under way" in capsys.readouterr().out


def test_lock_is_free_after_its_holder(tmp_path: Path) -> None:
    waited: list[int] = []
    for _ in range(2):
        with locked(tmp_path / "lock", lambda: waited.append(1)):
            pass
    assert waited == []


LOGS = {
    "space": "ERROR: Could not install: [Errno 28] No space left on device",
    "network": "WARNING: Retrying after connection broken by NewConnectionError: name resolution",
    "certificates": "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))",
    "download": "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
    "venv module": "The virtual environment was not created because ensurepip is not available.",
    "permission": "ERROR: [WinError 5] Access is denied: 'python.exe'",
    "memory": "MemoryError",
    "packages": "ERROR: No matching distribution found for torch==2.13.0",
}


@pytest.mark.parametrize("cause", LOGS)
def test_what_pip_said_is_explained(root: Path, cause: str) -> None:
    with pytest.raises(SetupFailed) as failure:
        Pretended(root, pip=broken(LOGS[cause])).ensure(tests=False)
    said = str(failure.value)
    assert f"- {cause}: " in said and "remedy: " in said and "doctor" in said
    assert str(root / ".setup" / "log.txt") in said


def test_the_cause_is_named_without_what_follows_from_it(root: Path) -> None:
    said = f"{LOGS['network']}\n{LOGS['packages']}"
    with pytest.raises(SetupFailed, match="connect to the internet") as failure:
        Pretended(root, pip=broken(said)).ensure(tests=False)
    assert str(failure.value).count("remedy: ") == 1


def test_what_nobody_foresaw_is_quoted(root: Path) -> None:
    with pytest.raises(SetupFailed, match=r"\| the moon is in the way"):
        Pretended(root, pip=broken("the moon is in the way")).ensure(tests=False)


def test_missing_requirements(tmp_path: Path) -> None:
    with pytest.raises(SetupFailed, match=r"requirements.txt can't be read .* fetch the course"):
        Environment(tmp_path).ensure(tests=False)


TROUBLES: dict[str, tuple[str, Any, str]] = {
    "Python": ("lib.cli.probes.PYTHONS", ((3, 98), (3, 99)), "use CPython 3.98 or 3.99"),
    "venv module": ("importlib.util.find_spec", lambda name: None, "python3.*-venv"),
    "space": ("shutil.disk_usage", lambda path: SimpleNamespace(free=4e8), "free some space"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_is_refused_with_its_remedy(
    root: Path, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, value, remedy = TROUBLES[trouble]
    monkeypatch.setattr(target, value)
    with pytest.raises(SetupFailed, match=rf"(?s)can't be set up here:\n- {trouble}: .*{remedy}"):
        Environment(root).ensure(tests=False)
    assert not (root / ".venv").exists()


def test_unwritable_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(dir: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(SetupFailed, match="move the course to a folder of your own"):
        Environment(root).ensure(tests=False)


def answering(code: int, said: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A pip that exists, and answers a download like this."""

    def run(command: list[Any], **options: Any) -> subprocess.CompletedProcess[str]:
        download = "download" in command
        return subprocess.CompletedProcess(command, code if download else 0, "", said)

    return run


@pytest.mark.parametrize(
    ("code", "said", "fine", "remedy"),
    [
        (0, "", True, ""),
        (1, "getaddrinfo failed", False, "connect to the internet"),
        (1, "CERTIFICATE_VERIFY_FAILED", False, "clock"),
        (1, "?", False, "proxy"),
    ],
)
def test_network(
    code: int, said: str, fine: bool, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", answering(code, said))
    finding = probes.network(Path(sys.executable))
    assert finding.fine == fine and remedy in finding.remedy


def test_windows_keeps_its_programs_elsewhere(tmp_path: Path) -> None:
    there = Environment(tmp_path, windows=True).python
    assert there == tmp_path / ".venv" / "Scripts" / "python.exe"
    assert Environment(tmp_path, windows=False).python == tmp_path / ".venv" / "bin" / "python"


def test_doctor_lists_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [
        Finding("folder", True, "can be written"),
        Finding("space", False, "0.1 GB free", "free some space"),
        Finding("chromium", False, "none", "install it", needed=False),
    ]
    monkeypatch.setattr(doctor, "examine", lambda environment: found)
    assert doctor.run(None) == 1  # type: ignore[arg-type]
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "ok      folder          can be written"
    assert shown[1].startswith("missing space") and "remedy: free some space" in shown[2]
    assert shown[3].startswith("absent  chromium") and shown[-1] == "Not ready: space."
    found[1] = Finding("space", True, "9 GB free")
    assert doctor.run(None) == 0  # type: ignore[arg-type]
    assert capsys.readouterr().out.endswith("The lessons can run.\n")
    found[1] = Finding(".venv", False, "not made yet", "`course.py lab` makes it")
    assert doctor.run(None) == 1  # type: ignore[arg-type]
    assert "All that the set-up needs is here" in capsys.readouterr().out


def test_doctor_before_and_after_a_set_up(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "network", lambda python: Finding("network", True, "pretended"))
    names = [finding.name for finding in doctor.examine(Pretended(root))]
    assert {"folder", "Python", "venv module", "space", "network", ".venv"} <= set(names)
    Pretended(root).ensure(tests=False)
    monkeypatch.setattr(doctor, "installed", lambda python, names: dict.fromkeys(names, "1+cpu"))
    after = {finding.name: finding for finding in doctor.examine(Pretended(root))}
    assert "network" not in after and after[".venv"].fine and after["packages"].fine
    monkeypatch.setattr(doctor, "installed", lambda python, names: dict.fromkeys(names))
    after = {finding.name: finding for finding in doctor.examine(Pretended(root))}
    assert not after["packages"].fine and "numpy missing instead of 1" in after["packages"].seen
    assert "delete the folder .venv" in after["packages"].remedy


def test_pins_of_a_requirements_file() -> None:
    text = "# torch==1\ntorch==2.13.0\n-e .\nscikit-x==0.1\n"
    assert doctor.pins(text) == {"torch": "2.13.0", "scikit-x": "0.1"}


def test_progress_of_pip(capsys: pytest.CaptureFixture[str]) -> None:
    environment.show("Collecting numpy")
    environment.show("Installing collected packages: numpy, torch")
    assert capsys.readouterr().out == "  Installing collected packages: numpy, torch ...\n"


def tiny_wheel(folder: Path) -> Path:
    """A package of one line, made by hand."""
    path, info = folder / "tiny-1.0-py3-none-any.whl", "tiny-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("tiny.py", "answer = 42\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", f"tiny.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n")
    return path


@pytest.mark.slow
def test_real_set_up(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(probes, "SPACE", 0.1)
    wheel = tiny_wheel(root)
    (root / "requirements.txt").write_text(f"./{wheel.name}\n", encoding="utf-8")
    made = Environment(root)
    made.ensure(tests=False)
    asked = [str(made.python), "-c", "import tiny; print(tiny.answer)"]
    assert subprocess.run(asked, capture_output=True, text=True).stdout == "42\n"
    assert made.is_complete(tests=False) and "tiny" in made.log.read_text(encoding="utf-8")
    made.stamp.unlink()
    made.ensure(tests=False)
    assert "was moved, or its set-up did not finish" in capsys.readouterr().out
    (root / "requirements.txt").write_text("./absent-1.0-py3-none-any.whl\n", encoding="utf-8")
    stopped = r"(?s)The set-up stopped while installing the packages.*absent-1\.0-py3-none-any"
    with pytest.raises(SetupFailed, match=stopped):
        made.ensure(tests=False)
    assert made.made_from(), "the old one still works"
