"""The solitaire players and learners of the registry: what they are made of, and their files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lib.agents.a3c import A3C
from lib.agents.actor_critic import LONG, ActorCritic
from lib.agents.actor_critic_seed import SeedActorCritic
from lib.agents.progress import Progress
from lib.agents.solitaire_networks import load_network, save_network
from lib.agents.solitaire_player import PegPlayer

SHIPPED = Path(__file__).parents[1] / "weights" / "solitaire.pt"


def player(path: Path = SHIPPED, *, beam: int = 0) -> PegPlayer:
    """Who plays with the weights in a file: greedy, or with a beam of that width."""
    return PegPlayer(load_network(path), beam=beam, name="beam" if beam else None)


def start(
    kind: str,
    seed: int,
    minutes: float,
    resume: Path | None,
    *,
    workers: int | None = None,
    ray: str | None = None,
) -> tuple[Iterator[Progress], Callable[[Path], Path]]:
    """A training and the function that saves it.

    "a3c", "curriculum" (lesson 5's), "long" as the shipped weights were made, or "project", which
    goes on for its iterations. `workers` and `ray`, the address of a cluster, are for A3C.
    """
    learner: A3C | ActorCritic | SeedActorCritic
    if kind == "a3c":
        learner = a3c(seed, resume, workers, ray)
    elif kind == "project":
        learner = (
            SeedActorCritic.load(resume_file(resume)) if resume else SeedActorCritic(seed=seed)
        )
    elif resume:
        learner = ActorCritic.load(resume_file(resume))
    else:
        learner = ActorCritic(LONG if kind == "long" else None, seed)

    def save(path: Path) -> Path:
        learner.save(resume_file(path))
        return save_network(path, learner.network)

    if isinstance(learner, SeedActorCritic):
        return learner.train(), save
    return learner.train(seconds=60 * minutes), save


def a3c(seed: int, resume: Path | None, workers: int | None, ray: str | None) -> A3C:
    """The learner, new or from a file: its workers here, or on the cluster at `ray`."""
    options: dict[str, Any] = {} if workers is None else {"workers": workers}
    form: type[A3C] = A3C
    if ray is not None:
        from lib.agents.a3c_ray import ClusterA3C

        form, options["address"] = ClusterA3C, ray
    if resume:
        return form.load(resume_file(resume), **options)
    return form(seed=seed, **options)


def resume_file(path: Path) -> Path:
    """Where all that training on needs is kept, beside the weights: solitaire.resume.pt."""
    return path.with_suffix(f".resume{path.suffix}")
