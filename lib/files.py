"""Files that are whole or absent, and the one folder for what can be made again."""

import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


@functools.cache
def cache_folder() -> Path:
    """Folder for compiled code and exact solutions: $RL_FIVE_GAMES_CACHE, or the user's cache."""
    named = os.environ.get("RL_FIVE_GAMES_CACHE")
    base = Path(named) if named else Path.home() / ".cache" / "rl-in-five-games"
    try:
        base.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=base).close()
    except OSError:  # a read-only home: work on, and forget at the end
        base = Path(tempfile.mkdtemp(prefix="rl-in-five-games-"))
    return base


@functools.cache
def _umask() -> int:
    """What the user's files may not be; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_whole(path: str | Path, write: Callable[[BinaryIO], object]) -> Path:
    """Call `write(file)` on a neighbour of `path`, then put it in place in one step."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.chmod(name, 0o666 & ~_umask())  # mkstemp gives a file that only its owner may read
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def write_text(path: str | Path, text: str) -> Path:
    """Write `text` as UTF-8, whole or not at all."""
    return write_whole(path, lambda file: file.write(text.encode()))
