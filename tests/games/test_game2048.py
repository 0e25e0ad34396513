"""2048: the rules by hand, against a slow oracle, against the batch form, and in numbers."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.game import Agent, play
from lib.games import batch2048, board2048
from lib.games import game2048 as g
from lib.games.game2048 import DOWN, LEFT, RIGHT, UP, Game2048, State

PLAYTHROUGH = Path(__file__).parents[1] / "playthroughs" / "2048.txt"
boards_drawn = st.lists(st.integers(0, 15), min_size=16, max_size=16).map(g.from_cells)


class RandomPlayer(Agent):
    def act(self, game, state, player):
        return int(self.rng.choice(game.legal(state, player)))


def slow_move(tiles: np.ndarray, action: int) -> tuple[np.ndarray, int]:
    """A move on tile values by turning the board, tile by tile: shares nothing with lib."""
    turns = {UP: 1, RIGHT: 2, DOWN: 3, LEFT: 0}[action]
    board = np.rot90(tiles, turns).tolist()
    score = 0
    for row in board:
        merged = [False] * 4
        for column in range(1, 4):
            at = column
            while at > 0 and row[at] and row[at - 1] == 0:
                row[at - 1], row[at] = row[at], 0
                merged[at - 1], merged[at] = merged[at], False
                at -= 1
            same = at > 0 and 0 < row[at] == row[at - 1] < 32768
            if same and not merged[at - 1] and not merged[at]:
                row[at - 1], row[at] = 2 * row[at], 0
                merged[at - 1] = True
                score += row[at - 1]
    return np.rot90(np.array(board), -turns), score


def random_boards(n: int, seed: int) -> np.ndarray:
    """Half met in random play, half cells at random from ranges of every width."""
    rng = np.random.default_rng(seed)
    batch = batch2048.Batch2048(n // 2, rng)
    batch.play_random(150)
    top = rng.integers(1, 16, (n - n // 2, 1))
    cells = rng.integers(0, top + 1, (n - n // 2, 16)).astype(np.uint64)
    drawn = (cells << np.arange(0, 64, 4, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    return np.concatenate([batch.boards, drawn])


@pytest.mark.parametrize(
    ("row", "slid", "made"),
    [
        ([1, 1, 1, 1], [2, 2, 0, 0], [2, 2]),
        ([1, 1, 2, 0], [2, 2, 0, 0], [2]),
        ([0, 1, 1, 1], [2, 1, 0, 0], [2]),
        ([2, 0, 0, 2], [3, 0, 0, 0], [3]),
        ([1, 2, 1, 2], [1, 2, 1, 2], []),
        ([15, 15, 0, 14], [15, 15, 14, 0], []),
        ([14, 14, 0, 0], [15, 0, 0, 0], [15]),
    ],
)
def test_slide_by_hand(row: list[int], slid: list[int], made: list[int]) -> None:
    assert g.slide(row) == (slid, made)


def test_the_four_directions_by_hand() -> None:
    board = g.from_tiles([[2, 0, 2, 0], [2, 0, 0, 4], [0, 8, 0, 4], [4, 8, 0, 0]])
    up = [[4, 16, 2, 8], [4, 0, 0, 0], [0] * 4, [0] * 4]
    down = [[0] * 4, [0] * 4, [4, 0, 0, 0], [4, 16, 2, 8]]
    left = [[4, 0, 0, 0], [2, 4, 0, 0], [8, 4, 0, 0], [4, 8, 0, 0]]
    right = [[0, 0, 0, 4], [0, 0, 2, 4], [0, 0, 8, 4], [0, 0, 4, 8]]
    expected = {UP: (up, 28), DOWN: (down, 28), LEFT: (left, 4), RIGHT: (right, 4)}
    for action, (tiles, earned) in expected.items():
        after, gained = g.move(board, action)
        assert g.tiles_of(after).tolist() == tiles
        assert gained == earned


def test_scalar_and_batch_agree_on_100_000_positions() -> None:
    boards = random_boards(100_000, seed=1)
    after, gains, legal = batch2048.afterstates(boards)
    for action in range(4):
        scalar = [g.move(board, action) for board in boards.tolist()]
        assert after[:, action].tolist() == [board for board, _ in scalar]
        assert gains[:, action].tolist() == [earned for _, earned in scalar]
    listed = [np.flatnonzero(row).tolist() for row in legal]
    assert listed == [g.can_move(board) for board in boards.tolist()]
    assert [g.cells(board) for board in boards[:1000].tolist()] == batch2048.exponents(
        boards[:1000]
    ).tolist()


def test_moves_agree_with_the_slow_oracle() -> None:
    for board in random_boards(2_000, seed=2).tolist():
        for action in range(4):
            after, earned = g.move(board, action)
            tiles, score = slow_move(g.tiles_of(board), action)
            assert (g.tiles_of(after).tolist(), earned) == (tiles.tolist(), score)


def test_symmetries_are_the_eight_of_the_square() -> None:
    board = g.from_cells(list(range(16)))
    images = batch2048.symmetric(np.full(8, board, np.uint64), np.arange(8))
    square = np.arange(16).reshape(4, 4)
    expected = {
        tuple(np.rot90(side, k).ravel().tolist()) for side in (square, square.T) for k in range(4)
    }
    assert {tuple(row) for row in batch2048.exponents(images).tolist()} == expected
    assert images[0] == board
    assert g.cells(g.transpose(board)) == square.T.ravel().tolist()


@given(boards_drawn)
def test_a_move_keeps_the_sum_of_tiles(board: int) -> None:
    for action in range(4):
        after, earned = g.move(board, action)
        assert g.tiles_of(after).sum() == g.tiles_of(board).sum()
        assert (after == board) == (action not in g.can_move(board))
        assert earned % 4 == 0


@given(boards_drawn)
def test_cells_and_tiles_are_read_back(board: int) -> None:
    assert g.from_cells(g.cells(board)) == board
    assert g.from_tiles(g.tiles_of(board)) == board
    assert g.empty_mask(board).bit_count() == g.cells(board).count(0)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(0, 400))
def test_states_of_random_games_are_read_back(seed: int, length: int) -> None:
    game = Game2048()
    record = play(game, [RandomPlayer()], np.random.default_rng(seed), max_turns=length)
    for state in record.states[-3:]:
        assert game.read(game.write(state)) == state
        if game.movers(state):
            unsettled = game.play(state, (game.legal(state, 0)[-1],))
            assert game.read(game.write(unsettled)) == unsettled


def test_chance_lists_every_cell_and_both_tiles() -> None:
    game = Game2048()
    state = State(g.from_tiles([[2, 4, 8, 16]] * 3 + [[2, 0, 8, 0]]), 40, 1)
    listed = {(round(p, 12), game.write(after)) for p, after in game.chance(state)}
    row = "1234/1234/1234/"
    assert listed == {
        (0.45, f"{row}1130 40 0"),
        (0.05, f"{row}1230 40 0"),
        (0.45, f"{row}1031 40 0"),
        (0.05, f"{row}1032 40 0"),
    }
    assert len(game.chance(game.start())) == 32
    assert game.chance(State(1, 0, 0)) == []


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    return float(((counts - expected) ** 2 / expected).sum())


def test_settle_draws_what_chance_lists() -> None:
    game, rng, n = Game2048(p_two=0.7), np.random.default_rng(3), 20_000
    state = State(g.from_tiles([[2, 0, 8, 16], [0] * 4, [4, 0, 0, 0], [2, 4, 8, 0]]), 40, 1)
    options = game.chance(state)
    index = {after: i for i, (_, after) in enumerate(options)}
    counts = np.bincount([index[game.settle(state, rng)] for _ in range(n)], minlength=len(index))
    expected = n * np.array([p for p, _ in options])
    assert chi_square(counts, expected) < 46  # 17 degrees of freedom: 46 has probability 0.0002


def test_batch_tiles_have_the_same_distribution() -> None:
    n = 40_000
    batch = batch2048.Batch2048(n, np.random.default_rng(4), p_two=0.7)
    start = g.from_tiles([[0, 0, 0, 2], [4, 8, 2, 4], [8, 2, 4, 8], [2, 4, 8, 2]])
    batch.boards[:] = start
    batch.step(np.full(n, LEFT))
    options = Game2048(p_two=0.7).chance(State(g.move(start, LEFT)[0], 0, 1))
    counts = np.array([(batch.boards == np.uint64(after.board)).sum() for _, after in options])
    assert counts.sum() == n
    assert chi_square(counts, n * np.array([p for p, _ in options])) < 25  # 5 degrees


def test_first_tiles_of_a_batch() -> None:
    batch = batch2048.Batch2048(20_000, np.random.default_rng(5))
    cells = batch2048.exponents(batch.boards)
    assert ((cells > 0).sum(axis=1) == 2).all()
    places = (cells > 0).sum(axis=0)
    assert chi_square(places, np.full(16, 2500.0)) < 45
    assert abs((cells == 2).sum() / 40_000 - 0.1) < 0.008


def random_games(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Final scores and largest exponents of n games of random legal moves."""
    rng = np.random.default_rng(seed)
    batch = batch2048.Batch2048(n, rng)
    scores, tops = [], []
    while len(batch.boards):
        legal = batch.legal()
        over = ~legal.any(axis=1)
        scores += batch.scores[over].tolist()
        tops += batch2048.exponents(batch.boards[over]).max(axis=1).tolist()
        batch.boards, batch.scores = batch.boards[~over], batch.scores[~over]
        batch.dice = batch.dice[~over]
        if len(batch.boards):
            batch.step(np.argmax(legal[~over] * rng.random((len(batch.boards), 4)), axis=1))
    return np.array(scores), np.array(tops)


