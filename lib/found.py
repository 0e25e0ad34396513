"""What docs/seeds.md says of the games and of the seeds' mistakes, measured anew.

`course.py docs --measure` puts it there, in half a minute. The same figures come out each time:
all dice are seeded.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lib.agents.baselines import Preference, Random
from lib.agents.droid_compiled import random_shares
from lib.agents.droid_policies import as_policy, shares_of
from lib.agents.droid_roster import RECIPES, trained
from lib.agents.minimax import MinimaxAgent
from lib.agents.q_learning import NegamaxQLearning, QLearning, QPlayer, QSettings
from lib.arena import evaluate
from lib.files import write_text
from lib.game import play
from lib.games.batch_solitaire import count_pegs, random_jump
from lib.games.board2048 import cells
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
    "cut-off, no split": Chopsticks(self_tap=False, split=False),
    f"{ROLL}, {OWN}": Chopsticks(rollover=True),
    ROLL: Chopsticks(rollover=True, self_tap=False),
    f"{ROLL}, a split may empty a hand": Chopsticks(
        rollover=True, self_tap=False, empty_split=True
    ),
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
    won, lost, drawn = truth.counts()
    counted = f"{won} won, {drawn} drawn and {lost} lost for who moves"
    return f"{words[truth.value(start)]}{ends}; {won + drawn + lost} positions: {counted}"


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
    """Exact odds of random play and of minimax, and how often the last round changes the score."""
    game, anyone = Droids(), as_policy(random_shares(Droids()))
    yield "droids, random against random (exact)", shown(droids.odds(game, anyone, anyone))
    careful = as_policy(shares_of(MinimaxAgent(), game))
    for name in RECIPES:
        asked = f"droids, pessimistic minimax against the table {name} (exact)"
        yield asked, shown(droids.odds(game, careful, as_policy(shares_of(trained(name), game))))
    late = 0
    for seed in range(games):
        record = play(game, [Random(), Random()], np.random.default_rng(seed))
        late += record.states[-1].points != record.states[-2].points
    asked = f"droids, random against random: the last round changes the score ({games:,} games)"
    yield asked, f"in {100 * late / games:.1f} %"


def shown(odds: droids.Odds) -> str:
    """Shares in words."""
    won, drawn, lost = (100 * share for share in (odds.won, odds.drawn, odds.lost))
    return f"won {won:.1f} %, drawn {drawn:.1f} %, lost {lost:.1f} %"


def games_of_2048(games: int = 1_000) -> Iterator[Row]:
    """Two players that learn nothing."""
    named = {"random": Random, "down, else left, else right, else up": Preference}
    for name, agent in named.items():
        found = evaluate(Game2048(), agent, games=games, seed=0)
        finals = [Game2048().read(line).board for line in found.finals]
        reached = np.mean([max(cells(board)) >= 8 for board in finals])
        figures = f"mean score {found.mean:,.0f}; {100 * reached:.1f} % reach 256"
        yield f"2048, {name} ({games:,} games)", figures


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


def write() -> str:
    """Measure everything, put the table into the page, and return it."""
    made = table()
    before, rest = PAGE.read_text(encoding="utf8").split(BEGIN)
    write_text(PAGE, f"{before}{BEGIN}\n{made}\n{END}{rest.split(END)[1]}")
    return made
