"""DQN on 2048 that wins: afterstates, n-step targets, symmetry, on 256 games at once.

    play    in every game the move with the largest  reward + gamma V(board after it)
    store   the board after the move, the reward, whether the game ended
    target  n rewards from a stored board on + gamma**n V_target(stored board n moves later)
    learn   one step of Adam on (V - target)**2, boards turned by a random symmetry
    target network += tau (network - target network)
    mean network   += average (network - mean network): the one that plays in the end

Chance comes after the player's choice, so V of the board between the two needs no maximum over
moves, and the move is chosen with the rules' own look-ahead. Every improvement over the seed's
form is a setting, so that a lesson can take them away one by one (`dqn_ladder`).

Szubert & Jaskowski (2014) for afterstates; Mnih et al. (2015) for replay and target network.
"""

import copy
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.agents.dqn_games import Games, play_games
from lib.agents.dqn_networks import TupleNet, make_network, pick_device
from lib.agents.progress import Progress
from lib.agents.replay2048 import Ring, Sample
from lib.games.batch2048 import Batch2048, afterstates, exponents, symmetric
from lib.games.board2048 import reward

# TURNED[k, a]: what the action a (up, down, left, right) becomes on symmetric image k.
TURNED = np.array(
    [
        [0, 1, 2, 3], [2, 3, 0, 1], [1, 0, 2, 3], [2, 3, 1, 0],
        [0, 1, 3, 2], [3, 2, 0, 1], [1, 0, 3, 2], [3, 2, 1, 0],
    ]
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What a student may turn; alpha falls from its start to its end over the training."""

    network: str = "R"  # see dqn_networks.make_network
    games: int = 256  # played at once
    replay: int = 256_000  # boards kept: a replay shorter than one game collapses
    batch: int = 512
    n_step: int = 10
    gamma: float = 0.999
    scale: float = 0.001  # of the rewards, to keep values near 1
    reward_form: str = "score"  # Q form: one of board2048.REWARD_FORMS
    alpha: float = 1e-3  # Adam's step size
    alpha_end: float = 3e-5
    tau: float = 0.05  # how fast the target network follows
    average: float = 0.001  # how fast the mean network follows; 0: it is the network itself
    loss: str = "mse"  # or huber
    clip: float = 50.0  # largest norm of the gradient; 0: any
    epsilon: float = 0.0  # share of random moves
    afterstates: bool = True  # V(board after a move), or Q(board, action)
    legal_max: bool = True  # Q form: the target's maximum runs over legal actions only
    double: bool = False  # Q form: the network chooses, the target network values
    symmetry: bool = True  # learn from a random symmetric image


TUPLES = Settings(
    network="tuples", games=512, replay=512_000, batch=1024, n_step=5, gamma=0.9995, scale=0.005,
    alpha=5e-3, alpha_end=5e-4, tau=0.5, average=0.001, clip=0.0,
)  # fmt: skip


def soft_update(target: nn.Module, network: nn.Module, tau: float) -> None:
    """target += tau (network - target), weight by weight; running statistics are copied."""
    with torch.no_grad():
        for slow, fast in zip(target.parameters(), network.parameters(), strict=True):
            slow.lerp_(fast, tau)
        for kept, now in zip(target.buffers(), network.buffers(), strict=True):
            kept.copy_(now)


class AfterstateDQN:
    """The network, the games it plays and the replay it learns from."""

    def __init__(
        self, settings: Settings | None = None, seed: int = 0, device: str = "auto"
    ) -> None:
        self.settings = s = settings or Settings()
        if s.afterstates and s.reward_form != "score":
            raise ValueError(f"afterstates with the rewards {s.reward_form!r}: only the score")
        self.device = pick_device(device)
        self.rng = np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = make_network(s.network, 1 if s.afterstates else 4).to(self.device)
        self.target = copy.deepcopy(self.network).requires_grad_(False).eval()
        self.mean = self.network
        if s.average:
            self.mean = copy.deepcopy(self.network).requires_grad_(False).eval()
        sparse = isinstance(self.network, TupleNet)
        adam: Any = torch.optim.SparseAdam if sparse else torch.optim.Adam
        self.optimizer: torch.optim.Optimizer = adam(self.network.parameters(), lr=s.alpha)
        self.games = Batch2048(s.games, self.rng)
        self.ring = Ring(s.replay, s.games, afterstates=s.afterstates)
        self.steps = 0  # moves made, all games together
        self.updates = 0  # steps of Adam
        self.seconds = 0.0  # CPU time spent
        self.finished: list[tuple[int, int]] = []  # score and board of the last games

    def values(self, boards: np.ndarray, network: nn.Module | None = None) -> Tensor:
        """The network's outputs (n, 1 or 4) for an array of boards."""
        cells = torch.from_numpy(exponents(boards)).to(self.device, torch.int32)
        return (network or self.network)(cells)

    def preferences(
        self, boards: np.ndarray, symmetries: int = 1, network: nn.Module | None = None
    ) -> np.ndarray:
        """What each action is worth on each board (n, 4), -inf if illegal; mean over symmetries."""
        after, gains, legal = afterstates(boards)
        self.network.eval()
        with torch.inference_mode():
            if not self.settings.afterstates:
                return np.where(legal, self._mean_values(boards, symmetries, network), -np.inf)
            seen = self._mean_values(after[legal], symmetries, network)[:, 0]
        worth = np.full(legal.shape, -np.inf)
        worth[legal] = gains[legal] * self.settings.scale + self.settings.gamma * seen
        return worth

    def _mean_values(
        self, boards: np.ndarray, symmetries: int, network: nn.Module | None
    ) -> np.ndarray:
        images = [symmetric(boards, np.full(len(boards), k)) for k in range(symmetries)]
        seen = self.values(np.concatenate(images), network).cpu().numpy()
        seen = seen.reshape(symmetries, len(boards), -1)
        if not self.settings.afterstates:  # back to the actions of the board itself
            seen = np.stack([q[:, TURNED[k]] for k, q in enumerate(seen)])
        return seen.mean(axis=0)

    def play_step(self) -> None:
        """One move in every game, stored; games that end are started anew."""
        s, boards = self.settings, self.games.boards.copy()
        worth = self.preferences(boards)
        actions = np.argmax(worth, axis=1)
        if s.epsilon:
            lucky = np.argmax(np.where(worth > -np.inf, self.rng.random(worth.shape), -1), axis=1)
            actions = np.where(self.rng.random(len(boards)) < s.epsilon, lucky, actions)
        kept = boards
        if s.afterstates:
            kept = afterstates(boards)[0][np.arange(len(boards)), actions]
        rewards = np.float32(s.scale) * self.games.step(actions)
        if s.reward_form != "score":
            moves = zip(boards.tolist(), actions.tolist(), strict=True)
            earned = [reward(s.reward_form, board, action) for board, action in moves]
            rewards = np.float32(s.scale) * np.array(earned, np.float32)
        over = np.logical_not(self.games.legal().any(axis=1))
        self.ring.add(kept, actions, rewards, over)
        ended = np.flatnonzero(over).tolist()
        self.finished += [(int(self.games.scores[i]), int(self.games.boards[i])) for i in ended]
        self.finished = self.finished[-500:]
        self.games.reset(over)
        self.steps += len(boards)

    def td_target(self, sample: Sample) -> Tensor:
        """n rewards, and the target network's value of the board n steps later."""
        s = self.settings
        with torch.no_grad():
            later = self.values(sample.later, self.target)
            if s.afterstates:
                best = later[:, 0]
            else:
                chooser = self.values(sample.later) if s.double else later
                if s.legal_max:
                    legal = torch.from_numpy(afterstates(sample.later)[2]).to(self.device)
                    chooser = chooser.masked_fill(~legal, -torch.inf)
                best = later.gather(1, chooser.argmax(1, keepdim=True))[:, 0]
        returns = torch.from_numpy(sample.returns).to(self.device)
        return returns + torch.from_numpy(sample.discounts).to(self.device) * best

    def learn(self) -> float:
        """One step of Adam on a batch from the replay; its loss."""
        s = self.settings
        sample = self.ring.sample(s.batch, s.n_step, s.gamma, self.rng)
        if s.symmetry:
            sample = turn(sample, self.rng.integers(0, 8, s.batch))
        self.network.train()
        values = self.values(sample.boards)
        actions = torch.from_numpy(sample.actions.astype(np.int64)).to(self.device)
        taken = values[:, 0] if s.afterstates else values.gather(1, actions[:, None])[:, 0]
        measure = F.mse_loss if s.loss == "mse" else F.huber_loss
        loss = measure(taken, self.td_target(sample))
        self.optimizer.zero_grad()
        loss.backward()
        if s.clip:
            nn.utils.clip_grad_norm_(self.network.parameters(), s.clip)
        self.optimizer.step()
        self.updates += 1
        soft_update(self.target, self.network, s.tau)
        if s.average:  # a mean of the last tenth, until that is more than 1 / average steps
            soft_update(self.mean, self.network, max(s.average, min(1.0, 10 / self.updates)))
        return float(loss.detach())

    def train(
        self, *, steps: int | None = None, minutes: float | None = None, every: float = 5.0
    ) -> Iterator[Progress]:
        """Learn until `steps` moves or `minutes` of CPU in all, counting what was done before."""
        if (steps is None) == (minutes is None):
            raise ValueError(f"steps={steps}, minutes={minutes}: give one of the two")
        losses: list[float] = []
        told = self.seconds
        while (done := self.steps / steps if steps else self.seconds / (60 * (minutes or 1))) < 1:
            began = time.process_time()
            self._set_alpha(done)
            self.play_step()
            if self.ring.ready(self.settings.n_step):
                losses = [*losses[-499:], self.learn()]
            self.seconds += time.process_time() - began
            if self.seconds - told >= every:
                told = self.seconds
                yield self._progress(steps, minutes, losses)
        yield self._progress(steps, minutes, losses)

    def _set_alpha(self, done: float) -> None:
        s = self.settings
        for group in self.optimizer.param_groups:
            group["lr"] = s.alpha * (s.alpha_end / s.alpha) ** done

    def _progress(self, steps: int | None, minutes: float | None, losses: list[float]) -> Progress:
        metrics = {"steps": float(self.steps), "loss": float(np.mean(losses or [np.nan]))}
        if self.finished:
            scores, boards = np.array(self.finished, dtype=np.uint64).T
            games = Games(scores, np.ascontiguousarray(boards), np.zeros(0))
            metrics["score"] = games.mean
            metrics |= {str(tile): games.reached(tile) for tile in (512, 1024, 2048, 4096)}
        if steps is not None:
            return Progress(self.steps, steps, "steps", metrics)
        return Progress(int(self.seconds), int(60 * (minutes or 0)), "seconds", metrics)

    def test(self, games: int, seed: int = 0, symmetries: int = 1) -> Games:
        """Greedy games of the mean network, all played at once, without learning."""
        return play_games(
            lambda boards: np.argmax(self.preferences(boards, symmetries, self.mean), axis=1),
            games,
            seed,
        )


def turn(sample: Sample, which: np.ndarray) -> Sample:
    """The sample seen in symmetric images, one for each board."""
    actions = TURNED[which, sample.actions].astype(np.uint8)
    boards, later = symmetric(sample.boards, which), symmetric(sample.later, which)
    return replace(sample, boards=boards, later=later, actions=actions)
