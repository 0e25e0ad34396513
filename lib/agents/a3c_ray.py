"""A3C past one machine: the network lies in a Ray actor, and workers on any node send it gradients.

    the keeper has the weights and the optimizer
    each worker, again and again:
        learn with the weights it was sent, by the same `learn` and `step` as on one machine
        send the gradient; the keeper steps, and answers with the weights as they are now

On one machine workers write into shared memory. Here each has a mirror of the shared network, and
a `Line` to the keeper takes the optimizer's place: nothing else differs.
"""

import contextlib
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import torch

from lib.agents.a3c import A3C, SharedAdam
from lib.agents.a3c_workers import GAMES, SECONDS, UPDATES, Job, Ledger
from lib.agents.actor_critic import between, check_budget, new_games
from lib.agents.progress import Progress, WorkerDied
from lib.parallel import RETRIES
from lib.parallel_ray import joined, on_nodes, usable_nodes

Weights = list[np.ndarray]


class Keeper:
    """The actor: it alone has the network and the optimizer, and steps with what workers send."""

    def __init__(self, code: bytes, weights: Weights, moments: list[Any], ledger: Ledger) -> None:
        torch.set_num_threads(1)
        self.network = cloudpickle.loads(code)[0]()
        fill(self.network, weights)
        self.optimizer = SharedAdam(self.network.parameters())
        self.optimizer.attach([{k: torch.tensor(m) for k, m in each.items()} for each in moments])
        self.ledger, self.stopped = ledger, False
        self.joins = [0] * len(ledger.rows)

    def join(self, rank: int) -> tuple[int, float, Weights, float]:
        """A worker begins, or begins again: how often it did before, its seconds, the weights."""
        before, self.joins[rank] = self.joins[rank], self.joins[rank] + 1
        return before, float(self.ledger.rows[rank, SECONDS]), *self._now()

    def step(
        self, rank: int, gradient: Weights, alpha: float, seconds: float, recent: list[float]
    ) -> tuple[Weights, float]:
        """Descend along a worker's gradient; the weights then, and how much of it all is over."""
        for parameter, part in zip(self.network.parameters(), gradient, strict=True):
            parameter.grad = torch.tensor(part)
        self.optimizer.param_groups[0]["lr"] = alpha
        self.optimizer.step()
        row = self.ledger.rows[rank]
        row[UPDATES] += 1
        row[SECONDS] = seconds
        if recent:
            row[GAMES:] = torch.tensor(recent)
        return self._now()

    def _now(self) -> tuple[Weights, float]:
        return arrays(self.network), 1.0 if self.stopped else self.ledger.fraction()

    def stop(self) -> None:
        """Tell every worker, when it sends next, that all is over."""
        self.stopped = True

    def state(self) -> tuple[Weights, list[dict[str, np.ndarray]], np.ndarray]:
        """Weights, the optimizer's moments, and the ledger's rows."""
        return arrays(self.network), packed(self.optimizer), self.ledger.rows.numpy().copy()


class Line:
    """A worker's line to the keeper, with what `worker_step` asks of an optimizer."""

    def __init__(self, ray: Any, keeper: Any, rank: int, mirror: Any) -> None:
        self.ray, self.keeper, self.rank, self.mirror = ray, keeper, rank, mirror
        self.param_groups = [{"lr": 0.0}]
        self.games: Any = None
        self.before, seconds, *now = ray.get(keeper.join.remote(rank))
        self.begun = time.process_time() - seconds
        self._receive(*now)

    def _receive(self, weights: Weights, fraction: float) -> None:
        fill(self.mirror, weights)
        self.fraction = fraction

    def step(self) -> None:
        """Send the gradient that lies in the mirror, and let the mirror show the new weights."""
        gradient = [parameter.grad.numpy() for parameter in self.mirror.parameters()]
        used = time.process_time() - self.begun
        told = self.games.recent()
        recent = [len(self.games.pegs_left), told["solved"], told["pegs"]] if told else []
        alpha = self.param_groups[0]["lr"]
        sent = self.keeper.step.remote(self.rank, gradient, alpha, used, recent)
        self._receive(*self.ray.get(sent))


