"""What trained nodes know, laid open: the best strategy, all outcomes it allows, a game against it.

The computer plays the best move of every node; the other player may play anything. What can
happen then is found by walking along all of these moves, not by trust in the figures.
"""

import heapq
import html
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lib.agents.baselines import Human
from lib.agents.mcts import MCTSPlayer
from lib.agents.mcts_nodes import Node, Nodes
from lib.game import Game, Record
from lib.game import play as play_game
from lib.games.chopsticks import Chopsticks
from lib.games.fingers import FingerGame, FingerState

WIN, DRAW, LOSS, CIRCLE = "win", "draw", "loss", "circle"

Place = tuple[Node, int]  # a position and who moves there


@dataclass(frozen=True, repr=False)
class Strategy:
    """The best move and the worst outcome: `moves["12"]["13"]` is that of 13 against 12."""

    moves: dict[str, dict[str, str]]  # receiver's hands (row) -> actioner's (column) -> move
    worst: dict[str, dict[str, str]]  # in the same way; empty when only moves were asked for

    @property
    def columns(self) -> list[str]:
        """The actioner's hands, in order."""
        return sorted({column for row in self.moves.values() for column in row})

    def cell(self, row: str, column: str) -> str:
        """The text of one cell: "tap 3 on 2: win"."""
        worst = self.worst.get(row, {}).get(column)
        return self.moves[row].get(column, "") + (f": {worst}" if worst else "")

    def __repr__(self) -> str:
        lines = [["", *self.columns]]
        lines += [[row, *(self.cell(row, column) for column in self.columns)] for row in self.moves]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = [[t.ljust(w) for t, w in zip(line, widths, strict=True)] for line in lines]
        return "\n".join("  ".join(line).rstrip() for line in padded)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{column}</th>" for column in ["", *self.columns])
        body = "".join(
            f"<tr><th>{row}</th>"
            + "".join(f"<td>{html.escape(self.cell(row, column))}</td>" for column in self.columns)
            + "</tr>"
            for row in self.moves
        )
        return f"<table><tr>{head}</tr>{body}</table>"


def best_strategy(nodes: Nodes, show_move_only: bool = False) -> Strategy:
    """The strategy of every position of a finger game; without worst outcomes it is faster."""
    worst = {} if show_move_only else worst_outcomes(nodes)
    strategy = Strategy({}, {})
    for _, node in sorted(nodes.items()):
        if node.children:
            actioner, receiver = ("".join(map(str, hands)) for hands in node.state[:2])
            strategy.moves.setdefault(receiver, {})[actioner] = node.describe(node.best)
            if worst:
                strategy.worst.setdefault(receiver, {})[actioner] = worst[node.name]
    return strategy


def worst_outcomes(nodes: Nodes) -> dict[str, str]:
    """For every node the worst that can happen to its player, who plays the best moves."""
    places = [node for node in nodes.values() if node.children]
    chosen = {node: node.children[node.best] for node in places}
    sure, risky = set[Node](), set[Node]()
    while True:  # from the end backwards, until nothing is added
        more = {n for n in places if is_sure(chosen[n], sure)}
        lose = {n for n in places if is_risky(chosen[n], risky)}
        if (more, lose) == (sure, risky):
            break
        sure, risky = more, lose
    return {n.name: WIN if n in sure else LOSS if n in risky else DRAW for n in places}


def is_sure(theirs: Node, sure: set[Node]) -> bool:
    """Whether the other player has lost, or every reply leads to a sure win."""
    return sure.issuperset(theirs.children) if theirs.children else theirs.result == 0


def is_risky(theirs: Node, risky: set[Node]) -> bool:
    """Whether the other player has won, or a reply wins or leads to where she can win."""
    if not theirs.children:
        return theirs.result == 1
    return any(n in risky or (not n.children and n.result == 0) for n in theirs.children)


