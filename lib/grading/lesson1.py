"""The exercises of lesson 1: Q-learning on TapnSwap."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lib.agents.baselines import Random
from lib.agents.tables import Table, TablePlayer
from lib.arena import match
from lib.grading import compare
from lib.grading import lesson1_cases as cases
from lib.grading import lesson1_mistakes as mistakes
from lib.grading import lesson1_reference as reference
from lib.grading.ask import Ask
from lib.grading.check import Exercise, Lesson, Verdict, failed
from lib.grading.judge import attempt
from lib.grading.lesson1_cases import GAME, MOVES, OPEN, START
from lib.grading.wire import Rng
from lib.truth.fingers import kept, solve


def run_epsilon_greedy(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Count what it chooses; every bound is five standard errors wide."""
    legal = sorted((4 + rng.choice(6, 4, replace=False)).tolist())  # no place is an action
    first, second, worse, worst = rng.permutation(legal).tolist()
    values = np.full(10, 5.0)  # illegal actions look best
    values[[first, second, worse, worst]] = 0.5, 0.5, 0.1, -1.0
    low = values - 6.0  # the same, but all legal ones below 0

    def draws(n: int, epsilon: float, table: np.ndarray = values) -> list[Any]:
        dice = Rng(int(rng.integers(2**62)))
        return ask.repeat("epsilon_greedy", n, table, legal, epsilon, dice)

    best = {first: 1.0, second: 1.0}
    yield attempt("the best, if epsilon is 0", lambda: _greedy(draws(40, 0.0), best, legal))
    yield attempt("values below 0", lambda: _greedy(draws(40, 0.0, low), best, legal))
    yield attempt("ties at random", lambda: _spread(draws(400, 0.0), {first: 0.5, second: 0.5}))
    alike = dict.fromkeys(legal, 0.25)
    yield attempt("any legal one, if epsilon is 1", lambda: _spread(draws(400, 1.0), alike))
    mixed = {first: 0.425, second: 0.425, worse: 0.075, worst: 0.075}
    yield attempt("some of each, if epsilon is 0.3", lambda: _spread(draws(1000, 0.3), mixed))
    yield attempt("the dice that were given", lambda: _repeats(ask, values, legal, rng))


def _greedy(drawn: Sequence[Any], best: dict[int, float], legal: list[int]) -> str:
    for action in drawn:
        if type(action) is not int:
            return f"It returned {compare.show(action)}; an action is one integer."
        if action not in legal:
            return f"It chose action {action}, which is not legal: look only at those in `legal`."
        if action not in best:
            return f"With epsilon 0 it chose {action}, a legal action that is not among the best."
    return ""


def _spread(drawn: Sequence[Any], shares: dict[int, float]) -> str:
    counts, n = Counter(map(str, drawn)), len(drawn)
    for action, share in shares.items():
        found = counts[str(action)] / n
        if abs(found - share) > 5 * (share * (1 - share) / n) ** 0.5:
            if len(counts) == 1 and len(shares) == 2:
                return (
                    "Two actions are equally good, and it always takes the same one "
                    "(np.argmax and max do): break ties at random."
                )
            return f"Action {action} came up in {found:.0%} of {n} draws; it should in {share:.1%}."
    if counts.keys() - set(map(str, shares)):
        return "It chose an action that is not legal, or not one of the best."
    return ""


def _repeats(ask: Ask, values: np.ndarray, legal: list[int], rng: np.random.Generator) -> str:
    seeds = rng.integers(0, 2**62, 30).tolist()
    calls = [(values, legal, 1.0, Rng(seed)) for seed in seeds]
    first, again = ask.many("epsilon_greedy", calls), ask.many("epsilon_greedy", calls)
    if len(set(map(str, first))) < 2 or not set(map(str, first)) <= set(map(str, legal)):
        return "With epsilon 1 every legal action comes up, and no other."
    if first == again:
        return ""
    return "The same dice gave other actions: draw from `rng`, and from nothing else."