def work(job: Job, keeper: Any) -> None:
    """The life of a worker: as `a3c_workers.live`, on whichever node this is."""
    import ray

    torch.set_num_threads(1)
    make, learn, step, starts = cloudpickle.loads(job.code)
    mirror, own = make(), make()
    line = Line(ray, keeper, job.rank, mirror)
    seed = (*job.seed, line.before) if line.before else job.seed  # fresh dice for a second life
    line.games = new_games(job.settings, np.random.default_rng(seed), starts=starts)
    while line.fraction < 1:
        settings, fraction = job.settings, line.fraction
        line.param_groups[0]["lr"] = between(settings.alpha, settings.alpha_end, fraction)
        step(
            mirror,
            own,
            line,
            partial(learn, games=line.games, settings=settings, fraction=fraction),
        )


class ClusterA3C(A3C):
    """A3C on the Ray cluster at `address`: `ClusterA3C(address="auto", workers=16)`.

    A worker whose node goes starts again on another. The keeper lives on the driver's own node.
    """

    def __init__(self, *args: Any, address: str, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.address = address

    def train(
        self,
        *,
        updates: int | None = None,
        seconds: float | None = None,
        report: float = 1.0,
        save_to: str | Path | None = None,
    ) -> Iterator[Progress]:
        """As `A3C.train`; CPU-seconds are those of the workers, wherever they are."""
        check_budget(updates, seconds)
        ledger = Ledger(self.workers, updates, seconds, self.updates, self.seconds)
        jobs = self._jobs(ledger)
        if ledger.fraction() >= 1:
            yield self._progress(ledger)
            return
        with joined(self.address) as ray:
            keeper = self._keeper(ray, jobs[0].code, ledger)
            begin = ray.remote(work).options(**on_nodes(usable_nodes(ray)), max_retries=RETRIES)
            left = [begin.remote(self._light(job), keeper) for job in jobs]
            try:
                while left:
                    ready, left = ray.wait(left, timeout=report)
                    ray.get(ready)
                    self._take(ray, keeper, ledger)
                    yield self._progress(ledger)
            except ray.exceptions.RayError as error:
                self._end(ray, keeper, left, ledger)
                raise self._last_words(WorkerDied(said(error)), ledger, save_to) from None
            finally:
                self._end(ray, keeper, left, ledger)

    def _keeper(self, ray: Any, code: bytes, ledger: Ledger) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as OnNode

        # A soft wish is not kept while our node is busy, and the keeper would go with another node.
        here = OnNode(ray.get_runtime_context().get_node_id(), soft=False)
        made = ray.remote(Keeper).options(num_cpus=0, scheduling_strategy=here)
        return made.remote(code, arrays(self.network), packed(self.optimizer), ledger)

    @staticmethod
    def _light(job: Job) -> Job:
        """The job without the tensors: on a cluster they come from the keeper."""
        return Job(job.rank, job.seed, job.settings, job.code, ([], []), None)  # type: ignore[arg-type]

    def _take(self, ray: Any, keeper: Any, ledger: Ledger) -> None:
        """Copy what the keeper has, so that nothing is lost should it go."""
        weights, moments, rows = ray.get(keeper.state.remote())
        fill(self.network, weights)
        for state, saved in zip(self.optimizer.tensors(), moments, strict=True):
            for name, tensor in state.items():
                tensor.copy_(torch.tensor(saved[name]))
        ledger.rows.copy_(torch.tensor(rows))
        self._note(ledger)

    def _end(self, ray: Any, keeper: Any, left: list[Any], ledger: Ledger) -> None:
        """Let workers finish their round, take what was learned, and end everything."""
        with contextlib.suppress(ray.exceptions.RayError):
            ray.get(keeper.stop.remote())
            if left:
                ray.wait(left, num_returns=len(left), timeout=5)
            self._take(ray, keeper, ledger)
        for reference in left:
            ray.cancel(reference, force=True)
        ray.kill(keeper)


def arrays(network: Any) -> Weights:
    """The weights of a network, as they travel."""
    return [parameter.detach().numpy().copy() for parameter in network.parameters()]


def fill(network: Any, weights: Weights) -> None:
    """Write such weights into a network."""
    with torch.no_grad():
        for parameter, part in zip(network.parameters(), weights, strict=True):
            parameter.copy_(torch.tensor(part))


def packed(optimizer: SharedAdam) -> list[dict[str, np.ndarray]]:
    """The optimizer's moments, as they travel."""
    return [{k: t.numpy().copy() for k, t in state.items()} for state in optimizer.tensors()]


def said(error: Exception) -> str:
    """What ended a worker, in a line: Ray puts the task's own error last."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"A worker on the cluster died: {lines[-1].strip() if lines else type(error).__name__}."
