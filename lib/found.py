"""What docs/seeds.md says of the games and of the seeds' mistakes, measured anew.

    python -m lib.found            print the table
    python -m lib.found --write    and put it into docs/seeds.md

A minute or two. The same figures come out each time: all dice are seeded.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lib.agents.baselines import Preference, Random
from lib.agents.droid_compiled import random_shares
from lib.agents.droid_policies import as_policy
from lib.agents.q_learning import NegamaxQLearning, QLearning, QPlayer, QSettings
from lib.arena import evaluate
from lib.files import write_text
from lib.game import play
from lib.games.batch_solitaire import count_pegs, random_jump
from lib.games.chopsticks import Chopsticks
from lib.games.droids import Droids
from lib.games.fingers import FingerGame
from lib.games.game2048 import Game2048
from lib.games.solitaire import START
from lib.games.tapnswap import TapnSwap
from lib.truth import droids, fingers

PAGE = Path(__file__).parents[1] / "docs" / "seeds.md"
BEGIN, END = "<!-- found:begin -->", "<!-- found:end -->"
SEEDS, TRAINING = 5, 10_000
ROLL, OWN = "roll-over", "own hands tapped"
RULES = {
    f"cut-off, {OWN}": Chopsticks(),
    "cut-off": Chopsticks(self_tap=False),
    f"{ROLL}, {OWN}": Chopsticks(rollover=True),
    ROLL: Chopsticks(rollover=True, self_tap=False),
}

Row = tuple[str, str]


def rows() -> Iterator[Row]:
    """What was asked, and what came out."""
    yield "TapnSwap, from the start", verdict(TapnSwap())
    yield from q_learning()
    for name, game in RULES.items():
        yield f"chopsticks, {name}", verdict(game)
    yield from droid_games()
    yield from games_of_2048()
    yield from pegs_left()


def verdict(game: FingerGame) -> str:
    """Who wins with best play, and how many positions there are."""
    truth, start = fingers.solve(game), game.start()
    words = {1: "the first player wins", 0: "a draw", -1: "the second player wins"}
    plies = truth.distance(start)
    ends = f" in {plies} plies" if plies is not None else ""
    return f"{words[truth.value(start)]}{ends}; {len(truth.reachable())} positions"


def q_learning() -> Iterator[Row]:
    """The seed's form, and self-play with and without its mistake."""
    own = QSettings(alpha=0.5, gamma=0.9, epsilon=0.5)
    wrong = QSettings(alpha=0.5, gamma=0.9, epsilon=0.5, legal_only=False)
    forms: dict[str, Sequence[QLearning]] = {
        "trained against random": [QLearning(TapnSwap(), seed=s) for s in range(SEEDS)],
        "self-play, illegal moves in the maximum": [
            NegamaxQLearning(TapnSwap(), wrong, seed=s) for s in range(SEEDS)
        ],
        "self-play": [NegamaxQLearning(TapnSwap(), own, seed=s) for s in range(SEEDS)],
    }
    for name, learners in forms.items():
        kept, won = zip(*(learned(learner) for learner in learners), strict=True)
        asked = f"Q-learning on TapnSwap, {name}, {TRAINING:,} games, {SEEDS} seeds"
        span = f"{min(kept)} to {max(kept)}" if min(kept) < max(kept) else f"{kept[0]}"
        least = math.floor(1000 * min(won)) / 10
        yield asked, f"value kept in {span} of 177; wins at least {least:g} % against random"


def learned(learner: QLearning) -> tuple[int, float]:
    """In how many positions it keeps the value, and its wins against random (the worse seat)."""
    for _ in learner.train(TRAINING):
        pass
    game, choices = TapnSwap(), QPlayer(learner).choices
    kept = fingers.kept(fingers.solve(game), choices)[0]
    return kept, min(fingers.chances(game, choices, seat).win for seat in (0, 1))


def droid_games(games: int = 2_000) -> Iterator[Row]:
    """Random droids: the exact odds, and how often the last round changes the score."""
    game, anyone = Droids(), as_policy(random_shares(Droids()))
    odds = droids.odds(game, anyone, anyone)
    yield "droids, random against random (exact)", f"won {odds.won:.1%}, drawn {odds.drawn:.1%}"
    late = 0
    for seed in range(games):
        record = play(game, [Random(), Random()], np.random.default_rng(seed))
        late += record.states[-1].points != record.states[-2].points
    yield f"droids, the last round changes the score ({games:,} games)", f"{late / games:.1%}"


def games_of_2048(games: int = 1_000) -> Iterator[Row]:
    """Two players that learn nothing."""
    named = {"random": Random, "down, else left, else right, else up": Preference}
    for name, agent in named.items():
        found = evaluate(Game2048(), agent, games=games, seed=0)
        yield f"2048, {name} ({games:,} games)", f"mean score {found.mean:,.0f}"


def pegs_left(games: int = 200_000) -> Iterator[Row]:
    """Random play on solitaire."""
    positions, rng = np.full(games, START), np.random.default_rng(0)
    moved = True
    while moved:
        positions, jumps = random_jump(positions, rng)
        moved = bool((jumps >= 0).any())
    mean = float(count_pegs(positions).mean())
    yield f"solitaire, random ({games:,} games)", f"{mean:.2f} pegs left on average"


def table() -> str:
    """All rows as Markdown."""
    lines = [f"| {asked} | {found} |" for asked, found in rows()]
    return "\n".join(["| asked | found |", "| --- | --- |", *lines])


def main(arguments: list[str]) -> None:
    """Print the table, and write it if told to."""
    made = table()
    sys.stdout.write(f"{made}\n")
    if "--write" in arguments:
        page = PAGE.read_text(encoding="utf8")
        before, rest = page.split(BEGIN)
        write_text(PAGE, f"{before}{BEGIN}\n{made}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main(sys.argv[1:])
