"""The warm parent: imports what a lesson's answers need, then forks a worker for each answer.

Started by exec with nothing of the course around it but a staged copy of what answers may import;
it stays single-threaded, holds no secret and never reads an answer: it forks guards (`guard.py`),
which fork the workers and end them in time.

    python warm.py '{"path": [...], "imports": ["numpy"], "modules": ["lib.games.tapnswap"]}'
"""

import contextlib
import gc
import importlib
import json
import os
import socket
import sys
import traceback
from typing import Any

import guard
import sandbox_inside


def main(config: dict[str, Any]) -> None:
    """Import, say so, and fork a guard for each socket that arrives."""
    control = socket.socket(fileno=os.dup(0))
    sandbox_inside.own_streams()  # whatever is printed goes nowhere and costs nothing
    sandbox_inside.own_keys()
    try:
        _prepare(config)
    except BaseException:
        control.sendall(b"!" + traceback.format_exc()[-4000:].encode())
        return
    control.sendall(b"+")
    while True:
        word, handles, _, _ = socket.recv_fds(control, 1, 1)
        if not word or not handles:
            return
        if os.fork() == 0:
            control.close()
            guard.serve(socket.socket(fileno=handles[0]), config["boxed"])
        os.close(handles[0])
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # so that what they used counts as this one's
                pass


def _prepare(config: dict[str, Any]) -> None:
    sys.path[:] = config["path"] + sys.path
    import worker  # noqa: F401  (every fork needs it)
    import worker_standins

    worker_standins.install()
    if "numba" in config["imports"]:
        worker_standins.numba_reads_only()
    for name in config["imports"]:
        importlib.import_module(name)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
        importlib.import_module("torch._dynamo")  # the first optimizer would: a second in each fork
    for name in config["modules"]:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # else the first collection in each fork would copy all of this


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
