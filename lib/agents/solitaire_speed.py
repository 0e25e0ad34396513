"""How many moves a second: with more boards at once, and with more workers."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from torch import nn

from lib.agents.a3c import A3C
from lib.agents.actor_critic import one_thread
from lib.agents.solitaire_games import Games

MOVES = 8  # on each board in a round, as in lesson 5


def board_speed(
    learn: Callable[[nn.Module, Games], Any], network: nn.Module, boards: int, seconds: float = 0.5
) -> float:
    """Moves a CPU-second of one process that learns on so many boards at once."""
    games = Games(boards, np.random.default_rng(0))
    with one_thread():
        learn(network, games)  # the first round also starts things up
        rounds, begun = 0, time.process_time()
        while (spent := time.process_time() - begun) < seconds:
            learn(network, games)
            rounds += 1
    return rounds * boards * MOVES / spent


def worker_speed(learner: A3C, seconds: float = 3.0) -> float:
    """Moves a second, by the clock, of a learner's workers once they all work."""
    first: tuple[float, float] | None = None
    now = steps = 0.0
    training = learner.train(seconds=1e9, report=0.25)
    try:
        for progress in training:
            now, steps = time.monotonic(), progress.metrics["steps"]
            if first is None and progress.metrics["working"] == learner.workers:
                first = now, steps
            if first is not None and now - first[0] >= seconds:
                break
    finally:
        training.close()  # type: ignore[attr-defined]
    assert first is not None
    return (steps - first[1]) / (now - first[0])
