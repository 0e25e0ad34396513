"""Who plays solitaire with a network, and how well: greedy, drawn from the policy, or by beam."""

from typing import Any

import numpy as np

from lib.agents.beam import beam_search
from lib.agents.solitaire_networks import draw, judge
from lib.game import Agent, Game
from lib.games import batch_solitaire as batch
from lib.games.solitaire import FLIPS, SOLVED, START, count_pegs


class PegPlayer(Agent):
    """Plays the likeliest jump; `sample` draws from the policy, `beam` searches that wide."""

    name = "actor-critic"

    def __init__(
        self, network: Any, *, sample: bool = False, beam: int = 0, name: str | None = None
    ) -> None:
        super().__init__()
        if sample and beam:
            raise ValueError("choose one of sample=True and beam=...")
        self.network, self.sample, self.beam = network, sample, beam
        self.name = name or self.name
        self.plan: dict[int, int] = {}  # position -> jump, of the line that a search has found

    def begin(self, rng: np.random.Generator) -> None:
        super().begin(rng)
        self.plan = {}

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        if self.beam:
            return self._planned(state)
        logits, _ = judge(self.network, np.array([state]))
        return int((draw(logits, self.rng) if self.sample else logits.argmax(axis=1))[0])

    def _planned(self, position: int) -> int:
        if position not in self.plan:
            at = position
            for jump in beam_search(self.network, position, self.beam):
                self.plan[at] = jump
                at ^= FLIPS[jump]
        return self.plan[position]


def play_out(
    network: Any, positions: np.ndarray, rng: np.random.Generator | None = None
) -> np.ndarray:
    """The last positions of games from all `positions` at once: greedy, or drawn with `rng`."""
    boards = np.array(positions, dtype=np.int64)
    running = np.flatnonzero(batch.legal(boards).any(axis=1))
    while len(running):
        logits, _ = judge(network, boards[running])
        jumps = logits.argmax(axis=1) if rng is None else draw(logits, rng)
        boards[running] = batch.play(boards[running], jumps)
        running = running[batch.legal(boards[running]).any(axis=1)]
    return boards


def search_out(network: Any, positions: np.ndarray, width: int = 64) -> np.ndarray:
    """The last positions that a beam search finds, one search for each of `positions`."""
    ends = []
    for position in positions.tolist():
        for jump in beam_search(network, position, width):
            position ^= FLIPS[jump]
        ends.append(position)
    return np.array(ends, dtype=np.int64)


def strength(network: Any, games: int = 500, seed: int = 0) -> dict[str, float]:
    """From the usual start: pegs that greedy play leaves, and how sampled games end."""
    greedy = int(play_out(network, np.array([START]))[0])
    drawn = play_out(network, np.full(games, START), np.random.default_rng(seed))
    return {
        "greedy pegs": float(count_pegs(greedy)),
        "greedy in the centre": float(greedy == SOLVED),
        "sampled one peg": float((batch.count_pegs(drawn) == 1).mean()),
        "sampled in the centre": float((drawn == SOLVED).mean()),
    }


def solved_share(ends: np.ndarray, *, centre: bool = False) -> float:
    """The share of last positions with one peg, anywhere or in the centre."""
    return float(((ends == SOLVED) if centre else (batch.count_pegs(ends) == 1)).mean())