def run_train(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Train, then 400 games against random players, in both seats."""
    Q = ask("train", MOVES, START, Rng(int(rng.integers(2**62))))
    problem = table_problem(Q)
    if problem:
        yield failed("the match", problem)
        return
    result = match(GAME, TablePlayer(GAME, Q), Random(), games=400, seed=int(rng.integers(2**31)))
    if result.win_rate >= 0.98:
        yield Verdict("the match")
    else:
        yield failed(
            "the match",
            f"It won {result.win_rate:.1%} of 400 games against a random player; 98 % are needed. "
            "Train for more games, or explore more: do both of you begin in turn?",
        )


def table_problem(Q: Any) -> str:
    """Why a table can't be used to play; "" if it can."""
    if Q is None:
        return "It returned None: return the table."
    if type(Q) is not dict:
        return f"It returned {compare.show(Q, 60)}; a table is a dict from positions to values."
    for position in OPEN:
        values = np.asarray(Q.get(position, ()))
        if values.shape != (10,) or values.dtype.kind not in "fiu":
            return f"The table needs ten numbers for {position}: begin with new_table(moves)."
        if not np.isfinite(values.astype(float)).all():
            return f"The values of {position} are not all finite numbers."
    return ""


def run_self_play(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Does its best move keep the exact value in every reachable position?"""
    dice = Rng(int(rng.integers(2**62)))
    Q: Table = ask("self_play", MOVES, START, 8000, 0.5, 0.5, 0.9, dice)
    label, problem = "every position", table_problem(Q)
    if problem:
        yield failed(label, problem, weight=2.0)
        return
    right, positions = kept(solve(GAME), TablePlayer(GAME, Q).choices)
    if right == positions:
        yield Verdict(label, weight=2.0)
    else:
        yield failed(
            label,
            f"Its moves keep the exact value in {right} of {positions} positions. What is good in "
            "the next position is good for the *other* player: what is that for you?",
            weight=2.0,
        )


RULES = ("lib.games.tapnswap",)  # it has the answers to the first exercises

LESSON = Lesson(
    number=1,
    title="Q-learning on TapnSwap",
    notebook="01_q_learning_tapnswap",
    modules=("lib.games.tapnswap", "lib.agents.tables"),
    exercises=[
        Exercise(
            "tap",
            5,
            "Apply a tap",
            reference.tap,
            cases.tap_cases,
            mistakes=mistakes.TAP,
            hides=RULES,
        ),
        Exercise(
            "legal_actions",
            10,
            "The legal actions",
            reference.legal_actions,
            cases.legal_cases,
            mistakes=mistakes.LEGAL_ACTIONS,
            hides=RULES,
            ordered=False,
        ),
        Exercise(
            "action_codes",
            5,
            "Actions as numbers",
            {"encode": reference.encode, "decode": reference.decode},
            cases.code_cases,
            mistakes=mistakes.ACTION_CODES,
            hides=RULES,
        ),
        Exercise(
            "epsilon_greedy",
            5,
            "Explore a little",
            reference.epsilon_greedy,
            run=run_epsilon_greedy,
        ),
        Exercise(
            "q_update",
            10,
            "The Q-update",
            reference.q_update,
            cases.update_cases,
            judge=cases.judge_update,
            mistakes=mistakes.Q_UPDATE,
            inplace=(0,),
        ),
        Exercise(
            "episode",
            10,
            "One game against the environment",
            reference.episode,
            cases.episode_cases,
            judge=cases.judge_episode,
            mistakes=mistakes.EPISODE,
            inplace=(0,),
            seconds=3,
        ),
        Exercise(
            "train",
            5,
            "Train against a random player",
            reference.train,
            run=run_train,
            seconds=60,
            trains=True,
        ),
        Exercise(
            "self_play",
            10,
            "Train against yourself",
            reference.self_play,
            cases.self_play_cases,
            run=run_self_play,
            mistakes=mistakes.SELF_PLAY,
            seconds=60,
            trains=True,
        ),
    ],
)
