"""The positions of a game as nodes that remember games, for Monte Carlo tree search.

A `Node` is a position seen by the player who moves there. It remembers, for itself and for each of
its moves, how many games went that way and how many of them its player won (a draw is half a win).
Positions that are reached on several ways are one node, so that all searches share what they
learn. That is why each *move* has figures of its own (Childs, Brodeur & Kocsis 2008): a shared
node's visits come from other parents too, and say nothing about who should move there.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lib.files import write_whole
from lib.game import Game
from lib.games.fingers import FingerGame, FingerState

Choose = Callable[[Sequence[Any]], Any]  # one of these, each as likely as the next
Figures = tuple[int, float, list[int], list[float]]  # what a node remembers


class Node:
    """A position, and what the games through it have shown."""

    def __init__(self, nodes: "Nodes", state: Any, player: int) -> None:
        self.nodes, self.state, self.player = nodes, state, player
        self.total_num_games = 0
        self.num_games_won = 0.0  # by the player who moves here

    @cached_property
    def name(self) -> str:
        """The state in writing: "1322C"."""
        return self.nodes.game.write(self.state)

    @cached_property
    def actions(self) -> list[int]:
        """One action for each child."""
        return list(self.nodes.moves(self))

    @cached_property
    def children(self) -> list["Node"]:
        """The nodes that a move leads to; none when the game is over."""
        return list(self.nodes.moves(self).values())

    @cached_property
    def games(self) -> list[int]:
        """How many games went on to each child."""
        return [0] * len(self.children)

    @cached_property
    def won(self) -> list[float]:
        """How many of them the player who moves here won."""
        return [0.0] * len(self.children)

    @cached_property
    def result(self) -> float:
        """1, 1/2 or 0 for the player who would move here, once the game is over."""
        return (1 + self.nodes.game.outcome(self.state)[self.player]) / 2

    @property
    def best(self) -> int:
        """The place of the child with most games; of equals the one with most wins."""
        return max(range(len(self.children)), key=lambda i: (self.games[i], self.won[i]))

    @property
    def figures(self) -> Figures:
        """What it remembers, as plain numbers."""
        return self.total_num_games, self.num_games_won, self.games, self.won

    @figures.setter
    def figures(self, figures: Figures) -> None:
        self.total_num_games, self.num_games_won, games, won = figures
        if len(games) != len(self.children):
            raise ValueError(f"{self.name} has {len(self.children)} moves, not {len(games)}")
        self.games, self.won = list(games), list(won)

    def describe(self, child: int) -> str:
        """The move to a child in words: "tap 1 on 1"."""
        return self.nodes.game.describe(self.state, self.player, self.actions[child])

    def __repr__(self) -> str:
        return f"Node({self.name}, won {self.num_games_won:g} of {self.total_num_games})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Nodes.at, (self.nodes, self.state, self.player)


class Nodes(dict[str, Node]):
    """The nodes of a game by the name of their state; nodes["1322C"] makes it if it is new.

    In a finger game it matters neither who moves nor which hand is the left one, so 1322C and
    1322P are one node.
    """

    def __init__(self, game: Game[Any]) -> None:
        super().__init__()
        if game.n_players != 2:
            raise ValueError(f"{game.title} is no game for two who move in turn")
        self.game = game

    def __missing__(self, name: str) -> Node:
        state = self.game.read(name)
        movers = self.game.movers(state)
        if isinstance(self.game, FingerGame):
            return self.at(state, 0)
        if len(movers) != 1:
            raise ValueError(f"nobody is to move alone in {name}: ask for a state before the end")
        return self.at(state, movers[0])

    def at(self, state: Any, player: int) -> Node:
        """The node of a state in which `player` is to move, or would be if it weren't over."""
        if isinstance(self.game, FingerGame):
            (state, name), player = seen_by_mover(self.game, state), 0
        else:
            name = self.game.write(state)
        if name not in self:
            self[name] = Node(self, state, player)
        return self[name]

    def moves(self, node: Node) -> dict[int, Node]:
        """Where each action leads; of actions that lead to the same node only the first."""
        game, found = self.game, dict[int, Node]()
        if game.movers(node.state) not in ((), (node.player,)) or game.chance(node.state):
            raise ValueError(f"{game.title} is no game in which two players move in turn")
        for action in game.legal(node.state, node.player) if game.movers(node.state) else ():
            child = self.at(game.play(node.state, (action,)), 1 - node.player)
            if child not in found.values():
                found[action] = child
        return found

    def after(self, name: str) -> list[str]:
        """The state after each move, with who moves then: nodes.after("1111C") -> ["1211P", ...].

        The states stand in the order of `nodes[name].children`; there are none when it is over.
        """
        game, node = self.game, self[name]
        if not isinstance(game, FingerGame):
            return [child.name for child in node.children]
        player = 1 - game.read(name).player
        return [game.write(child.state._replace(player=player)) for child in node.children]

    def figures(self) -> dict[str, Figures]:
        """What every node that a game went through remembers."""
        return {name: node.figures for name, node in self.items() if node.total_num_games}

    @classmethod
    def of(cls, game: Game[Any], figures: dict[str, Figures]) -> "Nodes":
        """Nodes that remember this: Nodes.of(Chopsticks(), {"0104C": (1, 1.0, [1], [1.0])})."""
        nodes = cls(game)
        for name, remembered in figures.items():
            nodes[name].figures = remembered
        return nodes

    def __reduce__(self) -> tuple[Any, ...]:
        return Nodes.of, (self.game, self.figures())

    def save(self, path: str | Path, **facts: Any) -> Path:
        """Write what the nodes remember, and facts about how they learned it."""
        remembered = self.figures()
        nodes = np.array([(total, won) for total, won, *_ in remembered.values()]).reshape(-1, 2)
        edges = [edge for *_, g, w in remembered.values() for edge in zip(g, w, strict=True)]
        facts = {"game": repr(self.game), "names": list(remembered), **facts}
        return write_whole(
            path,
            lambda file: np.savez_compressed(
                file, nodes=nodes, edges=np.array(edges).reshape(-1, 2), facts=json.dumps(facts)
            ),
        )

    @classmethod
    def load(cls, path: str | Path, game: Game[Any]) -> tuple["Nodes", dict[str, Any]]:
        """The nodes that `save` wrote, and the facts."""
        with np.load(path, allow_pickle=False) as file:
            facts = json.loads(str(file["facts"]))
            totals, edges = file["nodes"].tolist(), iter(file["edges"].tolist())
        if facts["game"] != repr(game):
            raise ValueError(f"{path} was learned on {facts['game']}, not on {game!r}")
        nodes = cls(game)
        for name, (total, won) in zip(facts["names"], totals, strict=True):
            node = nodes[name]
            pairs = [next(edges) for _ in node.children]
            node.figures = int(total), won, [int(n) for n, _ in pairs], [w for _, w in pairs]
        return nodes, facts


@cache
def seen_by_mover(game: FingerGame, state: FingerState) -> tuple[FingerState, str]:
    """The state with player 0 to move and the smaller hands first, and how it is written."""
    plain = game.state(game.number(state))
    return plain, game.write(plain)


def create_nodes(game: Game[Any]) -> Nodes:
    """A node for every position of a finger game, or for all that play can reach in another."""
    nodes = Nodes(game)
    if isinstance(game, FingerGame):
        for number in range(len(game.graph)):
            nodes.at(game.state(number), 0)
        return nodes
    queue = [nodes[game.write(game.start())]]
    for node in queue:
        queue += [child for child in node.children if "children" not in vars(child)]
    return nodes


def chooser(rng: np.random.Generator) -> Choose:
    """A function that draws one of several; the dice come in blocks, which is much faster."""

    def rolls() -> Any:
        while True:
            yield from rng.random(1024).tolist()

    roll = rolls().__next__
    return lambda options: options[int(roll() * len(options))]
