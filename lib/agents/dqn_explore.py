"""The seed's three rules of exploration on 2048, as functions of what was done so far.

    lai_robbins    epsilon = eta / (1 + nu t(a)): falls with the uses of the action itself
    entropy        no epsilon: an action is drawn with probability softmax(beta(a) Q(a)), where
                   beta(a) = alpha log(t(a) + 1): what was often done is done more often
    torch_version  epsilon = end + (start - end) exp(-rate n): falls with the number of moves

The seed writes exp(-n / eps_decay) for the last one, as in the PyTorch tutorial (eps_decay = 1000);
its default 0.0005 only makes sense as a rate.
"""

import numpy as np

RULES = ("lai_robbins", "entropy", "torch_version")


def lai_robbins(count: float, eta: float = 0.8, nu: float = 0.01) -> float:
    """Epsilon of an action that was taken `count` times: 0.8 at first, 0.4 after 100."""
    return eta / (1 + nu * count)


def torch_version(moves: float, start: float = 1.0, end: float = 0.01, rate: float = 5e-4) -> float:
    """Epsilon after `moves` moves: from `start` down to `end`, exponentially."""
    return float(end + (start - end) * np.exp(-rate * moves))


def entropy(values: np.ndarray, counts: np.ndarray, alpha: float = 1.0) -> np.ndarray:
    """Probabilities of actions with these values, taken `counts` times before."""
    logits = alpha * np.log(np.asarray(counts) + 1.0) * np.asarray(values)
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def choose(
    kind: str,
    values: np.ndarray,
    legal: np.ndarray,
    counts: np.ndarray,
    rng: np.random.Generator,
    epsilon: float,
) -> int:
    """An action of `legal` by one of the RULES; `epsilon` is for torch_version."""
    if kind not in RULES:
        raise ValueError(f"no exploration rule {kind!r}: choose one of {', '.join(RULES)}")
    if kind == "entropy":
        return int(rng.choice(legal, p=entropy(values[legal], counts[legal])))
    best = int(legal[np.argmax(values[legal])])
    if kind == "lai_robbins":
        epsilon = lai_robbins(counts[best])
    return int(rng.choice(legal)) if rng.random() < epsilon else best
