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
from lib.agents.solitaire_networks import NETWORKS

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
    folders, settings = (_table(content, name, path) for name in ("folders", "settings"))
    form = content.get("form", "seed")
    if form not in FORMS:
        raise ValueError(f"form = {form!r} in {path}: choose one of {', '.join(FORMS)}")
    kind = SeedSettings if form == "seed" else Settings
    if "curriculum" in settings and kind is Settings:
        settings["curriculum"] = _made(Curriculum, _table(settings, "curriculum", path), path)
    content["settings"] = _made(kind, settings, path)
    config: Config = _made(Config, {**content, **folders}, path)
    return config


def _table(content: dict[str, Any], name: str, path: str | Path) -> dict[str, Any]:
    found = content.pop(name, {})
    if not isinstance(found, dict):
        raise ValueError(f"{name} = {found!r} in {path}: settings follow below a line [{name}]")
    return found


def _made(kind: Callable[..., Any], values: dict[str, Any], path: str | Path) -> Any:
    usual = kind()
    known = [entry.name for entry in fields(usual)]
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"{name!r} in {path} is unknown: choose from {', '.join(known)}")
        if wanted := _wanted(name, value, getattr(usual, name)):
            raise ValueError(f"{name} = {value!r} in {path}: give {wanted}")
    return kind(**values)


def _wanted(name: str, value: Any, usual: Any) -> str:
    """What this setting should be, if it is not; "" if it is."""
    if name == "network":
        return "" if value in NETWORKS else f"one of {', '.join(NETWORKS)}"
    if isinstance(usual, int):
        least = 0 if name == "seed" else 1
        fits = type(value) is int and value >= least
        return "" if fits else f"a whole number from {least} on, such as {usual}"
    if isinstance(usual, float):
        above = " above 0" if name == "minutes" else ""
        fits = type(value) in (int, float) and (not above or value > 0)
        return "" if fits else f"a number{above}, such as {usual:g}"
    return f"a text, such as {usual!r}" if type(usual) is str and type(value) is not str else ""


def training(
    config: Config, *, resume: bool = False
) -> tuple[Iterator[Progress], Callable[[], Path]]:
    """The training that a configuration describes, and a function that saves it."""
    state = Path(config.results) / "training.pt"
    if resume and not state.exists():
        raise ValueError(f"there is nothing to resume in {config.results}: train without --resume")
    if isinstance(config.settings, SeedSettings):
        learner = (
            SeedActorCritic.load(state, iterations=config.settings.iterations)
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
