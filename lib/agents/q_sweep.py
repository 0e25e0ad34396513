"""How Q-learning depends on its settings: the stored curves that lesson 1 shows.

`python -m lib.agents.q_sweep` makes lib/weights/tapnswap-sweep.json again, in some minutes. Each
curve is learned in the seed's form, over several seeds; each point is exact: the chance to win
against a random player, and the share of positions in which the best moves keep the exact value.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from lib import parallel
from lib.agents.q_learning import QLearning, QPlayer, QSettings
from lib.files import write_text
from lib.games.tapnswap import TapnSwap
from lib.truth.fingers import chances, kept, solve

FILE = Path(__file__).parents[1] / "weights" / "tapnswap-sweep.json"
EPSILONS = tuple(round(0.1 * i, 1) for i in range(1, 11))
ALPHAS: tuple[float | None, ...] = (0.1, 0.3, 0.5, None)  # None: 1 / visits
SCHEDULES = (("random",), ("self",), ("random", "self"), ("self", "random"))
POINTS = (500, 1000, 1500, 2000, 3000, 4000, 5000, 6500, 8000, 10_000)
SEEDS = 5

Curve = list[tuple[float, float]]  # won, kept at each of POINTS


def curve(task: tuple[QSettings, int]) -> Curve:
    """What one training reaches after each number of games in POINTS."""
    settings, seed = task
    game = TapnSwap()
    learner, truth = QLearning(game, settings, seed), solve(game)
    found: Curve = []
    for progress in learner.train(POINTS[-1], every=500):
        if progress.done in POINTS:
            choices = QPlayer(learner).choices
            won = np.mean([chances(game, choices, seat, turns=200).win for seat in (0, 1)])
            right, positions = kept(truth, choices)
            found.append((round(float(won), 5), round(right / positions, 5)))
    return found


def name(settings: QSettings) -> str:
    """How a curve is called in the file: "random, epsilon 0.6, alpha 0.3"."""
    alpha = "1/visits" if settings.alpha is None else f"{settings.alpha:g}"
    return f"{' then '.join(settings.opponents)}, epsilon {settings.epsilon:g}, alpha {alpha}"


def settings_of_the_sweep() -> list[QSettings]:
    """Every epsilon with every alpha against random, and the four schedules."""
    grid = [QSettings(alpha=alpha, epsilon=epsilon) for epsilon in EPSILONS for alpha in ALPHAS]
    return grid + [QSettings(opponents=schedule) for schedule in SCHEDULES[1:]]


def sweep(jobs: int = 1, seeds: int = SEEDS) -> dict[str, Any]:
    """All curves by name: {"games": POINTS, "curves": {name: [seed][point] -> [won, kept]}}."""
    chosen = settings_of_the_sweep()
    tasks = [(settings, seed) for settings in chosen for seed in range(seeds)]
    curves: dict[str, list[Curve]] = {name(settings): [[]] * seeds for settings in chosen}
    for index, found in parallel.run(tasks, curve, jobs=jobs, progress="trainings"):
        settings, seed = tasks[index]
        curves[name(settings)][seed] = found
    return {"games": POINTS, "curves": curves}


def stored() -> dict[str, Any]:
    """The curves of the last sweep."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf8"))
    return found


if __name__ == "__main__":
    write_text(FILE, json.dumps(sweep(), separators=(",", ":")) + "\n")
