"""From the cells of a notebook to a namespace: runs what the answer needs, statement by statement.

A student's notebook also trains, plots and tries things out. Of all that only what the answer
depends on is run: from the names that are asked for, back to the statements that bind or change
them, and to those that these use. If that leaves a name unbound, everything is run.
Stands alone: it is part of a worker.
"""

import __future__

import ast
import contextlib
import linecache
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import ModuleType
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
    cell: int
    kind: str  # "course": ours; "own": the student's; "answer": the answer itself
    binds: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    star: bool = False  # binds who knows what
    done: bool = False

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
            runner.run(runner.statements)
    missing = runner.missing(names)
    report = {"missing": missing, "error": runner.trouble(missing)}
    return runner.namespace, report


def needed(names: set[str], statements: Sequence[Statement]) -> list[Statement]:
    """The statements on which these names depend, and those of the course that cost nothing."""
    chosen: set[int] = set()
    wanted, grown = set(names), True
    while grown:
        grown = False
        for at, statement in enumerate(statements):
            if at not in chosen and (statement.star or statement.binds & wanted):
                chosen.add(at)
                wanted |= statement.reads
                grown = True
    return [s for at, s in enumerate(statements) if at in chosen or s.harmless]


class Runner:
    """Runs statements in the order of the notebook, and remembers the first error of each cell."""

    def __init__(self, program: dict[str, Any]) -> None:
        module = ModuleType("__main__")
        sys.modules["__main__"] = module
        self.namespace = module.__dict__
        self.namespace.update(__builtins__=__builtins__, get_ipython=Inert(), display=Inert())
        self.others = set(program["others"])
        self.cells: list[dict[str, Any]] = program["cells"]
        self.errors: dict[int, dict[str, Any]] = {}
        self.flags = 0
        self.statements = [s for at in range(len(self.cells)) for s in self._parse(at)]

    def _parse(self, at: int) -> Iterator[Statement]:
        kind, source = self.cells[at]["kind"], self.cells[at]["source"]
        name = file_name(at, kind)
        try:
            nodes = parsed(source, name)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            self.errors[at] = session.explain(error)
            return
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        for node in nodes:
            statement = Statement(node, at, kind)
            study(statement)
            replaces = isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in self.others
            if kind == "course" or not replaces:
                yield statement

    def run(self, statements: Sequence[Statement]) -> None:
        """Run those that have not run; an error ends its cell, a time guard everything."""
        failed: set[int] = set()
        for statement in statements:
            if statement.done or statement.cell in failed:
                continue
            statement.done = True
            try:
                self._execute(statement)
            except session.TooLong as error:
                self.errors.setdefault(statement.cell, session.explain(error))
                raise
            except BaseException as error:
                self.errors.setdefault(statement.cell, session.explain(error))
                if not isinstance(statement.node, ast.Import | ast.ImportFrom):
                    failed.add(statement.cell)  # what can't be imported here may not be needed

    def _execute(self, statement: Statement) -> None:
        node = statement.node
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                self.flags |= getattr(__future__, alias.name).compiler_flag
            return
        tree = ast.Module([node], [])
        name = file_name(statement.cell, statement.kind)
        exec(compile(tree, name, "exec", self.flags, dont_inherit=True), self.namespace)

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


def file_name(at: int, kind: str) -> str:
    """The name of a cell in tracebacks."""
    return f"<{kind} cell {at + 1}>"


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


def study(statement: Statement) -> None:
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
