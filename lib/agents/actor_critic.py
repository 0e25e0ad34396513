"""Actor-critic on peg solitaire: many boards at once, one network, one update after another.

    play `steps` moves on `games` boards, drawn from the policy      (Games.play)
    advantage = how much better a move went than the value expected  (advantages)
    loss = -log pi(a|s) * advantage + value error - entropy          (losses)
    one step of Adam on it, and on

This is the synchronous form (A2C) of what `a3c.py` does in several processes. What makes it work
on solitaire, where random play wins one game in 37 million, is the curriculum of
`solitaire_games.py`.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lib.agents.progress import Progress
from lib.agents.solitaire_games import Curriculum, Games, Rollout
from lib.agents.solitaire_networks import NETWORKS, described, restored, seeded_network
from lib.files import write_whole


@dataclass(frozen=True)
class Settings:
    """What a student may turn. `alpha` and `entropy` fall in a straight line to their ends."""

    network: str = "PegNet"
    width: int = 256
    games: int = 64  # boards played at once
    steps: int = 8  # moves on each board between two updates
    gamma: float = 1.0  # discount: none, every game ends
    lam: float = 0.95  # 0: one-step advantage, 1: n-step
    alpha: float = 1e-3  # Adam's step size
    alpha_end: float = 1e-4
    value_weight: float = 0.5
    entropy: float = 0.003  # weight of the entropy: keeps the policy from freezing early
    entropy_end: float = 0.003
    clip: float = 0.5  # largest norm of the gradient
    centre_bonus: float = 0.5  # on top of 1 for one peg: without it the last hole drifts
    curriculum: Curriculum = field(default_factory=Curriculum)


# What the shipped weights were trained with: wider, and from all over the board.
LONG = Settings(
    width=512,
    games=128,
    alpha_end=3e-5,
    entropy_end=0.0005,
    curriculum=Curriculum(standard=0.1, reverse=0.45),
)


Loss = Callable[..., tuple[Tensor, dict[str, float]]]  # called as `losses` is


def advantages(rollout: Rollout, gamma: float, lam: float) -> np.ndarray:
    """Generalised advantage estimates, steps×games: lam=1 is the n-step return minus the value."""
    going_on = 1.0 - rollout.ended
    next_values = np.concatenate([rollout.values[1:], rollout.last_values[None]])
    deltas = rollout.rewards + gamma * going_on * next_values - rollout.values
    running = np.zeros_like(rollout.last_values)
    found = np.empty_like(deltas)
    for t in reversed(range(len(deltas))):
        running = deltas[t] + gamma * lam * going_on[t] * running
        found[t] = running
    return found


def losses(
    network: Any, rollout: Rollout, settings: Settings, entropy_weight: float
) -> tuple[Tensor, dict[str, float]]:
    """The loss to descend, and its parts by name. Advantages and targets carry no gradient."""
    gained = advantages(rollout, settings.gamma, settings.lam)
    target = torch.from_numpy((gained + rollout.values).astype(np.float32)).flatten()
    advantage = torch.from_numpy(gained.astype(np.float32)).flatten()
    actions = torch.from_numpy(rollout.actions).flatten()
    logits, values = network(rollout.boards, rollout.legal)
    log_pi = logits.log_softmax(dim=1)
    actor = -(log_pi.gather(1, actions[:, None]).squeeze(1) * advantage).mean()
    critic = (target - values).square().mean()
    entropy = -(log_pi.exp() * log_pi).sum(dim=1).mean()
    loss = actor + settings.value_weight * critic - entropy_weight * entropy
    return loss, {"actor": actor.item(), "critic": critic.item(), "entropy": entropy.item()}


def gradients(
    network: Any, games: Games, settings: Settings, fraction: float, loss: Loss = losses
) -> dict[str, float]:
    """Play on, and leave the loss's gradient in the network's parameters; the loss's parts.

    `fraction` says how much of the training is over. All forms of actor-critic learn by this.
    """
    rollout = games.play(network, settings.steps)
    entropy_weight = between(settings.entropy, settings.entropy_end, fraction)
    value, figures = loss(network, rollout, settings, entropy_weight)
    network.zero_grad()
    value.backward()
    nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
    return figures


def descend(optimizer: torch.optim.Optimizer, settings: Settings, fraction: float) -> None:
    """One step of the optimizer, with the step size of this moment."""
    optimizer.param_groups[0]["lr"] = between(settings.alpha, settings.alpha_end, fraction)
    optimizer.step()


def between(first: float, last: float, fraction: float) -> float:
    """(1, 3, 0.25) -> 1.5; fractions beyond 1 count as 1"""
    return first + (last - first) * min(1.0, fraction)


class ActorCritic:
    """The learner: `for progress in learner.train(seconds=60): ...`, then `learner.network`."""

    def __init__(
        self,
        settings: Settings | None = None,
        seed: int = 0,
        *,
        network: Callable[[], nn.Module] | None = None,
        loss: Loss = losses,
    ) -> None:
        self.settings = settings or Settings()
        self.rng = np.random.default_rng(seed)
        make = network or (lambda: NETWORKS[self.settings.network](self.settings.width))
        self.network: Any = seeded_network(make, seed)
        self.loss = loss
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=self.settings.alpha)
        self.games = new_games(self.settings, self.rng)
        self.updates = 0
        self.seconds = 0.0  # of this process's CPU, over all calls of `train`

    def train(
        self, *, updates: int | None = None, seconds: float | None = None, report: int = 50
    ) -> Iterator[Progress]:
        """Train until so many updates or CPU-seconds *in all*; stop when you like, and call again.

        With `updates` the same seed gives the same weights; a time limit depends on the machine.
        """
        check_budget(updates, seconds)
        figures: dict[str, float] = {}
        while (fraction := self._fraction(updates, seconds)) < 1:
            begun = time.process_time()
            with one_thread():
                for _ in range(min(report, (updates or 10**9) - self.updates)):
                    figures = self._update(fraction)
                    fraction = self.updates / updates if updates else fraction
            self.seconds += time.process_time() - begun
            yield self._progress(updates, seconds, figures)

    def _fraction(self, updates: int | None, seconds: float | None) -> float:
        return self.updates / updates if updates else self.seconds / (seconds or 1e-9)

    def _update(self, fraction: float) -> dict[str, float]:
        figures = gradients(self.network, self.games, self.settings, fraction, self.loss)
        descend(self.optimizer, self.settings, fraction)
        self.updates += 1
        return figures

    def _progress(
        self, updates: int | None, seconds: float | None, figures: dict[str, float]
    ) -> Progress:
        moves = self.updates * self.settings.games * self.settings.steps
        metrics = {"steps": float(moves), **self.games.recent(), **figures}
        if updates is not None:
            return Progress(self.updates, updates, "updates", metrics)
        return Progress(int(self.seconds), round(seconds or 0), "seconds", metrics)

    def save(self, path: str | Path) -> Path:
        """Write the weights and all that is needed to go on training."""
        content = {
            "network": described(self.network),
            "optimizer": self.optimizer.state_dict(),
            "settings": json.dumps(asdict(self.settings)),
            "dice": json.dumps(self.rng.bit_generator.state),
            "boards": torch.from_numpy(np.stack([self.games.boards, self.games.standard])),
            "waiting": torch.from_numpy(self.games.waiting),
            "updates": self.updates,
            "seconds": self.seconds,
        }
        return write_whole(path, lambda file: torch.save(content, file))

    @classmethod
    def load(cls, path: str | Path) -> "ActorCritic":
        """The learner that `save` wrote; it goes on where it stopped."""
        content = torch.load(path, map_location="cpu", weights_only=True)
        settings = read_settings(content["settings"])
        learner = cls(settings, network=lambda: restored(content["network"]))
        learner.optimizer.load_state_dict(content["optimizer"])
        learner.rng.bit_generator.state = json.loads(content["dice"])
        boards, standard = content["boards"].numpy()
        learner.games.boards, learner.games.standard = boards, standard.astype(bool)
        learner.games.waiting = content["waiting"].numpy()
        learner.updates, learner.seconds = content["updates"], content["seconds"]
        return learner


def check_budget(updates: int | None, seconds: float | None) -> None:
    """ValueError unless just one of the two says how long to train."""
    if (updates is None) == (seconds is None):
        raise ValueError("say how long to train: either updates=... or seconds=...")


def read_settings(written: str) -> Settings:
    """The settings that `save` wrote as JSON."""
    saved = json.loads(written)
    return Settings(**{**saved, "curriculum": Curriculum(**saved["curriculum"])})


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch on one thread for a while: on small matrices a second one only costs."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def new_games(settings: Settings, rng: np.random.Generator, **hooks: Any) -> Games:
    """The boards that `settings` describes."""
    return Games(settings.games, rng, settings.curriculum, settings.centre_bonus, **hooks)
