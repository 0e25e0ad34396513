"""The check of backpropagation: what a tree remembers after results were told along a path."""

from collections.abc import Callable, Iterator

import numpy as np

from lib.agents.mcts import backpropagate
from lib.agents.mcts_nodes import Figures, Node
from lib.agents.mcts_trees import figures_of, node_of, path_of
from lib.grading import compare
from lib.grading.ask import Ask
from lib.grading.check import Verdict, failed
from lib.grading.judge import attempt
from lib.grading.lesson2_cases import CIRCLE, TREES, any_figures
from lib.grading.lesson2_runs import show

Wrong = Callable[[list[Node], float], None]


def run_backpropagate(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Results told along paths: short, long, round in a circle, on top of what was there."""
    line = ["1111C", "1211C", "1212C"]
    yield attempt("a win", lambda: told(ask, line, {}, [1.0]))
    yield attempt("a loss", lambda: told(ask, line[:2], {}, [0.0]))
    yield attempt("a draw", lambda: told(ask, line, {}, [0.5]))
    yield attempt("a single node", lambda: told(ask, line[:1], {}, [1.0]))
    path = random_path(rng)
    figures = {name: any_figures(len(node_of(name).children), rng) for name in path[:-1]}
    results = rng.choice([0.0, 0.5, 1.0], 4).tolist()
    yield attempt("games add up", lambda: told(ask, path, figures, [*results, 1.0, 0.0, 0.0]))
    yield attempt("round in a circle", lambda: told(ask, list(CIRCLE), {}, [0.5, 0.5]))


def random_path(rng: np.random.Generator) -> list[str]:
    """A line of play of six nodes, none of them twice."""
    while True:
        path = [node_of("1111C")]
        while len(path) < 6 and path[-1].children:
            path.append(path[-1].children[rng.integers(len(path[-1].children))])
        if len(set(path)) == 6:
            return [node.name for node in path]


def told(
    ask: Ask, names: list[str], figures: dict[str, Figures], results: list[float]
) -> Verdict | str:
    """What is wrong with the figures after these results."""
    path = ask.new(f"{TREES}.path_of", names, figures)
    for result in results:
        ask("backpropagate", path, result)
    got = ask(f"{TREES}.figures_of", path)
    wanted = after(backpropagate, names, figures, results)
    name = next((n for n in wanted if not compare.same(wanted[n], got.get(n))), None)
    if name is None:
        return ""
    known = (says for says, wrong in VIEWS if same_figures(wrong, names, figures, results, got))
    return failed(
        "",
        next(known, f"The figures of {name} are not right."),
        asked=f"backpropagate({show(names)}, {show(results[0])})",
        got=f"{name}: {show(got.get(name))}",
        expected=f"{name}: {show(wanted[name])}  (games, won, games of each move, won by each)",
        open=not figures,
    )


def after(
    tell: Wrong, names: list[str], figures: dict[str, Figures], results: list[float]
) -> dict[str, Figures]:
    """The figures after a function has told these results."""
    path = path_of(names, figures)
    for result in results:
        tell(path, result)
    return figures_of(path)


def same_figures(
    wrong: Wrong,
    names: list[str],
    figures: dict[str, Figures],
    results: list[float],
    got: dict[str, Figures],
) -> bool:
    """Whether a known mistake leaves just these figures."""
    return compare.same(after(wrong, names, figures, results), got)


def _tell(
    path: list[Node], result: float, flip: bool = True, edges: bool = True, nodes: bool = True
) -> None:
    child = None
    for node in reversed(path):
        if nodes:
            node.total_num_games += 1
            node.num_games_won += result
        if child is not None and edges:
            i = node.children.index(child)
            node.games[i] += 1
            node.won[i] += result
        child, result = node, 1 - result if flip else result


def _childs_view(path: list[Node], result: float) -> None:
    _tell(path, result, edges=False)
    for node, child in zip(path[::-1][1:], path[::-1], strict=False):
        i = node.children.index(child)
        node.games[i] += 1
        node.won[i] += result
        result = 1 - result


def _root_first(path: list[Node], result: float) -> None:
    _tell(path, result if len(path) % 2 else 1 - result)


def _not_the_leaf(path: list[Node], result: float) -> None:
    _tell(path, result)
    path[-1].total_num_games -= 1
    path[-1].num_games_won -= result


VIEWS: tuple[tuple[str, Wrong], ...] = (
    (
        "Every node got the result of the same player. From node to node the player changes: "
        "what is 1 for one of them is 0 for the other.",
        lambda path, result: _tell(path, result, flip=False),
    ),
    (
        "`result` is that of who moves in the *last* node: begin there, with `reversed(path)`.",
        _root_first,
    ),
    (
        "The nodes are right, but not their moves: add to `games[i]` and `won[i]` of the parent, "
        "where `i = parent.children.index(child)`.",
        lambda path, result: _tell(path, result, edges=False),
    ),
    (
        "The moves are right, but not the nodes: add to `total_num_games` and `num_games_won` too.",
        lambda path, result: _tell(path, result, nodes=False),
    ),
    (
        "A move's wins belong to who makes it, the parent: `won[i]` grows by the parent's result.",
        _childs_view,
    ),
    ("The last node of the path has been visited too.", _not_the_leaf),
)
