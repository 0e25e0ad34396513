"""Lesson 4 on a machine with a GPU: both of its agents take it. (No GPU could be tried.)"""

import pytest
import torch

from lib.agents import afterstate_dqn, dqn


def test_a_gpu_is_taken_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, named in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        assert afterstate_dqn.pick_device() == torch.device(named)
    assert afterstate_dqn.pick_device("cpu") == torch.device("cpu")


def test_networks_and_targets_lie_on_the_device_that_was_picked() -> None:
    learner = afterstate_dqn.AfterstateDQN(device="meta")
    for network in (learner.network, learner.target, learner.mean):
        assert {p.device.type for p in network.parameters()} == {"meta"}
    agent = dqn.ConvDQNAgent(torch.nn.Linear(1, 4), device="meta")
    assert {p.device.type for p in agent.policy_net.parameters()} == {"meta"}
