"""Typical wrong answers to lesson 2, on the tree, so that a check can name them."""

from typing import Any

from lib.agents.mcts import ucb1
from lib.agents.mcts_nodes import Node, Nodes
from lib.grading.ask import Outcome
from lib.grading.check import Case, Mistake


def _walk(root: Node, c: float, visits: Any, pick: Any = max) -> list[Node]:
    node, path = root, [root]
    while node.children and all(node.games) and node not in path[:-1]:
        bounds = ucb1(node.won, node.games, visits(node), c)
        node = node.children[bounds.index(pick(bounds))]
        path.append(node)
    return path


def _root_visits(root: Node, c: float) -> list[Node]:
    return _walk(root, c, lambda node: root.total_num_games)


def _lowest(root: Node, c: float) -> list[Node]:
    return _walk(root, c, lambda node: node.total_num_games, min)


def _most_games(root: Node, c: float) -> list[Node]:
    node, path = root, [root]
    while node.children and all(node.games) and node not in path[:-1]:
        node = node.children[node.games.index(max(node.games))]
        path.append(node)
    return path


def _one_step(root: Node, c: float) -> list[Node]:
    return _walk(root, c, lambda node: node.total_num_games)[:2]


def _leaf_alone(case: Case, got: Outcome, wanted: Outcome) -> bool:
    return got.value in (wanted.value[-1], [wanted.value[-1]]) and len(wanted.value) > 1


def _without_the_root(case: Case, got: Outcome, wanted: Outcome) -> bool:
    return bool(got.value == wanted.value[1:])


def _too_far(case: Case, got: Outcome, wanted: Outcome) -> bool:
    return type(got.value) is list and got.value[: len(wanted.value)] == wanted.value


SELECT = (
    Mistake(
        "Return the whole way from the root, a list of nodes: not the leaf alone.", sign=_leaf_alone
    ),
    Mistake("The path begins with the root: `path = [root]`.", sign=_without_the_root),
    Mistake(
        "It went too far. Selection ends at the first node that has an untried move (some of its "
        "`games` are 0), or no children; the next step, expansion, goes on from there.",
        sign=_too_far,
    ),
    Mistake("Go on, step after step: `while`, not `if`.", _one_step),
    Mistake("Go to the child with the *highest* bound.", _lowest),
    Mistake("Go by `ucb1`, not by the number of games: it must try the others, too.", _most_games),
    Mistake("At each node the logarithm is of *that* node's visits, not the root's.", _root_visits),
)


def _table(nodes: Nodes, best: Any, turned: bool = False) -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = {}
    for name, node in nodes.items():
        if node.children:
            row, column = (name[:2], name[2:4]) if turned else (name[2:4], name[:2])
            table.setdefault(row, {})[column] = node.describe(best(node))
    return table


def _share(node: Node) -> int:
    shares = [w / n if n else 0.0 for w, n in zip(node.won, node.games, strict=True)]
    return shares.index(max(shares))


STRATEGY = (
    Mistake(
        "Rows and columns are exchanged: table[receiver][actioner], and the actioner, who moves, "
        "comes first in the name.",
        lambda nodes: _table(nodes, lambda node: node.games.index(max(node.games)), turned=True),
    ),
    Mistake(
        "That is the move with the most wins. Take the one with the most *games*.",
        lambda nodes: _table(nodes, lambda node: node.won.index(max(node.won))),
    ),
    Mistake(
        "That is the move with the best share of wins, which may rest on few games. Take the one "
        "with the most *games*.",
        lambda nodes: _table(nodes, _share),
    ),
    Mistake(
        "That is the move with the fewest games.",
        lambda nodes: _table(nodes, lambda node: node.games.index(min(node.games))),
    ),
    Mistake(
        "Leave out the positions where the game is over: they have no children.",
        raises="ValueError",
    ),
)


def _sets(got: Outcome, wanted: Outcome) -> tuple[set[str], set[str]]:
    """Both as sets; empty where they are no collections."""
    plain = (list, tuple, set, frozenset)
    if type(got.value) not in plain or type(wanted.value) not in plain:
        return set(), set()
    return set(map(str, got.value)), set(map(str, wanted.value))


def _no_circle(case: Case, got: Outcome, wanted: Outcome) -> bool:
    found, expected = _sets(got, wanted)
    return "circle" in expected and found == expected - {"circle"}


def _false_circle(case: Case, got: Outcome, wanted: Outcome) -> bool:
    found, expected = _sets(got, wanted)
    return "circle" in found and found - {"circle"} == expected


def _too_many(case: Case, got: Outcome, wanted: Outcome) -> bool:
    found, expected = _sets(got, wanted)
    return found > expected


def _too_few(case: Case, got: Outcome, wanted: Outcome) -> bool:
    found, expected = _sets(got, wanted)
    return found < expected


OUTCOMES = (
    Mistake(
        'A line that comes back to a state of its own has the outcome "circle".', sign=_no_circle
    ),
    Mistake(
        "There is no circle here. A state that two different lines reach is no circle: only one "
        "that is on the way from the start to itself.",
        sign=_false_circle,
    ),
    Mistake(
        "There are outcomes that can't come about: who moves in `start` plays only the move with "
        "the most games, in every state with the same last letter.",
        sign=_too_many,
    ),
    Mistake(
        "Outcomes are missing: the *other* player may make every move that there is.",
        sign=_too_few,
    ),
    Mistake(
        "A state's last letter says who has no finger left: it is the player who would move.",
        sign=lambda case, got, wanted: wanted.value == "win",
    ),
    Mistake(
        'If the worst that can happen is a circle, the verdict is "draw".',
        sign=lambda case, got, wanted: wanted.value == "draw",
    ),
    Mistake(
        "One lost end is enough: the verdict is the *worst* that can happen.",
        sign=lambda case, got, wanted: wanted.value == "loss",
    ),
    Mistake(
        "It went round in a circle for ever: end a line that repeats a state.",
        raises="RecursionError",
    ),
)
