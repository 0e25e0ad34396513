"""Lesson 1's tables: the rules as a dictionary, a player of such a table, and the stored sweep."""

import numpy as np

from lib.agents import q_sweep
from lib.agents.q_learning import NegamaxQLearning, QPlayer, QSettings
from lib.agents.tables import TablePlayer, moves_of, new_table
from lib.games.tapnswap import TapnSwap
from lib.grading.lesson1_reference import self_play
from lib.truth.fingers import kept, solve

GAME = TapnSwap()
MOVES = moves_of(GAME)


def test_moves_are_the_rules_up_to_swapped_hands() -> None:
    assert len(MOVES) == 191 and sum(bool(m) for m in MOVES.values()) == 177
    assert MOVES[((1, 1), (1, 1))] == {0: ((1, 2), (1, 1)), 4: ((1, 1), (0, 2))}
    for position, moves in MOVES.items():
        state = GAME.state_of(*position, 0, "")
        after = {GAME.play(state, (a,)) for a in GAME.legal(state, 0)}
        views = {tuple(tuple(sorted(hands)) for hands in s[:2]) for s in after}
        assert set(moves.values()) == views


def test_a_table_plays_like_the_learner_it_came_from() -> None:
    learner = NegamaxQLearning(GAME, seed=4)
    for _ in learner.train(300):
        pass
    table = new_table(MOVES)
    for position in table:
        for action, value in learner.Q[GAME.graph.index[position]].items():
            table[position][action] = value
    mine, theirs = TablePlayer(GAME, table), QPlayer(learner)
    for state in map(GAME.state, solve(GAME).reachable()):
        if GAME.movers(state):
            assert sorted(mine.choices(state)) == sorted(theirs.choices(state))


def test_a_table_that_is_silent_leaves_every_move_open() -> None:
    assert TablePlayer(GAME, {}).choices(GAME.start()) == GAME.legal(GAME.start(), 0)


def test_self_play_as_the_lesson_writes_it_is_perfect_for_every_seed() -> None:
    for seed in range(3):
        Q = self_play(MOVES, ((1, 1), (1, 1)), 8000, 0.5, 0.5, 0.9, np.random.default_rng(seed))
        assert kept(solve(GAME), TablePlayer(GAME, Q).choices) == (177, 177)


def test_the_stored_sweep_is_what_its_command_makes() -> None:
    stored = q_sweep.stored()
    names = [q_sweep.name(settings) for settings in q_sweep.settings_of_the_sweep()]
    assert sorted(stored["curves"]) == sorted(names) and tuple(stored["games"]) == q_sweep.POINTS
    runs = np.array([stored["curves"][name] for name in names])
    assert runs.shape == (len(names), q_sweep.SEEDS, len(q_sweep.POINTS), 2)
    settings = QSettings(opponents=("random", "self"))
    again = q_sweep.curve((settings, 2))
    assert np.allclose(again, stored["curves"][q_sweep.name(settings)][2])
