"""What a learner tells while it trains: the same for a live curve, a progress bar and a test."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Progress:
    """`done` of `total` units of work, and the current figures by name."""

    done: int
    total: int
    unit: str = "games"  # games, steps, rounds, iterations, seconds
    metrics: dict[str, float] = field(default_factory=dict)


class WorkerDied(RuntimeError):
    """A process that helped to learn ended before its work was done; what was learned is kept."""
