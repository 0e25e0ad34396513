"""The cases of lesson 1: inputs drawn from a seed, and how their outcomes are judged."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from lib.agents.tables import habit, moves_of
from lib.games.tapnswap import ACTIONS, TapnSwap
from lib.grading import compare, lesson1_reference
from lib.grading.ask import Outcome
from lib.grading.check import Case
from lib.grading.lesson1_reference import Position
from lib.grading.wire import Make, Rng

GAME = TapnSwap()
MOVES = moves_of(GAME)
START: Position = ((1, 1), (1, 1))
HABIT = "lib.agents.tables.habit"  # an opponent in the worker: asking ours takes a message
OPEN = [position for position, moves in MOVES.items() if moves]  # those that are not over


def any_position(rng: np.random.Generator) -> Position:
    """Hands of 0 to 4 fingers, left and right apart, a finger at least on each side."""
    while True:
        a, b, c, d = rng.integers(0, 5, 4).tolist()
        if a + b and c + d:
            return (a, b), (c, d)


def tap_cases(rng: np.random.Generator) -> Iterator[Case]:
    """The lesson's own examples, and taps between any live hands."""
    yield Case("an example", (((1, 2), (1, 1)), 1, 0), open=True)
    yield Case("a hand dies", (((3, 1), (2, 4)), 0, 1), open=True)
    yield Case("exactly five", (((3, 1), (2, 4)), 0, 0), open=True)
    live = 0
    while live < 25:
        position = any_position(rng)
        tapping, tapped = rng.integers(0, 2, 2).tolist()
        if position[0][tapping] and position[1][tapped]:
            yield Case("any tap", (position, tapping, tapped))
            live += 1


def legal_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Examples of every rule, then any positions."""
    yield Case("the example", (((3, 1), (2, 4)),), open=True)
    yield Case("the start", (START,), open=True)
    yield Case("a dead hand", (((2, 0), (0, 3)),), open=True)
    yield Case("full hands", (((4, 3), (1, 1)),), open=True)
    for _ in range(25):
        yield Case("any position", (any_position(rng),))


def code_cases(rng: np.random.Generator) -> Iterator[Case]:
    """All ten actions, both ways."""
    yield Case("encode", ((0, 1, 0),), name="encode", open=True)
    yield Case("encode", ((1, 0, 1),), name="encode", open=True)
    yield Case("decode", (2,), name="decode", open=True)
    yield Case("decode", (4,), name="decode", open=True)
    for number in rng.permutation(10).tolist():
        yield Case("encode", (ACTIONS[number],), name="encode")
        yield Case("decode", (number,), name="decode")


def update_cases(rng: np.random.Generator) -> Iterator[Case]:
    """By hand, then steps, ends, illegal temptations and lost positions."""
    s, after = START, ((1, 2), (1, 1))
    Q = {s: np.zeros(10), after: np.zeros(10)}
    Q[s][3], Q[after][[0, 4]] = 0.2, (0.5, 1.0)
    yield Case("by hand", (Q, s, 3, 0, after, [0, 1], 0.5, 0.9), open=True)
    yield Case("a won game, by hand", (Q, s, 3, 1, after, [], 0.5, 0.9), open=True)
    for label in ("a step", "the end", "all is lost", "a step", "the end", "all is lost"):
        here, there = (OPEN[i] for i in rng.choice(len(OPEN), 2, replace=False))
        Q = {here: rng.uniform(-1, 1, 10), there: rng.uniform(-1, 1, 10)}
        legal = sorted(rng.choice(10, 3, replace=False).tolist())
        reward, action = 0, int(rng.integers(10))
        if label == "the end":
            legal, reward = [], int(rng.choice([-1, 1]))
            Q[there] += 2.0  # what must not be looked at
        elif label == "all is lost":
            Q[there] = np.where(np.isin(np.arange(10), legal), -rng.uniform(0.2, 1, 10), 0.0)
        alpha, gamma = rng.uniform(0.1, 0.9, 2).round(2).tolist()
        yield Case(label, (Q, here, action, reward, there, legal, alpha, gamma))


def judge_update(case: Case, got: Outcome, wanted: Outcome) -> str:
    """The table afterwards is what counts; what the function returns does not."""
    if not compare.same(wanted.args[0], got.args[0]):
        return "Q is not what it should be afterwards."
    if not compare.same(wanted.args[1:], got.args[1:]):
        return "It changed something else than Q: work on a copy."
    return ""


def episode_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Games that end soon, won and lost, begun anywhere; and one that never ends."""
    wanted = {"a won game": 1, "a lost game": -1}
    found: Counter[str] = Counter()
    while len(found) < 2 or min(found.values()) < 4:
        Q = {s: rng.uniform(-1, 1, 10) for s in MOVES}  # no ties, so no dice are needed
        replies = {s: int(rng.choice(list(MOVES[s]))) for s in OPEN}
        start, copy = OPEN[rng.integers(len(OPEN))], {s: values.copy() for s, values in Q.items()}
        result = lesson1_reference.episode(copy, MOVES, start, habit(replies), 0.0, 0.3, 0.9, rng)
        label = next((label for label, value in wanted.items() if value == result), "")
        if label and found[label] < 4:
            found[label] += 1
            opponent = Make(HABIT, replies)
            yield Case(label, (Q, MOVES, start, opponent, 0.0, 0.3, 0.9, Rng(0)))
    ring = {((n, 4), (4, 4)): {0: ((n % 4 + 1, 4), (4, 4))} for n in (1, 2, 3, 4)}
    Q, start = {s: np.zeros(10) for s in ring}, ((1, 4), (4, 4))
    first = Make(HABIT, dict.fromkeys(ring, 0))
    yield Case("a game without end", (Q, ring, start, first, 0.0, 0.5, 0.9, Rng(0)))


def judge_episode(case: Case, got: Outcome, wanted: Outcome) -> str:
    """What the game returned and what it taught; of a game without end, only what it returned."""
    if not compare.same(wanted.value, got.value):
        return f"The game's result is {wanted.value}, and that is what to return."
    if case.label == "a game without end":
        return ""
    return "" if compare.same(wanted.args[0], got.args[0]) else "Q was not updated as it should be."


LINE: dict[Position, dict[int, Position]] = {  # three moves, and who can't move has lost
    ((4, 4), (4, 4)): {0: ((3, 4), (4, 4))},
    ((3, 4), (4, 4)): {1: ((2, 4), (4, 4))},
    ((2, 4), (4, 4)): {2: ((0, 0), (4, 4))},
    ((0, 0), (4, 4)): {},
}


def self_play_cases(rng: np.random.Generator) -> Iterator[Case]:
    """A game with one move in each position: no dice matter."""
    for games in (1, 2, 3, int(rng.integers(4, 9))):
        alpha, gamma = rng.uniform(0.2, 0.8, 2).round(2).tolist()
        args = (LINE, ((4, 4), (4, 4)), games, 0.0, alpha, gamma, Rng(0))
        yield Case("a game of three moves", args, open=games < 3)
