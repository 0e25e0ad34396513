"""The cases of lesson 4: inputs drawn from a seed."""

from collections.abc import Iterator

import numpy as np

from lib.agents.dqn_games import at_random, play_games
from lib.games.batch2048 import Batch2048
from lib.games.board2048 import REWARD_FORMS, can_move, from_tiles, move, tiles_of
from lib.grading import compare
from lib.grading.ask import Callback, Outcome
from lib.grading.check import Case
from lib.grading.wire import Tensor

STUCK = np.array([[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]])
ONE_WAY = np.array([[2, 0, 0, 0], [4, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0]])  # only right
MERGE_ONLY = np.array([[2, 4, 8, 16], [4, 8, 16, 2], [8, 16, 2, 4], [16, 2, 4, 4]])
BIG = np.array([[2048, 1024, 512, 4096], [0, 0, 0, 2], [8192, 0, 4, 0], [0, 0, 0, 0]])


def boards(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    """Boards from the middle of random games."""
    batch = Batch2048(n, rng)
    batch.play_random(int(rng.integers(20, 80)))
    return [tiles_of(int(board)) for board in batch.boards]


def full_boards(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    """Boards on which a random game ended."""
    games = play_games(at_random(int(rng.integers(2**31))), n, int(rng.integers(2**31)))
    return [tiles_of(int(board)) for board in games.boards]


def slide_cases(rng: np.random.Generator) -> Iterator[Case]:
    """The lesson's examples, each rule on its own, then any rows."""
    yield Case("the example", ([2, 2, 4, 0],), open=True)
    yield Case("gaps", ([0, 2, 0, 4],), open=True)
    yield Case("gaps", ([2, 0, 0, 2],), open=True)
    yield Case("a tile merges once", ([2, 2, 2, 2],), open=True)
    yield Case("a tile merges once", ([4, 2, 2, 0],), open=True)
    yield Case("nearest to the wall first", ([2, 2, 2, 0],), open=True)
    for _ in range(40):
        row = (2 ** rng.integers(1, 5, 4) * (rng.random(4) < 0.75)).tolist()
        yield Case("any row", (row,))
    tile = int(2 ** rng.integers(6, 12))
    yield Case("large tiles", ([0, tile, tile, tile],))


def valid_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Edges, then any boards."""
    yield Case("the start", (np.array([[0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 2, 0]]),))
    yield Case("no move at all", (STUCK,), open=True)
    yield Case("one direction", (ONE_WAY,), open=True)
    yield Case("one direction", (np.rot90(ONE_WAY, int(rng.integers(1, 4))).copy(),))
    yield Case("a full board with a merge", (MERGE_ONLY,), open=True)
    yield Case("a full board with a merge", (MERGE_ONLY.T[::-1].copy(),))
    for board in boards(rng, 15) + full_boards(rng, 4):
        yield Case("any board", (board,))


def tensor_cases(rng: np.random.Generator) -> Iterator[Case]:
    """A small board, one with tiles beyond the planes, any boards."""
    yield Case("an example", (np.array([[2, 4, 0, 0], [0, 0, 8, 0], [0] * 4, [0] * 4]),), open=True)
    yield Case("beyond 2048", (BIG,), open=True)
    for board in boards(rng, 8):
        yield Case("any board", (board,))


def exploration_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Numbers by hand, then any; with values that overflow exp."""
    yield Case("lai_robbins", (0,), name="lai_robbins", open=True)
    yield Case("lai_robbins", (100,), name="lai_robbins", open=True)
    yield Case("torch_version", (0,), name="torch_version", open=True)
    yield Case("torch_version", (2000,), name="torch_version", open=True)
    values, counts = np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1])
    yield Case("entropy", (values, counts), name="entropy", open=True)
    for _ in range(6):
        yield Case("lai_robbins", (int(rng.integers(1, 5000)),), name="lai_robbins")
        yield Case("torch_version", (int(rng.integers(1, 20000)),), name="torch_version")
        n = int(rng.integers(1, 5))
        drawn = (rng.normal(0, 0.5, n).round(3), rng.integers(0, 2000, n))
        yield Case("entropy", drawn, name="entropy")
    settings = rng.uniform(0.2, 0.9, 2).round(2).tolist()
    yield Case("other settings", (50, *settings), name="lai_robbins")
    yield Case("other settings", (300, 0.9, 0.1, 0.002), name="torch_version")
    yield Case("other settings", (*drawn, 0.5), name="entropy")
    large = np.array([900.0, 905.0, -300.0])
    yield Case("large values", (large, np.array([40, 40, 3])), name="entropy")


