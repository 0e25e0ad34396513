"""The n-tuple network against sums and updates worked out in plain Python."""

from pathlib import Path

import numpy as np
import pytest

from lib.agents.dqn_player import NTuplePlayer
from lib.agents.ntuple import FIVE, NTuple, Settings, index, learn, reached, segments
from lib.games.batch2048 import Batch2048, symmetric
from lib.games.board2048 import can_move, cells, from_tiles, move
from lib.games.game2048 import Game2048, State

SMALL = Settings(tuples=((0, 1, 4), (5, 6, 10)), games=5)
WEIGHTS = Path(__file__).parents[2] / "lib" / "weights" / "2048-ntuple.npz"


def boards_of_play(n: int) -> np.ndarray:
    batch = Batch2048(n, np.random.default_rng(0))
    batch.play_random(60)
    return batch.boards


def entry(board: int, tuple_: tuple[int, ...]) -> int:
    """Where a tuple's contents stand in its table."""
    return sum(cells(board)[cell] << 4 * place for place, cell in enumerate(tuple_))


def images(board: int) -> list[int]:
    return [int(symmetric(np.array([board], np.uint64), np.array([k]))[0]) for k in range(8)]


@pytest.mark.parametrize("tuples", [FIVE, SMALL.tuples, ((0, 5, 10, 15),)])
def test_cells_are_gathered_in_order(tuples: tuple[tuple[int, ...], ...]) -> None:
    masks, shifts = segments(tuples)
    for board in boards_of_play(50):
        for t, cells_ in enumerate(tuples):
            assert index(board, masks, shifts, t) == entry(int(board), cells_)


def test_a_tuple_out_of_order_is_refused() -> None:
    with pytest.raises(ValueError, match="increasing order"):
        segments([(3, 1)])


def random_network() -> NTuple:
    network = NTuple(SMALL)
    network.weights[:] = np.random.default_rng(1).normal(size=network.weights.shape)
    return network


def test_a_value_is_the_sum_of_its_entries() -> None:
    network = random_network()
    for board in boards_of_play(30):
        parts = [
            network.weights[t, entry(image, cells_)]
            for image in images(int(board))
            for t, cells_ in enumerate(SMALL.tuples)
        ]
        assert network.value(int(board)) == pytest.approx(sum(parts), abs=1e-4)


def test_the_first_update_goes_all_the_way() -> None:
    """Fresh entries are coherent: on a board whose 8 images all differ, V becomes the target."""
    network = NTuple(Settings(tuples=((0, 1, 2, 4),)))
    board = from_tiles([[2, 4, 8, 16], [32, 64, 128, 256], [512, 0, 0, 2], [4, 8, 2, 64]])
    tables = (network.weights, network.sums, network.sizes, network.masks, network.shifts)
    learn(np.uint64(board), 100.0, *tables, 1.0)
    assert network.value(board) == pytest.approx(100.0, rel=1e-5)
    learn(np.uint64(board), 0.0, *tables, 1.0)  # coherence is still 1: all deltas agreed
    assert network.value(board) == pytest.approx(0.0, abs=1e-3)
    learn(np.uint64(board), 100.0, *tables, 1.0)  # now they cancel: |100 - 100| / 200
    assert network.value(board) == pytest.approx(0.0, abs=1e-3)


def test_the_player_takes_the_largest_sum() -> None:
    network = random_network()
    for board in boards_of_play(30):
        legal = can_move(int(board))
        if not legal:
            continue
        worth = {a: move(int(board), a)[1] + network.value(move(int(board), a)[0]) for a in legal}
        assert NTuplePlayer(network).act(Game2048(), State(int(board)), 0) == max(
            worth,
            key=worth.__getitem__,
        )


def test_training_goes_on_exactly_where_it_was_saved(tmp_path) -> None:  # type: ignore[no-untyped-def]
    whole, first = NTuple(SMALL, seed=3), NTuple(SMALL, seed=3)
    told = [progress.done for progress in whole.train(games=20)]
    assert told == [5, 10, 15, 20]
    list(first.train(games=10))
    first.save(tmp_path / "a.npz")
    again = NTuple.load(tmp_path / "a.npz", resume=True)
    assert again.settings.tuples == SMALL.tuples
    list(again.train(games=10))
    np.testing.assert_array_equal(again.weights, whole.weights)
    assert again.games_played == 20
    rounded = NTuple.load(tmp_path / "a.npz")
    np.testing.assert_allclose(rounded.weights, first.weights, rtol=1e-3, atol=1e-3)


def test_it_learns_within_a_thousand_games() -> None:
    network = NTuple(seed=1)
    before = network.test(200, seed=5)[0].mean()
    list(network.train(games=1000))
    scores, boards = network.test(200, seed=5)
    assert scores.mean() > 3 * before and reached(boards)[512] > 0.8


@pytest.mark.slow
def test_the_shipped_tables_win() -> None:
    """97.7 % of 1,000 games when they were made; five standard errors below that of 400."""
    boards = NTuple.load(WEIGHTS).test(400, seed=11)[1]
    assert reached(boards)[2048] > 0.977 - 5 * (0.977 * 0.023 / 400) ** 0.5
