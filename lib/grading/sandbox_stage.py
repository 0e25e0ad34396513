"""What of the course a worker holds: the modules that answers may import, and what these need."""

import ast
import contextlib
import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

LIB = Path(__file__).resolve().parents[1]
STAGE = "rl-five-games-stage-"
LINUX = sys.platform.startswith("linux")
NEVER = ("lib.truth", "lib.weights", "lib.grading", "lib.cli")  # not in any worker
WORKER = (
    "warm",
    "guard",
    "worker",
    "worker_cells",
    "worker_standins",
    "sandbox_inside",
    "explain",
    "packing",
    "session",
    "wire",
)


def stage(modules: Sequence[str], hidden: Sequence[str] = (), boxed: bool = True) -> Path:
    """A new folder with what a worker holds: its own files, and of `lib` only what is allowed."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"{STAGE}{os.getpid()}-"))
    for part in ("worker", "numba"):
        (folder / part).mkdir()
    for name in WORKER:
        shutil.copy2(LIB / "grading" / f"{name}.py", folder / "worker")
    for name in sorted(allowed(modules, hidden)):
        source = module_file(name)
        target = folder / "lib" / source.relative_to(LIB)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        seen = LIB / source.relative_to(LIB) if boxed else target
        for cached in compiled([name]).get(name, []):
            (folder / "numba" / _numba_name(seen.parent)).mkdir(exist_ok=True)
            shutil.copy2(cached, folder / "numba" / _numba_name(seen.parent))
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def _sweep() -> None:
    """Remove the stages of graders that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{STAGE}*"):
        owner = folder.name.removeprefix(STAGE).partition("-")[0]
        with contextlib.suppress(OSError):
            if owner.isdigit() and not os.path.exists(f"/proc/{owner}") and LINUX:
                shutil.rmtree(folder, ignore_errors=True)


def allowed(modules: Sequence[str], hidden: Sequence[str] = ()) -> set[str]:
    """The modules of lib that these need, themselves included; not one that needs a hidden one."""
    found = set(_family("lib"))
    for module in modules:
        family = _family(module)
        if bad := sorted(name for name in family if _under(name, NEVER)):
            raise ValueError(
                f"{module} imports {bad[0]}, which no answer may see: import it inside the "
                "functions that need it, or take the module out of the lesson's `modules`"
            )
        if not any(_under(name, hidden) for name in family):
            found |= family
    return found


def _under(name: str, prefixes: Sequence[str]) -> bool:
    return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)


@functools.cache
def _family(module: str) -> frozenset[str]:
    """A module, the packages it is in, and all that they import of lib when they are loaded."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        waiting += [name.rpartition(".")[0]] if "." in name else []
        waiting += _imports(module_file(name))
    return frozenset(found)


def module_file(name: str) -> Path:
    """The file of a module of lib; ValueError if there is none."""
    base = LIB.parent.joinpath(*name.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    raise ValueError(f"there is no module {name} in {LIB}: correct the lesson's `modules`")


def _imports(path: Path) -> Iterator[str]:
    """The modules of lib that a file imports when it is loaded, not inside its functions."""
    for node in _loaded(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _under(alias.name, ("lib",)))
        elif isinstance(node, ast.ImportFrom) and _under(node.module or "", ("lib",)):
            yield node.module or ""
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if LIB.parent.joinpath(*inner.split(".")).with_suffix(".py").is_file():
                    yield inner


def _loaded(node: ast.AST) -> Iterator[ast.AST]:
    """All statements that run when a file is loaded."""
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield inner
            if not (isinstance(inner, ast.If) and "TYPE_CHECKING" in ast.dump(inner.test)):
                yield from _loaded(inner)


def compiled(modules: Iterable[str]) -> dict[str, list[Path]]:
    """What numba has compiled of those modules that use it, by module."""
    from lib.files import cache_folder

    cache = Path(os.environ.get("NUMBA_CACHE_DIR") or cache_folder() / "numba")
    files = {name: module_file(name) for name in modules}
    return {
        name: sorted((cache / _numba_name(path.parent)).glob(f"{path.stem}.*"))
        for name, path in files.items()
        if "from numba import" in path.read_text(encoding="utf-8")
    }


def _numba_name(folder: Path) -> str:
    """The name under which numba keeps what it compiled of a folder's files."""
    digest = hashlib.sha1(str(folder).encode(), usedforsecurity=False).hexdigest()
    return f"{folder.name}_{digest}"
