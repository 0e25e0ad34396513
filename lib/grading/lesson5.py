"""The exercises of lesson 5: A3C on peg solitaire."""

from lib.grading import compare
from lib.grading import lesson5_cases as cases
from lib.grading import lesson5_mistakes as mistakes
from lib.grading import lesson5_reference as reference
from lib.grading import lesson5_runs as runs
from lib.grading.ask import Outcome
from lib.grading.check import Case, Exercise, Lesson
from lib.grading.judge import default_judge
from lib.grading.lesson5_train import run_train

RULES = ("lib.games", "lib.agents.solitaire_games", "lib.agents.solitaire_networks")


def judge_losses(case: Case, got: Outcome, wanted: Outcome) -> str:
    """The three parts one by one, then the gradients."""
    value = got.value
    if not isinstance(value, tuple | list) or len(value) != 3:
        return (
            f"It returned {compare.show(value, 80)}; return three tensors: actor, critic, entropy."
        )
    names = ("actor loss", "critic loss", "entropy")
    for name, right, part in zip(names, wanted.value, value, strict=True):
        if not compare.same(right, part, tol=1e-4):
            said = compare.difference(right, part)
            shown = f"{compare.show(part)} instead of {compare.show(right)}"
            return f"The {name} is not right: {shown}. {said}".strip()
    return str(default_judge(LOSSES)(case, got, wanted) or "")


LOSSES = Exercise(
    "losses",
    15,
    "Actor, critic, entropy",
    reference.losses,
    cases.loss_cases,
    judge=judge_losses,
    mistakes=mistakes.LOSSES,
    grad=True,
    tol=1e-4,
)

LESSON = Lesson(
    number=5,
    title="A3C on peg solitaire",
    notebook="05_a3c_solitaire",
    imports=("numpy", "torch"),
    modules=(
        "lib.games.solitaire",
        "lib.agents.solitaire_games",
        "lib.agents.solitaire_networks",
        "lib.agents.a3c_practice",
        "lib.agents.progress",
    ),
    exercises=[
        Exercise(
            "legal_jumps",
            5,
            "Legal jumps",
            reference.legal_jumps,
            cases.legal_cases,
            mistakes=mistakes.LEGAL_JUMPS,
            ordered=False,
            hides=RULES,
        ),
        Exercise(
            "planes",
            5,
            "The board as planes",
            reference.planes,
            cases.plane_cases,
            judge=cases.judge_planes,
            mistakes=mistakes.PLANES,
            hides=RULES,
        ),
        Exercise(
            "log_policy",
            10,
            "A policy over legal jumps",
            reference.log_policy,
            cases.policy_cases,
            judge=cases.judge_policy,
            mistakes=mistakes.POLICY,
        ),
        Exercise(
            "critic_targets",
            15,
            "n-step targets",
            reference.critic_targets,
            cases.target_cases,
            mistakes=mistakes.TARGETS,
        ),
        LOSSES,
        Exercise(
            "TwoHeads",
            5,
            "One network, two heads",
            reference.TwoHeads,
            run=runs.run_network,
            hides=("lib.agents.solitaire_networks",),
        ),
        Exercise(
            "reverse_start",
            5,
            "Playing backwards",
            reference.reverse_start,
            run=runs.run_reverse,
            hides=RULES,
        ),
        Exercise(
            "worker_step",
            5,
            "One round of a worker",
            reference.worker_step,
            run=runs.run_worker,
        ),
        Exercise(
            "train_pegs",
            10,
            "Solve the board",
            reference.train_pegs,
            run=run_train,
            seconds=120,
            trains=True,
        ),
    ],
)
