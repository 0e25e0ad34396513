"""From the cells of a notebook to a namespace: runs what the answer needs, statement by statement.

A student's notebook also trains, plots and tries things out. Of all that only what the answer
depends on is run: from the names that are asked for, back to the statements that bind or change
them, and to those that these use. If that leaves a name unbound, everything is run.
The course's own cells are the same in every program: `study` reads and compiles them beforehand,
and every fork finds them ready. Stands alone: it is part of a worker.
"""

import __future__

import ast
import contextlib
import functools
import linecache
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, ModuleType
from typing import Any

try:
    import session
    from worker_standins import Inert
except ImportError:
    from lib.grading import session
    from lib.grading.worker_standins import Inert

FOREIGN = re.compile(r"\s*%%(?!time|timeit|capture|prun)\w+")  # a cell in another language
MAGIC = re.compile(r"^(\s*)(%|!|\?).*$|^(\s*)[\w.]+\?+\s*$", re.MULTILINE)
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass
class Statement:
    """One statement at the top of a cell: what it binds or changes, and what it reads."""

    node: ast.stmt
    kind: str  # "course": ours; "own": the student's; "answer": the answer itself
    file: str
    binds: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    star: bool = False  # binds who knows what

    @functools.cached_property
    def code(self) -> CodeType:
        """It compiled, where no import from the future changes what it means."""
        return self.compiled(0)

    def compiled(self, flags: int) -> CodeType:
        """It compiled."""
        tree = ast.Module([self.node], [])
        return compile(tree, self.file, "exec", flags, dont_inherit=True)

    @property
    def harmless(self) -> bool:
        """Whether it is ours and costs nothing, so that it is run in any case."""
        if self.kind != "course":
            return False
        if isinstance(self.node, ast.Import | ast.ImportFrom):
            return all(name in sys.modules for name in imported(self.node))
        if isinstance(self.node, ast.Assign | ast.AnnAssign):
            return not any(isinstance(part, ast.Call) for part in ast.walk(self.node))
        return isinstance(self.node, ast.FunctionDef | ast.ClassDef)


