"""The matches of lesson 3, run by the referee: an answer is asked only for its moves.

The frozen opponent, the board and the score stay here; the answer sees copies of the droids that
have nothing but what the rule sheet names. Whoever raises, stalls or plays what is not allowed
loses that game and goes on with the next. Only the answer's own CPU time counts against it.
"""

import os
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import lib.agents.droid_sealed  # so that it is there by its name  # noqa: F401
from lib.agents.droid_agents import DroidAgent, fight
from lib.agents.droid_roster import trained
from lib.games.droids import Action, Droids, R2Droid
from lib.grading import compare
from lib.grading.ask import AnswerError, Ask, Handle
from lib.grading.wire import Make, Member

# "rounds" of training: as many as the seed's 3 minutes gave the reference, when they were counted
# in CPU time of the answer's own process, with every move asked for through the referee's pipe.
# "draws" is what a drawn game of the minimax match counts.
SETTINGS = {
    "rounds": float(os.environ.get("RL_FIVE_GAMES_ROUNDS", "1240000")),
    "draws": float(os.environ.get("RL_FIVE_GAMES_DRAWS", "0")),
}
GAMES = 100
ENOUGH_GAMES = 20  # fewer in the time given: no points
PATIENCE = 5  # games lost by fouls in a row, after which the rest is lost too
SEALED = "lib.agents.droid_sealed.SealedDroid"


class Foul(Exception):
    """The answer lost this game by what it did, not on the board."""


class Asked(DroidAgent):
    """An answer's agent, as a player: every move is asked for, and looked at before it counts."""

    def __init__(self, handle: Handle) -> None:
        super().__init__()
        self.handle = handle

    def clear(self) -> None:
        self._fair("clear")

    def get_best_move(
        self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
    ) -> Action:
        droids = [
            Make(SEALED, d.rows, d.cols, d.location, d.shots) for d in (self_droid, adv_droid)
        ]
        said = self._fair("get_best_move", *droids, score_change, training)
        if type(said) is not Member or said.kind != "Action" or said.name not in Action.__members__:
            raise Foul(f"get_best_move returned {compare.show(said)}; return an `Action`.")
        action = Action[said.name]
        if action not in self_droid.available_actions():
            raise Foul(
                f"It played {action} at {self_droid.location} with {self_droid.shots} shots, which "
                "is not available: choose from `self_droid.available_actions()`."
            )
        return action

    def _fair(self, method: str, *args: object) -> object:
        try:
            return self.handle.call(method, *args)
        except AnswerError as error:
            if error.kind in ("unwritten", "gone"):
                raise
            raise Foul(error.sentence) from error


@dataclass
class Score:
    """How a match went."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    fouls: Counter[str] = field(default_factory=Counter)
    games: Counter[tuple[int, ...]] = field(
        default_factory=Counter
    )  # how each went, round by round
    late: bool = False  # its time was used up
    gone: str = ""  # why it ended early

    @property
    def played(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def counted(self) -> int:
        """All games; of an agent whose time is used up those that were played."""
        return self.played if self.late else GAMES

    def note(self) -> str:
        """Won, drawn and lost, and the most frequent foul."""
        said = f"{self.won} won, {self.drawn} drawn, {self.lost} lost of {self.counted}."
        if self.fouls:
            foul, times = self.fouls.most_common(1)[0]
            said += f" {times} of them lost like this: {foul}"
        return f"{said} {self.gone}".strip()


def practise(
    agent: Handle, rounds: float, rng: np.random.Generator, seconds: float = np.inf
) -> tuple[str, bool]:
    """Train the agent against the frozen one; what went wrong on the way, and if that ended it.

    It ends after so many rounds, or once the answer has used so many CPU-seconds. A foul ends its
    game alone, as in the match; several in a row end the training.
    """
    learner, frozen, game = Asked(agent), trained("frozen"), Droids()
    frozen.rng, fouls = rng, Counter[str]()
    done, number, row = 0, 0, 0
    while done < rounds and agent.ask.cpu < seconds and row < PATIENCE:
        turns = fight(learner, frozen, game, swapped=number % 2 == 1, training=(True, False))
        number += 1
        try:
            for _ in turns:
                done += 1
                if agent.ask.cpu >= seconds:
                    break
            row = 0
        except Foul as foul:
            fouls[str(foul)] += 1
            row += 1
    if not fouls:
        return "", False
    times, often = fouls.total(), fouls.most_common(1)[0][0]
    many = f"{times} games" if times > 1 else "a game"
    return f"While training for {done:,} rounds, {many} ended like this: {often}", row >= PATIENCE


def contest(ask: Ask, agent: Handle, rng: np.random.Generator, seconds: float) -> Score:
    """100 games against the frozen agent, seats in turn, or those that there is time for."""
    score, player, frozen, game = Score(), Asked(agent), trained("frozen"), Droids()
    frozen.rng, row, end = rng, 0, ask.cpu + seconds
    for number in range(GAMES):
        changes: list[int] = []
        try:
            for change in fight(player, frozen, game, swapped=number % 2 == 1):
                changes.append(change)
                if ask.cpu > end:
                    score.late = True
                    score.gone = f"Then its {seconds:.0f} s of CPU time were used up."
                    return score
            lead, row = sum(changes), 0
        except Foul as foul:
            score.fouls[str(foul)] += 1
            lead, row = -1, row + 1
        except AnswerError as error:
            if error.kind == "unwritten":
                raise
            score.gone = f"Then its process ended: {error.sentence}"
            break
        score.won, score.drawn = score.won + (lead > 0), score.drawn + (lead == 0)
        score.lost += lead < 0
        score.games[tuple(changes)] += 1
        if row >= PATIENCE:
            score.gone = f"After {PATIENCE} such games in a row the rest were not played."
            break
    return score
