"""Opens the lessons in JupyterLab; the first time it sets everything up.

Your own copies are in work/: they are never overwritten, and after an update of the course your
answers are carried into the new version. Without a screen it prints the address to open.
"""

import argparse
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import webbrowser
from pathlib import Path
from typing import Any

from lib.cli import PROMPT, ROOT

FIRST = "00_start_here.ipynb"
PATIENCE = 120  # seconds until a server must answer
SETTINGS: dict[str, dict[str, Any]] = {  # by file of the .venv
    # no question about news before the first page, no look at the network
    "share/jupyter/lab/settings/overrides.json": {
        "@jupyterlab/apputils-extension:notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        }
    },
    # no warning that a kernel of this machine is talked to without encryption
    "etc/ipython/ipython_kernel_config.json": {"IPKernelApp": {"log_level": "ERROR"}},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--no-browser, --port."""
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--port", type=int, default=8888, help="the first port to try [8888]")


def run(args: argparse.Namespace) -> int:
    """Bring work/ up to date and serve it until Ctrl-C."""
    from lib.grading.handout import hand_out

    work = ROOT / "work"
    for line in hand_out(ROOT / "notebooks", work):
        print(line)
    quiet_settings(Path(sys.prefix))
    port, token = free_port(args.port), secrets.token_hex(24)
    with tempfile.TemporaryDirectory(prefix="lab-") as private:
        server = start(work, port, token, Path(private))
        return attend(server, port, address(work, port, token), not args.no_browser)


def attend(server: "subprocess.Popen[bytes]", port: int, url: str, browser: bool = True) -> int:
    """Show what a server serves, and end it with this process."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # else the server would stay
    try:
        wait(server, port)
        show(url, browser=browser and has_screen())
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        stop(server)


def free_port(first: int, tries: int = 100) -> int:
    """The first port from `first` on that nobody listens at."""
    if not 1 <= first <= 65535:
        raise ValueError(f"there is no port {first}: name one from 1 to 65535, such as 8888")
    for port in range(first, min(first + tries, 65536)):
        with socket.socket() as probe:
            if os.name != "nt":  # a server that ended a moment ago does not block its port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ValueError(f"ports {first} to {first + tries - 1} are all taken: name another by --port")


def start(work: Path, port: int, token: str, private: Path) -> "subprocess.Popen[bytes]":
    """JupyterLab in `work`, with the kernel of this .venv; the token goes by a private file."""
    settings = private / "lab.json"
    ours = {
        "IdentityProvider": {"token": token},
        "ServerApp": {"jpserver_extensions": {"notebook_shim": False}},  # for the classic notebook
    }
    settings.write_text(json.dumps(ours), encoding="utf-8")
    options = [f"--config={settings}"]
    options += [f"--ServerApp.root_dir={work}", f"--port={port}", "--ServerApp.port_retries=0"]
    options += [f"--ServerApp.kernel_websocket_connection_class={PROMPT}"]
    options += ["--no-browser", "-y", "--ServerApp.ip=127.0.0.1"]
    options += ["--log-level=ERROR", "--LabApp.log_level=ERROR"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # a container; it listens to this machine only
        options.append("--allow-root")
    command = [sys.executable, "-W", "ignore", "-m", "jupyterlab", *options]
    environment = {**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"}
    return subprocess.Popen(command, cwd=work, env=environment)


def wait(server: "subprocess.Popen[bytes]", port: int) -> None:
    """Return once the server answers; ValueError if it ended or never does."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if server.poll() is not None:
            raise ValueError(f"the server ended at once (code {server.returncode}): see above")
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise ValueError(f"the server did not answer within {PATIENCE} s: try again")


def address(work: Path, port: int, token: str) -> str:
    """Where the start page is."""
    page = f"/lab/tree/{FIRST}" if (work / FIRST).exists() else "/lab"
    return f"http://127.0.0.1:{port}{page}?token={token}"


def show(url: str, browser: bool) -> None:
    """Print the address, and open it where there is a screen."""
    opened = browser and webbrowser.open(url)
    print("Open in the browser:" if opened else "Open this address in a browser:")
    print(f"  {url}\nStop with Ctrl-C.", flush=True)


def has_screen() -> bool:
    """Whether a browser could show itself here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def stop(server: "subprocess.Popen[bytes]") -> None:
    """End the server, gently first."""
    if server.poll() is None:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def quiet_settings(prefix: Path) -> None:
    """Put our defaults into the .venv, beside what may be there already."""
    from lib.files import write_text

    for name, ours in SETTINGS.items():
        path = prefix / name
        try:
            there = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            if not ours.items() <= there.items():
                write_text(path, json.dumps({**there, **ours}, indent=1) + "\n")
        except (OSError, ValueError):  # a question too many does no harm
            continue