def test_random_play_scores_what_is_known() -> None:
    scores, tops = random_games(5_000, seed=6)
    assert abs(scores.mean() - 1094) < 40  # standard error 7.7
    assert abs((tops >= 8).mean() - 0.078) < 0.02  # standard error 0.004


def test_play_random_is_uniform_over_legal_moves_and_ends_games() -> None:
    n = 30_000
    batch = batch2048.Batch2048(n, np.random.default_rng(7))
    start = g.from_tiles([[2, 4, 8, 16], [4, 8, 16, 32], [8, 16, 32, 64], [16, 32, 64, 0]])
    batch.boards[:] = start
    batch.play_random(1)
    afters = [g.move(start, action)[0] for action in (DOWN, RIGHT)]
    down = sum(
        int((batch.boards == np.uint64(after.board)).sum())
        for _, after in Game2048().chance(State(afters[0], 0, 1))
    )
    assert g.can_move(start) == [DOWN, RIGHT]
    assert abs(down / n - 0.5) < 0.015
    stuck = g.from_tiles([[2, 4, 8, 16], [4, 8, 16, 32], [8, 16, 32, 64], [16, 32, 64, 128]])
    batch.boards[:] = stuck
    assert batch.play_random(1) == n
    assert ((batch2048.exponents(batch.boards) > 0).sum(axis=1) <= 3).all()


