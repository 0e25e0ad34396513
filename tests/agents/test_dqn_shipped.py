"""The networks of 2048 that the course ships: small files that win."""

import pytest

from lib.agents.dqn_files import load
from lib.agents.registry import WEIGHTS

MEGABYTE = 10**6


def test_the_files_are_small() -> None:
    sizes = [path.stat().st_size for path in WEIGHTS.glob("2048-*.npz")]
    assert len(sizes) == 3 and max(sizes) < 10 * MEGABYTE and sum(sizes) < 25 * MEGABYTE


@pytest.mark.parametrize(
    ("name", "games", "bar"),
    [  # measured with 1,000 games: 92.6 % and 68.9 %; the bars are five standard errors below
        ("tuples", 300, 0.85),
        pytest.param("dqn", 200, 0.52, marks=pytest.mark.slow),
    ],
)
def test_most_games_reach_2048(name: str, games: int, bar: float) -> None:
    played = load(WEIGHTS / f"2048-{name}.npz", device="cpu").test(games, seed=5)
    assert played.reached(2048) > bar
