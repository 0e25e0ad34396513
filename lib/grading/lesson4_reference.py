"""The right answers of lesson 4 that have no other place in the course."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from lib.agents.dqn import td_target
from lib.agents.dqn_explore import entropy, lai_robbins, torch_version
from lib.agents.dqn_workshop import Workshop

__all__ = [
    "ReplayBuffer",
    "best_move",
    "binary_tensor",
    "entropy",
    "lai_robbins",
    "move_reward",
    "slide",
    "soft_update",
    "td_target",
    "torch_version",
    "train_network",
    "valid_moves",
]


def slide(row: Sequence[int]) -> tuple[list[int], int]:
    """A row of four tiles slid to the left, and what it earns: [2, 2, 4, 0] -> [4, 4, 0, 0], 4."""
    tiles = [int(tile) for tile in row if tile]
    slid: list[int] = []
    earned = 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
            earned += tile
        slid.append(tile)
    return slid + [0] * (4 - len(slid)), earned


def valid_moves(board: np.ndarray) -> list[int]:
    """The actions that change the board: 0 up, 1 down, 2 left, 3 right."""
    views = [board.T, board.T[:, ::-1], board, board[:, ::-1]]  # each slid to its left
    return [a for a, rows in enumerate(views) if any(list(row) != slide(row)[0] for row in rows)]


def binary_tensor(board: np.ndarray) -> np.ndarray:
    """Twelve planes (12, 4, 4): plane 0 marks the empty cells, plane k the tiles 2**k."""
    exponents = np.log2(np.maximum(board, 1)).astype(int)
    return (np.minimum(exponents, 11) == np.arange(12)[:, None, None]).astype(np.float32)


class ReplayBuffer:
    """The last `capacity` transitions, drawn at random."""

    def __init__(self, capacity: int) -> None:
        self.kept: deque[Any] = deque(maxlen=capacity)

    def __len__(self) -> int:
        return len(self.kept)

    def push(self, transition: Any) -> None:
        """Keep a transition; a full buffer forgets its oldest."""
        self.kept.append(transition)

    def sample(self, batch_size: int, rng: np.random.Generator) -> list[Any]:
        """`batch_size` different transitions, each equally likely."""
        return [self.kept[i] for i in rng.choice(len(self.kept), batch_size, replace=False)]


def soft_update(target: list[torch.Tensor], network: list[torch.Tensor], tau: float) -> None:
    """Move every tensor of `target`, in place, by a share `tau` towards that of `network`."""
    for slow, fast in zip(target, network, strict=True):
        slow += tau * (fast - slow)


def move_reward(form: str, merged: Sequence[int], after: np.ndarray) -> float:
    """What a move earns that made the tiles `merged` and led to the board `after`."""
    if form == "none":
        return float(2048 in merged)
    if form == "score":
        return float(sum(merged))
    total = float(sum(np.log2(tile) for tile in merged))
    if form.startswith("progressive"):
        total += sum(w * np.sum(after == tile) for tile, w in ((512, 1), (1024, 2.5), (2048, 6)))
    return float(total - 1.5 if form == "progressive_penalty" else total)


def best_move(
    after: np.ndarray,
    gains: np.ndarray,
    legal: np.ndarray,
    value: Callable[[np.ndarray], float],
    gamma: float,
) -> int:
    """The legal action with the largest gain + gamma value(board after it)."""
    worth = {a: gains[a] + gamma * value(after[a]) for a in range(4) if legal[a]}
    return max(worth, key=lambda a: worth[a])


def train_network(work: Workshop, updates: int) -> None:
    """Play and learn: one step of Adam for each move of all games."""
    optimizer = torch.optim.Adam(work.network.parameters(), lr=1e-3)
    for _ in range(updates):
        work.play()
        boards, returns, discounts, later = work.sample(512)
        with torch.no_grad():
            targets = returns + discounts * work.target(later)[:, 0]
        loss = ((work.network(boards)[:, 0] - targets) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            soft_update([*work.target.parameters()], [*work.network.parameters()], 0.05)
