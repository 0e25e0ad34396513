"""A lock between processes that the system lifts when its holder ends, however it ends."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def _taken(file: IO[bytes]) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks: go on, as if alone
            return True
        return True


@contextmanager
def locked(path: Path, waiting: Callable[[], None]) -> Iterator[IO[bytes]]:
    """Hold the lock on `path`; call `waiting` once if another process has it."""
    with path.open("a+b") as file:
        if not _taken(file):
            waiting()
            while not _taken(file):
                time.sleep(0.2)
        yield file
