"""Trains 2048's DQN from the seed's form up, one mend at a time, and writes lesson 4's figures.

Some 25 minutes of one core. An interrupted climb goes on where it was.
"""

import argparse

from lib.cli import ROOT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--jobs, --seeds and --steps."""
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (0: one per core)")
    parser.add_argument("--seeds", type=int, help="trainings of each rung (default: 5)")
    parser.add_argument("--steps", type=int, help="moves of each training (default: 200,000)")


def run(args: argparse.Namespace) -> int:
    """Climb, with a bar."""
    import torch
    from tqdm import tqdm

    from lib.agents.dqn_ladder import FILE, SEEDS, STEPS, climb

    torch.set_num_threads(1)
    kept = ROOT / "runs" / "2048-ladder.jsonl"
    kept.parent.mkdir(exist_ok=True)
    with tqdm(unit="rung") as bar:
        seeds = tuple(range(1, args.seeds + 1)) if args.seeds else SEEDS
        for progress in climb(jobs=args.jobs, steps=args.steps or STEPS, seeds=seeds, keep=kept):
            bar.total = progress.total
            bar.set_postfix(score=f"{progress.metrics['score']:,.0f}")
            bar.update(progress.done - bar.n)
    kept.unlink()
    print(f"Wrote {FILE.relative_to(ROOT)}.")
    return 0
