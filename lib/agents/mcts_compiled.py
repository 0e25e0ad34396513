"""The search of `mcts.py` on tables, compiled: the same figures from the same seed, much faster.

Nodes are numbered; row `s` of every table is node `s`, column `i` its `i`-th child.
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from lib.agents.mcts import MCTS, MCTSSettings
from lib.game import Game

DRAW = 0.5


class Tables(NamedTuple):
    """Where moves lead, and what the nodes remember."""

    children: np.ndarray  # number of the child
    moves: np.ndarray  # how many children a node has; 0 when the game is over
    result: np.ndarray  # then, what the player who would move has got
    total: np.ndarray  # games through the node
    node_won: np.ndarray
    games: np.ndarray  # games that went on to the child
    won: np.ndarray


class CompiledMCTS(MCTS):
    """`MCTS`, compiled: for progress in CompiledMCTS(Chopsticks()).train(): ..."""

    def __init__(
        self, game: Game[Any], settings: MCTSSettings | None = None, seed: int = 0
    ) -> None:
        super().__init__(game, settings, seed)
        self.numbers = {name: s for s, name in enumerate(self.nodes)}
        self.root_numbers = [self.numbers[root.name] for root in self.roots]
        self.tables = self.read_nodes()
        self.known = 0  # what `searched` was when tables and nodes last agreed

    def read_nodes(self) -> Tables:
        """The tables, as the nodes are now."""
        nodes = list(self.nodes.values())
        n, width = len(nodes), max(len(node.children) for node in nodes)
        children, games = (np.zeros((n, width), np.int64) for _ in range(2))
        won = np.zeros((n, width))
        for s, node in enumerate(nodes):
            k = len(node.children)
            children[s, :k] = [self.numbers[child.name] for child in node.children]
            games[s, :k], won[s, :k] = node.games, node.won
        moves = np.array([len(node.children) for node in nodes])
        result = np.array([0.0 if node.children else node.result for node in nodes])
        total = np.array([node.total_num_games for node in nodes])
        node_won = np.array([node.num_games_won for node in nodes])
        return Tables(children, moves, result, total, node_won, games, won)

    def search(self, root: int) -> None:
        if self.known != self.searched:  # the nodes come from a file
            self.tables = self.read_nodes()
        number, settings = self.root_numbers[root], self.settings
        rounds(self.tables, number, self.dice(), settings.iterations, settings.c, settings.cap)
        self.known = self.searched + 1

    def remember(self) -> None:
        """Write the tables' figures into the nodes."""
        t = self.tables
        rows = (t.total.tolist(), t.node_won.tolist(), t.games.tolist(), t.won.tolist())
        for node, total, won, games, edges in zip(self.nodes.values(), *rows, strict=True):
            k = len(node.children)
            node.figures = total, won, games[:k], edges[:k]


@njit(cache=True)
def rounds(
    t: Tables, root: int, rng: np.random.Generator, iterations: int, c: float, cap: int
) -> None:
    """So many rounds of the four steps."""
    path = np.empty(len(t.moves) + 2, np.int64)
    taken = np.empty(len(t.moves) + 2, np.int64)  # the child chosen there
    seen = np.full(len(t.moves), -1)  # the last round that went through the node
    for now in range(iterations):
        length = select(t, root, c, now, path, taken, seen)
        length = expand(t, rng, length, path, taken)
        leaf, circle = path[length - 1], False
        for i in range(length - 1):
            circle = circle or path[i] == leaf
        backpropagate(t, length, path, taken, DRAW if circle else playout(t, leaf, rng, cap))


@njit(cache=True)
def best_bound(t: Tables, s: int, c: float) -> int:
    """The child with the highest bound; -1 if one of them is untried."""
    best, highest, log_n = 0, -1.0, log(t.total[s])
    for i in range(t.moves[s]):
        n = t.games[s, i]
        if n == 0:
            return -1
        bound = t.won[s, i] / n + c * sqrt(log_n / n)
        if bound > highest:
            best, highest = i, bound
    return best


@njit(cache=True)
def select(
    t: Tables,
    root: int,
    c: float,
    now: int,
    path: np.ndarray,
    taken: np.ndarray,
    seen: np.ndarray,
) -> int:
    """The length of the path to an untried move, to an end, or round in a circle."""
    path[0], length, s = root, 1, root
    while t.moves[s] > 0 and seen[s] != now:
        i = best_bound(t, s, c)
        if i < 0:
            break
        seen[s], taken[length - 1] = now, i
        s = t.children[s, i]
        path[length] = s
        length += 1
    return length


@njit(cache=True)
def expand(
    t: Tables, rng: np.random.Generator, length: int, path: np.ndarray, taken: np.ndarray
) -> int:
    """The length of the path with one untried child more, if there is one."""
    s = path[length - 1]
    untried = 0
    for i in range(t.moves[s]):
        untried += t.games[s, i] == 0
    if untried == 0:
        return length
    place = int(rng.random() * untried)
    for i in range(t.moves[s]):
        if t.games[s, i] == 0:
            if place == 0:
                taken[length - 1], path[length] = i, t.children[s, i]
            place -= 1
    return length + 1


@njit(cache=True)
def playout(t: Tables, s: int, rng: np.random.Generator, cap: int) -> float:
    """What random moves bring the player who moves in `s`."""
    for turn in range(cap + 1):
        if t.moves[s] == 0:
            return t.result[s] if turn % 2 == 0 else 1 - t.result[s]
        s = t.children[s, int(rng.random() * t.moves[s])]
    return DRAW


@njit(cache=True)
def backpropagate(
    t: Tables, length: int, path: np.ndarray, taken: np.ndarray, result: float
) -> None:
    """Tell a result, seen by the mover of the last node, to all nodes and moves of the path."""
    for i in range(length - 1, -1, -1):
        s = path[i]
        t.total[s] += 1
        t.node_won[s] += result
        if i < length - 1:
            t.games[s, taken[i]] += 1
            t.won[s, taken[i]] += result
        result = 1 - result
