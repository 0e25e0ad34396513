"""The figures of lesson 2: what a search finds, against the exact solution."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lib.agents.mcts import MCTSSettings
from lib.agents.mcts_compiled import CompiledMCTS, Tables, rounds
from lib.agents.mcts_nodes import Node, Nodes
from lib.agents.mcts_strategy import worst_outcomes
from lib.boards.figure import INK, Picture, bands, bars, heat, picture
from lib.games.fingers import FingerGame
from lib.truth.fingers import forced_wins, solve

ITERATIONS = (5, 10, 20, 50, 100, 200, 500, 1_000)
CONSTANTS = (0.0, 0.1, 0.3, 0.7, 1.5, 3.0, 6.0, 12.0, 25.0)
WORTH = {"loss": -1.0, "draw": 0.0, "win": 1.0}


def keeps(node: Node, child: int) -> bool:
    """Whether the move to a child keeps what the position is worth."""
    game: Any = node.nodes.game
    values = solve(game).values
    return -values[game.number(node.children[child].state)] == values[game.number(node.state)]


def share_kept(nodes: Nodes) -> float:
    """The share of all positions in which the move with most games keeps the exact value."""
    right = [keeps(node, node.best) for node in nodes.values() if node.children]
    return sum(right) / len(right)


def chance_kept(nodes: Nodes) -> float:
    """The same for moves drawn by lot, on average."""
    open_ = [node for node in nodes.values() if node.children]
    shares = [np.mean([keeps(n, i) for i in range(len(n.children))]) for n in open_]
    return float(np.mean(shares))


def shared(game: FingerGame, settings: MCTSSettings, seed: int) -> float:
    """`share_kept` after a search from every position, in one tree for all."""
    learner = CompiledMCTS(game, settings, seed)
    for _ in learner.train():
        pass
    return share_kept(learner.nodes)


def apart(game: FingerGame, settings: MCTSSettings, seed: int) -> float:
    """The same if every search begins with an empty tree, as a search on the spot does."""
    learner = CompiledMCTS(game, settings, seed)
    right = []
    empty = learner.tables
    for root, number in zip(learner.roots, learner.root_numbers, strict=True):
        tables = Tables(*(table.copy() for table in empty))
        rounds(tables, number, learner.dice(), settings.iterations, settings.c, settings.cap)
        right.append(keeps(root, best_child(tables, number)))
        learner.searched += 1
    return sum(right) / len(right)


def best_child(tables: Tables, number: int) -> int:
    """The place of the child with most games, the one with most wins if equal."""
    games, won = tables.games[number], tables.won[number]
    return max(range(tables.moves[number]), key=lambda i: (games[i], won[i]))


def sure_wins(nodes: Nodes, pick: Callable[[Node], int]) -> tuple[int, int]:
    """How many won positions `pick` wins against every reply, without circles; of how many."""
    game: Any = nodes.game
    numbers = {game.number(n.state): n.children[pick(n)] for n in nodes.values() if n.children}
    won = {s for s, value in enumerate(solve(game).values) if value == 1}
    found = forced_wins(game, lambda s: [game.action_to(s, _number(numbers[game.number(s)]))])
    return len(won & found), len(won)


def _number(node: Node) -> int:
    game: Any = node.nodes.game
    return int(game.number(node.state))


def by_iterations(game: FingerGame, seeds: int = 5) -> Picture:
    """The share of positions kept against the iterations a position, over seeds."""
    forms = {"one tree for all": shared, "each search alone": apart}
    curves = {
        name: (ITERATIONS, _runs(form, game, [MCTSSettings(n) for n in ITERATIONS], seeds))
        for name, form in forms.items()
    }
    figure = bands(curves, xlabel="iterations a position", title="positions with the value kept")
    figure.axes[0].set_xscale("log")
    figure.axes[0].set_xticks(ITERATIONS, [f"{n:,}" for n in ITERATIONS])
    return figure


def by_constant(game: FingerGame, iterations: int = 100, seeds: int = 5) -> Picture:
    """The same against the exploration constant; 1.5 is the seed's."""
    settings = [MCTSSettings(iterations, c=c) for c in CONSTANTS]
    curves = {"one tree for all": (CONSTANTS, _runs(shared, game, settings, seeds))}
    title = f"positions with the value kept, {iterations} iterations each"
    figure = bands(curves, xlabel="exploration constant c", title=title)
    figure.axes[0].set_xscale("symlog", linthresh=0.1)
    figure.axes[0].set_xticks(CONSTANTS, [f"{c:g}" for c in CONSTANTS])
    figure.axes[0].axvline(1.5, color=INK, lw=1, ls=":")
    return figure


def _runs(
    form: Callable[[FingerGame, MCTSSettings, int], float],
    game: FingerGame,
    settings: Sequence[MCTSSettings],
    seeds: int,
) -> list[list[float]]:
    return [[form(game, one, seed) for one in settings] for seed in range(seeds)]


def visit_bars(node: Node, title: str = "") -> Picture:
    """How many games went on with each move, and whether it keeps the exact value."""
    names = {
        f"{node.describe(i)}\n{'keeps the value' if keeps(node, i) else 'gives it away'}": float(n)
        for i, n in enumerate(node.games)
    }
    title = title or f"{sum(node.games):,} games through {node.name}"
    figure, axes = picture(title, max(4.0, 1.5 * len(names) + 1), 3.2)
    bars(names, title=title, ylabel="games", form="{:,.0f}", axes=axes)
    return figure


def strategy_maps(nodes: Nodes) -> Picture:
    """The worst that each position's strategy allows, beside what the position is worth."""
    game: Any = nodes.game
    worst, values = worst_outcomes(nodes), solve(game).values
    found = {name: WORTH[outcome] for name, outcome in worst.items()}
    exact = {name: float(values[game.number(game.read(name))]) for name in worst}
    figure, axes = picture("the strategy and the exact values", 12, 5, columns=2)
    titles = ("worst outcome of the strategy", "exact value")
    for ax, title, known in zip(axes[0], titles, (found, exact), strict=True):
        _map(ax, title, known)
    return figure


def _map(ax: Any, title: str, known: dict[str, float]) -> None:
    """One map: a row for the receiver's hands, a column for the actioner's."""
    hands = sorted({name[:2] for name in known})
    values = np.array([[known[own + other + "C"] for own in hands] for other in hands])
    signs = {1.0: "+", 0.0: "=", -1.0: "−"}
    sign = {"words": lambda i, j: signs[float(values[i, j])]}
    heat(values, hands, hands, title=title, limit=1.0, axes=ax, **sign)
    ax.set_ylabel("receiver", color=INK)
    ax.set_xlabel("actioner, who moves", color=INK)
