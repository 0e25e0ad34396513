"""A3C on peg solitaire: several processes, one network in shared memory, no locks.

    each worker, on boards and with dice of its own, again and again:
        copy the shared weights
        play a few moves on each board, and compute the gradient of the loss
        hand the gradient to the shared network, and let the shared optimizer step

Nobody waits for anybody. Now and then two workers write at the same moment and one of them undoes
a little of what the other did: with small steps that does no harm (Recht et al., Hogwild!, 2011).
What a worker learns by is `actor_critic.gradients`, the same as in the synchronous form.

Mnih et al., Asynchronous methods for deep reinforcement learning (2016).
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lib.agents.a3c_workers import UPDATES, Crew, Job, Ledger
from lib.agents.actor_critic import Settings, check_budget, gradients, read_settings
from lib.agents.progress import Progress, WorkerDied
from lib.agents.solitaire_games import draw_starts
from lib.agents.solitaire_networks import NETWORKS, described, restored, seeded_network
from lib.files import write_whole

__all__ = ["A3C", "SharedAdam", "WorkerDied", "worker_step"]


class SharedAdam(torch.optim.Adam):
    """Adam whose moments and step counts lie in shared memory, before the first worker starts."""

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float = 1e-3) -> None:
        super().__init__(parameters, lr=lr)
        for p in self.param_groups[0]["params"]:
            self.state[p] = {
                "step": torch.zeros(()).share_memory_(),
                "exp_avg": torch.zeros_like(p, requires_grad=False).share_memory_(),
                "exp_avg_sq": torch.zeros_like(p, requires_grad=False).share_memory_(),
            }

    def tensors(self) -> list[dict[str, Tensor]]:
        """The shared state, parameter by parameter."""
        return [self.state[p] for p in self.param_groups[0]["params"]]

    def attach(self, tensors: list[dict[str, Tensor]]) -> None:
        """Use another process's state as one's own."""
        for p, state in zip(self.param_groups[0]["params"], tensors, strict=True):
            self.state[p] = state


def worker_step(
    shared: nn.Module,
    own: nn.Module,
    optimizer: torch.optim.Optimizer,
    learn: Callable[[nn.Module], Any],
) -> Any:
    """One round of a worker; `learn(own)` plays and leaves a gradient in `own`'s parameters."""
    own.load_state_dict(shared.state_dict())
    figures = learn(own)
    for theirs, mine in zip(shared.parameters(), own.parameters(), strict=True):
        theirs.grad = mine.grad
    optimizer.step()
    return figures


class A3C:
    """The learner: `for progress in A3C(workers=2).train(seconds=120): ...`, then `.network`.

    What a student writes (`network`, `learn`, `step`, `starts`) reaches the workers by value.
    With several workers two runs of a seed differ: who steps first is up to the machine.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        seed: int = 0,
        *,
        workers: int = 2,
        start: str = "spawn",
        network: Callable[[], nn.Module] | None = None,
        learn: Callable[..., Any] = gradients,
        step: Callable[..., Any] = worker_step,
        starts: Any = draw_starts,
    ) -> None:
        if workers < 1:
            raise ValueError(f"workers={workers}: A3C needs one worker or more")
        self.settings, self.seed = settings or Settings(), seed
        self.workers, self.start = workers, start
        width, kind = self.settings.width, self.settings.network
        self.make = network or (lambda: NETWORKS[kind](width))
        self.code = (self.make, learn, step, starts)
        self.network: Any = seeded_network(self.make, seed).share_memory()
        self.optimizer = SharedAdam(self.network.parameters(), lr=self.settings.alpha)
        self.updates = 0
        self.seconds = 0.0  # of CPU, summed over the workers

    def train(
        self,
        *,
        updates: int | None = None,
        seconds: float | None = None,
        report: float = 1.0,
        save_to: str | Path | None = None,
    ) -> Iterator[Progress]:
        """Train until so many updates or CPU-seconds of all workers *in all*; tells each second.

        Stop when you like, and call again. If a worker dies, the others are ended, the weights
        are written to `save_to`, and WorkerDied says what happened.
        """
        check_budget(updates, seconds)
        ledger = Ledger(self.workers, updates, seconds, self.updates, self.seconds)
        crew = Crew(self._jobs(ledger), ledger, self.start)
        try:
            while crew.working(report):
                self._note(ledger)
                yield self._progress(ledger)
        except WorkerDied as death:
            crew.dismiss()  # nobody may step while the weights are written
            raise self._last_words(death, ledger, save_to) from None
        finally:
            crew.dismiss()
            self._note(ledger)
        yield self._progress(ledger)

    def _jobs(self, ledger: Ledger) -> list[Job]:
        weights = [p.data for p in self.network.parameters()]
        tensors = (weights, self.optimizer.tensors())
        seeds = [(self.seed, self.updates, rank) for rank in range(self.workers)]
        return [
            Job.of(rank, seed, self.settings, self.code, tensors, ledger)
            for rank, seed in enumerate(seeds)
        ]

    def _note(self, ledger: Ledger) -> None:
        self.updates, self.seconds = ledger.updates, ledger.seconds

    def _progress(self, ledger: Ledger) -> Progress:
        moves = self.updates * self.settings.games * self.settings.steps
        working = float((ledger.rows[:, UPDATES] > 0).sum())  # workers that have begun
        metrics = {"steps": float(moves), "working": working, **ledger.recent()}
        if ledger.most_updates is not None:
            total = ledger.most_updates
            return Progress(min(self.updates, total), total, "updates", metrics)
        total = round(ledger.most_seconds or 0)
        return Progress(min(int(self.seconds), total), total, "seconds", metrics)

    def _last_words(
        self, death: WorkerDied, ledger: Ledger, save_to: str | Path | None
    ) -> WorkerDied:
        self._note(ledger)
        kept = "this learner keeps the weights learned so far"
        if save_to is not None:
            kept = f"the weights learned so far are in {os.fspath(self.save(save_to))}"
        return WorkerDied(f"{death} Training ended after {self.updates} updates; {kept}.")

    def save(self, path: str | Path) -> Path:
        """Write the weights and all that is needed to go on training."""
        content = {
            "network": described(self.network),
            "optimizer": [{k: t.clone() for k, t in s.items()} for s in self.optimizer.tensors()],
            "settings": json.dumps(asdict(self.settings)),
            "progress": [self.seed, self.workers, self.updates, self.seconds],
        }
        return write_whole(path, lambda file: torch.save(content, file))

    @classmethod
    def load(cls, path: str | Path, **hooks: Any) -> "A3C":
        """The learner that `save` wrote; it goes on with fresh dice. `hooks` as for a new one."""
        content = torch.load(path, map_location="cpu", weights_only=True)
        seed, workers, updates, seconds = content["progress"]
        hooks = {"workers": workers, "network": lambda: restored(content["network"]), **hooks}
        learner = cls(read_settings(content["settings"]), seed, **hooks)
        learner.network.load_state_dict(content["network"]["weights"])
        for state, saved in zip(learner.optimizer.tensors(), content["optimizer"], strict=True):
            for name, tensor in state.items():
                tensor.copy_(saved[name])
        learner.updates, learner.seconds = updates, seconds
        return learner
