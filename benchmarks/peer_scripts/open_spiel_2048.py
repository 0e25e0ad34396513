"""OpenSpiel's 2048 from Python: random legal moves, its chance nodes drawn by our dice."""

import random

import pyspiel

from benchmarks.measure import rates, tell, told_effort

game = pyspiel.load_game("2048")
dice = random.Random(0)


def one_game() -> int:
    """Play one game; how many moves it had."""
    state, moves = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(draw(outcomes))
        else:
            state.apply_action(dice.choice(state.legal_actions()))
            moves += 1
    return moves


def draw(outcomes: list[tuple[int, float]]) -> int:
    """One of the outcomes by its probability."""
    left = dice.random()
    for action, chance in outcomes:
        left -= chance
        if left < 0:
            return action
    return outcomes[-1][0]


tell(values=rates(one_game, told_effort()))