def test_the_same_dice_give_the_same_games_in_any_company() -> None:
    many = batch2048.Batch2048(50, np.random.default_rng(8))
    one = batch2048.Batch2048(1, np.random.default_rng(9))
    one.boards[:], one.dice[:] = many.boards[17], many.dice[17]
    many.play_random(300)
    one.play_random(300)
    assert (one.boards[0], one.scores[0]) == (many.boards[17], many.scores[17])


def test_goal_ends_the_game_or_not() -> None:
    board = g.from_tiles([[1024, 1024, 0, 0], [0] * 4, [0] * 4, [0] * 4])
    for goal, movers in ((2048, ()), (None, (0,))):
        game = Game2048(goal=goal)
        after = game.settle(game.play(State(board, 0, 0), (LEFT,)), np.random.default_rng(1))
        assert after.score == 2048
        assert game.movers(after) == movers
        assert game.outcome(after) == ((1.0,) if goal else (0.0,))


def test_outcome_when_stuck() -> None:
    tiles = [[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]]
    game = Game2048()
    assert game.outcome(State(g.from_tiles(tiles), 0, 0)) == (-1.0,)
    tiles[0][0] = 4096
    assert game.outcome(State(g.from_tiles(tiles), 0, 0)) == (1.0,)


def test_reward_forms_by_hand() -> None:
    board = g.from_tiles([[2, 2, 4, 4], [512, 1024, 0, 0], [512, 2048, 0, 2], [0] * 4])
    expected = {"none": 0, "score": 12, "log2": 5, "progressive": 5 + 2 + 2.5 + 6}
    expected["progressive_penalty"] = expected["progressive"] - 1.5
    assert {form: g.reward(form, board, LEFT) for form in g.REWARD_FORMS} == expected
    assert g.reward("progressive", board, UP) == 10 + 2.5 * 2 + 6
    first = g.from_tiles([[1024, 0, 0, 1024], [2, 2, 0, 0], [0] * 4, [0] * 4])
    assert g.reward("none", first, RIGHT) == 1
    assert g.reward("none", first, UP) == 0
    with pytest.raises(ValueError, match="no reward form 'points'"):
        g.reward("points", board, LEFT)


