"""`course.py lab` and the first cell: the server answers, with the course's kernel, and ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from lib.cli import lab

ROOT = Path(__file__).parents[2]


def test_a_taken_port_is_passed_over() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert lab.free_port(port) > port
        with pytest.raises(ValueError, match="are all taken"):
            lab.free_port(port, tries=1)


@pytest.mark.parametrize("port", [0, 65536, -1])
def test_a_port_that_cannot_be_is_named(port: int) -> None:
    with pytest.raises(ValueError, match=f"no port {port}: name one from 1 to 65535"):
        lab.free_port(port)


def test_the_address_is_the_start_page_where_there_is_one(tmp_path: Path) -> None:
    assert lab.address(tmp_path, 1, "t") == "http://127.0.0.1:1/lab?token=t"
    (tmp_path / lab.FIRST).touch()
    assert "/lab/tree/00_start_here.ipynb?" in lab.address(tmp_path, 1, "t")


def test_without_a_screen_the_address_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    lab.show("http://x/", browser=False)
    assert capsys.readouterr().out.startswith("Open this address in a browser:\n  http://x/")


def test_settings_are_added_beside_others(tmp_path: Path) -> None:
    for name in lab.SETTINGS:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text('{"mine": {"a": 1}}')
    lab.quiet_settings(tmp_path)
    for name, ours in lab.SETTINGS.items():
        assert json.loads((tmp_path / name).read_text()) == {"mine": {"a": 1}, **ours}


def test_a_server_that_ends_at_once_is_an_error() -> None:
    server = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(ValueError, match="ended at once"):
        lab.wait(server, lab.free_port(20000))


@pytest.mark.slow
def test_the_server_serves_work_and_ends(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "90_sample.ipynb").write_text("{}")
    port = lab.free_port(21000)
    server = lab.start(tmp_path / "work", port, "secret", tmp_path)
    try:
        lab.wait(server, port)
        url = f"http://127.0.0.1:{port}/api/contents?token=secret"
        listed = json.load(urllib.request.urlopen(url, timeout=60))
        assert [entry["name"] for entry in listed["content"]] == ["90_sample.ipynb"]
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/contents", timeout=60)
    finally:
        lab.stop(server)
    assert server.poll() is not None


@pytest.mark.slow
@pytest.mark.parametrize("by", ["Ctrl-C", "SIGTERM"])
def test_what_ends_the_command_ends_its_server(by: str, tmp_path: Path) -> None:
    """The whole command, on a course of its own folder with one lesson."""
    (tmp_path / "notebooks").mkdir()
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom lib.cli import lab, main\n"
    code += f"from pathlib import Path\nlab.ROOT = Path({str(tmp_path)!r})\n"
    code += "args = main.parse('lab', lab, ['--no-browser', '--port', '22000'])\n"
    code += "raise SystemExit(lab.run(args))\n"
    (tmp_path / "work").mkdir()
    command = [sys.executable, "-c", code]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, process_group=0, **pipes) as child:
        assert child.stdout is not None and child.stderr is not None
        assert child.stdout.readline().startswith("Open this address")
        port = int(child.stdout.readline().split(":")[2].partition("/")[0])
        if by == "Ctrl-C":  # which the terminal sends to all
            os.killpg(child.pid, signal.SIGINT)
        else:
            child.terminate()
        try:
            assert child.wait(timeout=60) == 0
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        assert "Warning" not in child.stderr.read()
    time.sleep(0.2)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_kernel_without_the_course_says_so(tmp_path: Path) -> None:
    first = (ROOT / "tests/grading/sample/90_sample.txt").read_text().split("# %%")[2]
    (tmp_path / "cell.py").write_text(first)
    command = [sys.executable, "-I", "-S", "cell.py"]  # -I -S: the installed course is not found
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 1 and "Start it with `python3 course.py lab`" in said.stderr
    assert "Traceback" not in said.stderr
