"""The agents of the project that lesson 4 grew from, one for each of its networks."""

from collections.abc import Callable
from pathlib import Path

from torch import nn

from lib.agents.dqn import ConvDQNAgent, DQNAgent
from lib.agents.dqn_networks import ConvolutionalNetwork, FullyConnected
from lib.agents.solitaire_networks import seeded_network

NETWORKS: dict[str, tuple[type[DQNAgent], Callable[[], nn.Module]]] = {
    "raw": (DQNAgent, lambda: FullyConnected(inputs=16)),
    "planes": (ConvDQNAgent, FullyConnected),
    "conv": (ConvDQNAgent, ConvolutionalNetwork),
}


def agent(network: str, seed: int = 0) -> DQNAgent:
    """A new agent with the project's own settings."""
    kind, make = NETWORKS[network]
    return kind(seeded_network(make, seed), device="cpu", seed=seed)


def player(network: str, path: Path) -> DQNAgent:
    """The agent that was saved in a file."""
    found = agent(network)
    found.load(path)
    return found
