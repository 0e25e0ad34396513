"""What one would pick instead of this course: from PyPI, each in an environment of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import Effort, as_argument
from lib.cli import ROOT
from lib.cli.lock import locked
from lib.files import write_text

SCRIPTS = Path(__file__).parent / "peer_scripts"
FOLDER = ROOT / ".setup" / "peers"
PINNED_TORCH = "torch==2.13.0"  # first and alone: a bare `torch` draws gigabytes of CUDA
PEERS: dict[str, tuple[tuple[str, ...], ...]] = {  # what pip installs, one call after the other
    "open_spiel": (("open_spiel==2.0.2",),),
    "pgx": (("pgx==2.6.0",),),
    "jumanji": (("jumanji==1.1.2",),),
    "gymnasium-2048": (("gymnasium-2048==0.1.2",),),
    "stable-baselines3": ((PINNED_TORCH,), ("stable-baselines3==2.9.2",)),
    "otter-grader": (("otter-grader==7.0.0", "ipykernel==7.4.0"),),
}
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


class Missing(RuntimeError):
    """A peer that can't be installed or fails, with the end of what it said."""


def python_of(peer: str, packages: Sequence[Sequence[str]] | None = None) -> Path:
    """The Python of a peer's environment, which is made if it is not there; Missing if it can't."""
    wanted = [list(call) for call in packages or PEERS[peer]]
    folder = FOLDER / peer
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = folder / "installed.json"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with locked(FOLDER / f"{peer}.lock", lambda: None):
        if stamp.exists() and json.loads(stamp.read_text()) == wanted:
            return python
        if not python.exists():
            _run([sys.executable, "-m", "venv", "--without-pip", str(folder)], peer)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
        for call in wanted:
            _run([*pip, "install", *call], peer)
        write_text(stamp, json.dumps(wanted))
    return python


def ask(peer: str, script: str, effort: Effort, *words: str) -> dict[str, Any]:
    """What a script of `peer_scripts` tells when it runs in the peer's environment."""
    command = [str(python_of(peer)), str(SCRIPTS / script), as_argument(effort), *words]
    lines = _run(command, peer).strip().splitlines()
    return json.loads(lines[-1]) if lines else {}


def _run(command: list[str], peer: str) -> str:
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT)}
    answer = subprocess.run(command, capture_output=True, text=True, env=environment)
    if answer.returncode:
        said = (answer.stderr.strip() or answer.stdout.strip()).splitlines()
        raise Missing(f"{peer}: {' / '.join(line.strip() for line in said[-2:])[-300:]}")
    return answer.stdout
