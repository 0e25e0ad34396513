"""Typical wrong answers to lesson 4 about exploration, targets and the soft update."""

from typing import Any

import numpy as np
import torch

from lib.grading.ask import Outcome
from lib.grading.check import Case, Mistake
from lib.grading.lesson4_reference import td_target


def _not_one(case: Case, got: Outcome, wanted: Outcome) -> bool:
    return case.name == "entropy" and abs(float(np.sum(got.value)) - 1) > 1e-3


def _named(name: str, wrong: Any) -> Any:
    """A sign: this function gave what the wrong one would."""

    def sign(case: Case, got: Outcome, wanted: Outcome) -> bool:
        if case.name != name:
            return False
        return np.allclose(got.value, wrong(*case.args), rtol=1e-5, atol=1e-7)

    return sign


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - np.max(logits))
    return weights / weights.sum()


EXPLORATION = [
    Mistake(
        "There is a NaN: exp of a large number overflows. Subtract the largest one first.",
        sign=lambda case, got, wanted: bool(np.isnan(np.asarray(got.value, float)).any()),
    ),
    Mistake(
        "torch_version: eps_decay is a rate here, so it is exp(-rate * moves).",
        sign=_named(
            "torch_version",
            lambda n, start=1.0, end=0.01, rate=5e-4: end + (start - end) * np.exp(-n / rate),
        ),
    ),
    Mistake(
        "torch_version: it must end at `end`, not at 0.",
        sign=_named(
            "torch_version", lambda n, start=1.0, end=0.01, rate=5e-4: start * np.exp(-rate * n)
        ),
    ),
    Mistake(
        "lai_robbins: it is eta / (1 + nu count).",
        sign=_named("lai_robbins", lambda n, eta=0.8, nu=0.01: eta / (nu + n)),
    ),
    Mistake("entropy: probabilities sum to 1: divide by the sum.", sign=_not_one),
    Mistake(
        "entropy: beta multiplies the value, it is not added to it.",
        sign=_named("entropy", lambda q, t, alpha=1.0: _softmax(alpha * np.log(t + 1.0) + q)),
    ),
    Mistake(
        "entropy: beta is alpha log(count + 1); the counts are missing.",
        sign=_named("entropy", lambda q, t, alpha=1.0: _softmax(alpha * q)),
    ),
    Mistake(
        "entropy: beta is alpha log(count + 1): mind the + 1.",
        sign=_named(
            "entropy", lambda q, t, alpha=1.0: _softmax(alpha * np.log(np.maximum(t, 1e-9)) * q)
        ),
    ),
]


def _all_actions(
    rewards: torch.Tensor,
    over: torch.Tensor,
    next_q: torch.Tensor,
    legal: torch.Tensor,
    gamma: float,
    chooser: torch.Tensor | None = None,
) -> torch.Tensor:
    return td_target(rewards, over, next_q, None, gamma, chooser)


def _zeroed(rewards: Any, over: Any, next_q: Any, legal: Any, gamma: float, chooser: Any = None):  # type: ignore[no-untyped-def]
    ranked = (next_q if chooser is None else chooser) * legal
    best = next_q.gather(1, ranked.argmax(dim=1, keepdim=True))[:, 0]
    return rewards + gamma * torch.where(over, 0.0, best)


def _zero_max(rewards: Any, over: Any, next_q: Any, legal: Any, gamma: float, chooser: Any = None):  # type: ignore[no-untyped-def]
    if chooser is not None:
        return td_target(rewards, over, next_q, legal, gamma, chooser)
    return rewards + gamma * torch.where(over, 0.0, (next_q * legal).max(dim=1).values)


def _no_end(rewards: Any, over: Any, next_q: Any, legal: Any, gamma: float, chooser: Any = None):  # type: ignore[no-untyped-def]
    never = torch.zeros_like(over)
    return td_target(rewards, never, next_q, legal, gamma, chooser)


def _plain(rewards: Any, over: Any, next_q: Any, legal: Any, gamma: float, chooser: Any = None):  # type: ignore[no-untyped-def]
    return td_target(rewards, over, next_q, legal, gamma)


def _own_value(rewards: Any, over: Any, next_q: Any, legal: Any, gamma: float, chooser: Any = None):  # type: ignore[no-untyped-def]
    return td_target(rewards, over, next_q if chooser is None else chooser, legal, gamma)


def _chooser_illegal(
    rewards: Any, over: Any, next_q: Any, legal: Any, gamma: float, chooser: Any = None
) -> Any:
    if chooser is None:
        return td_target(rewards, over, next_q, legal, gamma)
    return td_target(rewards, over, next_q, None, gamma, chooser)


def _no_gamma(rewards: Any, over: Any, next_q: Any, legal: Any, gamma: float, chooser: Any = None):  # type: ignore[no-untyped-def]
    return td_target(rewards, over, next_q, legal, 1.0, chooser)


TD_TARGET = [
    Mistake(
        "There is a NaN or -inf: where the game is over nothing is legal, and the maximum of "
        "nothing is -inf. Use torch.where(over, 0, best).",
        sign=lambda case, got, wanted: not np.isfinite(np.asarray(got.value, float)).all(),
    ),
    Mistake("`chooser` too may choose only legal moves.", _chooser_illegal),
    Mistake("The maximum runs over illegal moves too: mask them with -inf.", _all_actions),
    Mistake("Illegal values set to 0 win when all others are negative: use -inf.", _zeroed),
    Mistake("Illegal values set to 0 win when all others are negative: use -inf.", _zero_max),
    Mistake("Nothing follows the end of a game: there the target is the reward alone.", _no_end),
    Mistake(
        "With `chooser`, its best action is *valued* by next_q: use gather.",
        _own_value,
    ),
    Mistake("With `chooser` given, it chooses the action, next_q only values it.", _plain),
    Mistake("gamma is missing.", _no_gamma),
]


def _same_as_before(case: Case, got: Outcome, wanted: Outcome) -> bool:
    before = [np.asarray(t.array) for t in case.args[0]]
    return all(np.allclose(a, b) for a, b in zip(before, got.args[0], strict=True))


def _reached(share: Any) -> Any:
    """A sign: the target was moved by this share instead."""

    def sign(case: Case, got: Outcome, wanted: Outcome) -> bool:
        pairs = zip(case.args[0], case.args[1], got.args[0], strict=True)
        tau = share(case.args[2])
        return all(np.allclose(t.array + tau * (n.array - t.array), g) for t, n, g in pairs)

    return sign


SOFT_UPDATE = [
    Mistake(
        "It changed the network: only the target moves.",
        sign=lambda case, got, wanted: (
            not all(np.allclose(a.array, b) for a, b in zip(case.args[1], got.args[1], strict=True))
        ),
    ),
    Mistake(
        "The target did not change. `t = t + ...` makes a new tensor: change it in place, "
        "with `t += ...`, `t.copy_(...)` or `t.lerp_(...)`.",
        sign=_same_as_before,
    ),
    Mistake(
        "The wrong way round: the target keeps 1 - tau of itself.", sign=_reached(lambda t: 1 - t)
    ),
    Mistake(
        "It copied the whole network: move by a share of tau only.", sign=_reached(lambda t: 1)
    ),
    Mistake(
        "It added tau times the network: add tau (network - target).",
        sign=lambda case, got, wanted: all(
            np.allclose(t.array + case.args[2] * n.array, g)
            for t, n, g in zip(case.args[0], case.args[1], got.args[0], strict=True)
        ),
    ),
]
