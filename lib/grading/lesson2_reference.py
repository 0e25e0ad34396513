"""The course's answers to lesson 2 that are not in `lib.agents.mcts`."""

from lib.agents.mcts import backpropagate, expand, playout, select, ucb1
from lib.agents.mcts_nodes import Nodes

__all__ = [
    "add_fingers",
    "all_outcomes",
    "backpropagate",
    "expand",
    "legal_splits",
    "playout",
    "select",
    "strategy_table",
    "ucb1",
    "verdict",
]


def add_fingers(hands: tuple[int, int], hand: int, fingers: int, rollover: bool) -> tuple[int, int]:
    """The hands after a tap, smaller first."""
    total = hands[hand] + fingers
    if total >= 5:
        total = total - 5 if rollover else 0
    other = hands[1 - hand]
    return min(total, other), max(total, other)


def legal_splits(hands: tuple[int, int]) -> list[tuple[int, int]]:
    """All pairs that the same fingers can form: none empty, none above 4, not what it was."""
    total = sum(hands)
    pairs = [(s, total - s) for s in range(1, total // 2 + 1)]
    return [pair for pair in pairs if pair[1] <= 4 and pair != tuple(hands)]


def strategy_table(nodes: Nodes) -> dict[str, dict[str, str]]:
    """table[receiver's hands][actioner's hands] is the move that most games chose, in words."""
    table: dict[str, dict[str, str]] = {}
    for name, node in nodes.items():
        if node.children:
            best = node.games.index(max(node.games))
            table.setdefault(name[2:4], {})[name[:2]] = node.describe(best)
    return table


def all_outcomes(nodes: Nodes, start: str) -> set[str]:
    """Every end state that can come about, and "circle" if a line can repeat a state."""
    found: set[str] = set()
    done: set[str] = set()

    def walk(state: str, path: list[str]) -> None:
        if state in path:
            found.add("circle")
        elif state not in done:
            done.add(state)
            after = nodes.after(state)
            if not after:
                found.add(state)
            elif state[-1] == start[-1]:
                games = nodes[state].games
                after = [after[games.index(max(games))]]
            for following in after:
                walk(following, [*path, state])

    walk(start, [])
    return found


def verdict(outcomes: set[str], start: str) -> str:
    """The worst that can happen to who moves in `start`: "win", "draw" or "loss"."""
    if any(end[-1] == start[-1] for end in outcomes - {"circle"}):
        return "loss"
    return "draw" if "circle" in outcomes else "win"
