"""Engines: random legal moves per CPU-second, beside peers, bare Python and the limit in C."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks import peers, plain
from benchmarks.measure import Effort
from benchmarks.parts import Bar, Found, Part, Row, Table, timed
from lib.game import Game
from lib.games import batch_solitaire
from lib.games.batch2048 import Batch2048
from lib.games.chopsticks import Chopsticks
from lib.games.droids import Droids
from lib.games.game2048 import Game2048
from lib.games.solitaire import START, Solitaire
from lib.games.tapnswap import TapnSwap

BATCH = 1024
MOVES = "random legal moves per CPU-second"


def through_interface(game: Game[Any]) -> Callable[[], int]:
    """Plays one game after another as any agent would, by the rules' own five questions."""
    dice, rng = Random(0).random, np.random.default_rng(0)

    def one_game() -> int:
        state, moves = game.settle(game.start(), rng), 0
        while movers := game.movers(state):
            options = [game.legal(state, player) for player in movers]
            chosen = tuple([legal[int(dice() * len(legal))] for legal in options])
            state = game.settle(game.play(state, chosen), rng)
            moves += len(movers)
        return moves

    return one_game


def batch_2048(games: int = BATCH, steps: int = 200) -> Callable[[], int]:
    """Compiled, many games at once, new ones for those that end."""
    batch = Batch2048(games, np.random.default_rng(0))

    def play() -> int:
        batch.play_random(steps)
        return games * steps

    return play


def batch_2048_steps(games: int = BATCH) -> Callable[[], int]:
    """Many games at once, each move chosen outside, as a learner does."""
    rng = np.random.default_rng(0)
    batch = Batch2048(games, rng)

    def play() -> int:
        legal = batch.legal()
        over = np.logical_not(legal.any(axis=1))
        if over.any():
            batch.reset(over)
            legal = batch.legal()
        batch.step((rng.random(legal.shape) * legal).argmax(axis=1))
        return games

    return play


def env_2048() -> Callable[[], int]:
    """Our Gymnasium environment, actions drawn from its mask."""
    import gymnasium

    import lib.envs  # noqa: F401  (registers the environment)

    env: Any = gymnasium.make("five-games/2048-v0", disable_env_checker=True)
    dice, info = Random(0).random, env.reset(seed=0)[1]

    def play() -> int:
        nonlocal info
        for _ in range(500):
            legal = info["action_mask"].nonzero()[0]
            _, _, over, _, info = env.step(int(legal[int(dice() * len(legal))]))
            if over:
                info = env.reset()[1]
        return 500

    return play


def batch_pegs(games: int = BATCH) -> Callable[[], int]:
    """Solitaire on many boards at once; one without a jump starts again."""
    rng = np.random.default_rng(0)
    boards = np.full(games, START)

    def play() -> int:
        nonlocal boards
        moves = 0
        for _ in range(16):
            boards, jumps = batch_solitaire.random_jump(boards, rng)
            stuck = jumps < 0
            boards[stuck] = START
            moves += games - int(stuck.sum())
        return moves

    return play


def bare(one_game: Callable[[Random], int]) -> Callable[[Effort], Found]:
    """A loop of `plain.py`."""
    return timed(lambda: partial(one_game, Random(0)))


def in_c(game: str) -> Callable[[Effort], Found]:
    """The same loop in C, compiled on the spot."""

    def run(effort: Effort) -> Found:
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            raise peers.Missing("C: no compiler (cc, gcc or clang) is installed")
        source = Path(__file__).with_name("limits.c")
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "limits"
            line = [compiler, "-O3", "-march=native", "-o", str(program), str(source)]
            subprocess.run(line, check=True, capture_output=True)
            words = [str(program), game, str(effort.seconds), str(effort.repeats)]
            return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)

    return run


def peer(name: str, script: str, *words: str) -> Callable[[Effort], Found]:
    """A script in the environment of a peer."""
    return lambda effort: peers.ask(name, script, effort, *words)


TABLES = {
    "2048": Table(
        "2048",
        MOVES,
        (
            Row("ours, batch of 1024, compiled loop", timed(batch_2048)),
            Row("ours, batch of 1024, moves chosen outside", timed(batch_2048_steps)),
            Row("ours, plain interface", timed(lambda: through_interface(Game2048()))),
            Row("ours, Gymnasium environment", timed(env_2048)),
            Row("pgx, batch of 1024", peer("pgx", "pgx_2048.py", "1024"), "peer"),
            Row("jumanji, batch of 1024", peer("jumanji", "jumanji_2048.py", "1024"), "peer"),
            Row("open_spiel (C++), from Python", peer("open_spiel", "open_spiel_2048.py"), "peer"),
            Row(
                "gymnasium-2048",
                peer("gymnasium-2048", "gymnasium_2048_env.py"),
                "peer",
                "it has no mask: every step counts, legal or not",
            ),
            Row("C bitboard", in_c("2048"), "limit"),
        ),
        about="The loops of pgx, jumanji and ours are compiled whole: moves, dice and new games.",
        in_turns=True,
    ),
    "fingers": Table(
        "Finger games",
        MOVES,
        (
            Row("ours, TapnSwap", timed(lambda: through_interface(TapnSwap()))),
            Row("ours, chopsticks", timed(lambda: through_interface(Chopsticks()))),
            Row("bare Python loop, TapnSwap", bare(plain.tapnswap), "peer"),
            Row("C, TapnSwap", in_c("tapnswap"), "limit"),
            Row("empty turns of a Python loop", bare(plain.empty_turns), "limit"),
        ),
        in_turns=True,
    ),
    "droids": Table(
        "Droid battle",
        MOVES,
        (
            Row("ours, plain interface", timed(lambda: through_interface(Droids()))),
            Row("bare Python loop", bare(plain.droids), "peer"),
            Row("C", in_c("droids"), "limit"),
        ),
        about="Two moves a round, one of each droid.",
        in_turns=True,
    ),
    "solitaire": Table(
        "Peg solitaire",
        MOVES,
        (
            Row("ours, batch of 1024", timed(batch_pegs)),
            Row("ours, plain interface", timed(lambda: through_interface(Solitaire()))),
            Row("bare Python loop", bare(plain.solitaire), "peer"),
            Row("C", in_c("solitaire"), "limit"),
        ),
        in_turns=True,
    ),
}
EMPTY = 10e6 / 0.22  # empty turns per CPU-second of the machine for which the bar was set
PART = Part(
    "engines",
    "Engines",
    TABLES,
    (
        Bar(
            "2048, batch: at least 5 times pgx",
            "2048",
            "ours, batch of 1024, compiled loop",
            5,
            "pgx, batch of 1024",
        ),
        Bar(
            "2048, batch: at least a third of C",
            "2048",
            "ours, batch of 1024, compiled loop",
            1 / 3,
            "C bitboard",
        ),
        Bar(
            "2048, Gymnasium: at least 3 times gymnasium-2048",
            "2048",
            "ours, Gymnasium environment",
            3,
            "gymnasium-2048",
        ),
        Bar(
            "TapnSwap: at least 200,000 where 10 million empty turns of Python take 0.22 s",
            "fingers",
            "ours, TapnSwap",
            200_000,
            "empty turns of a Python loop",
            scale=EMPTY,
        ),
        Bar("Solitaire, batch: at least 3 million", "solitaire", "ours, batch of 1024", 3e6),
    ),
    spreads=True,
)
