"""Typical wrong answers to lesson 5, so that a check can name them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from lib.grading.ask import Outcome
from lib.grading.check import Case, Mistake
from lib.grading.lesson5_reference import Jumps, critic_targets, losses, planes


def _jumps_where(possible: Callable[[Any, Any, Any], Any]) -> Callable[[int, Jumps], list[int]]:
    """Jumps by another condition on the three holes."""

    def found(position: int, jumps: Jumps) -> list[int]:
        peg = [position >> hole & 1 for hole in range(33)]
        return [a for a, (s, o, t) in enumerate(jumps) if possible(peg[s], peg[o], peg[t])]

    return found


LEGAL_JUMPS = (
    Mistake(
        "A peg lands in an empty hole: look at the target too.",
        _jumps_where(lambda s, o, t: s and o),
    ),
    Mistake(
        "There must be a peg to jump over: look at the hole in between.",
        _jumps_where(lambda s, o, t: s and not t),
    ),
    Mistake(
        "A jump needs a peg that jumps: look at the source too.",
        _jumps_where(lambda s, o, t: o and not t),
    ),
    Mistake(
        "These are the un-jumps, the jumps that can have come last: a jump starts where two pegs "
        "and a hole are.",
        _jumps_where(lambda s, o, t: t and not o and not s),
    ),
    Mistake(
        "Return the numbers of the jumps, 0 to 75, not the jumps themselves.",
        lambda position, jumps: [
            jumps[a] for a in _jumps_where(lambda s, o, t: s and o and not t)(position, jumps)
        ],
    ),
)

Holes = Sequence[tuple[int, int]]


def _transposed(position: int, holes: Holes) -> np.ndarray:
    return planes(position, holes).transpose(1, 0, 2)


def _only_holes(position: int, holes: Holes) -> np.ndarray:
    cube = planes(position, holes)
    inside = np.zeros((7, 7, 1))
    for row, column in holes:
        inside[row, column] = 1
    return np.concatenate([cube[:, :, :1], cube[:, :, 1:] * inside], axis=2)


def _scaled(factor: float) -> Callable[[int, Holes], np.ndarray]:
    return lambda position, holes: planes(position, holes) * np.array([1, factor, factor])


def _other_hand(position: int, holes: Holes) -> np.ndarray:
    cube = planes(position, holes)
    for hole, (row, column) in enumerate(holes):
        cube[row, column, 0] = position >> (32 - hole) & 1
    return cube


PLANES = (
    Mistake("Rows and columns are swapped: a hole is at [row, column].", _transposed),
    Mistake(
        "Planes 1 and 2 have one number everywhere, also outside the cross.",
        _only_holes,
    ),
    Mistake(
        "The planes of removed and left to remove are swapped.",
        lambda position, holes: planes(position, holes)[:, :, [0, 2, 1]],
    ),
    Mistake(
        "The planes come last: the shape is 7×7×3.",
        lambda position, holes: planes(position, holes).transpose(2, 0, 1),
    ),
    Mistake("31 pegs are to be removed: divide by 31, not by 32.", _scaled(31 / 32)),
    Mistake("31 pegs are to be removed: divide by 31, not by 33.", _scaled(31 / 33)),
    Mistake("Fractions lie between 0 and 1: they are not per cent.", _scaled(100)),
    Mistake("Hole 0 is the lowest bit: `position >> hole & 1`.", _other_hand),
)


def _has_nan(case: Case, got: Outcome, wanted: Outcome) -> bool:
    return bool(np.isnan(np.asarray(got.value, dtype=float)).any())


POLICY = (
    Mistake(
        "There is a NaN in it. Mask the logits first, then take log_softmax: it subtracts the "
        "largest, so that nothing overflows.",
        sign=_has_nan,
    ),
    Mistake(
        "These are probabilities: return their logarithms, log_softmax.",
        lambda logits, legal: logits.masked_fill(~legal, -1e9).softmax(dim=1),
    ),
    Mistake(
        "Illegal jumps still count in the sum: mask the logits before the softmax, not after.",
        lambda logits, legal: logits.log_softmax(dim=1).masked_fill(~legal, -1e9),
    ),
    Mistake(
        "The mask is the wrong way round: fill where `legal` is False, ~legal.",
        lambda logits, legal: logits.masked_fill(legal, -1e9).log_softmax(dim=1),
    ),
    Mistake(
        "Each state is a row: the softmax runs along dim=1.",
        lambda logits, legal: logits.masked_fill(~legal, -1e9).log_softmax(dim=0),
    ),
    Mistake(
        "A logit of 0 is not impossible, only middling: fill in -1e9.",
        lambda logits, legal: (logits * legal).log_softmax(dim=1),
    ),
    Mistake(
        "These are the masked logits: a policy is their log_softmax.",
        lambda logits, legal: logits.masked_fill(~legal, -1e9),
    ),
)


def _no_bootstrap(rewards: Any, ended: Any, last_values: Any, gamma: float) -> np.ndarray:
    return critic_targets(rewards, ended, np.zeros_like(last_values), gamma)


def _past_the_end(rewards: Any, ended: Any, last_values: Any, gamma: float) -> np.ndarray:
    return critic_targets(rewards, np.zeros_like(ended), last_values, gamma)


def _not_discounted(rewards: Any, ended: Any, last_values: Any, gamma: float) -> np.ndarray:
    return critic_targets(rewards, ended, last_values, 1.0)


def _one_step(rewards: Any, ended: Any, last_values: Any, gamma: float) -> np.ndarray:
    return np.asarray(rewards + gamma * np.where(ended, 0.0, last_values))


def _reward_lost(rewards: Any, ended: Any, last_values: Any, gamma: float) -> np.ndarray:
    targets, after = np.zeros(rewards.shape), last_values
    for t in reversed(range(len(rewards))):
        after = np.where(ended[t], 0.0, rewards[t] + gamma * after)
        targets[t] = after
    return targets


def _forwards(rewards: Any, ended: Any, last_values: Any, gamma: float) -> np.ndarray:
    targets, after = np.zeros(rewards.shape), last_values
    for t in range(len(rewards)):
        after = rewards[t] + gamma * np.where(ended[t], 0.0, after)
        targets[t] = after
    return targets


TARGETS = (
    Mistake(
        "The game goes on after the last of these moves: begin with `last_values`, not with 0.",
        _no_bootstrap,
    ),
    Mistake(
        "Nothing follows an end: where `ended` is True, the target is the reward alone.",
        _past_the_end,
    ),
    Mistake("Each step back multiplies what comes after by gamma.", _not_discounted),
    Mistake(
        "That looks one move ahead: what comes after is the *target* of the next move, and only "
        "after the last move the value.",
        _one_step,
    ),
    Mistake(
        "The move that ends a game has a reward of its own: only what follows is 0.", _reward_lost
    ),
    Mistake("Go through the moves backwards: reversed(range(len(rewards))).", _forwards),
)


Parts = tuple[Tensor, Tensor, Tensor]


def _with(change: Callable[[Parts, Tensor, Tensor, Tensor, Tensor], Parts]) -> Any:
    """The right losses with one of them changed."""

    def wrong(log_pi: Tensor, values: Tensor, actions: Tensor, targets: Tensor) -> Parts:
        right = losses(log_pi, values, actions, targets)
        return change(right, log_pi, values, actions, targets)

    return wrong


def _attached(log_pi: Tensor, values: Tensor, actions: Tensor, targets: Tensor) -> Parts:
    _, critic, entropy = losses(log_pi, values, actions, targets)
    taken = log_pi.gather(1, actions[:, None]).squeeze(1)
    return -(taken * (targets.detach() - values)).mean(), critic, entropy


def _target_attached(log_pi: Tensor, values: Tensor, actions: Tensor, targets: Tensor) -> Parts:
    actor, _, entropy = losses(log_pi, values, actions, targets)
    return actor, (targets - values).square().mean(), entropy


def _all_attached(log_pi: Tensor, values: Tensor, actions: Tensor, targets: Tensor) -> Parts:
    taken = log_pi.gather(1, actions[:, None]).squeeze(1)
    entropy = -(log_pi.exp() * log_pi).sum(dim=1).mean()
    advantage = targets - values
    return -(taken * advantage).mean(), advantage.square().mean(), entropy


def _no_advantage(log_pi: Tensor, values: Tensor, actions: Tensor, targets: Tensor) -> Parts:
    _, critic, entropy = losses(log_pi, values, actions, targets)
    taken = log_pi.gather(1, actions[:, None]).squeeze(1)
    return -(taken * targets.detach()).mean(), critic, entropy


def _times(parts: Parts, n: Any, m: Any, k: Any) -> Parts:
    return parts[0] * n, parts[1] * m, parts[2] * k


def _critic_frozen(log_pi: Tensor, values: Tensor, actions: Tensor, targets: Tensor) -> Parts:
    return losses(log_pi, values.detach(), actions, targets)


LOSSES = (
    Mistake(
        "The advantage must not carry a gradient: the actor would learn to change the critic's "
        "value instead of its policy. Use values.detach() in it.",
        _attached,
    ),
    Mistake(
        "The target must not carry a gradient: it is what the critic should move to. Use "
        "targets.detach().",
        _target_attached,
    ),
    Mistake(
        "Neither the advantage nor the target may carry a gradient: detach values in the "
        "advantage, and targets in both.",
        _all_attached,
    ),
    Mistake(
        "The critic learns from its own error: there its values must carry the gradient.",
        _critic_frozen,
    ),
    Mistake(
        "The actor loss has a minus: it goes down when good moves become likelier.",
        _with(lambda right, *_: _times(right, -1, 1, 1)),
    ),
    Mistake(
        "Entropy is positive: -sum p log p.",
        _with(lambda right, *_: _times(right, 1, 1, -1)),
    ),
    Mistake(
        "Weigh each move by its advantage, target - value, not by the target itself.",
        _no_advantage,
    ),
    Mistake(
        "Each loss is a mean over the states, not a sum.",
        _with(lambda right, log_pi, *_: _times(right, *(3 * [len(log_pi)]))),
    ),
    Mistake(
        "Sum the entropy over the jumps of a state, and take the mean over states only.",
        _with(lambda right, log_pi, *_: _times(right, 1, 1, 1 / log_pi.shape[1])),
    ),
    Mistake(
        "The critic loss is the mean of the squared error, without the half.",
        _with(lambda right, *_: _times(right, 1, 0.5, 1)),
    ),
    Mistake(
        "The critic loss is the *squared* error.",
        _with(
            lambda right, log_pi, values, actions, targets: (
                right[0],
                (targets.detach() - values).abs().mean(),
                right[2],
            )
        ),
    ),
    Mistake(
        "There is a NaN in it: 0 * log 0. Take the logarithms as they are given: log_pi is finite.",
        sign=lambda case, got, wanted: any(
            bool(np.isnan(np.asarray(part, dtype=float)).any()) for part in _parts(got.value)
        ),
    ),
)


def _parts(value: Any) -> list[Any]:
    return [x for x in value if not isinstance(x, str)] if isinstance(value, list | tuple) else []
