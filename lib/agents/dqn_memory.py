"""The seed's replay memory: single transitions of 2048 in a ring, sampled without repetition."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Batch:
    """Transitions, one entry for each."""

    boards: np.ndarray  # uint64
    actions: np.ndarray  # int64
    rewards: np.ndarray  # float32
    next_boards: np.ndarray  # uint64
    over: np.ndarray  # bool: the game ended with this move


class Memory:
    """The last `capacity` transitions."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"a memory of {capacity} transitions: at least one is needed")
        self.capacity, self.pushed = capacity, 0
        self.kept = Batch(
            np.zeros(capacity, np.uint64),
            np.zeros(capacity, np.int64),
            np.zeros(capacity, np.float32),
            np.zeros(capacity, np.uint64),
            np.zeros(capacity, np.bool_),
        )

    def __len__(self) -> int:
        return min(self.pushed, self.capacity)

    def push(self, board: int, action: int, reward: float, next_board: int, over: bool) -> None:
        """Keep a transition; a full memory forgets its oldest."""
        at, kept = self.pushed % self.capacity, self.kept
        kept.boards[at], kept.actions[at], kept.rewards[at] = board, action, reward
        kept.next_boards[at], kept.over[at] = next_board, over
        self.pushed += 1

    def sample(self, size: int, rng: np.random.Generator) -> Batch:
        """`size` different transitions, each equally likely."""
        if size > len(self):
            raise ValueError(f"a sample of {size} from a memory of {len(self)}: push more first")
        at = rng.choice(len(self), size, replace=False, shuffle=False)
        return Batch(*(array[at] for array in vars(self.kept).values()))

    def state(self) -> dict[str, Tensor]:
        """Everything as tensors, for a file."""
        arrays = {name: torch.from_numpy(a.view(np.uint8)) for name, a in vars(self.kept).items()}
        return {**arrays, "pushed": torch.tensor(self.pushed)}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Become what `state` told."""
        for name, array in vars(self.kept).items():
            if state[name].shape[0] != array.nbytes:
                raise ValueError(f"this file keeps another number of transitions than {len(array)}")
            array[:] = state[name].cpu().numpy().view(array.dtype)
        self.pushed = int(state["pushed"])
