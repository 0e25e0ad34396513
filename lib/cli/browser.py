"""JupyterLab in a browser, driven by a program: for the gallery's pictures and the browser tests.

Server and browser have settings of their own, so that nobody's own Jupyter is touched.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from lib.cli import PROMPT

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NEWS = "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
READY = """async () => {
  const app = window.jupyterapp;
  await app.restored;
  const panel = app.shell.currentWidget;
  await panel.context.ready;
  await panel.context.sessionContext.ready;
  await panel.context.sessionContext.session.kernel.info;
  return panel.context.path;
}"""
RAN = """() => {
  const cells = window.jupyterapp.shell.currentWidget.content.widgets
    .filter((cell) => cell.model.type === "code").map((cell) => cell.model);
  const outputs = cells.flatMap((cell) => cell.outputs.toJSON());
  const error = outputs.find((output) => output.output_type === "error");
  if (error) return `${error.ename}: ${error.evalue}`;
  return cells.every((cell) => cell.executionCount != null) ? "done" : "";
}"""


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def notebook(*cells: str) -> dict[str, Any]:
    """A notebook of code cells."""
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{place}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": source,
        }
        for place, source in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": made}


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ask a process to end; one that does not within a minute is ended."""
    process.terminate()
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Server:
    """A Jupyter server of its own in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder / "work", free_port()
        self.folder.mkdir(parents=True)
        private = {
            name: str(folder / name.lower())
            for name in (
                "JUPYTER_CONFIG_DIR",
                "JUPYTER_DATA_DIR",
                "JUPYTERLAB_SETTINGS_DIR",
                "JUPYTERLAB_WORKSPACES_DIR",
                "JUPYTER_RUNTIME_DIR",
                "IPYTHONDIR",
            )
        }
        settings = Path(private["JUPYTERLAB_SETTINGS_DIR"]) / NEWS
        settings.parent.mkdir(parents=True)
        settings.write_text('{"fetchNews": "false"}')  # its question would cover a board
        self.log = (folder / "server.log").open("w")
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                *("--expose-app-in-browser", f"--port={self.port}", "--ip=127.0.0.1"),
                "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
                f"--ServerApp.kernel_websocket_connection_class={PROMPT}",
                *("--ServerApp.port_retries=0", "--IdentityProvider.token="),
                *("--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={self.folder}"),
            ],
            env={**os.environ, **private, "OMP_NUM_THREADS": "1"},
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.url = f"http://127.0.0.1:{self.port}"
        self.wait()

    def wait(self, seconds: float = 90) -> None:
        """Until the server answers."""
        end = time.monotonic() + seconds
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/api/status", timeout=5).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.stop()  # one that is too slow would stay
                    raise RuntimeError(Path(self.log.name).read_text()) from None
                time.sleep(0.3)

    def stop(self) -> None:
        """End the server and its kernels."""
        end(self.process)
        self.log.close()


class Lab:
    """Notebooks in JupyterLab in a browser."""

    def __init__(self, server: Server, browser: Any) -> None:
        self.server, self.browser = server, browser

    def open(self, name: str, *, dark: bool = False, scale: float = 1) -> Any:
        """A page that shows a notebook, its kernel ready."""
        scheme = "dark" if dark else "light"
        context = self.browser.new_context(
            viewport={"width": 1100, "height": 1000},
            device_scale_factor=scale,
            reduced_motion="reduce",
            color_scheme=scheme,
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.goto(f"{self.server.url}/lab/workspaces/{name}-{scheme}/tree/{name}.ipynb?reset")
        page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context")
        page.evaluate(READY)
        if dark:
            theme = "JupyterLab Dark"
            command = (
                "([theme]) => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
            )
            page.evaluate(command, [theme])
            page.wait_for_selector('body[data-jp-theme-light="false"]', state="attached")
        return page

    def run(
        self, name: str, *cells: str, dark: bool = False, scale: float = 1, wait: bool = True
    ) -> Any:
        """Write a notebook, open it and run all its cells."""
        path = self.server.folder / f"{name}.ipynb"
        path.write_text(json.dumps(notebook(*cells)))
        page = self.open(name, dark=dark, scale=scale)
        page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
        if wait:
            said = page.wait_for_function(RAN).json_value()
            if said != "done":
                raise RuntimeError(f"a cell of {name}.ipynb failed: {said}")
        return page

    def close(self, page: Any) -> None:
        """End the page's kernel and the page."""
        page.evaluate(
            "async () => { const c = window.jupyterapp.shell.currentWidget.context;"
            " await c.save(); await c.sessionContext.shutdown(); }"
        )
        page.context.close()
