"""The exercises of lesson 4: DQN on 2048."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from lib.agents.dqn_games import play_games
from lib.agents.dqn_workshop import Workshop
from lib.games.batch2048 import Batch2048
from lib.grading import compare
from lib.grading import lesson4_cases as cases
from lib.grading import lesson4_mistakes as mistakes
from lib.grading import lesson4_mistakes_learning as learning
from lib.grading import lesson4_reference as reference
from lib.grading.ask import AnswerError, Ask
from lib.grading.check import Exercise, Lesson, Verdict, failed
from lib.grading.judge import attempt
from lib.grading.wire import Rng

RULES = ("lib.games.board2048",)  # has the rules, the planes and the rewards
UPDATES = 500  # of the training that is judged
# Mean score of 100 games: the reference has some 5,800. A network that says the same of all boards
# takes the most points at once, and has 3,060 with a standard error of 155.
ENOUGH = 4_000


def run_buffer(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Fill it beyond its end, and look at what it gives back."""
    capacity = int(rng.integers(20, 40))
    old, new = int(rng.integers(5, 15)), capacity
    items = [(int(n), int(n) % 4, float(n) / 2) for n in rng.permutation(1000)[: old + new]]

    def filled(n: int) -> Any:
        buffer = ask.new("ReplayBuffer", capacity)
        for item in items[:n]:
            buffer.call("push", item)
        return buffer

    yield attempt("its length", lambda: _length(filled, capacity, old))
    yield attempt("the newest are kept", lambda: _newest(filled, items, capacity))
    yield attempt("no transition twice", lambda: _different(filled, rng))
    yield attempt("each equally likely", lambda: _uniform(filled(10), items[:10], rng))
    yield attempt("the dice that were given", lambda: _repeats(filled(15), rng))


def _length(filled: Any, capacity: int, old: int) -> str:
    for n, expected in ((0, 0), (5, 5), (capacity, capacity), (capacity + old, capacity)):
        length = filled(n).call("__len__")
        if length != expected:
            return (
                f"After {n} transitions a buffer of {capacity} has the length "
                f"{compare.show(length)}; it should be {expected}."
            )
    return ""


def _drawn(buffer: Any, size: int, seed: int) -> list[Any]:
    drawn = buffer.call("sample", size, Rng(seed))
    if type(drawn) is not list and type(drawn) is not tuple:
        raise AnswerError("shape", f"sample returned {compare.show(drawn, 60)}; return a list.")
    return [tuple(item) if type(item) in (list, tuple) else item for item in drawn]


def _newest(filled: Any, items: list[Any], capacity: int) -> str:
    buffer = filled(len(items))
    drawn = set(_drawn(buffer, capacity, 0))
    if gone := drawn - set(items):
        return f"It returned {compare.show(next(iter(gone)))}, which was never pushed."
    if drawn & set(items[:-capacity]):
        return "A full buffer forgets its *oldest* transitions; it still has some of them."
    if drawn != set(items[-capacity:]):
        return f"A sample of all {capacity} did not hold each of the last {capacity} pushed."
    if buffer.call("__len__") != capacity or set(_drawn(buffer, capacity, 1)) != drawn:
        return "After one sample the buffer holds others: sampling must not remove anything."
    return ""


def _different(filled: Any, rng: np.random.Generator) -> str:
    buffer = filled(12)
    for seed in rng.integers(0, 2**31, 20).tolist():
        drawn = _drawn(buffer, 8, seed)
        if len(drawn) != 8:
            return f"A sample of 8 has {len(drawn)} transitions."
        if len(set(drawn)) < 8:
            return "A transition came twice in one sample: draw without replacement."
    return ""


def _uniform(buffer: Any, items: list[Any], rng: np.random.Generator) -> str:
    """Five standard errors around the same share for each."""
    n = 400
    seeds = rng.integers(0, 2**62, n).tolist()
    counts = Counter(item for seed in seeds for item in _drawn(buffer, 3, seed))
    for place, item in enumerate(items):
        share = counts[item] / n
        if abs(share - 0.3) > 5 * (0.3 * 0.7 / n) ** 0.5:
            return (
                f"Of 10 transitions, number {place + 1} came in {share:.0%} of samples of 3; "
                "each should in 30 %. Draw from the whole buffer, at random."
            )
    return ""