def run(program: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The namespace that the cells leave behind, and a report: which names are missing, and why."""
    runner = Runner(program)
    names = program["names"]
    with contextlib.suppress(session.TooLong), session.guard(program["seconds"]):
        runner.run(needed({name.partition(".")[0] for name in names}, runner.statements))
        if runner.missing(names):
            runner.run(range(len(runner.statements)))
    missing = runner.missing(names)
    report = {"missing": missing, "error": runner.trouble(missing)}
    return runner.namespace, report


def needed(names: set[str], statements: Sequence[Statement]) -> list[int]:
    """Where the statements are on which these names depend, and ours that cost nothing."""
    chosen: set[int] = set()
    wanted, grown = set(names), True
    while grown:
        grown = False
        for at, statement in enumerate(statements):
            if at not in chosen and (statement.star or statement.binds & wanted):
                chosen.add(at)
                wanted |= statement.reads
                grown = True
    return [at for at, s in enumerate(statements) if at in chosen or s.harmless]


class Runner:
    """Runs statements in the order of the notebook, and remembers the first error of each cell."""

    def __init__(self, program: dict[str, Any]) -> None:
        module = ModuleType("__main__")
        sys.modules["__main__"] = module
        self.namespace = module.__dict__
        self.namespace.update(__builtins__=__builtins__, get_ipython=Inert(), display=Inert())
        self.cells: list[dict[str, Any]] = program["cells"]
        self.errors: dict[int, dict[str, Any]] = {}
        self.flags = 0
        self.statements: list[Statement] = []
        self.cell_of: list[int] = []  # for each statement
        self.done: set[int] = set()
        for at in range(len(self.cells)):
            self._read(at, set(program["others"]))

    def _read(self, at: int, others: set[str]) -> None:
        """Note the statements of a cell, without a student's own answers to other exercises."""
        kind, source = self.cells[at]["kind"], self.cells[at]["source"]
        name = file_name(source, kind)
        try:
            statements = study(source, name, kind)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            self.errors[at] = session.explain(error)
            return
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        for statement in statements:
            node = statement.node
            replaces = isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in others
            if kind == "course" or not replaces:
                self.statements.append(statement)
                self.cell_of.append(at)

    def run(self, chosen: Iterable[int]) -> None:
        """Run those that have not run; an error ends its cell, a time guard everything."""
        failed: set[int] = set()
        for at in chosen:
            statement, cell = self.statements[at], self.cell_of[at]
            if at in self.done or cell in failed:
                continue
            self.done.add(at)
            try:
                self._execute(statement)
            except session.TooLong as error:
                self.errors.setdefault(cell, session.explain(error))
                raise
            except BaseException as error:
                self.errors.setdefault(cell, session.explain(error))
                if not isinstance(statement.node, ast.Import | ast.ImportFrom):
                    failed.add(cell)  # what can't be imported here may not be needed

    def _execute(self, statement: Statement) -> None:
        node = statement.node
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                self.flags |= getattr(__future__, alias.name).compiler_flag
            return
        code = statement.compiled(self.flags) if self.flags else statement.code
        exec(code, self.namespace)

    def missing(self, names: Sequence[str]) -> list[str]:
        """Those names that are not defined."""
        found = []
        for name in names:
            try:
                session.lookup(self.namespace, name)
            except Exception:
                found.append(name)
        return found

    def trouble(self, missing: Sequence[str]) -> dict[str, Any] | None:
        """Why names are missing: the error of an answer cell, else of another of the student's."""
        if not missing:
            return None
        ranked = sorted(self.errors, key=lambda at: self.cells[at]["kind"])  # "answer" is first
        mine = [at for at in ranked if self.cells[at]["kind"] != "course"]
        return self.errors[mine[0]] if mine else None


def prepare(sources: Sequence[str]) -> None:
    """Read and compile cells of the course, for all forks."""
    for source in sources:
        with contextlib.suppress(SyntaxError):
            for statement in study(source, file_name(source, "course"), "course"):
                statement.code  # noqa: B018  (kept from now on)


def file_name(source: str, kind: str) -> str:
    """The name of a cell in tracebacks."""
    return f"<{kind} cell {hash(source):x}>"


@functools.lru_cache(1000)
def study(source: str, name: str, kind: str) -> tuple[Statement, ...]:
    """The statements of a cell; if it can't be read, what `ast.parse` raises."""
    found = tuple(Statement(node, kind, name) for node in parsed(source, name))
    for statement in found:
        note(statement)
    return found


def parsed(source: str, name: str) -> list[ast.stmt]:
    """The statements of a cell; if it is not Python, once more without the notebook's magics."""
    try:
        return ast.parse(source, name).body
    except SyntaxError:
        if FOREIGN.match(source):
            return []
        plain = MAGIC.sub(lambda found: f"{found[1] or found[3] or ''}pass", source)
        if plain == source:
            raise
        return ast.parse(plain, name).body


def note(statement: Statement) -> None:
    """Note what a statement binds or changes, and what it reads, however deep inside."""
    node = statement.node
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            (statement.reads if isinstance(part.ctx, ast.Load) else statement.binds).add(part.id)
    for part in at_top(node):
        if isinstance(part, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            statement.binds.add(part.name)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            bound = [alias.asname or alias.name.partition(".")[0] for alias in part.names]
            statement.binds.update(bound)
            statement.star |= "*" in bound or getattr(part, "module", "") == "__future__"
        elif isinstance(part, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            targets = getattr(part, "targets", None) or [getattr(part, "target", None)]
            statement.binds.update(root(target) for target in targets)
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            # table.update(...) changes `table`, torch.manual_seed(0) changes `torch`
            statement.binds.update([root(part.value)] if _is_method(part.value) else [])
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        statement.binds = {node.name}  # what is bound inside stays inside
    statement.binds.discard("")


def _is_method(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute)


def at_top(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and those in its blocks that run when it does: of `if`, `for`, `try`, `with`."""
    yield node
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return
    for body in BODIES:
        for inner in getattr(node, body, ()) or ():
            yield from at_top(inner)


def root(target: Any) -> str:
    """The name that an assignment changes: `table` of `table[3].x = 1`; "" if there is none."""
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred | ast.Call):
        target = target.func if isinstance(target, ast.Call) else target.value
    return target.id if isinstance(target, ast.Name) else ""


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The modules that an import statement loads."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""]
