"""The training exercise of lesson 5: the answer trains a network, the referee lets it play."""

from collections.abc import Iterator

import numpy as np

from lib.agents.solitaire_games import reverse_starts
from lib.agents.solitaire_networks import NEVER, draw
from lib.games import batch_solitaire as batch
from lib.games.solitaire import SOLVED, START, count_pegs
from lib.grading.ask import AnswerError, Ask, Handle
from lib.grading.check import Verdict, failed
from lib.grading.lesson5_runs import look
from lib.grading.wire import Rng

UPDATES = 1000  # about 20 s of one core
SAMPLED = 0.8  # share of sampled games that must end with one peg


def run_train(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Train, then let the network play: greedy, and 200 sampled games.

    All of 30 seeds solved the board; one of them sampled worse than is asked. Who learns, but was
    unlucky, gets a second try, and the better one counts.
    """
    network, verdicts = _tried(ask, rng)
    if not all(v.right for v in verdicts) and plays_endings(network, rng):
        verdicts = max(verdicts, _tried(ask, rng)[1], key=_earned)
    yield from verdicts


def _tried(ask: Ask, rng: np.random.Generator) -> tuple[Handle, list[Verdict]]:
    """One training, and what it is worth."""
    network = trained(ask, rng)
    end = int(play(network, np.array([START]), None)[0])
    label = "the last peg in the centre"
    if end == SOLVED:
        centre = Verdict(label, weight=2.0)
    else:
        centre = failed(label, "Greedy play does not end with one peg there.", weight=2.0)
    return network, [
        _greedy(count_pegs(end)),
        centre,
        _sampled(play(network, np.full(200, START), rng)),
    ]


def _earned(verdicts: list[Verdict]) -> float:
    return sum(v.share * v.weight for v in verdicts)


def trained(ask: Ask, rng: np.random.Generator) -> Handle:
    """A new network after the answer's training."""
    network = ask.new("TwoHeads")
    training = ask.new("train_pegs", network, UPDATES, Rng(int(rng.integers(2**62))))
    if training.kind == "Progress":
        raise AnswerError(
            "too early", "It ended with its first report: `yield` it, and the training goes on."
        )
    if training.kind not in ("NoneType", "TwoHeads"):  # it trained at once, and tells nothing
        ask.new("builtins.list", training)
    return network


def plays_endings(network: Handle, rng: np.random.Generator) -> bool:
    """Whether it has learned something: it solves most positions with seven pegs."""
    boards = reverse_starts(np.full(100, 6), rng)
    return float((batch.count_pegs(play(network, boards, None)) == 1).mean()) > 0.6


def _greedy(pegs: int) -> Verdict:
    if pegs == 1:
        return Verdict("greedy play", weight=5.0)
    return failed(
        "greedy play",
        f"After {UPDATES} updates, greedy play from the usual start leaves {pegs} pegs. Do most "
        "games begin near the solution (starts=starts), are all the updates made, and does each "
        "round change the network?",
        weight=5.0,
    )


def _sampled(ends: np.ndarray) -> Verdict:
    share = float((batch.count_pegs(ends) == 1).mean())
    if share >= SAMPLED:
        return Verdict("sampled games", weight=3.0)
    said = f"{share:.0%} of 200 sampled games end with one peg; {SAMPLED:.0%} are needed."
    return failed("sampled games", f"{said} Let the step size fall towards the end.", weight=3.0)


def play(network: Handle, boards: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
    """The last positions of games that the answer's network plays, by our rules."""
    boards = boards.copy()
    running = np.flatnonzero(batch.legal(boards).any(axis=1))
    while len(running):
        images, symmetry = batch.canonical(boards[running])
        logits = np.asarray(look(network, batch.observe(images))[0], dtype=np.float64)
        if logits.shape != (len(images), 76):
            raise AnswerError("raised", f"the trained network gave logits of {logits.shape}")
        masked = np.where(batch.legal(images), np.nan_to_num(logits), NEVER)
        turned = np.take_along_axis(masked, batch.JUMP_IMAGES[symmetry], axis=1)
        jumps = turned.argmax(axis=1) if rng is None else draw(turned, rng)
        boards[running] = batch.play(boards[running], jumps)
        running = running[batch.legal(boards[running]).any(axis=1)]
    return boards
