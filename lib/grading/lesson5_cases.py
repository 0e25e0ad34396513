"""Cases of lesson 5: literal examples first, then positions and numbers from the dice."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lib.games.solitaire import FLIPS, HOLES, JUMPS, SOLVED, START, jumps
from lib.grading import compare
from lib.grading.ask import Outcome
from lib.grading.check import Case
from lib.grading.wire import Tensor

TRIPLES = [tuple(jump) for jump in JUMPS]
PLACES = [tuple(place) for place in HOLES]
LOPSIDED = 0b11 << 6 | 1  # pegs in holes 0, 6 and 7: not its own mirror image


def met(count: int, rng: np.random.Generator) -> list[int]:
    """Positions met in random games, at any stage."""
    found = []
    for _ in range(count):
        position = START
        for _ in range(int(rng.integers(1, 24))):
            if options := jumps(position):
                position ^= FLIPS[options[rng.integers(len(options))]]
        found.append(position)
    return found


def legal_cases(rng: np.random.Generator) -> Iterator[Case]:
    """The start, the end, two pegs at an edge, and random games."""
    yield Case("the usual start", (START, TRIPLES), open=True)
    yield Case("two pegs side by side", (0b11, TRIPLES), open=True)
    yield Case("one peg, and nothing to jump over", (SOLVED, TRIPLES), open=True)
    yield Case("the full board", ((1 << 33) - 1, TRIPLES))
    for position in met(12, rng):
        yield Case("random games", (position, TRIPLES))
    for _ in range(6):
        yield Case("any position", (int(rng.integers(1, 1 << 33)), TRIPLES))


def plane_cases(rng: np.random.Generator) -> Iterator[Case]:
    """The start, the end, a lopsided position, and random games."""
    yield Case("the usual start", (START, PLACES), open=True)
    yield Case("three pegs", (LOPSIDED, PLACES), open=True)
    yield Case("the last peg", (SOLVED, PLACES), open=True)
    for position in met(8, rng):
        yield Case("random games", (position, PLACES))


def judge_planes(case: Case, got: Outcome, wanted: Outcome) -> str:
    """The planes one by one, so that the message names the wrong one."""
    cube = np.asarray(got.value if got.value is not None else 0.0)
    if said := compare.difference(wanted.value, got.value):
        return said
    if cube.shape != (7, 7, 3):
        return f"It has the shape {cube.shape}; (7, 7, 3) is expected."
    names = ("pegs", "fraction removed", "fraction left to remove")
    for plane, name in enumerate(names):
        if not compare.same(wanted.value[:, :, plane], cube[:, :, plane]):
            return f"Plane {plane}, the {name}, is not right."
    return ""


def policy_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Small ones by hand, one jump left, numbers that overflow, and many states at once."""
    yes, no = True, False
    two = np.log([[1.0, 2.0, 5.0, 3.0]]).astype(np.float32)
    yield Case("by hand", (Tensor(two), Tensor(np.array([[yes, yes, no, yes]]))), open=True)
    alone = Tensor(np.array([[no, yes, no]]))
    yield Case("one jump left", (Tensor(np.zeros((1, 3), np.float32)), alone), open=True)
    low = np.array([[3.0, -80.0, 2.0]], dtype=np.float32)
    yield Case("one jump left", (Tensor(low), alone))
    big = np.array([[900.0, 899.0, 0.0], [-900.0, -901.0, 500.0]], dtype=np.float32)
    some = np.array([[yes, yes, yes], [yes, yes, no]])
    yield Case("large logits", (Tensor(big), Tensor(some)), open=True)
    for _ in range(3):
        logits = rng.normal(0, 3, (6, 76)).astype(np.float32)
        legal = rng.random((6, 76)) < 0.15
        legal[np.arange(6), rng.integers(0, 76, 6)] = True
        yield Case("many states", (Tensor(logits), Tensor(legal)))


def judge_policy(case: Case, got: Outcome, wanted: Outcome) -> str:
    """Legal entries as they should be; illegal ones impossible, and their logs finite."""
    legal = np.asarray(case.args[1].array)
    if said := compare.difference(wanted.value, got.value):
        return said
    found = np.asarray(got.value, dtype=np.float64)
    if not np.isfinite(found).all():
        return (
            "An illegal jump got -inf. Later 0 * -inf would be NaN: fill in -1e9, which is finite "
            "and makes the probability exactly 0 all the same."
        )
    if (np.exp(found[~legal]) > 0).any():
        return "An illegal jump has a probability above 0."
    if not compare.same(np.asarray(wanted.value)[legal], found[legal], tol=1e-4):
        total = np.exp(found).sum(axis=1)
        return f"The probabilities of the first state add up to {total[0]:.4g}; look at the values."
    return ""


def target_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Four moves by hand: going on, ended, discounted; then many games."""
    zero, last = np.zeros((4, 1)), np.array([0.6])
    never, rewards = np.zeros((4, 1), dtype=bool), np.array([[0.0], [1.0], [0.0], [2.0]])
    yield Case("games that go on", (rewards, never, last, 1.0), open=True)
    yield Case("games that go on", (zero, never, last, 0.5), open=True)
    ended = np.array([[False], [True], [False], [False]])
    won = np.array([[0.0], [1.5], [0.0], [0.0]])
    yield Case("a game that ended on the way", (won, ended, last, 1.0), open=True)
    at_last = np.array([[False], [False], [False], [True]])
    yield Case("a game that ended with the last move", (rewards, at_last, last, 0.9), open=True)
    for _ in range(4):
        steps, games = int(rng.integers(1, 9)), int(rng.integers(2, 6))
        drawn = rng.normal(0, 1, (steps, games)), rng.random((steps, games)) < 0.25
        gamma = float(rng.choice([1.0, 0.9, 0.5]))
        yield Case("many games", (*drawn, rng.normal(0, 1, games), gamma))


def loss_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Two states by hand, impossible jumps, and many states; with gradients."""
    log_pi = np.log([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]])
    yield loss_case("two states", log_pi, [0.5, 1.0], [0, 2], [1.5, 0.5], open=True)
    certain = np.array([[0.0, -1e9, -1e9], [np.log(0.5), np.log(0.5), -1e9]])
    yield loss_case("impossible jumps", certain, [0.1, 0.2], [0, 1], [1.0, 0.0], open=True)
    for _ in range(3):
        n = int(rng.integers(4, 9))
        logits = rng.normal(0, 1.5, (n, 76))
        log_pi = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        values, targets = rng.normal(0, 1, (2, n))
        actions = rng.integers(0, 76, n)
        yield loss_case("many states", log_pi, values, actions, targets)


def loss_case(
    label: str, log_pi: Any, values: Any, actions: Any, targets: Any, **options: Any
) -> Case:
    """One call of `losses`, all of it as tensors whose gradients are looked at."""
    floats = [Tensor(np.asarray(x, dtype=np.float32), grad=True) for x in (log_pi, values, targets)]
    chosen = Tensor(np.asarray(actions, dtype=np.int64))
    return Case(label, (floats[0], floats[1], chosen, floats[2]), **options)
