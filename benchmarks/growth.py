"""Growth: how cost grows with the work, each as a line on a log-log plot with its slope."""

import argparse
import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest import mock

import numpy as np

from benchmarks.engines import batch_2048_steps, batch_pegs
from benchmarks.graders import Counted
from benchmarks.measure import Effort, costs, summary
from benchmarks.parts import Bar, Found, Part, Row, Table
from lib.agents.mcts import MCTSSettings, run_mcts
from lib.agents.mcts_compiled import CompiledMCTS
from lib.agents.mcts_nodes import chooser, create_nodes
from lib.cli import grade
from lib.games.chopsticks import Chopsticks
from lib.games.droids import Droids
from lib.grading import referee
from lib.grading.sample import sample_class

Upto = dict[str, Sequence[int]]  # by mode
START = 10  # submissions of a class that are start-up
SUBMISSIONS: Upto = {
    "quick": (5, 20),
    "normal": (10, 30, 100, 300),
    "full": (10, 30, 100, 300, 1000),
}


def over(sizes: Upto, make: Callable[[int], Callable[[], object]]) -> Callable[[Effort], Found]:
    """The `run` of a line: the median cost of `make(size)()` for each size."""

    def run(effort: Effort) -> Found:
        x, repeats = list(sizes[effort.mode]), 3 if effort.mode == "quick" else 5
        return {"x": x, "y": [summary(costs(make(size), repeats))[0] for size in x]}

    return run


def rounds_of(
    make: Callable[[int], Callable[[], int]], rounds: int
) -> Callable[[int], Callable[[], object]]:
    """So many rounds on a batch of the given size."""

    def sized(games: int) -> Callable[[], None]:
        play = make(games)

        def some() -> None:
            for _ in range(rounds):
                play()

        return some

    return sized


def readable_search(iterations: int) -> Callable[[], None]:
    """A search of chopsticks from the start, nodes new each time."""
    game = Chopsticks()

    def search() -> None:
        root = create_nodes(game).at(game.start(), 0)
        run_mcts(root, chooser(np.random.default_rng(0)), iterations)

    return search


def compiled_search(iterations: int) -> Callable[[], None]:
    """The same, compiled, on one set of nodes."""
    learner = CompiledMCTS(Chopsticks(), MCTSSettings(iterations=iterations))
    return lambda: learner.search(0)


def equilibrium(mode_rounds: int) -> Callable[[int], Callable[[], object]]:
    """The exact solution of the droid battle on a square board with so many cells."""
    from lib.truth.droids import Solution

    return lambda cells: (
        lambda: Solution(Droids(int(cells**0.5), int(cells**0.5), rounds=mode_rounds))
    )


def submissions(effort: Effort) -> Found:
    """CPU-seconds of grading a made-up class of lesson 2, beyond those of a class of `START`."""
    graded(1)  # imports
    sizes, start = SUBMISSIONS[effort.mode], graded(START)
    return {"x": list(sizes), "y": [graded(START + n) - start for n in sizes], "start": start}


def graded(students: int) -> float:
    """CPU-seconds of `course.py grade --jobs 1` on such a class, sandboxed workers included."""
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch.object(referee, "Warm", Counted),
        contextlib.redirect_stdout(None),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        place, out = sample_class(Path(name) / "submissions", 2, students), f"{name}/grades"
        words = [str(place), "--lesson", "2", "--out", out, "--seed", "5", "--jobs", "1"]
        parser = argparse.ArgumentParser()
        grade.add_arguments(parser)
        begun = Counted.total()
        grade.run(parser.parse_args(words))
        spent = Counted.total() - begun
        results = json.loads(Path(f"{out}/results.json").read_text())["results"]
    assert len(results) == students, f"{len(results)} results for {students} submissions"
    return spent


def workers(effort: Effort) -> Found:
    """CPU-seconds of 100,000 moves, summed over the workers of A3C."""
    from lib.agents.a3c import A3C

    counts, found = (1, 2), []
    for count in counts:
        learner = A3C(workers=count)
        steps = 0.0
        for progress in learner.train(seconds=4 if effort.mode == "quick" else 12):
            steps = progress.metrics["steps"]
        found.append(1e5 * learner.seconds / steps)
    return {"x": list(counts), "y": found}


GAMES: Upto = dict.fromkeys(("quick", "normal", "full"), (1, 4, 16, 64, 256, 1024, 4096))
SEARCH: Upto = {
    "quick": (10, 100, 1_000, 10_000),
    "normal": (10, 100, 1_000, 10_000, 100_000),
    "full": (10, 100, 1_000, 10_000, 100_000),
}
CELLS: Upto = {"quick": (9, 16), "normal": (9, 16, 25, 36), "full": (9, 16, 25, 36)}


def boards(effort: Effort) -> Found:
    """The whole game in full; fewer rounds otherwise, which costs in proportion."""
    solver = equilibrium(50 if effort.mode == "full" else 5)
    x = list(CELLS[effort.mode])
    return {"x": x, "y": [summary(costs(solver(cells), 3))[0] for cells in x]}


TABLES = {
    "submissions": Table(
        "Grading a class, lesson 2",
        "CPU-seconds of all processes, past start-up",
        (Row("course.py grade, one job", submissions),),
        "submissions",
        f"Past start-up: a class of {START} is graded too, in which everything has been done once, "
        "and what it cost is taken off the others, which have so many submissions more.",
    ),
    "games": Table(
        "Games at once",
        "CPU-seconds of 64 moves on every board",
        (
            Row("2048, moves chosen outside", over(GAMES, rounds_of(batch_2048_steps, 64))),
            Row("solitaire", over(GAMES, rounds_of(batch_pegs, 4))),
        ),
        "games at once",
        "Below some 100 games the cost of a call counts more than the games.",
    ),
    "workers": Table(
        "A3C on peg solitaire",
        "CPU-seconds of 100,000 moves, all workers together",
        (Row("A3C", workers),),
        "workers",
        "Slope 0: a second worker costs nothing extra per move.",
    ),
    "search": Table(
        "MCTS on chopsticks",
        "CPU-seconds of a search from the start",
        (
            Row("readable", over(SEARCH, readable_search)),
            Row("compiled", over(SEARCH, compiled_search)),
        ),
        "iterations",
        "The readable form also makes its 196 nodes; from 1,000 iterations on that does not count.",
    ),
    "droids": Table(
        "The droid battle solved exactly",
        "CPU-seconds (--full: 50 rounds, else 5)",
        (Row("equilibrium of the whole game", boards),),
        "cells of the board",
        "3x3 to 6x6. There are about cells squared positions of the two droids.",
    ),
}
BARS = (
    Bar(
        "Grading a class: slope of the cost past start-up",
        "submissions",
        "course.py grade, one job",
        at_least=0.9,
        at_most=1.1,
    ),
)
PART = Part("growth", "Growth", TABLES, BARS)
