"""Droid agents: the loop by hand, updates by hand, the compiled twin, and the tables of shares."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lib.agents.baselines import ShootIfAligned
from lib.agents.droid_agents import (
    DroidAgent,
    DroidPlayer,
    KeyboardAgent,
    RandomAgent,
    ShooterAgent,
    actions_of,
    fight,
    train,
)
from lib.agents.droid_compiled import learn, random_shares, shooter_shares
from lib.agents.droid_policies import TableAgent, as_policy, shares_of
from lib.agents.droid_q import DroidQSettings, QAgent
from lib.arena import match
from lib.game import play
from lib.games.droids import ACTIONS, Action, Droids, R2Droid
from lib.truth.droids import board_tables, odds

GAME = Droids()
UP, DOWN, LEFT, RIGHT, SHOOT = ACTIONS


class Scripted(DroidAgent):
    """Plays a script over and over, and writes down what it was told."""

    def __init__(self, script: list[Action]) -> None:
        super().__init__()
        self.script, self.told, self.asked = script, list[int](), 0

    def clear(self) -> None:
        self.told, self.asked = [], 0

    def get_best_move(
        self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
    ) -> Action:
        self.told.append(score_change)
        self.asked += 1
        self_droid.location, self_droid.shots = (0, 0), 99  # a copy: nobody is hurt
        return self.script[(self.asked - 1) % len(self.script)]


def test_a_fight_by_hand_tells_both_of_every_round_and_of_the_last() -> None:
    # from (2, 0) and (2, 3): a hit; both hit, nothing counts; dodged; then up and down to the end
    one, other = Scripted([SHOOT, SHOOT, SHOOT, UP, DOWN]), Scripted([LEFT, SHOOT, UP, DOWN, UP])
    changes = list(fight(one, other))
    assert changes[:3] == [1, 0, 0]
    assert one.told == [0, *changes]
    assert other.told == [0, *(-change for change in changes)]


def test_the_last_round_counts_when_the_shots_are_used_up() -> None:
    one, other = Scripted([SHOOT] * 5 + [UP]), Scripted([UP] + [SHOOT] * 5)
    changes = list(fight(one, other))  # never aligned until `one` moves up, and is hit
    assert changes == [0, 0, 0, 0, 0, -1]
    assert one.told == [0, *changes]


def test_seats_are_swapped() -> None:
    seen: list[tuple[int, int]] = []

    class Looker(RandomAgent):
        def get_best_move(
            self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
        ) -> Action:
            seen.append(self_droid.location)
            return super().get_best_move(self_droid, adv_droid, score_change, training)

    for swapped in (False, True):
        next(fight(Looker(seed=1), RandomAgent(seed=2), swapped=swapped))
    assert seen == [(2, 0), (2, 3)]


def test_keys_that_cannot_be_played_are_asked_again() -> None:
    keys = iter(["x", "", "a", " ", "W", "s"])
    agent = KeyboardAgent(lambda: next(keys))
    corner, other = R2Droid(4, 4, (0, 0), 0), R2Droid(4, 4, (3, 3), 5)
    assert agent.get_best_move(corner, other, 0, False) is DOWN


def test_updates_by_hand() -> None:
    agent = QAgent(DroidQSettings(alpha=0.5, gamma=0.5, epsilon=0.0), seed=1)
    me, it = R2Droid(4, 4, (2, 0), 1), R2Droid(4, 4, (2, 3), 0)
    here = agent.state(me, it)
    agent.Q[here] = {UP: 0.0, DOWN: 0.0, RIGHT: 0.0, SHOOT: 0.2}
    assert agent.get_best_move(me, it, 0, True) is SHOOT
    me.shots = 0
    assert agent.get_best_move(me, it, 1, True) in (UP, DOWN, RIGHT)
    assert agent.Q[here][SHOOT] == pytest.approx(0.2 + 0.5 * (1 + 0.5 * 0 - 0.2))
    agent.clear()
    before = dict(agent.Q[here])
    agent.get_best_move(R2Droid(4, 4, (2, 0), 1), it, -1, True)  # a new game: nothing to learn
    assert agent.Q[here] == before


def test_the_maximum_runs_over_what_can_be_played() -> None:
    agent = QAgent(DroidQSettings(alpha=1.0, gamma=1.0, epsilon=0.0), seed=1)
    me, it = R2Droid(4, 4, (0, 0), 0), R2Droid(4, 4, (2, 2), 5)
    agent.Q[agent.state(me, it)] = {DOWN: -0.5, RIGHT: -0.25}
    agent.last = ((1, 0), (2, 2), 0, 5), UP
    agent.Q[agent.last[0]] = {UP: 0.0, DOWN: 0.0, RIGHT: 0.0}
    agent.get_best_move(me, it, -1, True)
    assert agent.Q[(1, 0), (2, 2), 0, 5][UP] == -1.25


def test_it_does_not_learn_unless_training() -> None:
    agent = QAgent(seed=1)
    for _ in fight(agent, RandomAgent(seed=2)):
        pass
    assert agent.rounds == 0
    assert all(value == 0 for values in agent.Q.values() for value in values.values())


@pytest.mark.parametrize("small", [False, True])
def test_the_compiled_form_learns_the_same_table(small: bool) -> None:
    game = Droids(3, 3, shots=2, rounds=9) if small else GAME
    shares = shooter_shares(game, 0.2)
    plain, fast = (QAgent(DroidQSettings(0.2, 0.9, 0.3), seed=5) for _ in range(2))
    opponent = TableAgent(shares, game, seed=6)
    told = list(train(plain, opponent, 4_000, every=1_000, game=game))
    quick = list(learn(fast, shares, 4_000, every=1_000, game=game, seed=6))
    assert np.array_equal(plain.table(game), fast.table(game))
    assert plain.rounds == fast.rounds
    assert plain.rng.random() == fast.rng.random()
    assert [(p.done, p.metrics) for p in told] == [(p.done, p.metrics) for p in quick]


def test_training_can_be_saved_and_resumed(tmp_path: Path) -> None:
    agent, shares = QAgent(DroidQSettings(alpha=0.2), seed=3), random_shares(GAME)
    next(learn(agent, shares, 20_000, seed=4, every=10_000))
    again = QAgent.load(agent.save(tmp_path / "q.npz"))
    assert (again.rounds, again.settings) == (agent.rounds, agent.settings)
    assert np.array_equal(again.table(), agent.table())
    for learner in (agent, again):  # and both go on alike
        next(learn(learner, shares, 5_000, seed=5))
    assert np.array_equal(again.table(), agent.table())
    with pytest.raises(ValueError, match="another board"):
        QAgent.load(tmp_path / "q.npz", Droids(3, 3))


def test_tables_of_shares_are_what_the_agents_do() -> None:
    rng = np.random.default_rng(1)
    pairs = board_tables(4, 4).pairs
    learned = QAgent(seed=2)
    for _ in learn(learned, random_shares(GAME), 30_000, seed=2):
        pass
    for agent in (RandomAgent(seed=1), ShooterAgent(0.3, seed=1), learned):
        shares, places = shares_of(agent), list(pairs)
        for _ in range(6):
            own, other = (int(n) for n in rng.integers(0, 6, 2))
            a, b = places[rng.integers(len(places))]
            droids = R2Droid(4, 4, a, own), R2Droid(4, 4, b, other)
            made = [agent.get_best_move(*droids, 0, False).value - 1 for _ in range(2_000)]
            seen, want = np.bincount(made, minlength=5) / 2_000, shares[own, other, pairs[a, b]]
            assert np.all(np.abs(seen - want) < 5 * np.sqrt(want * (1 - want) / 2_000) + 1e-12)


def test_droid_players_in_the_arena_do_as_the_exact_odds_say() -> None:
    one, other = ShooterAgent(), RandomAgent()
    exact = odds(GAME, as_policy(shares_of(one)), as_policy(shares_of(other)))
    result = match(GAME, DroidPlayer(one), DroidPlayer(other), games=600, seed=1)
    for count, share in ((result.wins, exact.won), (result.losses, exact.lost)):
        assert abs(count / 600 - share) < 5 * (share * (1 - share) / 600) ** 0.5
    also = match(GAME, ShootIfAligned(), DroidPlayer(other), games=600, seed=2)
    assert abs(also.wins / 600 - exact.won) < 5 * (exact.won * (1 - exact.won) / 600) ** 0.5


def test_the_adapter_learns_as_the_loop_does() -> None:
    learner = QAgent(DroidQSettings(alpha=0.5), seed=1)
    player = DroidPlayer(learner, training=True)
    record = play(GAME, [player, DroidPlayer(RandomAgent())], np.random.default_rng(2))
    assert learner.rounds == len(record.moves)


def test_actions_come_in_order() -> None:
    assert actions_of(R2Droid(4, 4, (0, 3), 1)) == [DOWN, LEFT, SHOOT]


def _spent(progress: Iterator[object]) -> int:
    return sum(1 for _ in progress)


def test_training_counts_rounds() -> None:
    learner = QAgent(seed=1)
    assert _spent(train(learner, RandomAgent(seed=2), rounds=500, every=100)) <= 5
    assert 500 <= learner.rounds < 550
