"""The search tree as a picture: visits and values on the branches.

search_tree(node)      # the node of a position, after some rounds of Monte Carlo tree search
"""

from dataclasses import dataclass
from typing import Any

from lib.boards.shapes import Drawing, Shape, line, rect, text

NODE, GAP, LEVEL, TOP = (92, 40), 12, 104, 46  # a node, between two, from level to level


@dataclass(frozen=True)
class Twig:
    """A node as it is drawn: the moves shown, what grows there, and how wide that is."""

    node: Any
    moves: tuple[int, ...]
    below: tuple["Twig", ...]
    width: float


def search_tree(node: Any, depth: int = 2, most: int = 5, title: str = "") -> Drawing:
    """The tree below a node: on each branch its visits and the share of them that were won.

    Of every node the `most` visited moves are drawn; "+3" says that three more were visited.
    """
    twig = grow(node, depth, most)
    wide = max(twig.width + 2 * GAP, 420.0)
    height = TOP + LEVEL * _depth(twig) + NODE[1] + 14
    words = title or f"{node.total_num_games:,} games through {_written(node)}"
    head = text(14, 20, words, size=14, anchor="start", bold=True)
    card = rect(0, 0, wide, height, radius=12, fill="panel")
    return Drawing(wide, height, [card, head, *_draw(twig, (wide - twig.width) / 2, TOP)], words)


def grow(node: Any, depth: int, most: int, path: tuple[Any, ...] = ()) -> Twig:
    """What is drawn below a node; a position that was on the way already ends its branch."""
    open_ = depth > 0 and node.total_num_games > 0 and all(node is not seen for seen in path)
    visited = [i for i in range(len(node.children)) if node.games[i]] if open_ else []
    moves = tuple(sorted(sorted(visited, key=lambda i: -node.games[i])[:most]))
    below = tuple(grow(node.children[i], depth - 1, most, (*path, node)) for i in moves)
    return Twig(node, moves, below, max(NODE[0] + GAP, sum(twig.width for twig in below)))


def _depth(twig: Twig) -> int:
    return max((1 + _depth(below) for below in twig.below), default=0)


def _written(node: Any) -> str:
    return str(node.nodes.game.write(node.state))


def _draw(twig: Twig, x: float, y: float) -> list[Shape]:
    """Branches first, so that the nodes lie on top of them."""
    branches: list[Shape] = []
    nodes = _node(twig, x + twig.width / 2, y)
    left = x + (twig.width - sum(below.width for below in twig.below)) / 2
    for move, below in zip(twig.moves, twig.below, strict=True):
        ends = x + twig.width / 2, y + NODE[1], left + below.width / 2, y + LEVEL
        branches += _branch(twig, move, ends)
        nodes += _draw(below, left, y + LEVEL)
        left += below.width
    return [*branches, *nodes]


def _branch(twig: Twig, move: int, ends: tuple[float, float, float, float]) -> list[Shape]:
    node, games = twig.node, twig.node.games
    best = games[move] == max(games)
    style = {"stroke": "lit" if best else "line", "thick": 1 + 7 * games[move] / sum(games)}
    words = f"{games[move]:,} · {node.won[move] / games[move]:.0%}"
    x, y = (ends[0] + 3 * ends[2]) / 4, (ends[1] + 3 * ends[3]) / 4 - 4
    half = 3.5 * len(words) + 4
    return [
        line(*ends, **style),
        rect(x - half, y - 9, 2 * half, 18, radius=6, fill="panel", opacity=0.9),
        text(x, y, words, size=11.5, bold=best),
    ]


def _node(twig: Twig, x: float, y: float) -> list[Shape]:
    node, over = twig.node, not twig.node.children
    fill, edge = ("evensoft", "even") if over else ("cell", "line")
    below = "over" if over else f"{node.num_games_won:g} of {node.total_num_games:,}"
    hidden = sum(n > 0 for n in node.games) - len(twig.moves) if twig.moves else 0
    more = [text(x + NODE[0] / 2 - 3, y + 9, f"+{hidden}", size=10, anchor="end")] if hidden else []
    return [
        rect(x - NODE[0] / 2, y, *NODE, radius=8, fill=fill, stroke=edge),
        text(x, y + 14, _written(node), size=13, bold=True),
        text(x, y + 30, below, size=10.5, fill="muted"),
        *more,
    ]