def _repeats(buffer: Any, rng: np.random.Generator) -> str:
    for seed in rng.integers(0, 2**62, 5).tolist():
        if _drawn(buffer, 6, seed) != _drawn(buffer, 6, seed):
            return "The same dice gave another sample: draw from `rng`, and from nothing else."
    return ""


def run_train(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Train, take the weights, and play 100 games with them here."""
    label, seed = f"mean score of 100 games, {ENOUGH:,} needed", int(rng.integers(2**31))
    work = ask.new("Workshop", seed)
    ask.outcome("train_network", work, UPDATES, keep=False)
    weights = work.call("weights")
    player = Workshop(seed)
    try:
        player.load(weights)
    except ValueError as error:
        yield failed(label, f"The network can't be used: {error}")
        return
    if not all(np.isfinite(np.asarray(w)).all() for w in weights.values()):
        yield failed(label, "There is a NaN in the network's weights: the step is too large.")
        return
    untrained = Workshop(seed).weights()
    if all(np.array_equal(untrained[name], weights[name]) for name in untrained):
        yield failed(label, "No weight of work.network changed: is there optimizer.step()?")
        return
    mean = play_games(player.choose, 100, int(rng.integers(2**31))).mean
    if mean >= ENOUGH:
        yield Verdict(label)
        return
    yield failed(label, f"{mean:,.0f} after {UPDATES} updates. {_advice(player, rng)}")


def _advice(player: Workshop, rng: np.random.Generator) -> str:
    """What to look at: the spread of trained values is a tenth of their mean, of wrong ones 1 %."""
    games = Batch2048(500, rng)
    games.play_random(60)
    with torch.inference_mode():
        values = player.network(player.cells(games.boards))
    if values.std() <= 0.03 * values.mean().abs():
        return (
            "The network says almost the same of every board. Is there a (512, 1) minus a (512,), "
            "which is a matrix? Or is Adam's step larger than 1e-3?"
        )
    return (
        "Look at each line in turn: one step of all games, targets without a gradient, the "
        "gradients set to zero, one step of Adam, the target network following with tau = 0.05."
    )


LESSON = Lesson(
    number=4,
    title="DQN on 2048",
    notebook="04_dqn_2048",
    imports=("numpy", "torch", "numba"),
    modules=("lib.agents.dqn_workshop",),
    memory=2048,
    exercises=[
        Exercise(
            "slide",
            5,
            "Slide and merge a row",
            reference.slide,
            cases.slide_cases,
            mistakes=mistakes.SLIDE,
            hides=RULES,
        ),
        Exercise(
            "valid_moves",
            5,
            "Valid moves",
            reference.valid_moves,
            cases.valid_cases,
            mistakes=mistakes.VALID_MOVES,
            ordered=False,
            hides=RULES,
        ),
        Exercise(
            "binary_tensor",
            5,
            "The binary tensor",
            reference.binary_tensor,
            cases.tensor_cases,
            mistakes=mistakes.BINARY_TENSOR,
            hides=RULES,
        ),
        Exercise(
            "replay_buffer",
            10,
            "The replay buffer",
            {"ReplayBuffer": reference.ReplayBuffer},
            run=run_buffer,
            hides=RULES,
        ),
        Exercise(
            "exploration",
            10,
            "Three rules of exploration",
            {
                "lai_robbins": reference.lai_robbins,
                "entropy": reference.entropy,
                "torch_version": reference.torch_version,
            },
            cases.exploration_cases,
            mistakes=learning.EXPLORATION,
            hides=RULES,
        ),
        Exercise(
            "td_target",
            15,
            "The TD target",
            reference.td_target,
            cases.target_cases,
            mistakes=learning.TD_TARGET,
            hides=RULES,
        ),
        Exercise(
            "soft_update",
            5,
            "The soft update",
            reference.soft_update,
            cases.update_cases,
            judge=cases.judge_update,
            mistakes=learning.SOFT_UPDATE,
            inplace=(0,),
            hides=RULES,
        ),
        Exercise(
            "move_reward",
            5,
            "Five rewards",
            reference.move_reward,
            cases.reward_cases,
            mistakes=mistakes.REWARD,
            hides=RULES,
        ),
        Exercise(
            "best_move",
            5,
            "Choose by r + V",
            reference.best_move,
            cases.move_cases,
            mistakes=mistakes.BEST_MOVE,
            hides=RULES,
        ),
        Exercise(
            "train_network",
            10,
            "Train",
            reference.train_network,
            run=run_train,
            seconds=120,
            trains=True,
        ),
    ],
)
