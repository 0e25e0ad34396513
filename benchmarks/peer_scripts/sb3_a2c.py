"""stable-baselines3's A2C on our solitaire environment: `sb3_a2c.py EFFORT BOARDS`; moves."""

import sys

import torch
from stable_baselines3 import A2C
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import DummyVecEnv

from benchmarks.measure import rates, tell, told_effort
from lib.envs_single import SolitaireEnv

BOARDS = int(sys.argv[2])
torch.set_num_threads(1)
boards = DummyVecEnv([SolitaireEnv] * BOARDS)
learner = A2C(
    "MlpPolicy", boards, n_steps=8, policy_kwargs={"net_arch": [256, 256]}, device="cpu", seed=0
)
learner.set_logger(Logger(folder=None, output_formats=[]))  # else each `learn` leaves a folder


def some_moves() -> int:
    """Four updates."""
    learner.learn(4 * 8 * BOARDS, reset_num_timesteps=False)
    return 4 * 8 * BOARDS


tell(values=rates(some_moves, told_effort()))
