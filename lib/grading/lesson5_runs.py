"""Exercises of lesson 5 that are tried out rather than compared: network, curriculum, worker."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lib.games import batch_solitaire as batch
from lib.games.solitaire import FLIPS, SOLVED, count_pegs, unjumps
from lib.grading import compare
from lib.grading.ask import Ask, Handle
from lib.grading.check import Verdict
from lib.grading.judge import attempt
from lib.grading.lesson5_cases import TRIPLES, met
from lib.grading.wire import Rng, Tensor
from lib.truth.solitaire import solvable


def run_network(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Shapes, one board alone, plain logits, and two heads on one trunk."""
    network = ask.new("TwoHeads")
    cubes = batch.observe(np.array(met(6, rng)))
    shapes = attempt("six boards", lambda: _shapes(network, cubes))
    yield shapes
    yield attempt("one board alone", lambda: _shapes(network, cubes[:1]))
    first = "" if shapes.right else "First its outputs need the right shapes."
    yield attempt("logits and a value", lambda: first or _plain(ask, cubes))
    yield attempt("two heads on one trunk", lambda: first or _heads(network, cubes, rng))


def look(network: Handle, cubes: np.ndarray) -> Any:
    """What the network returns for planes."""
    return network.call("", Tensor(np.ascontiguousarray(cubes, dtype=np.float32)))


def _shapes(network: Handle, cubes: np.ndarray) -> str:
    answer, n = look(network, cubes), len(cubes)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return f"It returned {compare.show(answer, 80)}; return two tensors: logits, values."
    for name, value, shape in zip(("logits", "values"), answer, ((n, 76), (n,)), strict=True):
        if np.shape(value) != shape:
            hint = " squeeze(1) takes the last dimension away, and no other." * (name == "values")
            return (
                f"The {name} of {n} board(s) have the shape {np.shape(value)}; {shape} is expected."
                + hint
            )
        if not np.isfinite(np.asarray(value)).all():
            return f"The {name} are not all finite."
    again = look(network, cubes)
    if not compare.same(list(answer), list(again)):
        return "The same boards gave other numbers: leave out dropout and everything random."
    return ""


def _plain(ask: Ask, cubes: np.ndarray) -> str:
    logits, values = [], []
    for _ in range(8):
        answer = look(ask.new("TwoHeads"), cubes)
        logits.append(np.asarray(answer[0]))
        values.append(np.asarray(answer[1]))
    flat = np.concatenate(logits)
    if np.allclose(flat.sum(axis=1), 1, atol=1e-3) or np.allclose(
        np.exp(flat).sum(axis=1), 1, atol=1e-3
    ):
        return "The first output is already a softmax: return logits, log_policy does the rest."
    if (flat >= 0).all():
        return "The logits are never below 0: no ReLU after the policy head."
    if (np.concatenate(values) >= 0).all():
        return "Eight new networks never gave a value below 0: no ReLU after the value head."
    return ""


def _heads(network: Handle, cubes: np.ndarray, rng: np.random.Generator) -> str:
    """Change each tensor of weights in turn, and see which outputs change with it."""
    weights = {name: np.asarray(w) for name, w in network.call("state_dict").items()}
    before = [np.asarray(part) for part in look(network, cubes)]
    touched = Counter[str]()
    for name, values in weights.items():
        moved = values + rng.normal(0, 0.3, values.shape).astype(np.float32)
        _load(network, {**weights, name: moved})
        after = [np.asarray(part) for part in look(network, cubes)]
        touched[
            "".join("01"[not np.allclose(*pair)] for pair in zip(before, after, strict=True))
        ] += 1
    _load(network, weights)
    if not touched["11"]:
        return "No weight changes both outputs: the two heads share a trunk."
    if not touched["10"] or not touched["01"]:
        return "Each head needs a layer of its own: one for the logits, one for the value."
    return ""


def _load(network: Handle, weights: dict[str, np.ndarray]) -> None:
    network.call("load_state_dict", {name: Tensor(w) for name, w in weights.items()})


