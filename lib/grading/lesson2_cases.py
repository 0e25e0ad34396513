"""The cases of lesson 2: inputs drawn from a seed."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np

from lib.agents.mcts import select, ucb1
from lib.agents.mcts_nodes import Figures, Nodes
from lib.agents.mcts_trees import node_of, nodes_of
from lib.agents.registry import WEIGHTS
from lib.games.chopsticks import Chopsticks, Hands
from lib.grading.check import Case
from lib.grading.lesson2_reference import all_outcomes
from lib.grading.wire import Make

TREES = "lib.agents.mcts_trees"
LIVE = [(a, b) for a in range(5) for b in range(a, 5) if b]  # hands with a finger at least
RULES = [{"rollover": r, "self_tap": s} for r in (False, True) for s in (False, True)]


def add_cases(rng: np.random.Generator) -> Iterator[Case]:
    """The lesson's own examples, then every tap on any hands."""
    yield Case("an example", ((1, 3), 0, 1, False), open=True)
    yield Case("exactly five", ((1, 3), 1, 2, False), open=True)
    yield Case("exactly five", ((1, 3), 1, 2, True), open=True)
    yield Case("more than five, cut-off", ((1, 3), 1, 3, False), open=True)
    yield Case("more than five, roll-over", ((1, 3), 1, 3, True), open=True)
    yield Case("the smaller hand first", ((2, 3), 0, 2, False), open=True)
    for _ in range(30):
        hands = LIVE[rng.integers(len(LIVE))]
        hand, rollover = int(rng.integers(2)), bool(rng.integers(2))
        if hands[hand]:
            yield Case("any tap", (hands, hand, int(rng.integers(1, 5)), rollover))


def split_cases(rng: np.random.Generator) -> Iterator[Case]:
    """All hands there are: few enough to ask for each."""
    yield Case("the example", ((1, 3),), open=True)
    yield Case("no split", ((1, 1),), open=True)
    yield Case("a dead hand comes back", ((0, 4),), open=True)
    yield Case("at most four fingers", ((2, 4),), open=True)
    for place in rng.permutation(len(LIVE)).tolist():
        yield Case("any hands", (LIVE[place],))


def ucb_cases(rng: np.random.Generator) -> Iterator[Case]:
    """By hand, an untried child, and any figures; a node has more visits than its moves."""
    yield Case("the example", ([1.0, 0.5], [2, 1], 3, 1.5), open=True)
    yield Case("no exploration", ([1.0, 0.5], [4, 1], 5, 0.0), open=True)
    yield Case("an untried child", ([2.5, 0.0, 1.0], [4, 0, 3], 8, 1.5), open=True)
    yield Case("nothing visited yet", ([0.0, 0.0], [0, 0], 0, 1.5), open=True)
    for _ in range(20):
        games = rng.integers(0, 40, int(rng.integers(2, 7))).tolist()
        won = [int(rng.integers(0, 2 * n + 1)) / 2 for n in games]
        parent = sum(games) + int(rng.integers(1, 30))
        yield Case("any figures", (won, games, parent, round(float(rng.uniform(0.2, 3)), 2)))


def any_figures(children: int, rng: np.random.Generator) -> Figures:
    """Figures of a node whose moves were all tried; one move has more games than the others."""
    games = rng.integers(1, 12, children).tolist()
    games[int(rng.integers(children))] = int(rng.integers(14, 25))
    won = [int(rng.integers(0, 2 * n + 1)) / 2 for n in games]
    return sum(games) + 1, round(sum(won) + 0.5, 1), games, won


def chain(rng: np.random.Generator, length: int) -> tuple[str, dict[str, Figures]]:
    """A root and figures that lead selection over `length` moves, without a close decision."""
    while True:
        nodes, figures = nodes_of(), dict[str, Figures]()
        names = [name for name, node in nodes.items() if len(node.children) > 1]
        node = root = nodes[names[rng.integers(len(names))]]
        while len(figures) < length and node.children and node.name not in figures:
            node.figures = figures[node.name] = any_figures(len(node.children), rng)
            if not clear(figures[node.name]):
                break
            node = select(node)[1]
        else:
            if len(figures) == length and len(select(root)) == length + 1:
                return root.name, figures


def clear(figures: Figures) -> bool:
    """Whether the best bound leads by far, also if a move's games were added up instead."""
    total, _, games, won = figures
    bounds = sorted(ucb1(won, games, total))
    places = {int(np.argmax(ucb1(won, games, n))) for n in (total, sum(games))}
    return len(places) == 1 and (len(bounds) < 2 or bounds[-1] - bounds[-2] > 1e-3)


