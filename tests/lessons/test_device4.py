"""Lesson 4 on a machine with a GPU: all that learns there takes it. (No GPU could be tried.)

The device "meta" stands in: it has shapes but no numbers, and refuses to mix with the CPU, so
what learns on it leaves nothing behind on the CPU.
"""

import itertools

import numpy as np
import pytest
import torch

from lib.agents import afterstate_dqn, dqn, dqn_networks
from lib.agents.dqn_workshop import Workshop
from lib.games.batch2048 import afterstates
from lib.grading.lesson4_reference import train_network


def anything_legal(self: object, boards: np.ndarray) -> np.ndarray:
    """What plays where a network has no numbers to play by."""
    return np.argmax(afterstates(boards)[2], axis=1)


def some_worth(self: object, boards: np.ndarray, *more: object) -> np.ndarray:
    return np.where(afterstates(boards)[2], 0.0, -np.inf)


def devices(*networks: torch.nn.Module) -> set[str]:
    return {p.device.type for network in networks for p in network.parameters()}


def test_a_gpu_is_taken_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, named in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        assert dqn_networks.pick_device() == torch.device(named)
    assert dqn_networks.pick_device("cpu") == torch.device("cpu")


def test_all_three_ask_for_the_best_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a device named, where "auto" leads to is where the networks are."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    made: list[torch.device] = []

    def pretend(network: torch.nn.Module, device: torch.device) -> torch.nn.Module:
        made.append(device)
        return network

    monkeypatch.setattr(torch.nn.Module, "to", pretend)
    monkeypatch.setattr(Workshop, "choose", anything_legal)
    Workshop(games=4)
    afterstate_dqn.AfterstateDQN()
    dqn.ConvDQNAgent(torch.nn.Linear(1, 4))
    assert made == [torch.device("cuda")] * 3


def test_exercise_10_learns_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workshop, "choose", anything_legal)
    work = Workshop(games=8, device="meta")
    train_network(work, 3)
    assert devices(work.network, work.target) == {"meta"}
    assert {tensor.device.type for tensor in work.sample(16)} == {"meta"}
    assert all(p.grad is not None for p in work.network.parameters())


@pytest.mark.parametrize("after", [True, False])
def test_the_course_s_agent_learns_on_the_device(
    after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(afterstate_dqn.AfterstateDQN, "preferences", some_worth)
    settings = afterstate_dqn.Settings(games=8, replay=800, n_step=2, afterstates=after)
    learner = afterstate_dqn.AfterstateDQN(settings, device="meta")
    for _ in range(12):
        learner.play_step()
    with pytest.raises(RuntimeError, match=r"item\(\) cannot be called on meta"):
        learner.learn()  # its very last line: the loss as a number
    assert learner.updates == 1
    assert devices(learner.network, learner.target, learner.mean) == {"meta"}


def test_the_seed_s_agent_learns_on_the_device() -> None:
    network = dqn_networks.BigConvolutionalNetwork(channels=4, hidden=8)
    agent = dqn.ConvDQNAgent(network, device="meta", batch_size=8)
    boards = np.random.default_rng(0).integers(1, 2**60, 17, dtype=np.uint64)
    for before, then in itertools.pairwise(boards.tolist()):
        agent.memory.push(before, 1, 0.5, then, False)
    with pytest.raises(RuntimeError, match=r"item\(\) cannot be called on meta"):
        agent.optimize_model()
    assert all(p.grad is not None for p in agent.policy_net.parameters())
    assert devices(agent.policy_net, agent.target_net) == {"meta"}