@dataclass(frozen=True)
class Outcomes:
    """All that can happen from `start` if the computer, who moves there, plays its best moves."""

    start: Place

    @cached_property
    def after(self) -> dict[Place, list[Place]]:
        """Every place that can be reached, and where play may go from there."""
        found: dict[Place, list[Place]] = {}
        queue = [self.start]
        for node, player in queue:
            if (node, player) not in found:
                mine = player == self.start[1] and node.children
                children = [node.children[node.best]] if mine else node.children
                found[node, player] = [(child, 1 - player) for child in children]
                queue += found[node, player]
        return found

    @cached_property
    def ends(self) -> dict[str, str]:
        """Every end and what it is for the computer: {"0012P": "win"}; a circle is an end too."""
        ends = {written(place): self.result(place) for place, to in self.after.items() if not to}
        return dict(sorted(ends.items())) | ({CIRCLE: DRAW} if self.endless else {})

    def result(self, place: Place) -> str:
        """What the end of a game is for the computer."""
        node, player = place
        return {0.0: LOSS, 0.5: DRAW, 1.0: WIN}[
            node.result if player == self.start[1] else 1 - node.result
        ]

    @cached_property
    def endless(self) -> set[Place]:
        """The places from which play can go on for ever: what is left when the others go."""
        left = set(self.after)
        while done := {place for place in left if left.isdisjoint(self.after[place])}:
            left -= done
        return left

    def paths(self, end: str, limit: int = 10) -> list[list[str]]:
        """Up to `limit` ways to an end, the shortest first; a circle ends where it closes."""
        if end not in self.ends:
            known = ", ".join(self.ends)
            raise ValueError(f"{end!r} is no outcome here: choose one of {known}")
        plies, count = self.plies_to(end), itertools.count()
        ways, found = [(0, 0, [self.start])], list[list[str]]()
        while ways and len(found) < limit:
            *_, path = heapq.heappop(ways)
            closed = path[-1] in path[:-1]
            if closed == (end == CIRCLE) and (closed or not self.after[path[-1]]):
                found.append([written(place) for place in path])
            for place in () if closed else self.after[path[-1]]:
                if place in plies:
                    heapq.heappush(ways, (len(path) + plies[place], next(count), [*path, place]))
        return found

    def plies_to(self, end: str) -> dict[Place, int]:
        """The places that can lead to an end, and in how many plies at least."""
        if end == CIRCLE:
            return dict.fromkeys(self.endless, 0)
        plies = {place: 0 for place, to in self.after.items() if not to and written(place) == end}
        while more := {
            place: 1 + min(plies[p] for p in to if p in plies)
            for place, to in self.after.items()
            if place not in plies and not plies.keys().isdisjoint(to)
        }:
            plies |= more
        return plies

    def __repr__(self) -> str:
        lines = [f"From {written(self.start)}:"]
        lines += [f"  {end}  {result}" for end, result in self.ends.items()]
        return "\n".join(lines)


def written(place: Place) -> str:
    """A place's state with who moves there: "1322P"."""
    node, player = place
    if isinstance(node.state, FingerState):
        return node.nodes.game.write(node.state._replace(player=player))
    return node.name


def show_all_outcomes(nodes: Nodes, start: str) -> Outcomes:
    """All outcomes from a state: `show_all_outcomes(nodes, "1111C").paths("0012P")`."""
    state = nodes.game.read(start)
    if not nodes.game.movers(state):
        raise ValueError(f"the game is over in {start}: start from a state before the end")
    (player,) = nodes.game.movers(state)
    return Outcomes((nodes.at(state, player), player))


def play(
    computer_starts: bool = True,
    trained_nodes: Nodes | None = None,
    rules: FingerGame | None = None,
    ask: Callable[[str], str] = input,
    say: Callable[[str], object] = print,
    seed: int | None = None,
) -> Record[FingerState]:
    """A game against the computer, who trains on the spot unless it is given trained nodes."""
    game: Game[Any] = rules or (trained_nodes.game if trained_nodes else Chopsticks())
    human = Human(lambda game, state, player: _asked(game, state, player, ask))
    start = game.start()._replace(player=0 if computer_starts else 1)
    dice = np.random.default_rng(seed)
    record = play_game(game, [MCTSPlayer(trained_nodes), human], dice, start=start)
    say(game.text(record.states[-1]))
    return record


def _asked(game: Game[Any], state: Any, player: int, ask: Callable[[str], str]) -> int:
    """The number that was typed; -1, which is never legal, for anything else."""
    legal = game.legal(state, player)
    lines = [f"{action}  {game.describe(state, player, action)}" for action in legal]
    typed = ask("\n".join([game.text(state), "", *lines, "Your move: "])).strip()
    return int(typed) if typed.isdecimal() else -1
