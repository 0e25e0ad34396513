"""Many solitaire boards at once, as an actor-critic plays them, and where they start.

The curriculum: a game that random play never wins teaches nothing, so most boards start where a
solution is near. Playing *backwards* from the last peg, a few random un-jumps, gives positions that
can be solved by construction; no solver is needed.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from lib.agents.solitaire_networks import draw, seeing
from lib.games import batch_solitaire as batch
from lib.games.solitaire import SOLVED, START


@dataclass(frozen=True)
class Curriculum:
    """Where boards start; what is neither `standard` nor `reverse` is a random forward prefix."""

    standard: float = 0.3  # share of usual starts
    reverse: float = 0.7  # share made by un-jumps from the solved board
    unjumps: int = 24  # at most so many un-jumps, uniformly
    prefix: int = 16  # at most so many random jumps from the usual start


def reverse_starts(unjumps: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Positions `unjumps[i]` random un-jumps away from one peg in the centre."""
    boards = np.full(len(unjumps), SOLVED)
    for step in range(int(unjumps.max(initial=0))):
        before, _ = batch.random_unjump(boards, rng)
        boards = np.where(step < unjumps, before, boards)
    return boards


def forward_starts(jumps: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Positions up to `jumps[i]` random jumps from the usual start, with a jump left."""
    boards = np.full(len(jumps), START)
    for step in range(int(jumps.max(initial=0))):
        after, _ = batch.random_jump(boards, rng)
        going_on = (step < jumps) & batch.legal(after).any(axis=1)
        boards = np.where(going_on, after, boards)
    return boards


def draw_starts(count: int, curriculum: Curriculum, rng: np.random.Generator) -> np.ndarray:
    """`count` positions to start from, in random order."""
    boards = np.full(count, START)
    kind = rng.random(count)
    reverse = (kind >= curriculum.standard) & (kind < curriculum.standard + curriculum.reverse)
    forward = kind >= curriculum.standard + curriculum.reverse
    unjumps = rng.integers(1, curriculum.unjumps + 1, int(reverse.sum()))
    boards[reverse] = reverse_starts(unjumps, rng)
    prefix = rng.integers(1, curriculum.prefix + 1, int(forward.sum()))
    boards[forward] = forward_starts(prefix, rng)
    return boards


class Rollout(NamedTuple):
    """`steps` moves of `games` boards: arrays of steps×games, network inputs of steps*games."""

    boards: Tensor
    legal: Tensor
    actions: np.ndarray
    rewards: np.ndarray
    ended: np.ndarray
    values: np.ndarray
    last_values: np.ndarray  # of the boards after the last step, to bootstrap from


class Games:
    """Boards that are played on and on; one that is over starts again somewhere else.

    Each board is replaced by its canonical image at every step: seven of eight positions need
    not be learned at all.
    """

    def __init__(
        self,
        count: int,
        rng: np.random.Generator,
        curriculum: Curriculum | None = None,
        centre_bonus: float = 0.5,
        starts: Any = draw_starts,
    ) -> None:
        self.rng = rng
        self.curriculum = curriculum or Curriculum()
        self.centre_bonus = centre_bonus
        self.starts = starts
        self.waiting = np.empty(0, dtype=np.int64)
        self.boards = self._fresh(count)
        self.standard = self.boards == START
        self.pegs_left: deque[int] = deque(maxlen=500)  # of finished games from the usual start
        self.finished = 0

    def recent(self) -> dict[str, float]:
        """How the last games from the usual start ended: the share with one peg, and pegs left.

        Nothing before 20 have ended: of games that begin together the worst end first.
        """
        if len(self.pegs_left) < 20:
            return {}
        ends = np.array(self.pegs_left)
        return {"solved": float((ends == 1).mean()), "pegs": float(ends.mean())}

    def play(self, network: Any, steps: int) -> Rollout:
        """Let `network` play `steps` moves on every board, drawn from its policy."""
        network = seeing(network)
        inputs, masks, rows = [], [], []
        for _ in range(steps):
            boards, legal, logits, values = self._look(network)
            actions = draw(logits, self.rng)
            rewards, ended = self._step(actions)
            inputs.append(boards)
            masks.append(legal)
            rows.append((actions, rewards, ended, values))
        last_values = self._look(network)[3]
        actions, rewards, ended, values = map(np.stack, zip(*rows, strict=True))
        return Rollout(
            torch.cat(inputs), torch.cat(masks), actions, rewards, ended, values, last_values
        )

    @torch.no_grad()
    def _look(self, network: Any) -> tuple[Tensor, Tensor, np.ndarray, np.ndarray]:
        mask = batch.legal(self.boards)
        boards, legal = network.encode(self.boards, mask), torch.from_numpy(mask)
        logits, values = network(boards, legal)
        return boards, legal, logits.numpy(), values.numpy()

    def _step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        after = batch.canonical(batch.play(self.boards, actions))[0]
        ended: np.ndarray = np.logical_not(batch.legal(after).any(axis=1))
        rewards = np.zeros(len(after), dtype=np.float32)
        rewards[ended] = batch.count_pegs(after[ended]) == 1
        rewards[after == SOLVED] += self.centre_bonus
        self.pegs_left.extend(batch.count_pegs(after[ended & self.standard]).tolist())
        fresh = self._fresh(int(ended.sum()))
        after[ended] = fresh
        self.standard[ended] = fresh == START
        self.finished += len(fresh)
        self.boards = after
        return rewards, ended

    def _fresh(self, count: int) -> np.ndarray:
        while len(self.waiting) < count:
            more = self.starts(max(1024, count), self.curriculum, self.rng)
            images = batch.canonical(more)[0]
            playable = images[batch.legal(images).any(axis=1)]
            if not len(playable):
                raise ValueError(f"no jump is possible in any of {len(more)} starts: look at one")
            self.waiting = np.concatenate([self.waiting, playable])
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken.copy()
