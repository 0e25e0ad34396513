"""Small trees of chopsticks to try things out on: made from figures, read back as names.

node_of("1111C", {"1111C": (3, 1.5, [2, 1], [1.0, 0.5])})   # visited 3 times, 1.5 of them won, ...
"""

from collections.abc import Sequence
from typing import Any

from lib.agents.mcts_nodes import Figures, Node, Nodes, create_nodes
from lib.games.chopsticks import Chopsticks


def nodes_of(figures: dict[str, Figures] | None = None, **rules: bool) -> Nodes:
    """All nodes of chopsticks, some of which remember figures."""
    nodes = create_nodes(Chopsticks(**rules))
    for name, remembered in (figures or {}).items():
        nodes[name].figures = remembered
    return nodes


def node_of(name: str, figures: dict[str, Figures] | None = None, **rules: bool) -> Node:
    """The node of a state, in a tree that remembers these figures."""
    return nodes_of(figures, **rules)[name]


def path_of(
    names: Sequence[str], figures: dict[str, Figures] | None = None, **rules: bool
) -> list[Node]:
    """Several nodes of one tree, such as the way from a root to a leaf."""
    nodes = nodes_of(figures, **rules)
    return [nodes[name] for name in names]


def names_of(found: Any) -> Any:
    """The names of nodes; whatever is no node stays as it is."""
    if isinstance(found, list | tuple):
        return [names_of(item) for item in found]
    return found.name if isinstance(found, Node) else found


def figures_of(path: Sequence[Node]) -> dict[str, Figures]:
    """What the nodes of a tree remember, and those of the path in any case."""
    return path[0].nodes.figures() | {node.name: node.figures for node in path}
