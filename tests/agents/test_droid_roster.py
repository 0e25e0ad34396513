"""The shipped droid agents: remade from their recipes, and the bars that the course sets."""

import time
from pathlib import Path

import numpy as np
import pytest

from lib.agents.droid_agents import DroidPlayer, fight, train
from lib.agents.droid_compiled import greedy_shares, learn
from lib.agents.droid_policies import TableAgent, as_policy, minimax_shares, shares_of
from lib.agents.droid_q import QAgent
from lib.agents.droid_roster import RECIPES, roster, standings, trained, weights
from lib.agents.minimax import MinimaxAgent
from lib.agents.registry import agents
from lib.agents.trainers import trainers
from lib.arena import match
from lib.games.droids import Droids
from lib.truth.droids import exploitability, odds

GAME = Droids()


def leads(one: object, other: object, games: int) -> np.ndarray:
    """The final leads of `one`, seats swapped."""
    return np.array([sum(fight(one, other, swapped=k % 2 == 1)) for k in range(games)])  # type: ignore[arg-type]


def test_the_frozen_opponent_beats_random_play() -> None:
    frozen, anyone = (as_policy(shares_of(a)) for a in (trained("frozen"), roster()["random"]))
    assert odds(GAME, frozen, anyone).won > 0.9


@pytest.mark.slow
def test_the_reference_minimax_wins_and_never_loses_to_a_shipped_table() -> None:
    minimax = as_policy(minimax_shares(MinimaxAgent()))
    chances = {name: odds(GAME, minimax, as_policy(shares_of(trained(name)))) for name in RECIPES}
    assert chances["frozen"].won > 0.95
    assert max(chance.lost for chance in chances.values()) < 1e-9


def test_twenty_games_by_search_as_a_student_plays_them() -> None:
    began = time.process_time()
    found = leads(MinimaxAgent(seed=1), trained("frozen", seed=2), 20)
    assert (found > 0).sum() >= 16 and (found < 0).sum() == 0
    assert (time.process_time() - began) / 20 < 3  # 100 games in the seed's 5 minutes


@pytest.mark.parametrize("seed", range(5))
def test_a_learner_does_not_lose_to_the_frozen_agent(seed: int) -> None:
    learner, frozen = QAgent(seed=seed), shares_of(trained("frozen"))
    for _ in learn(learner, frozen, 100_000, seed=seed + 100):
        pass
    assert (leads(learner, TableAgent(frozen, seed=seed), 100) < 0).sum() <= 2


def test_the_plain_form_learns_it_too() -> None:
    learner = QAgent(seed=1)
    for _ in train(learner, TableAgent(shares_of(trained("frozen")), seed=2), 40_000):
        pass
    assert (leads(learner, trained("frozen", seed=3), 60) > 0).mean() > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_the_recipe_makes_the_shipped_file(name: str, tmp_path: Path) -> None:
    agent, training = RECIPES[name].start()
    for _ in training:
        pass
    again = QAgent.load(agent.save(tmp_path / "again.npz"))
    assert np.array_equal(again.table(), QAgent.load(weights(name)).table())


@pytest.mark.slow
def test_who_beats_the_weak_and_who_cannot_be_exploited() -> None:
    rows = {row.name: row for row in standings()}
    safe = {name for name, row in rows.items() if row.exploitability < 1e-9}
    assert safe == {"pessimist", "minimax", "perfect"}
    assert all(row.exploitability > 0.99 for name, row in rows.items() if name not in safe)
    assert rows["Q vs random"].won > rows["perfect"].won > rows["pessimist"].won
    assert rows["optimist"].won < rows["random"].won


def test_a_shipped_table_is_exploited_by_who_knows_it() -> None:
    assert exploitability(GAME, as_policy(greedy_shares(GAME, trained("frozen").table()))) > 0.99


def test_the_registry_has_players_and_trainers(tmp_path: Path) -> None:
    players = agents("droids")
    assert list(players)[-1] == "perfect"
    result = match(GAME, players["minimax"](), players["random"](), games=4, seed=1)
    assert result.losses == 0
    assert isinstance(players["q-learning"](), DroidPlayer)
    training, save = trainers("droids")["frozen"].start(1, 1.0, None)
    first = next(training)
    save(tmp_path / "half.npz")
    resumed, _ = trainers("droids")["frozen"].start(1, 1.0, tmp_path / "half.npz")
    assert first.total == 5_000_000
    assert next(resumed).total == pytest.approx(4_500_000, abs=50)


def test_only_shipped_tables_have_names() -> None:
    with pytest.raises(ValueError, match="frozen"):
        trained("fridge")