def test_planes_with_12_and_16() -> None:
    board = g.from_tiles([[0, 2, 4, 2048], [4096, 32768, 0, 0], [0] * 4, [0] * 4])
    seen = Game2048().observe(State(board), 0)
    twelve, sixteen = g.planes(seen), g.planes(seen, 16)
    assert twelve.shape == (12, 4, 4) and sixteen.shape == (16, 4, 4)
    assert twelve.sum(axis=0).tolist() == np.ones((4, 4)).tolist()
    assert np.argmax(twelve, axis=0)[:2].tolist() == [[0, 1, 2, 11], [11, 11, 0, 0]]
    assert np.argmax(sixteen, axis=0).tolist() == seen.tolist()
    assert (g.planes(np.stack([seen] * 3))[1] == twelve).all()


def test_bad_input_is_named() -> None:
    game = Game2048()
    state = game.read("1200/0000/0000/0000 0 0")
    with pytest.raises(ValueError, match=r"move 0 of player 0 is illegal .*1 \(down\)"):
        game.play(state, (UP,))
    for moves in ((), (1, 1), (7,)):
        with pytest.raises(ValueError):
            game.play(state, moves)
    with pytest.raises(ValueError, match="settle it first"):
        game.play(game.start(), (UP,))
    for line in ("0000/0000/0000/0000 0 0", "1000/0000/0000/0000 4 0", "1200/0000 0 0", "x 0 0"):
        with pytest.raises(ValueError):
            game.read(line)
    for tiles in ([[3, 0, 0, 0]] * 4, [[65536, 0, 0, 0]] * 4, [[2, 2], [2, 2]]):
        with pytest.raises(ValueError):
            g.from_tiles(tiles)
    with pytest.raises(ValueError, match=r"p_two=1\.5"):
        Game2048(p_two=1.5)
    with pytest.raises(ValueError, match="goal=1000"):
        Game2048(goal=1000)
    with pytest.raises(ValueError, match="shape"):
        g.planes(np.zeros((4, 5)))


def test_bad_input_to_the_batch_is_named() -> None:
    batch = batch2048.Batch2048(3, np.random.default_rng(1))
    batch.boards[:] = g.from_tiles([[2, 4, 0, 0]] + [[0] * 4] * 3)
    before = batch.boards.copy()
    with pytest.raises(ValueError, match="action 2 is illegal in game 1"):
        batch.step(np.array([DOWN, LEFT, DOWN]))
    with pytest.raises(ValueError, match="action 4"):
        batch.step(np.array([DOWN, 4, DOWN]))
    assert (batch.boards == before).all()
    with pytest.raises(ValueError, match="3 actions expected"):
        batch.step(np.array([1]))
    with pytest.raises(ValueError, match="uint64"):
        batch2048.afterstates(np.array([1, 2]))
    with pytest.raises(ValueError, match="-1 steps"):
        batch.play_random(-1)
    with pytest.raises(ValueError, match="0 games"):
        batch2048.Batch2048(0, np.random.default_rng(1))


def test_tables_hold_every_row() -> None:
    tables = board2048.tables()
    assert len(tables.left) == len(tables.can) == 1 << 16
    assert all(tables.mirror[tables.mirror[row]] == row for row in range(0, 1 << 16, 97))


def recorded(seed: int, length: int) -> str:
    """A game of random moves as text: each line a move and the state after it."""
    game = Game2048()
    record = play(game, [RandomPlayer()], np.random.default_rng(seed), max_turns=length)
    lines = [game.write(record.states[0])]
    pairs = zip(record.states, record.moves, record.states[1:], strict=False)
    lines += [f"{game.describe(s, 0, m)}  {game.write(after)}" for s, (m,), after in pairs]
    return "\n".join([*lines, game.text(record.states[-1])]) + "\n"


def test_recorded_playthrough_is_played_the_same() -> None:
    lines = PLAYTHROUGH.read_text().splitlines()
    game = Game2048()
    state = game.read(lines[0])
    for line in lines[1:-5]:
        words, written = line.split("  ")
        after = game.read(written)
        slid = game.play(state, (g.MOVES.index(words),))
        assert after in [option for _, option in game.chance(slid)]
        state = after
    assert game.text(state).splitlines() == lines[-5:]
    assert not game.movers(state)
    assert recorded(seed=2048, length=1000) == PLAYTHROUGH.read_text()
