"""The seed's DQN on 2048: targets by hand, numpy against torch, exploration, memory, files."""

import inspect
import math

import numpy as np
import pytest
import torch
from torch import nn

from lib.agents.dqn import ConvDQNAgent, DQNAgent, td_target
from lib.agents.dqn_explore import choose, entropy, lai_robbins, torch_version
from lib.agents.dqn_memory import Memory
from lib.agents.dqn_networks import BigConvolutionalNetwork, ConvolutionalNetwork, FullyConnected
from lib.game import play
from lib.games.board2048 import can_move, from_tiles, planes
from lib.games.game2048 import Game2048, State

BOARD = from_tiles([[4, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])  # down or right


class Says(nn.Module):
    """A network that says the same four values of every board."""

    def __init__(self, *values: float) -> None:
        super().__init__()
        self.values = nn.Parameter(torch.tensor(values))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.values.expand(len(x), 4)


def test_the_settings_and_defaults_are_the_seeds() -> None:
    given = inspect.signature(DQNAgent.__init__).parameters
    defaults = {name: p.default for name, p in given.items() if p.default is not p.empty}
    expected = {
        "batch_size": 128, "gamma": 0.99, "eps_start": 1.0, "eps_end": 0.01, "eps_decay": 0.0005,
        "kind_action": "lai_robbins", "tau": 0.001, "lr": 0.001, "replay_memory_size": 10_000,
        "epochs_checkpoint": 10, "penality_move": 0.0,
    }  # fmt: skip
    assert expected.items() <= defaults.items()


def test_targets_by_hand() -> None:
    rewards, over = torch.tensor([1.0, 2.0]), torch.tensor([False, True])
    next_q = torch.tensor([[1.0, 5.0, 3.0, 2.0], [4.0, 4.0, 4.0, 4.0]])
    legal = torch.tensor([[True, False, True, True], [False] * 4])
    chooser = torch.tensor([[7.0, 9.0, 1.0, 2.0], [0.0] * 4])
    assert td_target(rewards, over, next_q, legal, 0.9).tolist() == pytest.approx([3.7, 2.0])
    assert td_target(rewards, over, next_q, None, 0.9).tolist() == pytest.approx([5.5, 2.0])
    double = td_target(rewards, over, next_q, legal, 0.9, chooser)
    assert double.tolist() == pytest.approx([1.9, 2.0])


def numpy_target(  # type: ignore[no-untyped-def]
    rewards, over, next_q, legal, gamma, chooser=None
) -> list[float]:
    """The same, one transition at a time."""
    targets = []
    for i, reward in enumerate(rewards):
        actions = np.flatnonzero(legal[i])
        if over[i]:
            targets.append(reward)
            continue
        ranked = next_q[i] if chooser is None else chooser[i]
        best = actions[np.argmax(ranked[actions])]
        targets.append(reward + gamma * next_q[i, best])
    return targets


@pytest.mark.parametrize("double", [False, True])
def test_torch_agrees_with_numpy(double: bool) -> None:
    rng = np.random.default_rng(0)
    n = 200
    next_q, other = rng.normal(-2, 1, (n, 4)), rng.normal(-2, 1, (n, 4))
    legal = rng.random((n, 4)) < 0.5
    over = ~legal.any(axis=1)
    rewards = rng.random(n)
    chooser = other if double else None
    got = td_target(
        *map(torch.from_numpy, (rewards, over, next_q, legal)),
        0.9,
        None if chooser is None else torch.from_numpy(chooser),
    )
    assert over.sum() > 5
    np.testing.assert_allclose(got, numpy_target(rewards, over, next_q, legal, 0.9, chooser))


@pytest.mark.parametrize(("legal_max", "best"), [(True, 3.0), (False, 9.0)])
def test_the_agent_takes_the_maximum_it_says(legal_max: bool, best: float) -> None:
    agent = DQNAgent(Says(9.0, 3.0, 4.0, 1.0), legal_max=legal_max, batch_size=1)
    agent.memory.push(BOARD, 1, 0.5, BOARD, False)
    agent.memory.push(BOARD, 1, 0.5, 0, True)
    batch = agent.memory.sample(2, np.random.default_rng(0))
    expected = [0.5 if over else 0.5 + 0.99 * best for over in batch.over]
    assert agent.targets(batch).tolist() == pytest.approx(expected)


def test_rules_of_exploration_by_hand() -> None:
    assert lai_robbins(0) == 0.8 and lai_robbins(100) == pytest.approx(0.4)
    assert torch_version(0) == 1.0
    assert torch_version(2000) == pytest.approx(0.01 + 0.99 / math.e)
    assert torch_version(1e9) == pytest.approx(0.01)
    chances = entropy(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1]))
    expected = np.array([1.0, 4.0, 8.0]) / 13  # exp(0), 2**2, 2**3
    np.testing.assert_allclose(chances, expected)
    assert entropy(np.array([900.0, -900.0]), np.array([50, 50])).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("kind", ["lai_robbins", "entropy", "torch_version"])
