"""Lesson 3, own choices: state, reward and evaluation are measured, not compared with ours.

Each is stated in a sentence, for the instructor to read, who may overrule the marks.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from lib.games.droids import Location
from lib.grading import compare
from lib.grading.ask import AnswerError, Ask
from lib.grading.check import Verdict, failed
from lib.grading.judge import attempt
from lib.grading.lesson3_match import SEALED
from lib.grading.wire import Make

CELLS = [(row, col) for row in range(4) for col in range(4)]
FEWEST = 12  # states: with fewer an agent is blind
SENTENCE = "your sentence"  # the verdict whose message is what the student says of a choice
WORDS, LONGEST = 8, 500  # words of a sentence that says something, and letters that are handed on

Pair = tuple[Location, Location, int, int]  # own place, other's, own shots, other's


def droids(pair: Pair) -> tuple[Make, Make]:
    """Two droids as an answer is given them."""
    own, other, shots, its_shots = pair
    return Make(SEALED, 4, 4, own, shots), Make(SEALED, 4, 4, other, its_shots)


def written(name: str, pair: Pair, *first: Any) -> str:
    """A call as a student would write it."""
    own, other, shots, its_shots = pair
    mine, its = f"droid at {own} with {shots}", f"other at {other} with {its_shots}"
    return f"{name}({', '.join([*map(str, first), mine, its])})"


def random_pairs(rng: np.random.Generator, count: int) -> list[Pair]:
    """Any two cells, any shots."""
    found: list[Pair] = []
    for _ in range(count):
        own, other = rng.choice(16, 2, replace=False)
        shots, its_shots = (int(n) for n in rng.integers(0, 6, 2))
        found.append((CELLS[own], CELLS[other], shots, its_shots))
    return found


def sentence(ask: Ask, name: str) -> str | Verdict:
    """Whether the choice is stated, in words that say something; the verdict hands them on."""
    said = ask(f"{name}_choice")
    words = said.split() if type(said) is str else []
    if len(words) < WORDS or "..." in said:
        return (
            f"`{name}_choice` returns your choice and why, in a sentence of {WORDS} words or more. "
            "Your instructor reads it."
        )
    return Verdict(SENTENCE, message=" ".join(words)[:LONGEST], easy=True)


def run_state(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """How many states there are, and what they tell apart."""
    yield attempt(SENTENCE, lambda: sentence(ask, "state"), easy=True)
    yield attempt("a key", lambda: _key(ask, random_pairs(rng, 10)), easy=True)
    yield attempt("how many", lambda: _count(ask), easy=True)
    sight = [(a, b, c) for a, b, c in product(CELLS, CELLS, CELLS) if _sight(a, b, c)]
    chosen = [sight[i] for i in rng.choice(len(sight), 60)]
    yield attempt(
        "who is in sight",
        lambda: _apart(
            ask,
            "who is in sight",
            [((a, b, 3, 3), (a, c, 3, 3)) for a, b, c in chosen],
            "In one of these a shot would hit, in the other not, and both are the same state.",
        ),
    )
    pairs = random_pairs(rng, 30)
    yield attempt(
        "who can shoot",
        lambda: _apart(
            ask,
            "who can shoot",
            [((a, b, 0, 4), (a, b, 4, 4)) for a, b, *_ in pairs]
            + [((a, b, 4, 0), (a, b, 4, 4)) for a, b, *_ in pairs],
            "In one of these a droid has shots left, in the other none, and both are the same "
            "state: when to shoot or to dodge can't be learned.",
        ),
    )


def _sight(a: Location, b: Location, c: Location) -> bool:
    """Whether a beam from a hits b and not c."""
    return len({a, b, c}) == 3 and _aligned(a, b) and not _aligned(a, c)


def _aligned(a: Location, b: Location) -> bool:
    return a[0] == b[0] or a[1] == b[1]


def _states(ask: Ask, pairs: Sequence[Pair]) -> list[str]:
    """The states of some pairs, written so that they can be compared."""
    return [repr(value) for value in ask.many("state", [droids(pair) for pair in pairs])]


def _key(ask: Ask, pairs: Sequence[Pair]) -> str | Verdict:
    for pair in pairs:
        value = ask("state", *droids(pair))
        asked = written("state", pair)
        if value is None:
            return failed("a key", "It returned None: is there a `return`?", asked=asked)
        outcome = ask.outcome("state", *droids(pair), keep=False, through="builtins.hash")
        if type(outcome.value) is not int:
            return failed("a key", "A state must be hashable: return a tuple.", asked=asked)
        if repr(ask("state", *droids(pair))) != repr(value):
            says = "The same droids gave two different states: what is learned is never met again."
            return failed("a key", says, asked=asked, got=compare.show(value))
    return ""


def _count(ask: Ask) -> str | Verdict:
    """There can't be more than the 8,640 situations that two droids can be in, but far fewer."""
    shots = list(product((0, 5), (0, 5)))
    pairs = [(a, b, *s) for a in CELLS for b in CELLS if a != b for s in shots]
    states = len(set(_states(ask, pairs)))
    if states < FEWEST:
        return f"There are only {states} states: an agent that sees so little can't learn to play."
    says = f"{states:,} states in {len(pairs):,} situations with 0 or 5 shots on either side."
    return Verdict("how many", message=says, easy=True)


