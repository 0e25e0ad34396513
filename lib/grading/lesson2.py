"""The exercises of lesson 2: Monte Carlo tree search on chopsticks."""

from lib.grading import lesson2_cases as cases
from lib.grading import lesson2_mistakes as mistakes
from lib.grading import lesson2_mistakes_tree as mistakes_tree
from lib.grading import lesson2_reference as reference
from lib.grading.check import Exercise, Lesson
from lib.grading.lesson2_backpropagate import run_backpropagate
from lib.grading.lesson2_runs import run_expand, run_playout

LESSON = Lesson(
    number=2,
    title="Monte Carlo tree search on chopsticks",
    notebook="02_mcts_chopsticks",
    modules=("lib.games.chopsticks", "lib.agents.mcts_nodes", "lib.agents.mcts_trees"),
    exercises=[
        Exercise(
            "add_fingers",
            5,
            "Add fingers to a hand",
            reference.add_fingers,
            cases.add_cases,
            mistakes=mistakes.ADD_FINGERS,
            hides=("lib.games.chopsticks",),
        ),
        Exercise(
            "legal_splits",
            5,
            "The legal splits",
            reference.legal_splits,
            cases.split_cases,
            mistakes=mistakes.LEGAL_SPLITS,
            hides=("lib.games.chopsticks",),
            ordered=False,
        ),
        Exercise("ucb1", 10, "UCB1", reference.ucb1, cases.ucb_cases, mistakes=mistakes.UCB1),
        Exercise(
            "select",
            5,
            "Selection",
            reference.select,
            cases.select_cases,
            mistakes=mistakes_tree.SELECT,
            through=f"{cases.TREES}.names_of",
            seconds=2,
        ),
        Exercise("expand", 5, "Expansion", reference.expand, run=run_expand),
        Exercise("playout", 5, "Playout", reference.playout, run=run_playout, seconds=5),
        Exercise(
            "backpropagate",
            10,
            "Backpropagation",
            reference.backpropagate,
            run=run_backpropagate,
            seconds=2,
        ),
        Exercise(
            "strategy_table",
            5,
            "The strategy table",
            reference.strategy_table,
            cases.strategy_cases,
            mistakes=mistakes_tree.STRATEGY,
        ),
        Exercise(
            "outcomes",
            10,
            "All outcomes, and the verdict",
            {"all_outcomes": reference.all_outcomes, "verdict": reference.verdict},
            cases.outcome_cases,
            mistakes=mistakes_tree.OUTCOMES,
            seconds=5,
        ),
    ],
)
