"""The figures of lesson 5 that take too long for a notebook, and the function that remakes them.

    python -m lib.grading.lesson5_figures seed_recipe more_updates ten_seeds pairs by_pegs

writes lib/weights/solitaire-lesson.json: minutes each, on one core.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from lib.agents.a3c import A3C
from lib.agents.actor_critic_seed import SeedActorCritic, SeedSettings, analyse, read_results
from lib.agents.registry import WEIGHTS
from lib.agents.solitaire_networks import load_network, seeded_network
from lib.agents.solitaire_player import play_out, search_out, solved_share, strength
from lib.files import write_whole

FILE = WEIGHTS / "solitaire-lesson.json"


def seed_recipe(iterations: int = 800, batches: int = 1) -> list[dict[str, float]]:
    """The seed's iterations: pegs left and share solved in the 600 games of every 20."""
    learner = SeedActorCritic(SeedSettings(iterations=iterations, batches=batches), seed=0)
    with TemporaryDirectory() as folder:
        for _ in learner.train(folder):
            pass
        return analyse(read_results(folder))


def more_updates() -> list[dict[str, float]]:
    """The same with nine mini-batches where the seed has one."""
    return seed_recipe(iterations=240, batches=9)


def ten_seeds(updates: int = 1000) -> list[dict[str, Any]]:
    """The lesson's training with ten seeds: the share solved on the way, and what it reaches."""
    from lib.grading.lesson5_reference import TwoHeads, train_pegs

    runs = []
    for seed in range(10):
        network = seeded_network(TwoHeads, seed)
        begun = time.process_time()
        told = list(train_pegs(network, updates, np.random.default_rng(seed)))
        seconds = time.process_time() - begun
        curve = [[p.done, p.metrics.get("solved", 0.0)] for p in told]
        runs.append({"seed": seed, "seconds": seconds, "curve": curve, **strength(network, 500)})
    return runs


def pairs(updates: int = 1000) -> list[dict[str, float]]:
    """The same number of updates by two workers, ten times; no such run can be repeated."""
    from lib.grading.lesson5_reference import TwoHeads, gradient, starts, worker_step

    runs = []
    for seed in range(10):
        learner = A3C(
            workers=2, seed=seed, network=TwoHeads, learn=gradient, step=worker_step, starts=starts
        )
        for _ in learner.train(updates=updates):
            pass
        runs.append({"seed": seed, "seconds": learner.seconds, **strength(learner.network, 500)})
    return runs


def by_pegs(positions: int = 1000, searches: int = 300) -> list[dict[str, float]]:
    """The shipped network on random solvable positions: greedy, and with a beam of 64.

    A row has both shares, and of how many positions each is one.
    """
    from lib.truth.solitaire import random_solvable

    network, found = load_network(WEIGHTS / "solitaire.pt"), []
    for pegs in range(4, 32, 3):
        boards = random_solvable(pegs, positions, np.random.default_rng(pegs))
        greedy = solved_share(play_out(network, boards), centre=True)
        beam = solved_share(search_out(network, boards[:searches]), centre=True)
        of = {"greedy of": positions, "beam of": searches}
        found.append({"pegs": pegs, "greedy": greedy, "beam": beam, **of})
    return found


def read(path: Path = FILE) -> dict[str, Any]:
    """The stored figures by name."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf8"))
    return content


def remake(names: list[str], path: Path = FILE) -> None:
    """Make the named figures again; the others stay as they are."""
    makers: dict[str, Callable[[], object]] = {
        "seed_recipe": seed_recipe,
        "more_updates": more_updates,
        "ten_seeds": ten_seeds,
        "pairs": pairs,
        "by_pegs": by_pegs,
    }
    for name in names:
        if name not in makers:
            raise ValueError(f"no figure is called {name!r}: choose from {', '.join(makers)}")
        made = makers[name]()
        figures = {**(read(path) if path.exists() else {}), name: made}
        text = json.dumps(figures, indent=1).encode() + b"\n"
        write_whole(path, lambda file, text=text: file.write(text))  # type: ignore[misc]


if __name__ == "__main__":
    torch.set_num_threads(1)
    remake(sys.argv[1:])
