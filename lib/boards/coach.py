"""The coach: what the truth says about every legal move, and where a game was lost.

A judge answers for one game: the worth of each legal action, and a mark in words. It is asked
only when someone wants to know, so a solution that takes seconds to load costs nothing before.

    finger games   win, draw or loss, and in how many plies     lib.truth.fingers
    droids         the share of an equilibrium player            lib.truth.droids
    2048           points to come, as the n-tuple network sees   lib.agents.ntuple
    solitaire      still solvable or not                         lib.truth.solitaire
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from lib.agents import registry
from lib.boards.scene import Mark
from lib.game import Game, Record

Worths = dict[int, tuple[float, Mark]]  # action -> how good it is, and in words
Judge = Callable[[Any, Any, int], Worths]
TONES = {1: "good", 0: "even", -1: "bad"}
WORDS = {1: "win", 0: "draw", -1: "loss"}
CLOSE = 0.02  # in 2048, a share of the value within which a move is as good as the best
RARE = 0.0005  # a share of an equilibrium player that counts as never
SLIP = 0.005  # what a move must give away to count as a mistake


def judge_fingers(game: Any, state: Any, player: int) -> Worths:
    """Win, draw or loss, and in how many moves of both players together."""
    from lib.truth.fingers import solve

    truth, found = solve(game), {}
    for action in game.legal(state, player):
        after = game.play(state, (action,))
        value, distance = -truth.value(after), truth.distance(after)
        plies = "" if distance is None else f" in {distance + 1}"
        short = WORDS[value][0].upper() + plies.removeprefix(" in ")
        worth = value - (0 if distance is None else 0.001 * value * distance)
        found[action] = worth, Mark(TONES[value], f"{WORDS[value]}{plies}", short)
    return found


def judge_droids(game: Any, state: Any, player: int) -> Worths:
    """How often an equilibrium player takes the action, and what it costs to take it."""
    from lib.truth.droids import solve
    from lib.truth.matrix import equilibrium

    matrix = solve(game).matrix(state, player)
    legal = game.legal(state, player)
    balance = equilibrium(matrix)
    theirs = np.nan_to_num(balance.columns)
    found = {}
    for action in legal:
        row = np.nan_to_num(matrix[action])
        share, lost = float(balance.rows[action]), max(0.0, balance.value - float(row @ theirs))
        if share > RARE:
            mark = Mark("good", f"equilibrium plays it {share:.0%} of the time", f"{share:.0%}")
        elif lost < 1e-6:
            mark = Mark("even", "as good as the equilibrium's", "0%")
        else:
            mark = Mark("bad", f"costs {lost:.2f} of a win", f"−{lost:.2f}")
        found[action] = 0.001 * share - lost, mark
    return found


@cache
def network() -> Any:
    """The n-tuple network that comes with the course, loaded once."""
    from lib.agents.ntuple import NTuple

    return NTuple.load(registry.WEIGHTS / "2048-ntuple.npz")


def judge_2048(game: Any, state: Any, player: int) -> Worths:
    """The points that the network expects from here on, after each move."""
    from lib.games.board2048 import move

    worths = {}
    for action in game.legal(state, player):
        after, earned = move(state.board, action)
        worths[action] = earned + network().value(after)
    best, found = max(worths.values(), default=0.0), {}
    for action, worth in worths.items():
        tone = "good" if worth == best else "even" if worth >= best * (1 - CLOSE) else "bad"
        words = f"{worth:,.0f} points to come, says the network"
        found[action] = worth, Mark(tone, words, f"{worth:,.0f}")
    return found


def judge_solitaire(game: Any, state: int, player: int) -> Worths:
    """Whether the board can still be solved after each jump."""
    from lib.truth.solitaire import winning_jumps

    winning = set(winning_jumps(state, centre=game.centre))
    good, bad = Mark("good", "still solvable"), Mark("bad", "can't be solved any more")
    return {a: (1.0, good) if a in winning else (0.0, bad) for a in game.legal(state, player)}


JUDGES: dict[str, Judge] = {
    "tapnswap": judge_fingers,
    "chopsticks": judge_fingers,
    "droids": judge_droids,
    "2048": judge_2048,
    "solitaire": judge_solitaire,
}
FINGERS = "✓ W5 wins in 5 moves, both players' counted; = D draws; ✗ L8 loses in 8."
LEGENDS = {
    "tapnswap": FINGERS,
    "chopsticks": FINGERS,
    "droids": "✓ how often a perfect player does it; = as good; ✗ how much of a win it costs.",
    "2048": "points to come, as the network expects them; ✓ the most, = close, ✗ fewer.",
    "solitaire": "✓ still solvable; ✗ not any more.",
}


class Coach:
    """Judges the moves of one game; without a truth for it, it says nothing."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.judge = JUDGES.get(game.name)
        self.legend = f"Coach: {LEGENDS[game.name]} " if game.name in LEGENDS else ""
        self._last: tuple[Any, int, Worths] | None = None  # a page asks several times

    def worths(self, state: Any, player: int) -> Worths:
        """How good each legal action is, and in words."""
        if self.judge is None or player not in self.game.movers(state):
            return {}
        if self._last is None or self._last[:2] != (state, player):
            self._last = state, player, self.judge(self.game, state, player)
        return self._last[2]

    def marks(self, state: Any, player: int) -> dict[int, Mark]:
        """A mark for every legal action: {0: Mark("good", "win in 5", "W5"), ...}."""
        return {action: mark for action, (_, mark) in self.worths(state, player).items()}

    def advice(self, state: Any, player: int) -> tuple[int, str]:
        """The best action and why; without a truth, what the best agent of the game does."""
        worths = self.worths(state, player)
        if not worths:
            agent = registry.level(self.game.name, "perfect")
            return int(agent.act(self.game, state, player)), ""
        best = max(worths, key=lambda action: worths[action][0])
        return best, worths[best][1].words

    def review(self, record: Record[Any], player: int, most: int = 4) -> list[str]:
        """The moves by which `player` gave most away, in words, in the order of the game."""
        slips = []
        for turn, (state, moves) in enumerate(zip(record.states, record.moves, strict=False)):
            movers = self.game.movers(state)
            if player in movers:
                slips.append((*self._slip(state, player, moves[movers.index(player)]), turn))
        worst = sorted(slip for slip in slips if slip[0] > 0)[-most:]
        return [f"Move {turn + 1}: {words}" for _, words, turn in sorted(worst, key=lambda s: s[2])]

    def _slip(self, state: Any, player: int, action: int) -> tuple[float, str]:
        """How much an action gave away, and in words; 0 if it was as good as any."""
        worths = self.worths(state, player)
        best = max(worths, key=lambda a: worths[a][0], default=action)
        if action not in worths or worths[action][1].tone == worths[best][1].tone:
            return 0.0, ""
        if worths[action][1].tone != "bad" and worths[best][1].tone != "good":
            return 0.0, ""
        (worth, mark), (most, better) = worths[action], worths[best]
        if most - worth < SLIP:
            return 0.0, ""
        played, instead = (self.game.describe(state, player, a) for a in (action, best))
        return most - worth, f"{played} ({mark.words}); better: {instead} ({better.words})."