def run_reverse(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Pegs, solvable, all un-jumps alike, and the dice that were given."""
    counts = [0, 1, 2, 5, 9, 14, *rng.integers(1, 21, 14).tolist()]
    made = ask.many("reverse_start", [(n, TRIPLES, Rng(i)) for i, n in enumerate(counts)])
    yield attempt("the number of pegs", lambda: _pegs(made, counts))
    yield attempt("solvable positions", lambda: _solvable(made))
    yield attempt("each un-jump as likely as the next", lambda: _alike(ask, rng))
    yield attempt("the dice that were given", lambda: _repeats(ask, rng), easy=True)


def _pegs(made: Sequence[Any], counts: Sequence[int]) -> str:
    for position, count in zip(made, counts, strict=True):
        if type(position) is not int or not 0 < position < 1 << 33:
            return f"It returned {compare.show(position, 60)}; a position is an integer of 33 bits."
        pegs = count_pegs(position)
        if pegs != count + 1 and (pegs > count + 1 or unjumps(position)):
            return (
                f"{count} un-jump(s) from one peg gave {pegs} peg(s): each puts one peg back, "
                f"so {count + 1} are expected."
            )
    return ""


def _solvable(made: Sequence[Any]) -> str:
    for position in made:
        if type(position) is not int or not 0 < position < 1 << 33:
            return "It did not return positions."
        if not solvable(position):
            return (
                f"Position {position} can't be solved. An un-jump takes the peg from the target "
                "back to the source, and puts a peg into the hole it jumped over."
            )
    return ""


def _alike(ask: Ask, rng: np.random.Generator) -> str:
    seeds = rng.integers(0, 2**62, 400).tolist()
    drawn = Counter(map(str, ask.many("reverse_start", [(2, TRIPLES, Rng(s)) for s in seeds])))
    shares: dict[str, float] = defaultdict(float)
    for first in (ways := unjumps(SOLVED)):
        before = SOLVED ^ FLIPS[first]
        for second in (more := unjumps(before)):
            shares[str(before ^ FLIPS[second])] += 1 / len(ways) / len(more)
    for position, share in shares.items():
        found = drawn[position] / len(seeds)
        if abs(found - share) > 5 * (share * (1 - share) / len(seeds)) ** 0.5:
            return (
                f"After two un-jumps {len(drawn)} different positions came up, and one of them in "
                f"{found:.1%} of 400 draws instead of {share:.1%}: choose among all un-jumps that "
                "are possible, each as likely as the next."
            )
    return ""


def _repeats(ask: Ask, rng: np.random.Generator) -> str:
    calls = [(12, TRIPLES, Rng(seed)) for seed in rng.integers(0, 2**62, 20).tolist()]
    if ask.many("reverse_start", calls) == ask.many("reverse_start", calls):
        return ""
    return "The same dice gave other positions: draw from `rng`, and from nothing else."


def run_worker(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Two rounds on a small network with gradients that are known beforehand."""
    weights, gradients = rng.normal(0, 1, 3).astype(np.float32), rng.normal(0, 1, 3)
    parts = [gradients[:2].tolist(), gradients[2:].tolist()]
    made = Bench(ask, weights, parts, rng)
    told: list[Any] = []

    def first() -> str:
        told.append(made.round())
        return made.problem(1)

    yield attempt("one round", first)
    yield attempt("a second round", lambda: (made.round(), made.problem(2))[1])
    yield attempt("what it returns", lambda: _told(told, made.figures))


def _told(told: list[Any], figures: dict[str, float]) -> str:
    if told and compare.same(figures, told[0]):
        return ""
    return "Return what `learn(own)` returned: the figures go to the curve."


class Bench:
    """A shared network, an own one, an optimizer and a `learn`, where the answer runs."""

    RATE = 0.1

    def __init__(
        self, ask: Ask, weights: np.ndarray, gradients: list[list[float]], rng: np.random.Generator
    ) -> None:
        self.ask, self.weights, self.gradients = ask, weights, gradients
        self.figures = {"loss": round(float(rng.random()), 3)}
        self.shared, self.own = (ask.new("torch.nn.Linear", 2, 1) for _ in range(2))
        _load(self.shared, self._named(weights))
        _load(self.own, self._named(weights + 5))
        parameters = self.shared.new("parameters")
        self.optimizer = ask.new("torch.optim.SGD", parameters, lr=self.RATE)
        self.learn = ask.new("lib.agents.a3c_practice.Practice", gradients, self.figures)

    @staticmethod
    def _named(weights: np.ndarray) -> dict[str, np.ndarray]:
        return {"weight": weights[None, :2], "bias": weights[2:]}

    def round(self) -> Any:
        """Let the answer do one round."""
        return self.ask("worker_step", self.shared, self.own, self.optimizer, self.learn)

    def problem(self, rounds: int) -> str:
        """What is wrong after so many rounds; "" if nothing is."""
        step = self.RATE * np.concatenate(self.gradients)
        shared, own = (
            self._flat(network.call("state_dict")) for network in (self.shared, self.own)
        )
        seen = self.learn.attr("seen")
        if len(seen) != rounds:
            return (
                f"`learn` was called {len(seen)} times in {rounds} round(s): call it once a round."
            )
        before = self.weights - (rounds - 1) * step
        if not compare.same(before, np.concatenate(seen[-1]), tol=1e-4):
            if compare.same(before, np.concatenate(seen[-1]) - 5, tol=1e-4):
                return "It learned with its old weights: first copy the shared weights into `own`."
            return "`learn` did not see the shared weights: copy them into `own`, then learn(own)."
        if compare.same(before, shared, tol=1e-4):
            return (
                "The shared weights did not change: hand each gradient of `own` to the shared "
                "parameter, and let the optimizer step."
            )
        if not compare.same(before - step, shared, tol=1e-4):
            return "The shared weights moved, but not by one step along the gradient of `own`."
        if not compare.same(before, own, tol=1e-4):
            return "`own` changed while it learned: the optimizer steps the shared network only."
        return ""

    @staticmethod
    def _flat(state: dict[str, Any]) -> np.ndarray:
        return np.concatenate([np.ravel(state["weight"]), np.ravel(state["bias"])])
