"""The checks of lesson 2 that count what chance does: expansion and playout."""

from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from lib.agents.mcts_nodes import Figures
from lib.agents.mcts_trees import node_of
from lib.games.chopsticks import Chopsticks
from lib.grading import compare
from lib.grading.ask import Ask
from lib.grading.check import Verdict
from lib.grading.judge import attempt
from lib.grading.lesson2_cases import TREES, any_figures
from lib.grading.wire import Make, Rng

CHOOSER = "lib.agents.mcts_nodes.chooser"
ROOTS = ("1213C", "1224C", "1334C", "2313C", "1323C")  # with five moves or more


def run_expand(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Trees with some untried moves, one with none, and a game that is over."""
    root = ROOTS[rng.integers(len(ROOTS))]
    figures, untried = half_tried(root, rng)

    def grown(names: list[str], tree: dict[str, Figures]) -> Any:
        path = Make(f"{TREES}.path_of", names, tree)
        choose = Make(CHOOSER, Rng(int(rng.integers(2**62))))
        return ask.outcome("expand", path, choose, through=f"{TREES}.names_of").value

    def same(names: list[str], tree: dict[str, Figures]) -> str:
        got = grown(names, tree)
        return "" if got == names else f"There is nothing to try at {names[-1]}: got {show(got)}."

    def longer(names: list[str]) -> str:
        complaints = (one_more(names, untried, grown(names, figures)) for _ in range(15))
        return next(filter(None, complaints), "")

    yield attempt("one untried child more", lambda: longer([root]))
    parent = next(n for n in ROOTS if n != root)
    yield attempt("the rest of the path stays", lambda: longer([parent, root]))
    yield attempt(
        "each untried child as often",
        lambda: as_often(untried, [grown([root], figures) for _ in range(90)]),
    )
    full = {root: any_figures(len(node_of(root).children), rng)}
    yield attempt("no untried child", lambda: same([root], full))
    yield attempt("the game is over", lambda: same(["0404C", "0004C"], {}))


def half_tried(root: str, rng: np.random.Generator) -> tuple[dict[str, Figures], list[str]]:
    """Figures of a root of which some moves are untried, and these children."""
    children = node_of(root).children
    total, wins, games, won = any_figures(len(children), rng)
    chosen = rng.permutation(len(children))[: max(3, len(children) // 2)].tolist()
    games = [0 if i in chosen else n for i, n in enumerate(games)]
    won = [0.0 if i in chosen else w for i, w in enumerate(won)]
    return {root: (total, wins, games, won)}, [children[i].name for i in sorted(chosen)]


def one_more(names: list[str], untried: list[str], got: Any) -> str:
    """What is wrong with a path that should have one untried child more."""
    if type(got) is not list:
        return f"It returned {show(got)}; a path, a list of nodes, is expected."
    if got == names:
        return f"The last node, {names[-1]}, has untried moves, but the path did not grow."
    if got[:-1] != names:
        return f"The path was {show(names)}; return it with one node more, not {show(got)}."
    if got[-1] not in untried:
        return f"{got[-1]} has been tried from {names[-1]}: choose a child with 0 games."
    return ""


def as_often(untried: list[str], paths: list[Any]) -> str:
    """Whether each child came up as often as it should; five standard errors are allowed."""
    counts = Counter(str(path[-1]) for path in paths if type(path) is list and path)
    share = 1 / len(untried)
    for name in untried:
        if abs(counts[name] / len(paths) - share) > 5 * (share * (1 - share) / len(paths)) ** 0.5:
            return (
                f"Of {len(untried)} untried children, {name} was chosen {counts[name]} times in "
                f"{len(paths)}: let `choose` pick one of all untried children."
            )
    return ""


@cache
def playout_value(name: str, cap: int) -> float:
    """What a random playout brings on average to who moves in a state."""
    game = Chopsticks()
    after = [list(moves.values()) for moves in game.graph.after]
    value = np.array([0.5 if to else 0.0 for to in after])
    for _ in range(cap):
        value = np.array([1 - np.mean(value[to]) if to else 0.0 for to in after])
    return float(value[game.number(game.read(name))])


GOOD = ("0402C", "0403C", "1203C", "0401C", "1304C")
BAD = ("0413C", "0412C", "0411C", "0414C", "0323C")


def run_playout(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Ends, the cap, and the mean of many playouts against its exact value."""

    def played(name: str, choose: Any, n: int = 1, **options: int) -> list[Any]:
        node = ask.new(f"{TREES}.node_of", name)
        calls = [(node, choose, *options.values())] * n
        return ask.many("playout", calls)

    first = ask.new("operator.itemgetter", 0)  # always the first move
    dice = ask.new(CHOOSER, Rng(int(rng.integers(2**62))))
    ends: tuple[tuple[Any, ...], ...] = (
        ("an end at once", "0024C", dice, {}, 0.0, "The game is over: who would move has lost"),
        ("a win in one move", "0404C", first, {}, 1.0, "The other player has no finger left"),
        ("the cap", "1111C", first, {"cap": 3}, 0.5, "Three moves, and no end: that is a draw"),
    )
    for label, name, choose, options, expected, why in ends:
        step = partial(played, name, choose, **options)
        yield attempt(label, lambda s=step, e=expected, w=why: equal(s(), e, w), easy=True)  # type: ignore[misc]
    for label, names in (("a good position", GOOD), ("a bad position", BAD)):
        name = names[rng.integers(len(names))]
        yield attempt(label, lambda name=name: mean(name, played(name, dice, 1500)))  # type: ignore[misc]


def equal(got: list[Any], expected: float, why: str) -> str:
    """Whether the one result is the expected one."""
    if got[0] is None:
        return "It returned None: is there a `return` for every end?"
    if type(got[0]) in (int, float) and got[0] == expected:
        return ""
    return f"{why}: {expected:g} is expected, got {show(got[0])}."


def mean(name: str, got: list[Any]) -> str:
    """Whether the mean of many playouts is what chance makes it; five standard errors."""
    odd = next((result for result in got if result not in (0, 0.5, 1)), None)
    if odd is not None or None in got:
        return f"A win is 1, a draw 0.5, a loss 0 for who moves first: got {show(odd)}."
    found, exact, error = float(np.mean(got)), playout_value(name, 100), 0.5 / len(got) ** 0.5
    if abs(found - exact) <= 5 * error:
        return ""
    if abs(found - (1 - exact)) <= 5 * error:
        return "It is the result of the other player: after every move the view changes."
    return (
        f"From {name}, random moves bring who moves there {exact:.2f} on average; yours brought "
        f"{found:.2f} in {len(got)} games. Is every move drawn by `choose`, and the result seen "
        "by who moves in the node you were given?"
    )


def show(value: Any) -> str:
    """A value on one line."""
    return compare.show(value, 120)
