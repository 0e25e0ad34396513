"""From the seed's DQN to one that wins at 2048, one mend at a time, each measured.

Every rung plays and learns the same number of moves on 256 games at once, and is then tested
greedily. `course.py ladder` remakes the file that the lesson draws its bars from.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from lib import parallel
from lib.agents.afterstate_dqn import AfterstateDQN, Settings
from lib.agents.dqn import ConvDQNAgent
from lib.agents.dqn_explore import RULES
from lib.agents.dqn_games import Games
from lib.agents.dqn_networks import BigConvolutionalNetwork
from lib.agents.progress import Progress
from lib.files import write_text
from lib.games.game2048 import Game2048

FILE = Path(__file__).parents[1] / "weights" / "2048-ladder.json"
STEPS = 200_000  # moves of each training: some ten CPU-seconds
GAMES = 300  # of each test
EPISODES = 40  # games that each of the seed's exploration rules learns from
SEEDS = (1, 2, 3, 4, 5)

BEST = Settings(alpha_end=1e-3)  # the trainings are short: Adam's step does not fall
_SEED = replace(
    BEST, n_step=1, gamma=0.99, loss="huber", tau=0.001, average=0.0, epsilon=0.01,
    afterstates=False, legal_max=False, symmetry=False,
)  # fmt: skip
_LEGAL = replace(_SEED, legal_max=True)
_FAST = replace(_LEGAL, tau=0.05)
_SQUARED = replace(_FAST, loss="mse")
_STEPS = replace(_SQUARED, n_step=10)
_FAR = replace(_STEPS, gamma=0.999)
_Q = replace(_FAR, symmetry=True)
_AFTER = replace(_Q, afterstates=True, epsilon=0.0)


@dataclass(frozen=True)
class Rung:
    """Something to train and test."""

    settings: Settings
    symmetries: int = 1  # at play


@dataclass(frozen=True)
class Rule:
    """The seed's own agent under one of its exploration rules."""

    kind: str


GROUPS: dict[str, dict[str, Rung | Rule]] = {
    "ladder": {  # each mends one thing more
        "the project's form": Rung(_SEED),
        "legal maximum": Rung(_LEGAL),
        "faster target": Rung(_FAST),
        "squared error": Rung(_SQUARED),
        "10-step returns": Rung(_STEPS),
        "gamma 0.999": Rung(_FAR),
        "symmetry": Rung(_Q),
        "afterstates": Rung(_AFTER),
        "mean of weights": Rung(BEST),
        "8 views at play": Rung(BEST, symmetries=8),
    },
    "rewards": {  # in the Q form with all its mends
        "none": Rung(replace(_Q, reward_form="none", scale=1.0)),
        "score": Rung(_Q),
        "log2": Rung(replace(_Q, reward_form="log2", scale=0.005)),
        "progressive": Rung(replace(_Q, reward_form="progressive", scale=0.005)),
        "progressive_penalty": Rung(replace(_Q, reward_form="progressive_penalty", scale=0.005)),
    },
    "networks": {  # the seed's, in the same form
        "fully connected, raw board": Rung(replace(_Q, network="raw")),
        "fully connected, planes": Rung(replace(_Q, network="planes")),
        "convolution, planes": Rung(replace(_Q, network="conv")),
        "two convolutions, planes": Rung(replace(_Q, network="bigconv")),
    },
    "rules": {kind: Rule(kind) for kind in RULES},
}


def measure(rung: Rung, seed: int, steps: int = STEPS, games: int = GAMES) -> dict[str, Any]:
    """Train and test a rung."""
    agent = AfterstateDQN(rung.settings, seed=seed, device="cpu")
    for _ in agent.train(steps=steps):
        pass
    return _row(seed, agent.test(games, seed=10_000 + seed, symmetries=rung.symmetries))


def measure_rule(
    rule: Rule, seed: int, episodes: int = EPISODES, games: int = GAMES
) -> dict[str, Any]:
    """Train and test the seed's agent, one game at a time; "taken" is what it did in training."""
    torch.manual_seed(seed)
    network = BigConvolutionalNetwork(channels=16, hidden=128)
    agent = ConvDQNAgent(network, device="cpu", kind_action=rule.kind, legal_max=False, seed=seed)
    for _ in agent.fit(Game2048(), episodes):
        pass
    row = _row(seed, agent.test(Game2048(), games, seed=10_000 + seed))
    return {**row, "taken": agent.steps_per_action.tolist()}


def _row(seed: int, result: Games) -> dict[str, Any]:
    """Mean score, its standard error, share of games that reach each tile, tiles and moves."""
    return {
        "seed": seed,
        "score": round(result.mean, 1),
        "error": round(result.error, 1),
        "reached": {str(t): result.reached(t) for t in (256, 512, 1024, 2048, 4096)},
        "heat": result.heat().round(1).tolist(),
        "moves": result.moves.sum(axis=0).tolist(),
    }


def _task(task: tuple[str, str, int, int, int]) -> dict[str, Any]:
    group, name, seed, steps, games = task
    found = GROUPS[group][name]
    if isinstance(found, Rule):
        return measure_rule(found, seed, games=games)
    return measure(found, seed, steps, games)


def climb(
    path: Path = FILE,
    *,
    jobs: int = 1,
    steps: int = STEPS,
    games: int = GAMES,
    seeds: tuple[int, ...] = SEEDS,
    keep: Path | None = None,
) -> Iterator[Progress]:
    """Measure every rung and write the file; with `keep` an interrupted climb goes on."""
    tasks = [
        (group, name, seed, steps, games)
        for group, rungs in GROUPS.items()
        for name in rungs
        for seed in seeds
    ]
    key = f"ladder of {steps} moves, {games} games, seeds {seeds}"
    results = (
        parallel.kept(keep, key, tasks, _task, jobs=jobs)
        if keep
        else parallel.run(tasks, _task, jobs)
    )
    found: dict[str, dict[str, list[Any]]] = {g: {n: [] for n in r} for g, r in GROUPS.items()}
    for done, (index, row) in enumerate(results, start=1):
        group, name, *_ = tasks[index]
        found[group][name].append(row)
        yield Progress(done, len(tasks), "rungs", {"score": row["score"]})
    for rungs in found.values():
        for rows in rungs.values():
            rows.sort(key=lambda row: row["seed"])
    about = {"steps": steps, "games": games, "seeds": list(seeds)}
    write_text(path, json.dumps({"about": about, **found}, indent=1) + "\n")


def read(path: Path = FILE) -> dict[str, Any]:
    """What `climb` wrote: read()["ladder"]["symmetry"][0]["score"]."""
    return json.loads(path.read_text(encoding="utf-8"))
