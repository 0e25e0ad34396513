"""OpenSpiel's MCTS bots on tic-tac-toe: `open_spiel_mcts.py EFFORT python|c++`; simulations."""

import sys

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

from benchmarks.measure import rates, tell, told_effort

SIMULATIONS = 1_000
game = pyspiel.load_game("tic_tac_toe")
start = game.new_initial_state()


def python_search() -> int:
    """One search from the empty board, in Python on the C++ game."""
    dice = np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(1, dice)
    bot = mcts.MCTSBot(game, 1.5, SIMULATIONS, evaluator, random_state=dice, solve=False)
    bot.mcts_search(start)
    return SIMULATIONS


def cpp_search() -> int:
    """The same, all in C++."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    bot = pyspiel.MCTSBot(game, evaluator, 1.5, SIMULATIONS, 1000, False, 0, False)
    bot.mcts_search(start)
    return SIMULATIONS


tell(values=rates({"python": python_search, "c++": cpp_search}[sys.argv[2]], told_effort()))
