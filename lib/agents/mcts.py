"""Monte Carlo tree search with UCB1, for any game in which two players move in turn.

One round is four steps: `select` walks down the tree to a position with a move that no game has
tried, `expand` tries one, `playout` ends the game with random moves, and `backpropagate` tells
the result to every node on the way, from the view of the player who moves there. After many
rounds the best move is the one that most of them chose.

A walk that comes back to a position of its own is going round in a circle: that is a draw. So a
player who can win is drawn towards the moves that make progress.

Kocsis & Szepesvari, Bandit based Monte-Carlo planning (2006).
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import inf, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from lib.agents.mcts_nodes import Choose, Node, Nodes, chooser, create_nodes
from lib.agents.progress import Progress
from lib.game import Agent, Game
from lib.games.fingers import FingerGame

DRAW = 0.5  # a win is 1, a loss 0


@dataclass(frozen=True)
class MCTSSettings:
    """How to search."""

    iterations: int = 1_000  # rounds a root
    c: float = 1.5  # exploration: how much a move is worth that was seldom tried
    cap: int = 100  # a playout of so many moves is a draw


def ucb1(won: list[float], games: list[int], parent_games: int, c: float = 1.5) -> list[float]:
    """The upper confidence bound of each child: its share of wins, and more where little is known.

    ucb1([1.0, 0.5, 0.0], [2, 1, 0], 3) -> [1.61, 2.07, inf]
    """
    log_n = log(parent_games or 1)
    return [won[i] / n + c * sqrt(log_n / n) if n else inf for i, n in enumerate(games)]


def select(root: Node, c: float = 1.5) -> list[Node]:
    """The way from the root to a node with an untried move, to an end, or round in a circle."""
    node, path, seen = root, [root], set[Node]()
    while node.children and all(node.games) and node not in seen:
        seen.add(node)
        bounds = ucb1(node.won, node.games, node.total_num_games, c)
        node = node.children[bounds.index(max(bounds))]
        path.append(node)
    return path


def expand(path: list[Node], choose: Choose) -> list[Node]:
    """The path and one child more, to which no game has gone from its last node yet, if any."""
    leaf = path[-1]
    untried = [child for child, n in zip(leaf.children, leaf.games, strict=True) if n == 0]
    return [*path, choose(untried)] if untried else path


def playout(node: Node, choose: Choose, cap: int = 100) -> float:
    """What random moves bring the player who moves here: 1, 1/2 or 0; a draw after `cap` moves."""
    for turn in range(cap + 1):
        if not node.children:
            return node.result if turn % 2 == 0 else 1 - node.result
        node = choose(node.children)
    return DRAW


def backpropagate(path: list[Node], result: float) -> None:
    """Tell a result, seen by the mover of the last node, to all nodes and moves of the path."""
    child = None
    for node in reversed(path):
        node.total_num_games += 1
        node.num_games_won += result
        if child is not None:
            i = node.children.index(child)
            node.games[i] += 1
            node.won[i] += result
        child, result = node, 1 - result


def run_mcts(root: Node, choose: Choose, iterations: int, c: float = 1.5, cap: int = 100) -> None:
    """Search from a root: so many rounds of the four steps."""
    for _ in range(iterations):
        path = expand(select(root, c), choose)
        circle = path[-1] in path[:-1]
        backpropagate(path, DRAW if circle else playout(path[-1], choose, cap))


class MCTS:
    """Search from every position beforehand: for progress in MCTS(Chopsticks()).train(): ..."""

    def __init__(
        self, game: Game[Any], settings: MCTSSettings | None = None, seed: int = 0
    ) -> None:
        self.game, self.settings, self.seed = game, settings or MCTSSettings(), seed
        self.nodes = create_nodes(game)
        self.roots = [node for node in self.nodes.values() if node.children]
        self.searched = 0  # roots so far; after the last comes the first again

    def train(self, rounds: int = 1) -> Iterator[Progress]:
        """Search from every root, `rounds` times; tells how often who starts has won."""
        start = self.nodes[self.game.write(self.game.start())]
        first, roots = self.searched, rounds * len(self.roots)
        while self.searched < first + roots:
            for _ in range(min(10, first + roots - self.searched)):
                self.search(self.searched % len(self.roots))
                self.searched += 1
            self.remember()
            share = start.num_games_won / max(1, start.total_num_games)
            done, each = self.searched - first, self.settings.iterations
            yield Progress(done * each, roots * each, "iterations", {"first wins": share})

    def dice(self) -> np.random.Generator:
        """Dice for the next root: its own, so that a search can go on where it stopped."""
        return np.random.default_rng([self.seed, self.searched])

    def search(self, root: int) -> None:
        """Search from one root."""
        run_mcts(self.roots[root], chooser(self.dice()), **asdict(self.settings))

    def remember(self) -> None:
        """Let the nodes know; here they know already."""

    def choices(self, state: Any) -> list[int]:
        """The action that most games chose."""
        return [MCTSPlayer(self.nodes).act(self.game, state, self.game.movers(state)[0])]

    def save(self, path: str | Path) -> Path:
        """Write the nodes and what is needed to go on."""
        facts = {"settings": asdict(self.settings), "seed": self.seed, "searched": self.searched}
        return self.nodes.save(path, **facts)

    @classmethod
    def load(cls, path: str | Path, game: Game[Any]) -> "MCTS":
        """What `save` wrote, ready to go on."""
        nodes, facts = Nodes.load(path, game)
        learner = cls(game, MCTSSettings(**facts["settings"]), facts["seed"])
        learner.searched = facts["searched"]
        for name, figures in nodes.figures().items():
            learner.nodes[name].figures = figures
        return learner


def get_trained_nodes(game: Game[Any], iterations: int = 1_000, seed: int = 0) -> Nodes:
    """All nodes of a game after a search from each of them."""
    learner = MCTS(game, MCTSSettings(iterations), seed)
    for _ in learner.train():
        pass
    return learner.nodes


class MCTSPlayer(Agent):
    """Plays the move that most games chose: of trained nodes, or of a search on the spot."""

    name = "mcts"

    def __init__(
        self,
        trained_nodes: Nodes | None = None,
        settings: MCTSSettings | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(seed)
        self.trained_nodes, self.settings = trained_nodes, settings or MCTSSettings()
        self.nodes = trained_nodes

    def begin(self, rng: np.random.Generator) -> None:
        self.rng, self.nodes = rng, self.trained_nodes

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        node = self.node(game, state, player)
        if self.trained_nodes is None or not any(node.games):
            run_mcts(node, chooser(self.rng), **asdict(self.settings))
        if isinstance(game, FingerGame):
            return game.action_to(state, game.number(node.children[node.best].state))
        return node.actions[node.best]

    def node(self, game: Game[Any], state: Any, player: int) -> Node:
        """The node to play from; one search adds to what the others of this game found."""
        if self.nodes is None or (self.trained_nodes is None and self.nodes.game != game):
            self.nodes = Nodes(game)
        if self.nodes.game != game:
            raise ValueError(f"these nodes know {self.nodes.game!r}, not {game!r}: train new ones")
        return self.nodes.at(state, player)