def busy_root(rng: np.random.Generator) -> tuple[str, dict[str, Figures]]:
    """Two moves, of which the second depends on whose visits are in the logarithm."""
    while True:
        root, figures = chain(rng, 2)
        total, won_here, games, won = figures[root]
        figures[root] = 90 * total, 90 * won_here, [90 * n for n in games], [90 * w for w in won]
        if not clear(figures[root]):
            continue
        path = select(node_of(root, figures))
        if len(path) == 3 and clear(figures[path[1].name]):
            _, _, games, won = path[1].figures
            wrong = ucb1(won, games, 90 * total)
            if wrong.index(max(wrong)) != path[1].children.index(path[2]):
                return root, figures


CIRCLE = ("1313C", "1322C", "2222C", "2213C", "1313C")  # both split back and forth


def circle_figures() -> dict[str, Figures]:
    """Figures that lead selection round in a circle."""
    nodes = nodes_of()
    figures = {}
    for name, after in pairwise(CIRCLE):
        chosen = [9.0 if child.name == after else 0.0 for child in nodes[name].children]
        figures[name] = (10 * len(chosen), 9.0, [9] * len(chosen), chosen)
    return figures


def select_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Trees of each depth, an end, a circle."""

    def case(label: str, root: str, figures: dict[str, Figures], open: bool = False) -> Case:
        return Case(label, (Make(f"{TREES}.node_of", root, figures), 1.5), open=open)

    three = {"0404C": (12, 8.0, [6, 3, 2], [5.5, 2.0, 0.0])}
    yield case("an untried root", "1111C", {}, open=True)
    yield case("an untried root", "1111C", {"1111C": (2, 1.0, [1, 0], [1.0, 0.0])}, open=True)
    yield case("one step", "0404C", three, open=True)
    over = node_of("0404C").children
    last = (9 + len(over), 9.0, [9] + [1] * (len(over) - 1), [9.0] + [0.0] * (len(over) - 1))
    yield case("an end", "0404C", {"0404C": last}, open=True)
    yield case("a circle", CIRCLE[0], circle_figures())
    for _ in range(2):
        yield case("visits of each node", *busy_root(rng))
    for length in (1, 2, 2, 3, 3, 4, 5, 6):
        yield case("any tree", *chain(rng, length))


def all_figures(rng: np.random.Generator, **rules: bool) -> dict[str, Figures]:
    """Any figures for every position that is not over."""
    nodes = nodes_of(None, **rules)
    open_ = {name: len(node.children) for name, node in nodes.items() if node.children}
    return {name: any_figures(children, rng) for name, children in open_.items()}


def strategy_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Trees in which every position has a move that most games chose."""
    for place in rng.permutation(len(RULES))[:3].tolist():
        rules = RULES[place]
        made = Make(f"{TREES}.nodes_of", all_figures(rng, **rules), **rules)
        yield Case("any tree", (made,))


@cache
def trained() -> dict[str, Figures]:
    """The figures of the course's own nodes, with which who starts always wins."""
    return Nodes.load(WEIGHTS / "chopsticks.npz", Chopsticks())[0].figures()


def outcome_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Nodes that always win, nodes that know nothing, from any start; then verdicts."""
    made = Make(f"{TREES}.nodes_of", trained())
    for start in ("1111C", "1111P"):
        yield Case("trained nodes", (made, start), name="all_outcomes", open=True)
    some = [(name, player) for name in sorted(trained()) for player in "CP"]
    for place in rng.integers(len(some), size=3).tolist():
        name, player = some[place]
        yield Case("trained nodes", (made, name[:4] + player), name="all_outcomes")
    for place in rng.permutation(len(RULES))[:3].tolist():
        figures = all_figures(rng, **RULES[place])
        made = Make(f"{TREES}.nodes_of", figures, **RULES[place])
        for start in ("1111C", "1111P", name_of(rng)):
            yield Case("any nodes", (made, start), name="all_outcomes")
    yield from verdict_cases(rng)


def name_of(rng: np.random.Generator) -> str:
    """Any state that is not over."""
    own, other = (Hands(*LIVE[place]) for place in rng.integers(len(LIVE), size=2))
    return "".join(map(str, (*own, *other))) + "CP"[rng.integers(2)]


def verdict_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Every verdict, for both players."""
    yield Case("the verdict", ({"0012P", "0024P"}, "1111C"), name="verdict", open=True)
    yield Case("the verdict", ({"0012P", "circle"}, "1111C"), name="verdict", open=True)
    yield Case("the verdict", ({"0012P", "0013C"}, "1111C"), name="verdict", open=True)
    yield Case("the verdict", ({"circle"}, "1111P"), name="verdict", open=True)
    for _ in range(4):
        nodes = nodes_of(all_figures(rng))
        start = name_of(rng)
        yield Case("the verdict", (all_outcomes(nodes, start), start), name="verdict")
    for start in ("1111C", "2312P"):
        lost, won = f"0034{start[-1]}", f"0011{'P' if start[-1] == 'C' else 'C'}"
        for ends in ({lost, won, "circle"}, {lost}, {won}, {won, "circle"}, {lost, "circle"}):
            yield Case("the verdict", (ends, start), name="verdict")
