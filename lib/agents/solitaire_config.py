"""One file of settings for a training on solitaire: folders, hyper-parameters, workers.

    form = "a3c"             # "seed", "actor-critic" or "a3c"
    seed = 0
    workers = 2              # processes, for a3c
    minutes = 2              # of CPU, summed over the workers; the seed's form counts iterations
    [folders]
    results = "runs/a3c"
    weights = "runs/a3c"
    [settings]
    games = 64               # any field of the form's settings
    [settings.curriculum]
    standard = 0.3

`solitaire_seed.toml` is the seed's own. A name that means nothing is an error, not ignored.
"""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from lib.agents.a3c import A3C
from lib.agents.actor_critic import ActorCritic, Settings
from lib.agents.actor_critic_seed import SeedActorCritic, SeedSettings
from lib.agents.progress import Progress
from lib.agents.solitaire_games import Curriculum

SEED_FILE = Path(__file__).with_name("solitaire_seed.toml")
FORMS = ("seed", "actor-critic", "a3c")


@dataclass(frozen=True)
class Config:
    """What such a file says."""

    form: str = "seed"
    seed: int = 0
    workers: int = 2
    minutes: float = 2.0
    results: str = "runs/solitaire"
    weights: str = "runs/solitaire/weights"
    settings: Settings | SeedSettings = field(default_factory=SeedSettings)


def read_config(path: str | Path) -> Config:
    """The configuration in a TOML file; ValueError names what is wrong in it."""
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not TOML: {error}") from error
    folders, settings = content.pop("folders", {}), content.pop("settings", {})
    form = content.get("form", "seed")
    if form not in FORMS:
        raise ValueError(f"form = {form!r} in {path}: choose one of {', '.join(FORMS)}")
    kind = SeedSettings if form == "seed" else Settings
    if "curriculum" in settings and kind is Settings:
        settings["curriculum"] = _made(Curriculum, settings["curriculum"], path)
    content["settings"] = _made(kind, settings, path)
    config: Config = _made(Config, {**content, **folders}, path)
    return config


def _made(kind: Callable[..., Any], values: dict[str, Any], path: str | Path) -> Any:
    known = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]
    for name in values:
        if name not in known:
            raise ValueError(f"{name!r} in {path} is unknown: choose from {', '.join(known)}")
    return kind(**values)


def training(
    config: Config, *, resume: bool = False
) -> tuple[Iterator[Progress], Callable[[], Path]]:
    """The training that a configuration describes, and a function that saves it."""
    state = Path(config.results) / "training.pt"
    if resume and not state.exists():
        raise ValueError(f"there is nothing to resume in {config.results}: train without --resume")
    if isinstance(config.settings, SeedSettings):
        learner = (
            SeedActorCritic.resume(config.results, iterations=config.settings.iterations)
            if resume
            else SeedActorCritic(config.settings, config.seed)
        )
        return learner.train(config.results, config.weights), lambda: learner.save(state)
    other: ActorCritic | A3C
    if config.form == "a3c":
        other = A3C.load(state) if resume else _a3c(config)
    else:
        other = ActorCritic.load(state) if resume else ActorCritic(config.settings, config.seed)
    return other.train(seconds=60 * config.minutes), lambda: other.save(state)


def _a3c(config: Config) -> A3C:
    assert isinstance(config.settings, Settings)
    return A3C(config.settings, config.seed, workers=config.workers)
