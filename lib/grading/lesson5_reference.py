"""The course's own answers to lesson 5, on peg solitaire."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lib.agents.a3c import worker_step as worker_step
from lib.agents.progress import Progress
from lib.agents.solitaire_games import Games
from lib.games.solitaire import JUMPS, SOLVED, START

Jumps = Sequence[tuple[int, int, int]]


def legal_jumps(position: int, jumps: Jumps) -> list[int]:
    """The numbers of the jumps that can be made: a peg, over a peg, into a hole."""
    peg = [position >> hole & 1 for hole in range(33)]
    return [a for a, (s, o, t) in enumerate(jumps) if peg[s] and peg[o] and not peg[t]]


def planes(position: int, holes: Sequence[tuple[int, int]]) -> np.ndarray:
    """7×7×3: pegs, the fraction of 31 removed, the fraction of 31 left to remove."""
    cube = np.zeros((7, 7, 3))
    for hole, (row, column) in enumerate(holes):
        cube[row, column, 0] = position >> hole & 1
    pegs = cube[:, :, 0].sum()
    cube[:, :, 1] = (32 - pegs) / 31
    cube[:, :, 2] = (pegs - 1) / 31
    return cube


def log_policy(logits: Tensor, legal: Tensor) -> Tensor:
    """log π(a|s): the softmax over legal jumps only; an illegal one gets about -1e9."""
    return logits.masked_fill(~legal, -1e9).log_softmax(dim=1)


def critic_targets(
    rewards: np.ndarray, ended: np.ndarray, last_values: np.ndarray, gamma: float
) -> np.ndarray:
    """What each move turned out to be worth, moves×games, bootstrapped from `last_values`."""
    targets = np.zeros(rewards.shape)
    after = last_values
    for t in reversed(range(len(rewards))):
        after = rewards[t] + gamma * np.where(ended[t], 0.0, after)
        targets[t] = after
    return targets


def losses(
    log_pi: Tensor, values: Tensor, actions: Tensor, targets: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Actor loss, critic loss and entropy, each a mean over the states."""
    targets = targets.detach()
    advantage = targets - values.detach()
    taken = log_pi.gather(1, actions[:, None]).squeeze(1)
    actor = -(taken * advantage).mean()
    critic = (targets - values).square().mean()
    entropy = -(log_pi.exp() * log_pi).sum(dim=1).mean()
    return actor, critic, entropy


class TwoHeads(nn.Module):
    """Planes in; 76 logits and one value out, from a trunk that both share."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Flatten(), nn.Linear(147, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy = nn.Linear(width, 76)
        self.value = nn.Linear(width, 1)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Logits, n×76, and values, n."""
        seen = self.trunk(planes)
        return self.policy(seen), self.value(seen).squeeze(1)


def reverse_start(count: int, jumps: Jumps, rng: np.random.Generator) -> int:
    """A position `count` random un-jumps away from one peg in the centre."""
    position = SOLVED
    for _ in range(count):
        peg = [position >> hole & 1 for hole in range(33)]
        options = [(s, o, t) for s, o, t in jumps if peg[t] and not peg[s] and not peg[o]]
        if not options:
            break
        s, o, t = options[rng.integers(len(options))]
        position ^= 1 << s | 1 << o | 1 << t
    return position


def gradient(network: nn.Module, games: Games, *rest: Any, **others: Any) -> dict[str, float]:
    """Play 8 moves on each board, and leave the loss's gradient in the network's parameters."""
    rollout = games.play(network, 8)
    logits, values = network(rollout.boards)
    log_pi = log_policy(logits, rollout.legal)
    targets = critic_targets(rollout.rewards, rollout.ended, rollout.last_values, 1.0)
    actions = torch.from_numpy(rollout.actions).flatten()
    target = torch.from_numpy(targets).float().flatten()
    actor, critic, entropy = losses(log_pi, values, actions, target)
    network.zero_grad()
    (actor + 0.5 * critic - 0.003 * entropy).backward()
    nn.utils.clip_grad_norm_(network.parameters(), 0.5)
    return {"actor": actor.item(), "critic": critic.item(), "entropy": entropy.item()}


def starts(count: int, curriculum: Any, rng: np.random.Generator) -> np.ndarray:
    """Where games begin: 30 % at the usual start, the others near the solution."""
    usual = rng.random(count) < 0.3
    return np.array(
        [START if u else reverse_start(int(rng.integers(1, 25)), JUMPS, rng) for u in usual]
    )


def train_pegs(network: nn.Module, updates: int, rng: np.random.Generator) -> Iterator[Progress]:
    """Rounds of one worker with a falling step size; tells every 50 how its games end."""
    games = Games(64, rng, starts=starts)
    own = deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for update in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = 1e-3 * (1 - 0.9 * update / updates)
        worker_step(network, own, optimizer, lambda network: gradient(network, games))
        if update % 50 == 0:
            yield Progress(update, updates, "updates", games.recent())