def _targets(
    rng: np.random.Generator, label: str, n: int = 6, double: bool = False, low: float = -2.0
) -> Case:
    legal = rng.random((n, 4)) < 0.6
    legal[np.arange(n), rng.integers(0, 4, n)] = True
    next_q = rng.uniform(low, low + 4, (n, 4)).round(2).astype(np.float32)
    over = np.zeros(n, bool)
    if label == "illegal moves":  # they look best
        next_q = np.where(legal, next_q, next_q + 5).astype(np.float32)
    if label == "the end of a game":  # where nothing is legal
        over[rng.choice(n, n // 2, replace=False)] = True
        legal[over] = False
    rewards = rng.uniform(0, 3, n).round(2).astype(np.float32)
    given = [Tensor(x) for x in (rewards, over, next_q, legal)]
    kwargs = {}
    if double:
        chooser = rng.uniform(-2, 2, (n, 4)).round(2).astype(np.float32)
        kwargs["chooser"] = Tensor(np.where(legal, chooser, chooser + 5).astype(np.float32))
    return Case(label, (*given, round(float(rng.uniform(0.5, 0.99)), 2)), kwargs)


def target_cases(rng: np.random.Generator) -> Iterator[Case]:
    """One by hand, then each thing that can go wrong on its own."""
    rewards, over = np.array([1.0, 2.0], np.float32), np.array([False, True])
    next_q = np.array([[1, 5, 3, 2], [4, 4, 4, 4]], np.float32)
    legal = np.array([[True, False, True, True], [False, False, False, False]])
    given = [Tensor(x) for x in (rewards, over, next_q, legal)]
    chooser = {"chooser": Tensor(np.array([[7, 9, 1, 2], [0, 0, 0, 0]], np.float32))}
    yield Case("by hand", (*given, 0.9), open=True)
    yield Case("double", (*given, 0.9), chooser, open=True)
    for _ in range(3):
        yield _targets(rng, "illegal moves")
        yield _targets(rng, "the end of a game")
        yield _targets(rng, "all is below 0", low=-6.0)
        yield _targets(rng, "double", double=True)


def update_cases(rng: np.random.Generator) -> Iterator[Case]:
    """By hand, then tensors of several shapes."""
    target = [Tensor(np.array([1.0, 2.0], np.float32))]
    network = [Tensor(np.array([3.0, 2.0], np.float32))]
    yield Case("by hand", (target, network, 0.25), open=True)
    for tau in (0.0, 1.0, 0.001, round(float(rng.uniform(0.1, 0.9)), 2)):
        shapes: list[tuple[int, ...]] = [(3, 2), (2,), (1,), (4, 3)]
        slow, fast = (
            [Tensor(rng.normal(size=shape).astype(np.float32)) for shape in shapes]
            for _ in range(2)
        )
        yield Case("many weights", (slow, fast, tau))


def judge_update(case: Case, got: Outcome, wanted: Outcome) -> str:
    """The target afterwards, and the network as it was; what is returned does not count."""
    if not compare.same(wanted.args[0], got.args[0], tol=1e-6):
        return "The target's tensors are not what they should be afterwards."
    if not compare.same(wanted.args[1], got.args[1]):
        return "It changed the network: only the target moves."
    return ""


def _merged(board: np.ndarray, action: int) -> tuple[list[int], np.ndarray]:
    """The tiles that a move makes, and the board after it."""
    after = tiles_of(move(from_tiles(board), action)[0])
    lines = board.T if action < 2 else board
    made = []
    for line in lines:
        tiles = [int(t) for t in (line[::-1] if action % 2 else line) if t]
        while len(tiles) > 1:
            if tiles[0] == tiles[1]:
                made.append(2 * tiles.pop(0))
            tiles.pop(0)
    return made, after


def reward_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Two merges, no merge and the first 2048, under each form; then any moves."""
    two = np.array([[4, 8, 0, 0], [512, 512, 0, 0], [0] * 4, [1024, 0, 0, 2]])
    win = np.array([[2048, 512, 0, 0], [1024, 0, 0, 0], [0] * 4, [0] * 4])
    for form in REWARD_FORMS:
        yield Case(form, (form, [4, 8], two), open=True)
        yield Case(form, (form, [], two))
        yield Case(form, (form, [2048], win))
        yield Case(form, (form, [4, 16], win))
        for board in boards(rng, 3):
            if actions := can_move(from_tiles(board)):
                merged, after = _merged(board, int(rng.choice(actions)))
                scaled = np.where(after >= 32, 16 * after, after)  # so that large tiles appear
                yield Case(form, (form, merged, scaled))


def _options(rng: np.random.Generator, shift: float, tempting: bool) -> tuple[np.ndarray, ...]:
    board = boards(rng, 1)[0]
    after, gains, legal = [], [], []
    for action in range(4):
        result, gain = move(from_tiles(board), action)
        after.append(tiles_of(result))
        gains.append(gain + shift + rng.uniform(0, 1))  # no ties
        legal.append(result != from_tiles(board))
    if tempting:  # take one away, and let it look best
        out = int(rng.choice(np.flatnonzero(legal)))
        if sum(legal) > 1:
            legal[out] = False
            gains[out] += 5000
    return np.array(after), np.array(gains, float), np.array(legal)


def move_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Values that don't depend on the gains; all below 0; illegal ones that look best."""
    weights = rng.normal(size=(4, 4))

    def value(board: np.ndarray) -> float:
        return float((np.asarray(board) * weights).sum())

    wide = Callback(value)
    for label, shift, tempting in (
        ("any board", 0.0, False),
        ("illegal moves", 0.0, True),
        ("all is below 0", -5000.0, False),
    ):
        for _ in range(6):
            yield Case(label, (*_options(rng, shift, tempting), wide, 0.9))
    telling = 0
    while telling < 2:  # best sum, best value, best gain and smallest sum are four moves
        after, _, legal = _options(rng, 0.0, False)
        values = 0.9 * np.array([value(board) for board in after])
        gains = rng.uniform(0, np.ptp(values) + 1, 4)
        sums = gains + values
        if (
            len({sums.argmax(), values.argmax(), gains.argmax(), sums.argmin()}) == 4
            and legal.all()
        ):
            telling += 1
            yield Case("gains and values", (after, gains, legal, wide, 0.9))
    found = 0
    while found < 4:
        after, gains, legal = _options(rng, 0.0, False)
        values = np.array([value(board) for board in after])
        with_all, without = (np.where(legal, gains + g * values, -np.inf) for g in (1.0, 0.0))
        if with_all.argmax() != without.argmax():  # a gamma that is left out shows
            found += 1
            yield Case("gamma counts", (after, gains, legal, wide, 50.0))
            yield Case("gamma counts", (after, gains, legal, wide, 0.0))