def test_only_legal_moves_are_chosen(kind: str) -> None:
    rng, legal = np.random.default_rng(0), np.array([1, 3])
    values, counts = np.array([9.0, 0.2, 9.0, 0.1]), np.array([5, 0, 5, 0])
    drawn = {choose(kind, values, legal, counts, rng, 0.5) for _ in range(200)}
    assert drawn == {1, 3}
    with pytest.raises(ValueError, match="no exploration rule"):
        choose("softmax", values, legal, counts, rng, 0.5)


def test_explored_as_often_as_the_rule_says() -> None:
    """Action 1 is best and was taken 100 times: epsilon 0.4, half of which finds it anyway."""
    rng, legal = np.random.default_rng(0), np.array([1, 3])
    values, counts = np.array([0.0, 1.0, 0.0, 0.5]), np.array([0, 100, 0, 0])
    n = 4000
    drawn = [choose("lai_robbins", values, legal, counts, rng, 0.9) for _ in range(n)]
    assert abs(drawn.count(3) / n - 0.2) < 5 * math.sqrt(0.2 * 0.8 / n)


def test_the_memory_forgets_its_oldest_and_draws_without_repetition() -> None:
    memory, rng = Memory(5), np.random.default_rng(0)
    for n in range(8):
        memory.push(n, n % 4, n / 2, n + 1, n == 7)
    assert len(memory) == 5
    seen = set()
    for _ in range(30):
        batch = memory.sample(3, rng)
        assert len(set(batch.boards.tolist())) == 3
        np.testing.assert_array_equal(batch.next_boards, batch.boards + np.uint64(1))
        np.testing.assert_array_equal(batch.rewards, batch.boards / 2)
        np.testing.assert_array_equal(batch.over, batch.boards == 7)
        seen |= set(batch.boards.tolist())
    assert seen == {3, 4, 5, 6, 7}
    with pytest.raises(ValueError, match="push more first"):
        memory.sample(6, rng)


def test_what_the_networks_see() -> None:
    raw, conv = DQNAgent(FullyConnected(16)), ConvDQNAgent(ConvolutionalNetwork())
    boards = np.array([BOARD], np.uint64)
    assert raw.tensor(boards)[0, :6].tolist() == [4, 2, 0, 0, 2, 0]
    exponents = np.array([[2, 1, 0, 0], [1, 0, 0, 0], [0] * 4, [0] * 4])
    np.testing.assert_array_equal(conv.binary_tensor(boards)[0], planes(exponents))
    assert torch.equal(conv.tensor(boards), conv.binary_tensor(boards))