def _apart(ask: Ask, label: str, pairs: Sequence[tuple[Pair, Pair]], says: str) -> str | Verdict:
    ones, others = _states(ask, [a for a, _ in pairs]), _states(ask, [b for _, b in pairs])
    for (one, other), a, b in zip(pairs, ones, others, strict=True):
        if a == b:
            asked = f"{written('state', one)} and {written('state', other)}"
            return failed(label, says, asked=asked, got=a[:120])
    return ""


def run_reward(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Whether points are what pays."""
    yield attempt(SENTENCE, lambda: sentence(ask, "reward"), easy=True)
    pairs = random_pairs(rng, 40)
    number = [(1, p) for p in pairs[:10]]
    yield attempt("a number", lambda: _number(ask, "reward", number), easy=True)
    yield attempt("a point made, none, one lost", lambda: _order(ask, pairs))
    games = [[random_pairs(rng, 50) for _ in range(3)] for _ in range(8)]
    yield attempt("a game won, drawn, lost", lambda: _three_games(ask, games))


def numbers(ask: Ask, name: str, calls: Sequence[tuple[Any, ...]]) -> list[float]:
    """What an answer returns to some calls; AnswerError if that is not all numbers."""
    values = ask.many(name, calls)
    if any(type(value) not in (int, float, bool) for value in values):
        raise AnswerError("not a number", "It did not return a number.")
    return [float(value) for value in values]


def _number(ask: Ask, name: str, calls: Sequence[tuple[Any, ...]]) -> str | Verdict:
    """Whether the answer to every call is a finite number."""
    for *first, pair in calls:
        value, asked = ask(name, *first, *droids(pair)), written(name, pair, *first)
        if value is None:
            return failed("a number", "It returned None: is there a `return`?", asked=asked)
        if type(value) not in (int, float, bool) or not math.isfinite(value):
            says = "Return one finite number."
            got = f"{compare.show(value)} ({type(value).__name__})"
            return failed("a number", says, asked=asked, got=got)
    return ""


def _order(ask: Ask, pairs: Sequence[Pair]) -> str | Verdict:
    for pair in pairs:
        made, none, lost = numbers(ask, "reward", [(c, *droids(pair)) for c in (1, 0, -1)])
        if not made > none > lost:
            return failed(
                "a point made, none, one lost",
                "A point made must be worth more than none, and none more than a point lost.",
                asked=written("reward", pair, "score_change"),
                got=f"1: {made:.4g}, 0: {none:.4g}, -1: {lost:.4g}",
            )
    return ""


def _three_games(ask: Ask, games: Sequence[Sequence[Sequence[Pair]]]) -> str:
    """50 rounds each at any places: one point made, none, one lost."""
    for three in games:
        totals = []
        for change, pairs in zip((1, 0, -1), three, strict=True):
            calls = [(change if i == 20 else 0, *droids(p)) for i, p in enumerate(pairs)]
            totals.append(sum(numbers(ask, "reward", calls)))
        won, drawn, lost = totals
        if not won > drawn > lost:
            return (
                f"Of three games of 50 rounds, the one won by a point earned {won:.4g}, the drawn "
                f"one {drawn:.4g}, the lost one {lost:.4g}: what you pay beside the points "
                "outweighs them, so an agent will collect that instead."
            )
    return ""


def run_evaluate(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Whether more shots are better, and a point is better still."""
    yield attempt(SENTENCE, lambda: sentence(ask, "evaluate"), easy=True)
    pairs = [(a, b, max(s, 1), max(t, 1)) for a, b, s, t in random_pairs(rng, 30)]
    number = [(p,) for p in pairs[:10]]
    yield attempt("a number", lambda: _number(ask, "evaluate", number), easy=True)
    own = [((a, b, s, t), (a, b, s - 1, t)) for a, b, s, t in pairs]
    other = [((a, b, s, t - 1), (a, b, s, t)) for a, b, s, t in pairs]
    for label, couples, says in (
        ("own shots", own, "With one shot more of your own a position is not worse, but better."),
        ("the other's shots", other, "With one shot more of the other's a position is worse."),
    ):

        def step(label: str = label, couples: Any = couples, says: str = says) -> Any:
            return _gains(ask, label, couples, says, lambda gain: gain > 0)

        yield attempt(label, step)
    dear = (
        "A shot is worth a whole point or more to it, so it would never fire, not even when it is "
        "sure to hit."
    )
    label = "a hit pays for its shot"
    yield attempt(label, lambda: _gains(ask, label, own, dear, lambda gain: gain < 1), easy=True)


def _gains(
    ask: Ask,
    label: str,
    couples: Sequence[tuple[Pair, Pair]],
    says: str,
    right: Callable[[float], bool],
) -> str | Verdict:
    better = numbers(ask, "evaluate", [droids(a) for a, _ in couples])
    worse = numbers(ask, "evaluate", [droids(b) for _, b in couples])
    for (a, b), high, low in zip(couples, better, worse, strict=True):
        if not right(high - low):
            asked = f"{written('evaluate', a)} and {written('evaluate', b)}"
            return failed(label, says, asked=asked, got=f"{high:.4g} and {low:.4g}")
    return ""
