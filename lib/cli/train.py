"""Trains a reference agent, shows its strength as it grows, and saves it.

    course.py train tapnswap                      the default agent of a game
    course.py train 2048 ntuple --minutes 4       one by name, for so many CPU-minutes
    course.py train tapnswap --seeds 5 --jobs 2   the same with five seeds: mean and spread
    course.py train solitaire a3c --workers 16 --ray auto    one training, on a Ray cluster

Files go to runs/. Ctrl-C stops between two steps and saves; --resume goes on from there.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib.cli import GAME_NAMES, ROOT
from lib.cli.follow import figures, follow, stoppable
from lib.cli.sweep import Training, file_name, sweep, table

if TYPE_CHECKING:
    from lib.agents.trainers import Trainer

DEFAULTS = {"seed": 0, "seeds": 1, "jobs": 1}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """GAME, AGENT, for how long, from which seed, and where to."""
    parser.add_argument("game", choices=GAME_NAMES, metavar="GAME", help=", ".join(GAME_NAMES))
    parser.add_argument("agent", nargs="?", metavar="AGENT", help="one of the game's learners")
    parser.add_argument("--minutes", type=float, metavar="M", help="CPU-minutes at most")
    parser.add_argument("--seed", type=int, metavar="S", help="of the dice (0)")
    parser.add_argument("--seeds", type=int, metavar="N", help="train with S, S+1, ...")
    parser.add_argument("--resume", action="store_true", help="go on from the file saved before")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to save, instead of runs/")
    parser.add_argument("--weights", action="store_true", help="save in lib/weights, as shipped")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes for --seeds; 0: all cores")
    parser.add_argument("--workers", type=int, metavar="N", help="of one training (solitaire a3c)")
    words = "a Ray cluster for --seeds or --workers, or auto"
    parser.add_argument("--ray", metavar="ADDRESS", help=words)
    parser.add_argument("--config", type=Path, metavar="FILE", help="all settings (solitaire only)")
    parser.set_defaults(**DEFAULTS)


def run(args: argparse.Namespace) -> int:
    """Train one agent, or the same one with several seeds."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # CPU-minutes are those of one core
    check(args)
    if args.config:
        return configured(args)
    name, trainer = chosen(args.game, args.agent)
    if args.workers is not None and not trainer.spreads:
        raise ValueError(
            f"--workers is for solitaire a3c: {args.game} {name} learns in one process"
        )
    minutes = trainer.minutes if args.minutes is None else args.minutes
    task = Training(args.game, name, minutes, args.seed)
    print(f"{args.game} {name}: {trainer.summary}, at most {minutes:g} CPU-minutes, ", end="")
    print(f"seed {args.seed}" if args.seeds == 1 else f"{args.seeds} seeds from {args.seed}")
    return several(args, task) if args.seeds > 1 else one(args, task, trainer)


def check(args: argparse.Namespace) -> None:
    """ValueError, with the remedy, unless the options fit together."""
    if args.minutes is not None and args.minutes <= 0:
        raise ValueError(f"--minutes {args.minutes:g}: give more than 0")
    if args.seeds < 1 or args.seed < 0 or args.jobs < 0:
        raise ValueError("--seeds is 1 or more, --seed and --jobs are 0 or more")
    if args.seeds > 1 and (args.out or args.weights):
        raise ValueError("--out and --weights name one file: leave them out with --seeds")
    if args.out and args.weights:
        raise ValueError("--out and --weights both say where to save: give one of them")
    if args.seeds == 1 and (args.jobs != 1 or (args.ray and args.workers is None)):
        raise ValueError("--jobs and --ray spread several seeds: give --seeds too, or --workers")
    if args.workers is not None and (args.workers < 1 or args.seeds > 1 or args.config):
        raise ValueError("--workers is 1 or more, for one seed and without --config")
    if args.config and args.game != "solitaire":
        raise ValueError(f"--config is for solitaire, not for {args.game}")
    told = ("agent", "minutes", "seed", "seeds", "out", "weights")
    if args.config and any(
        getattr(args, name) not in (None, False, DEFAULTS.get(name)) for name in told
    ):
        raise ValueError("--config names a file that says it all: leave out all but --resume")


def chosen(game: str, agent: str | None) -> "tuple[str, Trainer]":
    """The learner asked for, or the game's first; ValueError if there is none."""
    from lib.agents.trainers import trainers

    known = trainers(game)
    name = agent or next(iter(known), "")
    if name not in known:
        listed = ", ".join(known) or "none yet"
        raise ValueError(f"{game} has no learner called {name!r}: there is {listed}")
    return name, known[name]


def one(args: argparse.Namespace, task: Training, trainer: "Trainer") -> int:
    """Train with one seed and save."""
    from lib.agents.registry import WEIGHTS

    path = args.out or (WEIGHTS / trainer.file if args.weights else runs() / file_name(task))
    if args.resume and not path.exists():
        raise ValueError(f"there is nothing to resume in {path}: train without --resume first")
    crew = {"workers": args.workers, "ray": args.ray} if args.workers is not None else {}
    progress, save = trainer.start(task.seed, task.minutes, path if args.resume else None, **crew)
    return finish(args, progress, lambda: save(path), path)


def configured(args: argparse.Namespace) -> int:
    """Train solitaire as a file of settings says."""
    from lib.agents.solitaire_config import read_config, training

    config = read_config(args.config)
    progress, save = training(config, resume=args.resume)
    return finish(args, progress, save, Path(config.results))


def finish(
    args: argparse.Namespace, progress: Iterator[Any], save: Callable[[], object], path: Path
) -> int:
    """Follow a training to its end, or to Ctrl-C, and say what became of it."""
    from lib.agents.progress import WorkerDied

    try:
        with stoppable() as stop:
            metrics = follow(progress, save, stop)
    except WorkerDied as death:
        save()
        print(f"{death}\nSaved: {shown(path)}\nTo go on: {again(args)}", file=sys.stderr)
        return 1
    print(figures(metrics) or "Nothing was left to train: give more minutes.")
    print(f"Saved: {shown(path)}")
    if stop:
        print(f"Stopped before the end. To go on: {again(args)}")
        return 130
    return 0


def several(args: argparse.Namespace, task: Training) -> int:
    """Train with several seeds and print the table."""
    seeds = range(task.seed, task.seed + args.seeds)
    tasks = [Training(task.game, task.agent, task.minutes, seed) for seed in seeds]
    try:
        results = sweep(tasks, runs(), resume=args.resume, jobs=args.jobs, ray=args.ray)
    except KeyboardInterrupt:
        print(f"\nStopped; the seeds that were done are saved. To go on: {again(args)}")
        return 130
    print(table(results))
    print(f"Saved: {shown(runs() / file_name(tasks[0]))} and so on")
    return 0


def again(args: argparse.Namespace) -> str:
    """The command that goes on where this one stopped."""
    words = ["python3 course.py train", args.game, args.agent]
    for name in ("minutes", "seed", "seeds", "jobs", "workers", "ray", "out", "config"):
        if getattr(args, name) not in (None, DEFAULTS.get(name)):
            words.append(f"--{name} {getattr(args, name)}")
    words.append("--weights" if args.weights else "")
    return " ".join(word for word in [*words, "--resume"] if word)


def runs() -> Path:
    """Where trainings go unless told otherwise; not tracked."""
    return ROOT / "runs"


def shown(path: Path) -> str:
    """A path from where the student stands, if it is below."""
    path = path.resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