@pytest.mark.parametrize("loss", ["huber", "mse"])
def test_one_step_is_adams_on_loss_and_squared_weights(loss: str) -> None:
    """The gradient by hand on the one output that was taken; Adam's first step is lr * sign."""
    agent = DQNAgent(Says(0.0, 2.0, 0.0, 0.0), batch_size=1, l2=0.1, loss=loss, lr=0.01, tau=0.5)
    agent.memory.push(BOARD, 1, 5.0, 0, True)  # error 2 - 5 = -3
    value = agent.optimize_model()
    assert value == pytest.approx(2.5 if loss == "huber" else 9.0)
    slope = -1.0 if loss == "huber" else -6.0
    gradient = agent.optimizer.state[agent.policy_net.values]["exp_avg"] / 0.1  # type: ignore[index]
    assert gradient.tolist() == pytest.approx([0, slope + 0.1 * 2.0, 0, 0])
    assert agent.policy_net.values[1].item() == pytest.approx(2.01, abs=1e-6)  # type: ignore[index, union-attr]
    assert agent.target_net.values[1].item() == pytest.approx(2.005, abs=1e-6)  # type: ignore[index, union-attr]


def test_a_forms_reward_and_the_penalty_reach_the_memory() -> None:
    agent = DQNAgent(FullyConnected(16), reward_form="none", penality_move=1.5, batch_size=10**6)
    for _ in agent.fit(Game2048(), 1):
        pass
    rewards = agent.memory.kept.rewards[: len(agent.memory)]
    assert set(rewards.tolist()) == {-1.5} and agent.memory.kept.over.sum() == 1
    assert agent.cumulative_reward == [-1.5 * len(rewards)]
    with pytest.raises(ValueError, match="reward_form='cash'"):
        DQNAgent(FullyConnected(16), reward_form="cash")


def test_the_agent_plays_legally_and_counts_its_moves() -> None:
    agent = ConvDQNAgent(ConvolutionalNetwork(), seed=3)
    taken = [agent.select_action(State(BOARD)) for _ in range(30)]
    assert set(taken) <= set(can_move(BOARD)) and agent.steps_done == 30
    assert agent.steps_per_action.tolist() == [taken.count(a) for a in range(4)]
    record = play(Game2048(), [agent], np.random.default_rng(0), max_turns=20)
    assert len(record.moves) == 20
    agent.reset()
    assert agent.steps_done == 0 and len(agent.memory) == 0


@pytest.mark.parametrize("network", [ConvolutionalNetwork, BigConvolutionalNetwork])
def test_planes_give_four_values(network: type[nn.Module]) -> None:
    assert network()(torch.zeros(3, 12, 4, 4)).shape == (3, 4)


def weights(agent: DQNAgent) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in agent.policy_net.parameters()])


def test_training_goes_on_exactly_where_it_was_saved(tmp_path) -> None:  # type: ignore[no-untyped-def]
    def make() -> DQNAgent:
        torch.manual_seed(0)
        return ConvDQNAgent(ConvolutionalNetwork(), batch_size=16, seed=4, epochs_checkpoint=1)

    whole, first, again = make(), make(), make()
    told = [progress.done for progress in whole.fit(Game2048(), 2)]
    assert told == [1, 2]
    list(first.fit(Game2048(), 1))
    first.save(tmp_path / "a.pt")
    again.load(tmp_path / "a.pt")
    list(again.fit(Game2048(), 1))
    assert torch.equal(weights(whole), weights(again))
    assert again.scores == whole.scores and again.loss_history == whole.loss_history
    assert again.steps_per_action.tolist() == whole.steps_per_action.tolist()


def test_it_learns_what_each_last_move_earned() -> None:
    """A memory of endings with known rewards: the loss falls to a hundredth."""
    torch.manual_seed(1)
    agent = ConvDQNAgent(FullyConnected(192), batch_size=64, replay_memory_size=64, loss="mse")
    rng = np.random.default_rng(0)
    for board in rng.integers(0, 2**63, 64):
        agent.memory.push(int(board), int(board) % 4, float(rng.normal()), 0, True)
    losses = [agent.optimize_model() or 0.0 for _ in range(150)]
    assert losses[0] > 0.5 and losses[-1] < 0.01 * losses[0]
