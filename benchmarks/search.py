"""Search: MCTS simulations per CPU-second, beside OpenSpiel's bots on a game that both have."""

import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks.engines import peer
from benchmarks.parts import Bar, Part, Row, Table, timed
from lib.agents.mcts import MCTSSettings, run_mcts
from lib.agents.mcts_compiled import CompiledMCTS
from lib.agents.mcts_nodes import Nodes, chooser, create_nodes
from lib.cli import ROOT
from lib.game import Game
from lib.games.chopsticks import Chopsticks

SIMULATIONS = 1_000


@cache
def tictactoe() -> Game[Any]:
    """The tests' tic-tac-toe: a game that knows nothing of search."""
    spec = importlib.util.spec_from_file_location("tictactoe", ROOT / "tests" / "tictactoe.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.TicTacToe()


def fresh_tree(game: Game[Any]) -> Callable[[], int]:
    """A search from the start that makes its tree as it goes, as OpenSpiel's bots do."""
    choose = chooser(np.random.default_rng(0))

    def search() -> int:
        run_mcts(Nodes(game).at(game.start(), 0), choose, SIMULATIONS)
        return SIMULATIONS

    return search


def known_tree(game: Game[Any]) -> Callable[[], int]:
    """Searches from the start, one after another, on nodes that were made beforehand."""
    root, choose = create_nodes(game).at(game.start(), 0), chooser(np.random.default_rng(0))

    def search() -> int:
        run_mcts(root, choose, SIMULATIONS)
        return SIMULATIONS

    return search


def compiled(game: Game[Any], every: bool = False) -> Callable[[], int]:
    """The compiled twin, from the start or from every position in turn."""
    learner = CompiledMCTS(game, MCTSSettings(iterations=SIMULATIONS))

    def search() -> int:
        learner.search(learner.searched % len(learner.roots) if every else 0)
        learner.searched += 1
        return SIMULATIONS

    return search


def every_root(game: Game[Any]) -> Callable[[], int]:
    """The readable form, from every position in turn, statistics shared: as lesson 2 trains."""
    nodes, choose = create_nodes(game), chooser(np.random.default_rng(0))
    roots = [node for node in nodes.values() if node.children]
    count = 0

    def search() -> int:
        nonlocal count
        run_mcts(roots[count % len(roots)], choose, SIMULATIONS)
        count += 1
        return SIMULATIONS

    return search


TABLES = {
    "tictactoe": Table(
        "Tic-tac-toe, from the empty board",
        "simulations per CPU-second",
        (
            Row("ours, readable, a new tree each search", timed(lambda: fresh_tree(tictactoe()))),
            Row("ours, readable, tree known", timed(lambda: known_tree(tictactoe()))),
            Row("ours, compiled, tree known", timed(lambda: compiled(tictactoe()))),
            Row("open_spiel, Python", peer("open_spiel", "open_spiel_mcts.py", "python"), "peer"),
            Row("open_spiel, C++", peer("open_spiel", "open_spiel_mcts.py", "c++"), "peer"),
        ),
        about="1,000 simulations a search, c = 1.5, one random playout each. OpenSpiel's bots make "
        "a new tree each search; so does the first row.",
        in_turns=True,
    ),
    "chopsticks": Table(
        "Chopsticks, every position in turn, statistics shared",
        "simulations per CPU-second",
        (
            Row("ours, readable", timed(lambda: every_root(Chopsticks()))),
            Row("ours, compiled", timed(lambda: compiled(Chopsticks(), every=True))),
        ),
        in_turns=True,
    ),
}
PART = Part(
    "search",
    "Search",
    TABLES,
    (
        Bar("Chopsticks MCTS, readable: at least 30,000", "chopsticks", "ours, readable", 30_000),
        Bar("Chopsticks MCTS, compiled: at least 500,000", "chopsticks", "ours, compiled", 500_000),
    ),
    spreads=True,
)
