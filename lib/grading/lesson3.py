"""The exercises of lesson 3: a droid, a Q agent and a minimax agent, and the matches of both."""

from collections.abc import Iterator

import numpy as np

from lib.grading import lesson3_choices as choices
from lib.grading import lesson3_droid as droid
from lib.grading import lesson3_reference as reference
from lib.grading.ask import Ask
from lib.grading.check import Exercise, Lesson, Run, Verdict
from lib.grading.lesson3_match import (
    ENOUGH_GAMES,
    GAMES,
    SETTINGS,
    Score,
    contest,
    practise,
)

TRAINING_SECONDS = 540.0  # of CPU time; the reference needs a third: slower ones stop, and play
MATCH_SECONDS = 300.0  # as in the seed
TRAINED_SECONDS = 60.0  # for the 100 games of a trained agent, which looks its moves up
LAST_CALL = 9  # a process may use ten times a call's guard: so a call may begin as its time ends


def run_q_agent(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Train for so many rounds against the frozen agent, then 100 games: the share not lost."""
    agent = ask.new("QAgent")
    training, match = rng.spawn(2)
    trouble, given_up = practise(agent, SETTINGS["rounds"], training, TRAINING_SECONDS)
    if given_up:
        yield Verdict("the training", 0.0, trouble)
        return
    score = contest(ask, agent, match, TRAINED_SECONDS)
    yield verdict(score, score.won + score.drawn, q_advice(score, trouble))


def q_advice(score: Score, trouble: str) -> str:
    """What to look at: fouls first."""
    if trouble or score.fouls:
        return f" {trouble}".rstrip()
    return (
        " Does it learn from the last round before it chooses, only while training, with "
        "the maximum over available actions? Does `clear` keep what was learned? And does it stop "
        "exploring when not training?"
    )


def run_minimax_agent(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """100 games against the frozen agent: the share won."""
    agent = ask.new("MinimaxAgent")
    score = contest(ask, agent, rng, MATCH_SECONDS)
    yield verdict(score, score.won + SETTINGS["draws"] * score.drawn, minimax_advice(score))


def minimax_advice(score: Score) -> str:
    """What to look at, by how the games went."""
    if score.fouls:
        return ""
    alike = len(score.games) <= 4 and score.played >= ENOUGH_GAMES
    said = " All games went alike: break ties between equally good actions at random."
    said = said if alike else ""
    if score.lost > GAMES // 5:
        return (
            f"{said} It loses: who assumes to see the other's move is too hopeful, and a shot that "
            "is valued at half a point or more is saved when it should be fired. Is the sign "
            "right, and are the points of every round added?"
        )
    return said or (
        " It is safe, but draws: between actions that are equally safe, prefer the one that gains "
        "most if the other errs."
    )


def verdict(score: Score, good: float, advice: str) -> Verdict:
    """A share of the points for a share of the games, if enough of them were played."""
    if score.played < ENOUGH_GAMES and (score.late or not score.fouls):
        said = f"{score.note()} At least {ENOUGH_GAMES} games must be played: search less deep."
        return Verdict("the match", 0.0, said)
    share = good / score.counted
    return Verdict("the match", share, f"{score.note()}{advice if share < 0.9 else ''}")


def choice(name: str, title: str, run: Run) -> Exercise:
    """A choice of one's own and the sentence about it; an instructor may overrule the marks."""
    names = (name, f"{name}_choice")
    return Exercise(name, 5, title, {n: getattr(reference, n) for n in names}, run=run, manual=5)


METHODS = {
    "copy": (3, "A copy", reference.copy, droid.run_copy),
    "move_location": (5, "A step", reference.move_location, droid.run_move),
    "shoot": (5, "A shot", reference.shoot, droid.run_shoot),
    "available_actions": (5, "What it can do", reference.available_actions, droid.run_available),
}
SEALED = ("lib.agents.droid_sealed",)

LESSON = Lesson(
    number=3,
    title="Minimax against Q-learning in the droid battle",
    notebook="03_minimax_vs_q_droids",
    modules=("lib.games.droid_round", "lib.agents.droid_sealed"),
    settings=SETTINGS,
    exercises=[
        Exercise(
            "R2Droid", 2, "The droid", reference.R2Droid, run=droid.run_constructor, hides=SEALED
        ),
        *(
            Exercise(name, points, title, {f"R2Droid.{name}": method}, run=run, hides=SEALED)
            for name, (points, title, method, run) in METHODS.items()
        ),
        choice("evaluate", "Your evaluation", choices.run_evaluate),
        Exercise(
            "MinimaxAgent",
            20,
            "The minimax agent",
            reference.MinimaxAgent,
            run=run_minimax_agent,
            seconds=MATCH_SECONDS / LAST_CALL,
            trains=True,
            enough=0.7,
        ),
        choice("state", "Your state", choices.run_state),
        choice("reward", "Your reward", choices.run_reward),
        Exercise(
            "QAgent",
            20,
            "The Q agent",
            reference.QAgent,
            run=run_q_agent,
            seconds=(TRAINING_SECONDS + TRAINED_SECONDS) / LAST_CALL,
            trains=True,
            enough=0.9,
        ),
    ],
)
