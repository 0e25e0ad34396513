"""RL in Five Games: the engines, the truth about them, and the agents of the course."""

import os

from lib.files import cache_folder

# numba keeps what it compiled here; without a folder it may write to, `cache=True` would raise.
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder() / "numba"))
