"""Minimax: against plain search without pruning, assumptions by hand, safety from the solution."""

from itertools import product

import numpy as np
import pytest

from lib.agents.droid_agents import actions_of, fight
from lib.agents.droid_policies import as_policy, minimax_shares, shares_of
from lib.agents.minimax import ASSUMPTIONS, MinimaxAgent
from lib.games.droids import ACTIONS, Action, Droids, R2Droid, play_round
from lib.truth.droids import board_tables, exploitability

GAME = Droids()
UP, DOWN, LEFT, RIGHT, SHOOT = ACTIONS


def plain(me: R2Droid, it: R2Droid, depth: int, optimistic: bool) -> float:
    """The value by the definition: every pair of actions looked at, nothing cut."""
    if depth == 0 or me.shots == it.shots == 0:
        return 0.3 * (me.shots - it.shots)
    table = {}
    for mine, its in product(actions_of(me), actions_of(it)):
        here, there = me.copy(), it.copy()
        gain = play_round(here, there, (mine, its))
        table[mine, its] = gain + plain(here, there, depth - 1, optimistic)
    rows, columns = actions_of(me), actions_of(it)
    if optimistic:
        return min(max(table[a, b] for a in rows) for b in columns)
    return max(min(table[a, b] for b in columns) for a in rows)


def positions(count: int, seed: int) -> list[tuple[R2Droid, R2Droid]]:
    """Droids anywhere on the board, with any shots."""
    rng, places = np.random.default_rng(seed), list(board_tables(4, 4).pairs)
    found = []
    for _ in range(count):
        (a, b), shots = places[rng.integers(len(places))], rng.integers(0, 6, 2)
        found.append((R2Droid(4, 4, a, int(shots[0])), R2Droid(4, 4, b, int(shots[1]))))
    return found


@pytest.mark.parametrize("depth", [1, 2])
def test_pruning_changes_nothing(depth: int) -> None:
    agent = MinimaxAgent("pessimistic", depth)
    for me, it in positions(25, seed=depth):
        assert agent.search(me, it, depth) == pytest.approx(plain(me, it, depth, False))
        assert -agent.search(it, me, depth) == pytest.approx(plain(me, it, depth, True))


def test_pruning_saves_work() -> None:
    agent = MinimaxAgent("pessimistic", 2)
    me, it = GAME.droids(GAME.start())
    agent.search(me, it, 2)
    assert agent.positions < 0.5 * (1 + 16 + 16 * 16)


def test_assumptions_by_hand() -> None:
    matrix = np.array([[3.0, 0.0], [1.0, 2.0], [0.0, 0.0]])
    worth = {name: MinimaxAgent(name).worth(matrix).tolist() for name in ASSUMPTIONS}
    assert worth["pessimistic"] == [0.0, 1.0, 0.0]
    assert worth["optimistic"] == [0.0, 2.0, 0.0]  # best answers 3 and 2: it would choose 2
    assert worth["combined"] == pytest.approx([0.15, 1.15, 0.0])


def test_it_shoots_when_that_is_sure_and_steps_out_of_sight_when_not() -> None:
    me, unarmed = R2Droid(4, 4, (0, 0), 1), R2Droid(4, 4, (3, 3), 0)
    assert SHOOT not in MinimaxAgent("pessimistic", 1).best_moves(me, unarmed)
    trapped = R2Droid(2, 4, (0, 3), 0)  # it can leave neither the row nor be out of both beams
    beam = R2Droid(2, 4, (0, 0), 1)
    assert MinimaxAgent("optimistic", 1).best_moves(beam, trapped) != []
    empty, armed = R2Droid(4, 4, (2, 0), 0), R2Droid(4, 4, (2, 3), 5)
    assert set(MinimaxAgent("pessimistic", 1).best_moves(empty, armed)) <= {UP, DOWN}


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_the_table_is_what_the_search_finds(assumption: str) -> None:
    pairs = board_tables(4, 4).pairs
    for depth, count in ((1, 60), (2, 15), (3, 2)):
        agent = MinimaxAgent(assumption, depth)
        table = minimax_shares(agent)
        for me, it in positions(count, seed=10 + depth):
            best = {action.value - 1 for action in agent.best_moves(me, it)}
            if me.shots or it.shots:
                row = table[me.shots, it.shots, pairs[me.location, it.location]]
                assert best == set(np.flatnonzero(row))


def test_a_cheap_shot_makes_the_pessimist_safe_and_a_dear_one_does_not() -> None:
    def lost(assumption: str, shot_value: float) -> float:
        agent = MinimaxAgent(assumption, 2, shot_value=shot_value)
        return exploitability(GAME, as_policy(shares_of(agent)))

    assert lost("pessimistic", 0.3) == 0
    assert lost("combined", 0.3) == 0
    assert lost("pessimistic", 0.8) > 0.9
    assert lost("optimistic", 0.3) > 0.9


def test_time_for_a_move_is_kept_and_buys_depth() -> None:
    me, it = GAME.droids(GAME.start())
    hasty, patient = MinimaxAgent(seconds=0.0), MinimaxAgent(seconds=0.05)
    assert hasty.best_moves(me, it) == MinimaxAgent(depth=1).best_moves(me, it)
    assert patient.best_moves(me, it)
    assert patient.positions > 2 * hasty.positions


def test_a_game_repeats_with_its_seed_and_leaves_the_droids_alone() -> None:
    games = [
        list(fight(MinimaxAgent(depth=1, seed=1), MinimaxAgent("optimistic", 1, seed=2)))
        for _ in range(2)
    ]
    assert games[0] == games[1]
    me, it = GAME.droids(GAME.start())
    MinimaxAgent().get_best_move(me, it, 0, False)
    assert (me.location, me.shots, it.location, it.shots) == ((2, 0), 5, (2, 3), 5)


@pytest.mark.parametrize("settings", [{"assumption": "hopeful"}, {"depth": 0}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"hopeful|depth"):
        MinimaxAgent(**settings)  # type: ignore[arg-type]


def test_only_what_can_be_tabulated_is() -> None:
    with pytest.raises(ValueError, match="fixed depth"):
        minimax_shares(MinimaxAgent(seconds=1.0))


def test_actions_are_members_of_the_enum() -> None:
    assert isinstance(
        MinimaxAgent(depth=1).get_best_move(*GAME.droids(GAME.start()), 0, False), Action
    )
