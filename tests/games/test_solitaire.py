"""Peg solitaire's rules against a slow second set of rules on a 7×7 picture, and the batch form."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.game import Agent, play
from lib.games import batch_solitaire as batch
from lib.games.solitaire import (
    CENTRE,
    FULL,
    HOLES,
    JUMPS,
    SOLVED,
    START,
    Solitaire,
    count_pegs,
    flip,
    jumps,
    unjumps,
)

PLAYTHROUGH = Path(__file__).parents[1] / "playthroughs" / "solitaire.txt"
positions = st.integers(1, FULL - 1)


def picture(position: int) -> list[str]:
    """The position as 7 rows of 7: o peg, . hole, space outside."""
    rows = [[" "] * 7 for _ in range(7)]
    for hole, (r, c) in enumerate(HOLES):
        rows[r][c] = "o" if position >> hole & 1 else "."
    return ["".join(row) for row in rows]


def picture_moves(rows: list[str], *, before: str = "oo.") -> dict[tuple[int, ...], list[str]]:
    """All jumps by sight: three cells in a line that read `before`, and the picture after."""
    found: dict[tuple[int, ...], list[str]] = {}
    for r in range(7):
        for c in range(7):
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                cells = [(r + i * dr, c + i * dc) for i in range(3)]
                if not all(0 <= y < 7 and 0 <= x < 7 for y, x in cells):
                    continue
                if "".join(rows[y][x] for y, x in cells) != before:
                    continue
                after = [list(row) for row in rows]
                for y, x in cells:
                    after[y][x] = "." if rows[y][x] == "o" else "o"
                found[(*cells[0], *cells[2])] = ["".join(row) for row in after]
    return found


def ends(jump: int) -> tuple[int, ...]:
    return (*HOLES[JUMPS[jump].source], *HOLES[JUMPS[jump].target])


def test_board_has_33_holes_and_76_jumps() -> None:
    assert len(HOLES) == 33 and HOLES[CENTRE] == (3, 3)
    assert len(JUMPS) == len(set(JUMPS)) == 76
    assert count_pegs(START) == 32


def test_first_jumps_all_end_in_the_centre() -> None:
    game = Solitaire()
    words = [game.describe(START, 0, a) for a in game.legal(START, 0)]
    assert words == [
        "d2 over d3 to d4",
        "b4 over c4 to d4",
        "f4 over e4 to d4",
        "d6 over d5 to d4",
    ]


@given(positions)
def test_jumps_equal_those_seen_in_the_picture(position: int) -> None:
    rows = picture(position)
    seen = picture_moves(rows)
    assert {ends(a): picture(flip(position, a)) for a in jumps(position)} == seen
    assert jumps(position) == sorted(jumps(position))
    game = Solitaire()
    assert game.legal(position, 0) == jumps(position)
    assert game.movers(position) == ((0,) if seen else ())


@given(positions)
def test_unjumps_are_the_jumps_that_lead_here(position: int) -> None:
    seen = picture_moves(picture(position), before="..o")
    assert {ends(a): picture(flip(position, a)) for a in unjumps(position)} == seen
    assert all(a in jumps(flip(position, a)) for a in unjumps(position))


@given(positions)
def test_write_and_read_are_inverse(position: int) -> None:
    game = Solitaire()
    line = game.write(position)
    assert line == "/".join(row.strip() for row in picture(position))
    assert game.read(line) == position


@given(positions)
def test_planes_hold_pegs_and_two_fractions(position: int) -> None:
    planes = Solitaire().observe(position, 0)
    assert planes.shape == (7, 7, 3) and planes.dtype == np.float32
    assert planes[:, :, 0].tolist() == [[float(x == "o") for x in row] for row in picture(position)]
    pegs = sum(row.count("o") for row in picture(position))
    np.testing.assert_allclose(planes[:, :, 1], (32 - pegs) / 31, atol=1e-6)
    np.testing.assert_allclose(planes[:, :, 2], (pegs - 1) / 31, atol=1e-6)


def test_start_can_be_any_position() -> None:
    game = Solitaire(".../.../..oo.../......./......./.../...")
    assert [game.describe(game.start(), 0, a) for a in game.legal(game.start(), 0)] == [
        "c3 over d3 to e3",
        "d3 over c3 to b3",
    ]
    after = game.play(game.start(), (game.legal(game.start(), 0)[0],))
    assert game.write(after) == ".../.../....o../......./......./.../..."
    assert game.score(after) == (1.0,)
    assert Solitaire(START ^ 1).start() == START ^ 1


def test_outcome_depends_on_the_goal() -> None:
    corner = 1
    assert Solitaire().outcome(SOLVED) == (1.0,)
    assert Solitaire().outcome(corner) == (-1.0,)
    assert Solitaire(centre=False).outcome(corner) == (1.0,)
    assert Solitaire().outcome(START) == (0.0,)
    assert Solitaire(centre=False).outcome(0b101) == (-1.0,)
    assert Solitaire().score(SOLVED) == (31.0,)


def test_text_shows_the_cross_with_coordinates() -> None:
    drawn = Solitaire().text(START).splitlines()
    assert drawn[0] == "1     o o o" and drawn[3] == "4 o o o . o o o"
    assert drawn[-1] == "  a b c d e f g"


@pytest.mark.parametrize("start", [0, -1, FULL, FULL + 1])
def test_impossible_positions_are_refused(start: int) -> None:
    with pytest.raises(ValueError, match="1 to 32 pegs"):
        Solitaire(start)


@pytest.mark.parametrize(
    "line", ["", "ooo", "ooo/ooo/ooooooo/ooo.ooo/ooooooo/ooo/oox", "/".join(["ooo"] * 7)]
)
def test_unreadable_lines_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match="no position"):
        Solitaire().read(line)


def test_illegal_moves_are_named() -> None:
    game = Solitaire()
    for moves in ((0,), (76,), (-1,), (), (7, 7)):
        with pytest.raises(ValueError, match=r"illegal|expected"):
            game.play(START, moves)
    with pytest.raises(ValueError, match="over"):
        game.play(SOLVED, (0,))


class Script(Agent):
    """Plays the jumps of a list."""

    def __init__(self, moves: list[int]) -> None:
        super().__init__(0)
        self.moves = iter(moves)

    def act(self, game, state, player) -> int:  # type: ignore[no-untyped-def]
        return next(self.moves)


def test_recorded_playthrough_is_played_the_same() -> None:
    game = Solitaire()
    lines = PLAYTHROUGH.read_text().splitlines()
    turns = [line.split("  ") for line in lines[1:]]
    by_words = {game.describe(START, 0, a): a for a in range(76)}
    record = play(game, [Script([by_words[words] for words, _ in turns])], np.random.default_rng(0))
    assert [game.write(state) for state in record.states] == [lines[0], *(t[1] for t in turns)]
    assert record.outcome == (1.0,) and record.score == (31.0,) and not record.truncated


def random_positions(count: int, rng: np.random.Generator) -> np.ndarray:
    """Half of them anything, half met in random games."""
    anything = rng.integers(1, FULL, count // 2)
    met = np.full(count - count // 2, START)
    steps = rng.integers(0, 28, len(met))
    for step in range(28):
        after, jump = batch.random_jump(met, rng)
        met = np.where((step < steps) & (jump >= 0), after, met)
    return np.concatenate([anything, met])


def test_batch_equals_plain_rules_on_100000_positions() -> None:
    rng = np.random.default_rng(5)
    boards = random_positions(100_000, rng)
    masks, back = batch.legal(boards), batch.unjumps(boards)
    after, chosen = batch.random_jump(boards, rng)
    before, undone = batch.random_unjump(boards, rng)
    pegs = batch.count_pegs(boards)
    for i, position in enumerate(boards.tolist()):
        legal, possible = jumps(position), unjumps(position)
        assert np.flatnonzero(masks[i]).tolist() == legal
        assert np.flatnonzero(back[i]).tolist() == possible
        assert pegs[i] == count_pegs(position)
        assert (chosen[i] in legal and after[i] == flip(position, chosen[i])) or not legal
        assert (undone[i] in possible and before[i] == flip(position, undone[i])) or not possible
    stuck = chosen < 0
    assert (after[stuck] == boards[stuck]).all() and not masks[stuck].any()
    assert (batch.play(boards[~stuck], chosen[~stuck]) == after[~stuck]).all()


def test_batch_planes_equal_plain_planes() -> None:
    boards = random_positions(500, np.random.default_rng(6))
    game = Solitaire()
    expected = np.stack([game.observe(p, 0) for p in boards.tolist()])
    np.testing.assert_array_equal(batch.observe(boards), expected)


def test_random_jumps_are_uniform() -> None:
    _, chosen = batch.random_jump(np.full(40_000, START), np.random.default_rng(7))
    counts = np.bincount(chosen, minlength=76)[jumps(START)]
    assert counts.sum() == 40_000 and abs(counts - 10_000).max() < 500  # 5.8 standard errors


def test_symmetries_turn_the_picture() -> None:
    boards = random_positions(300, np.random.default_rng(8))
    for position in boards.tolist():
        square = np.array([list(row) for row in picture(position)])
        expected = set()
        for side in (square, square[:, ::-1]):
            expected |= {np.rot90(side, k).tobytes() for k in range(4)}
        images = [int(batch.symmetric(np.array([position]), s)[0]) for s in range(8)]
        drawn = {np.array([list(row) for row in picture(p)]).tobytes() for p in images}
        assert drawn == expected
        assert batch.canonical_position(position) == min(images)


def test_canonical_image_keeps_the_jumps() -> None:
    rng = np.random.default_rng(9)
    boards = random_positions(5_000, rng)
    images, symmetry = batch.canonical(boards)
    after, chosen = batch.random_jump(boards, rng)
    moved = chosen >= 0
    turned = batch.JUMP_IMAGES[symmetry[moved], chosen[moved]]
    through_image = batch.canonical(batch.play(images[moved], turned))[0]
    assert (through_image == batch.canonical(after[moved])[0]).all()


def test_batch_refuses_bad_input() -> None:
    boards = np.array([START, SOLVED])
    with pytest.raises(ValueError, match="illegal on board 1"):
        batch.play(boards, np.array([7, 7]))
    with pytest.raises(ValueError, match="illegal on board 0"):
        batch.play(boards, np.array([-1, 7]))
    with pytest.raises(ValueError, match="2 actions expected"):
        batch.play(boards, np.array([7]))
    with pytest.raises(ValueError, match="33 holes"):
        batch.legal(np.array([-1]))
    with pytest.raises(ValueError, match="whole numbers"):
        batch.legal(np.array([1.5]))
