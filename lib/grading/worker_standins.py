"""Stand-ins for what answers may name but don't need: boards, curves, checks. They do nothing.

Everything else of the course that a lesson does not list is not there to import. Also keeps numba
from writing what it compiled: a worker has no folder that outlives it.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any

INERT = ("lib.boards", "lib.plots", "lib.grading", "lib.grading.notebook", "IPython.display")


class Inert:
    """Takes any call, attribute, loop or `with`, and does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self) -> Any:
        return iter(())

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        return None


class InertModule(ModuleType):
    """A module in which every name is something inert."""

    __path__: list[str] = []  # noqa: RUF012  (what makes it a package)

    def __getattr__(self, name: str) -> Any:
        if (name.startswith("__") and name.endswith("__")) or self.__name__ == "lib.grading":
            raise AttributeError(f"{self.__name__}.{name} is not there when answers are graded")
        return Inert()


def check(name: str, *answers: Any) -> Any:
    """What a lesson's cells call: gives the answers back."""
    return answers[0] if len(answers) == 1 else answers


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the stand-ins, by their full names and no others."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name in INERT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return InertModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == "lib.grading.notebook":
            module.check = check  # type: ignore[attr-defined]


def install() -> None:
    """Put the stand-ins in front, and numba's cache to read only."""
    sys.meta_path.insert(0, Finder())


def numba_reads_only() -> None:
    """Let numba use what is compiled already, and keep what it compiles for itself."""
    from numba.core import caching

    caching._CacheLocator.ensure_cache_path = lambda self: None  # type: ignore[method-assign]
    caching.IndexDataCacheFile.save = lambda self, key, data: None  # type: ignore[method-assign]
