"""Distances from the truth: known ones come out, and what can't be measured says so."""

import numpy as np
import pytest

from lib.agents.baselines import Greedy, Random, ShootIfAligned
from lib.agents.perfect_fingers import PerfectFingers
from lib.agents.perfect_solitaire import PerfectSolitaire
from lib.agents.registry import agents
from lib.arena import tournament
from lib.game import Agent, Forfeit
from lib.games.droids import Droids
from lib.games.game2048 import Game2048
from lib.games.solitaire import Solitaire
from lib.games.tapnswap import TapnSwap
from lib.grading.distance import distance, judged

SMALL = Droids(2, 3, shots=2, rounds=6)


class First(Agent):
    """Always the first legal move."""

    def act(self, game, state, player):
        return game.legal(state, player)[0]


class Waits(First):
    """Looks at the rounds left."""

    def act(self, game, state, player):
        return game.legal(state, player)[0 if state.rounds > 3 else -1]


class Reads(First):
    """Writes every position down and reads it again, which fails for one that can't be."""

    def act(self, game, state, player):
        assert game.read(game.write(state)) == state
        return super().act(game, state, player)


class Fails(Agent):
    """Gives up."""

    def act(self, game, state, player):
        raise Forfeit(self, "enough")


def test_the_perfect_keep_everything_and_the_random_do_not() -> None:
    game = TapnSwap()
    assert distance(game, PerfectFingers()) == "value kept in 177 of 177 positions"
    kept = int(distance(game, Random()).split()[3])
    assert 60 < kept < 170


@pytest.mark.slow
def test_solitaire_asks_about_solvable_positions() -> None:
    assert distance(Solitaire(), PerfectSolitaire()) == "still solvable after 12 of 12 moves"


def test_who_thinks_too_long_is_measured_as_far_as_it_came(monkeypatch) -> None:
    monkeypatch.setattr("lib.grading.distance.PATIENCE", -1.0)
    assert distance(Solitaire(), Random()).startswith("still solvable after 0 of 0 moves, then")
    assert distance(TapnSwap(), Random()).startswith("not measured: more than")


def test_droids_that_look_at_places_and_shots_are_exploited_exactly() -> None:
    said = distance(SMALL, First())
    assert said.startswith("exploitability ")
    assert 0 < float(said.split()[1]) <= 1
    assert distance(SMALL, Random()).startswith("exploitability 0.")
    assert distance(SMALL, ShootIfAligned()).startswith("exploitability ")


def test_droids_are_asked_about_positions_that_can_be() -> None:
    assert distance(SMALL, Reads()) == distance(SMALL, First())


def test_the_shipped_equilibrium_player_is_safe() -> None:
    assert distance(SMALL, agents("droids")["perfect"]()) == "exploitability 0.00"


@pytest.mark.parametrize("agent", [Greedy(), Waits()])
def test_droids_that_look_at_more_are_not_measured(agent: Agent) -> None:
    assert distance(SMALL, agent).startswith("not measured: its moves depend")


def test_what_cannot_be_measured_says_so() -> None:
    assert distance(Game2048(), Random()) == "not known"
    assert "not measured" in distance(TapnSwap(), Fails())
    assert "enough" in distance(TapnSwap(), Fails())


def test_a_table_gains_a_column() -> None:
    game, players = TapnSwap(), {"random": Random, "perfect": PerfectFingers()}
    table = judged(game, tournament(game, players, games=4), players)
    assert table.rows()[0][-1] == "value kept in 177 of 177 positions"
    assert "distance from the truth" in str(table)
    widths = {row.count("|") for row in table._repr_markdown_().splitlines()}
    assert len(widths) == 1
    assert np.shape(table.rows()) == (2, len(table.headings))


@pytest.mark.slow
def test_agents_are_asked_in_other_processes_as_here() -> None:
    game, players = TapnSwap(), {"random": Random, "first": First(), "perfect": PerfectFingers()}
    table = tournament(game, players, games=2)
    here, there = judged(game, table, players), judged(game, table, players, jobs=2)
    assert here.rows() == there.rows() and len(set(here.distances.values())) == 3
