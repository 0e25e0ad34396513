"""gymnasium-2048: random actions. It has no mask, so every step counts, legal or not."""

import gymnasium
import gymnasium_2048  # noqa: F401  (registers the environment)
import numpy as np

from benchmarks.measure import rates, tell, told_effort

STEPS = 500
env = gymnasium.make("gymnasium_2048/TwentyFortyEight-v0", disable_env_checker=True)
env.reset(seed=0)
dice = np.random.default_rng(0)


def some_steps() -> int:
    """Play on, game after game."""
    for action in dice.integers(0, 4, STEPS).tolist():
        if env.step(action)[2]:
            env.reset()
    return STEPS


tell(values=rates(some_steps, told_effort()))
