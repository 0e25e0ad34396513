"""Q-learning: updates by hand, strength against the exact solution, saving and resuming."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from lib.agents.perfect_fingers import PerfectFingers
from lib.agents.q_learning import (
    NegamaxQLearning,
    QLearning,
    QPlayer,
    QSettings,
    best_actions,
    epsilon_greedy,
    td_target,
    uniforms,
)
from lib.game import play
from lib.games.chopsticks import Chopsticks
from lib.games.tapnswap import TapnSwap
from lib.truth.fingers import chances, forced_wins, kept, solve

GAME = TapnSwap()
TRUTH = solve(GAME)


def trained(learner: QLearning, games: int = 10_000) -> QPlayer:
    for _ in learner.train(games):
        pass
    return QPlayer(learner)


def rolls(*numbers: float):
    """Dice that are known beforehand."""
    return iter(numbers).__next__


def number(lists: list[list[int]]) -> int:
    return GAME.number(GAME.from_lists(lists))


def test_choices_by_hand() -> None:
    values = {0: 0.5, 3: 0.5, 4: 0.1}
    assert best_actions(values) == [0, 3]
    assert epsilon_greedy(values, 0.2, rolls(0.3, 0.49)) == 0
    assert epsilon_greedy(values, 0.2, rolls(0.3, 0.51)) == 3
    assert epsilon_greedy(values, 0.2, rolls(0.1, 0.99)) == 4


def test_choices_are_as_frequent_as_they_should_be() -> None:
    dice = uniforms(np.random.default_rng(3))
    drawn = [epsilon_greedy({0: 1.0, 3: 1.0, 4: 0.0, 7: -1.0}, 0.4, dice) for _ in range(40_000)]
    expected = {0: 0.4, 3: 0.4, 4: 0.1, 7: 0.1}
    for action, share in expected.items():  # 5 standard errors
        assert abs(drawn.count(action) / 40_000 - share) < 5 * (share * (1 - share) / 40_000) ** 0.5


def test_targets_by_hand() -> None:
    assert td_target(0, 0.9, {0: -1.0, 2: -0.5}) == -0.45, "no illegal 0 hides that all is lost"
    assert td_target(1, 0.9, {}) == 1 and td_target(-1, 0.9, {}) == -1
    assert td_target(0, -0.9, {1: 0.5, 2: 1.0}) == -0.9


def test_updates_by_hand() -> None:
    learner = QLearning(GAME, QSettings(alpha=0.5))
    s = learner.start
    learner.update(s, 0, 1.0)
    assert learner.Q[s][0] == 0.5
    learner.update(s, 0, 0.0)
    assert learner.Q[s][0] == 0.25 and learner.visits[s][0] == 2
    mean = QLearning(GAME, QSettings(alpha=None))
    for target in (1.0, 0.0, 0.5, -1.0):
        mean.update(s, 0, target)
    assert mean.Q[s][0] == pytest.approx(0.125), "1 / visits is the mean of the targets"


def test_the_opponents_reply_belongs_to_the_step() -> None:
    learner = QLearning(GAME)
    kill = 3  # with the right hand on the right hand
    s = number([[0, 4], [0, 1]])
    assert learner.step(s, kill, 1.0, rolls()) == (number([[0, 0], [0, 4]]), 1)
    s = number([[0, 1], [0, 3]])
    theirs = learner.after[s][kill]
    assert theirs == number([[0, 4], [0, 1]])
    replies = list(learner.after[theirs].values())
    for place, reply in enumerate(replies):
        expected = -1 if reply == number([[0, 0], [0, 4]]) else 0
        roll = (place + 0.5) / len(replies)
        assert learner.step(s, kill, 1.0, rolls(0.0, roll)) == (reply, expected)


@pytest.mark.parametrize("seed", range(5))
def test_seeds_form_wins_against_random_from_either_seat(seed: int) -> None:
    player = trained(QLearning(GAME, seed=seed))
    for seat in (0, 1):  # worst of 60 seeds: 0.9995
        assert chances(GAME, player.choices, seat).win > 0.995
    right, positions = kept(TRUTH, player.choices)
    assert positions == 177 and 140 <= right < 177, "a record against random hides mistakes"


@pytest.mark.parametrize("seed", range(5))
def test_self_play_is_perfect(seed: int) -> None:
    player = trained(NegamaxQLearning(GAME, seed=seed))
    assert kept(TRUTH, player.choices) == (177, 177)
    sure = forced_wins(GAME, player.choices)
    won = {s for s in TRUTH.reachable() if TRUTH.values[s] == 1}
    assert won <= sure
    assert sure >= set(GAME.graph.after[player.learner.start].values()), "second seat: a sure win"
    record = play(GAME, [PerfectFingers(), player], np.random.default_rng(seed), max_turns=100)
    assert record.outcome == (-1.0, 1.0)


def test_illegal_actions_in_the_maximum_spoil_self_play() -> None:
    settings = QSettings(alpha=0.5, gamma=0.9, epsilon=0.5, legal_only=False)
    player = trained(NegamaxQLearning(GAME, settings, seed=0))
    assert kept(TRUTH, player.choices)[0] < 130


@pytest.mark.parametrize("opponents", [("self",), ("random", "self"), ("self", "random")])
def test_schedules(opponents: tuple[str, ...]) -> None:
    learner = QLearning(GAME, QSettings(opponents=opponents), seed=1)
    shares = [learner.opponent(done, 100) for done in (0, 49, 50, 99)]
    ends = [1.0 if name == "random" else 0.6 for name in (opponents[0], opponents[-1])]
    assert shares == [ends[0], ends[0], ends[-1], ends[-1]]
    player = trained(learner)
    assert kept(TRUTH, player.choices)[0] >= 150
    assert min(chances(GAME, player.choices, seat).win for seat in (0, 1)) > 0.98


def test_unknown_opponent_is_named() -> None:
    with pytest.raises(ValueError, match="no opponent is called 'perfect'"):
        next(QLearning(GAME, QSettings(opponents=("perfect",))).train(10))


@pytest.mark.parametrize("form", [QLearning, NegamaxQLearning])
def test_interrupted_saved_and_resumed_equals_in_one_go(
    form: type[QLearning], tmp_path: Path
) -> None:
    whole, part = form(GAME, seed=4), form(GAME, seed=4)
    for _ in whole.train(2_000, every=500):
        pass
    for progress in part.train(2_000, every=500):
        if progress.done == 1_000:
            break
    resumed = QLearning.load(part.save(tmp_path / "q.npz"), GAME)
    assert type(resumed) is form and resumed.games == 1_000
    assert kept(TRUTH, QPlayer(resumed).choices)[0] > 100, "usable as it is"
    for _ in resumed.train(1_000, every=500):
        pass
    assert resumed.Q == whole.Q and resumed.visits == whole.visits and resumed.games == 2_000


def test_same_seed_same_table() -> None:
    tables = [trained(QLearning(GAME, seed=seed), 500).learner.Q for seed in (7, 7, 8)]
    assert tables[0] == tables[1] != tables[2]


def test_a_table_of_another_game_is_refused(tmp_path: Path) -> None:
    path = QLearning(GAME).save(tmp_path / "q.npz")
    with pytest.raises(ValueError, match="was not learned on Chopsticks"):
        QLearning.load(path, Chopsticks())


def test_progress_counts_games_and_wins() -> None:
    told = list(QLearning(GAME, seed=2).train(1_200, every=500))
    assert [p.done for p in told] == [500, 1_000, 1_200] and {p.total for p in told} == {1_200}
    assert told[-1].metrics["won"] > told[0].metrics["won"] * 0.9 > 0.4


def test_player_plays_mirrored_hands_alike() -> None:
    player = trained(NegamaxQLearning(GAME, seed=0), 4_000)
    for own, other in itertools.product([(1, 3), (3, 1)], [(2, 4), (4, 2)]):
        state = GAME.from_lists([own, other])
        results = {GAME.number(GAME.play(state, (a,))) for a in player.choices(state)}
        plain = GAME.from_lists([(1, 3), (2, 4)])
        assert results == {GAME.number(GAME.play(plain, (a,))) for a in player.choices(plain)}
        assert player.act(GAME, state, 0) in player.choices(state)


def test_shipped_table_is_perfect() -> None:
    path = Path(__file__).parents[2] / "lib" / "weights" / "tapnswap.npz"
    player = QPlayer(QLearning.load(path, GAME))
    assert kept(TRUTH, player.choices) == (177, 177)
