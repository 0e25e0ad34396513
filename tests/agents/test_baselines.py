"""The players that learn nothing, and the registry that names everyone."""

from collections.abc import Callable

import numpy as np
import pytest

from lib.agents import registry, trainers
from lib.agents.baselines import Human, Mixture, Preference, Random, ShootIfAligned
from lib.agents.perfect_solitaire import PerfectSolitaire
from lib.arena import evaluate, match
from lib.game import Agent, play
from lib.games import GAMES
from lib.games.droids import Droids, DroidState
from lib.games.game2048 import Game2048, State, from_tiles
from lib.games.solitaire import SOLVED, Solitaire
from lib.games.tapnswap import TapnSwap
from lib.truth.solitaire import solution


def test_preference_takes_the_first_legal_of_its_order() -> None:
    game = Game2048()
    boards = {
        1: [[2, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4],  # down
        2: [[0] * 4, [0] * 4, [0] * 4, [0, 2, 0, 0]],  # left
        3: [[0] * 4, [0] * 4, [0] * 4, [2, 4, 0, 0]],  # right
        0: [[0] * 4, [2, 4, 8, 2], [4, 2, 4, 8], [2, 4, 8, 2]],  # up
    }
    for action, tiles in boards.items():
        assert Preference().act(game, State(from_tiles(tiles)), 0) == action
    with pytest.raises(ValueError, match=r"none of \(2,\) is legal"):
        Preference([2]).act(game, State(from_tiles(boards[0])), 0)


def test_preference_scores_what_was_measured_elsewhere() -> None:
    scores = evaluate(Game2048(), Preference(), games=250, seed=1)
    assert abs(scores.mean - 2550) < 4.5 * scores.standard_error


def test_aligned_shoots_when_it_sees_the_other_and_only_then() -> None:
    game, agent = Droids(), ShootIfAligned(seed=0)
    for here in game._moves:
        for there in game._moves:
            state = DroidState((here, there), (1, 0), (0, 0), 40)
            if here == there:
                continue
            sees = here[0] == there[0] or here[1] == there[1]
            assert (agent.act(game, state, 0) == 4) == sees
            assert agent.act(game, state, 1) in game.legal(state, 1), "no shot left: a step"


def test_mixture_and_human() -> None:
    state = TapnSwap().start()
    legal = TapnSwap().legal(state, 0)
    always = [Human(lambda game, state, player, a=a: a) for a in (legal[0], legal[-1])]
    mixed = Mixture(always[0], always[1], 0.25)
    mixed.begin(np.random.default_rng(3))
    seen = [mixed.act(TapnSwap(), state, 0) for _ in range(2000)]
    assert abs(seen.count(legal[-1]) - 500) < 5 * (2000 * 0.25 * 0.75) ** 0.5
    with pytest.raises(ValueError, match="between 0 and 1, not 2"):
        Mixture(always[0], always[1], 2)
    answers = iter([99, -1, legal[0]])
    assert Human(lambda *_: next(answers)).act(TapnSwap(), state, 0) == legal[0]


def test_perfect_solitaire_solves_what_can_be_solved() -> None:
    game = Solitaire()
    record = play(game, [PerfectSolitaire()], np.random.default_rng(2))
    assert record.states[-1] == SOLVED and record.outcome == (1.0,)
    corner = Solitaire(1 << 3 | 1 << 4, centre=False)  # one jump left, not to the centre
    assert solution(corner.start(), centre=False) is not None
    assert play(corner, [PerfectSolitaire()], np.random.default_rng(2)).outcome == (1.0,)
    lost = Solitaire("ooo/.../......./......./......./.../...")
    assert play(lost, [PerfectSolitaire()], np.random.default_rng(2)).outcome == (-1.0,)


@pytest.mark.parametrize("name", GAMES)
def test_every_level_of_every_game_can_move(name: str) -> None:
    game = GAMES[name]()
    state = game.settle(game.start(), np.random.default_rng(0))
    for level in registry.LEVELS:
        agent = registry.level(name, level)
        agent.begin(np.random.default_rng(1))
        assert agent.act(game, state, 0) in game.legal(state, 0)
    assert list(registry.agents(name))[:2] == ["random", "greedy"]


def test_unknown_names_are_named() -> None:
    for ask in (registry.agents, trainers.trainers, lambda name: registry.level(name, "easy")):
        with pytest.raises(ValueError, match="no game is called 'go'"):
            ask("go")
    with pytest.raises(ValueError, match="no level is called 'godlike'"):
        registry.level("2048", "godlike")


def test_levels_grow_stronger() -> None:
    wins = [
        match(TapnSwap(), registry.level("tapnswap", name), Random(), games=120, seed=4).wins
        for name in registry.LEVELS
    ]
    assert wins == sorted(wins) and wins[-1] - wins[0] > 20


@pytest.mark.parametrize("make", [Random, ShootIfAligned])
def test_same_dice_same_games(make: Callable[[], Agent]) -> None:
    games = [play(Droids(), [make(), make()], np.random.default_rng(7)).moves for _ in "ab"]
    assert games[0] == games[1]
