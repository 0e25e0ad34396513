"""Run a notebook from top to bottom in a kernel of its own, and say what it left behind."""

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from lib.grading import cells

WIDGET = "application/vnd.jupyter.widget-view+json"
PICTURES = ("image/svg+xml", "image/png", "text/html")


@dataclass
class Run:
    """An executed notebook: the checks' results and the seconds of each code cell."""

    notebook: NotebookNode
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)

    @property
    def points(self) -> float:
        """What the checks gave, added up."""
        return sum(float(row["points"]) for row in self.results.values())


def execute(notebook: NotebookNode, folder: Path, timeout: float = 900) -> Run:
    """Run all cells in `folder`; ValueError names the cell that raised. Progress is not touched."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    client = NotebookClient(
        notebook,
        timeout=timeout,
        startup_timeout=300,  # a busy machine starts a kernel slowly
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
    )
    with tempfile.TemporaryDirectory() as place:
        told = Path(place) / "results"
        try:
            environment = {**os.environ, **_environment(Path(place))}
            client.execute(env=environment, stderr=subprocess.DEVNULL)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise ValueError(f"the notebook does not run to its end.\n{error}") from None
        run = Run(notebook, read_results(told))
    _tidy(run)
    return run


def _environment(place: Path) -> dict[str, str]:
    """The kernel keeps its progress and its history to itself."""
    return {
        "RL_FIVE_GAMES_RESULTS": str(place / "results"),
        "RL_FIVE_GAMES_PROGRESS": str(place / "progress.json"),
        "RL_FIVE_GAMES_RAISE": "",
        "NBGRADER_EXECUTION": "",
        "IPYTHONDIR": str(place / "ipython"),
    }


def read_results(path: Path) -> dict[str, dict[str, Any]]:
    """The last result of each exercise that the checks told."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    return {row["exercise"]: row for row in map(json.loads, lines)}


def _tidy(run: Run) -> None:
    """Times go into the run, and a widget's picture stays where the widget will not."""
    for at, cell in enumerate(run.notebook.cells):
        timing = cell.metadata.pop("execution", {})
        begin, end = timing.get("iopub.execute_input"), timing.get("shell.execute_reply")
        if begin and end:
            took = datetime.fromisoformat(end) - datetime.fromisoformat(begin)
            run.seconds[at] = took.total_seconds()
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if WIDGET in data and any(kind in data for kind in PICTURES):
                del data[WIDGET]
        if "rl-still" in str(cell.get("outputs", ())):  # the board's picture stands beside it
            cell.outputs = [o for o in cell.outputs if WIDGET not in o.get("data", {})]
    run.notebook.metadata["language_info"] = {"name": "python"}
    run.notebook.metadata.pop("widgets", None)


def leftovers(notebook: NotebookNode) -> list[str]:
    """What an executed notebook must not hold: errors, stderr, paths of this machine, addresses."""
    found = []
    private = {str(Path.home()), str(Path(__file__).parents[2]), tempfile.gettempdir()} - {"/"}
    for at, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            text = json.dumps(output.get("data", output.get("text", "")), ensure_ascii=False)
            if output.output_type == "error":
                found.append(f"cell {at} raised {output.ename}: {output.evalue[:200]}")
            if output.get("name") == "stderr":
                found.append(f"cell {at} wrote to stderr: {text[:200]}")
            found += [f"cell {at} shows {path}" for path in private if f"{path}/" in text]
            found += [f"cell {at} shows an address: {a}" for a in re.findall(r"at 0x\w+", text)[:1]]
            if WIDGET in output.get("data", {}):
                found.append(f"cell {at} leaves a widget without a picture")
    return found


def shortfalls(run: Run) -> list[str]:
    """The exercises whose check did not give all points, each with the reason."""
    names = cells.by_role(run.notebook, "check")
    missing = [f"the check of {name} did not run" for name in names if name not in run.results]
    return missing + [
        f"{name}: {row['points']:g}/{row['out_of']:g} points. {row['message']}"
        for name, row in run.results.items()
        if not row["right"]
    ]
