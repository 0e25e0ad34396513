"""The tournament: an agent of one's own for any game, against the shipped ladder."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from lib.agents.baselines import Random
from lib.agents.registry import agents
from lib.game import Agent, Forfeit, Game, play
from lib.games import GAMES
from lib.games.solitaire import SOLVED, flip, jumps
from lib.grading.ask import AnswerError, Ask
from lib.grading.check import Exercise, Lesson, Verdict, failed
from lib.grading.entries import CLASS, Seated
from lib.grading.wire import Make

TURNS = 200  # a game of two that lasts longer is a draw
TRIALS = 4  # games in which every move must be legal
GAMES_EACH = {"2048": 1, "solitaire": 4}  # against each rung of the ladder; 10 where two play


class Solver(Agent):
    """The course's own entry: solves solitaire depth first, each position looked at once."""

    plays = "solitaire"

    @cached_property
    def seen(self) -> set[int]:
        """Positions that can't be solved."""
        return set()

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        choices = jumps(state)
        return next((a for a in choices if self.solvable(flip(state, a))), choices[0])

    def solvable(self, position: int) -> bool:
        """Can one peg be left in the centre?"""
        if position == SOLVED:
            return True
        if position in self.seen:
            return False
        if any(self.solvable(flip(position, a)) for a in jumps(position)):
            return True
        self.seen.add(position)
        return False


def run(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Some games that must be legal, then everyone on the ladder."""
    try:
        game: Game[Any] = GAMES[str(ask("lib.agents.entry.plays", Make.name(CLASS)))]()
    except AnswerError as error:
        if error.kind == "unwritten":
            raise
        yield failed("legal moves", error.sentence, weight=25.0)
        return
    entry = Seated(ask)
    yield legal_moves(game, entry, rng)
    yield ladder(game, entry, rng)


def legal_moves(game: Game[Any], entry: Seated, rng: np.random.Generator) -> Verdict:
    """10 points for an agent that plays whole games by the rules."""
    label = f"legal moves in {game.title}"
    for number in range(TRIALS):
        seats: list[Agent] = [Random()] * game.n_players
        seats[number % game.n_players] = entry
        try:
            play(game, seats, rng.spawn(1)[0], max_turns=TURNS if game.n_players == 2 else None)
        except Forfeit as given_up:
            return failed(label, str(given_up), weight=10.0)
    return Verdict(label, weight=10.0)


def ladder(game: Game[Any], entry: Seated, rng: np.random.Generator) -> Verdict:
    """15 points by the share of games not lost against the shipped agents."""
    kept, played, lines = 0, 0, []
    for name, make in agents(game.name).items():
        games = GAMES_EACH.get(game.name, 10)
        held = sum(not_lost(game, entry, make(), number, rng) for number in range(games))
        kept, played = kept + held, played + games
        lines.append(f"{name} {held} of {games}")
    share = kept / played
    said = f"Not lost against {', '.join(lines)}: {share:.0%} of 15 points."
    return Verdict("the ladder", share, "" if share == 1 else said, weight=15.0)


def not_lost(
    game: Game[Any], entry: Seated, other: Agent, number: int, rng: np.random.Generator
) -> bool:
    """One game, seats by turns; alone, whether it scores at least as much on the same dice."""
    seed = int(rng.integers(2**62))
    try:
        if game.n_players == 1:
            mine = play(game, [entry], np.random.default_rng(seed)).score[0]
            return mine >= play(game, [other], np.random.default_rng(seed)).score[0]
        seat = number % 2
        seats = [entry, other] if seat == 0 else [other, entry]
        record = play(game, seats, np.random.default_rng(seed), max_turns=TURNS)
        return record.truncated or record.outcome[seat] >= 0
    except Forfeit:
        return False


LESSON = Lesson(
    number=7,
    title="The tournament",
    notebook="07_tournament",
    imports=("numpy",),
    modules=(
        "lib.game",
        "lib.agents.entry",
        "lib.agents.baselines",
        *(GAMES[name].__module__ for name in GAMES),
    ),
    exercises=[
        Exercise(
            "my_agent",
            25,
            "An agent of your own",
            {CLASS: Solver},
            run=run,
            seconds=100,  # ten times that for all games together; a move has SECONDS
            trains=True,
            enough=0.4,
        )
    ],
)
