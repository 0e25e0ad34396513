"""The shipped solitaire network against the exact set of solvable positions, and its learners."""

import json
from pathlib import Path

import numpy as np
import pytest

from lib import plots_pegs
from lib.agents import registry, solitaire_roster, trainers
from lib.agents.a3c import A3C
from lib.agents.actor_critic import ActorCritic, Settings, gradients
from lib.agents.solitaire_networks import PegNet, load_network
from lib.agents.solitaire_player import play_out, search_out, solved_share, strength
from lib.agents.solitaire_speed import board_speed, worker_speed
from lib.game import play
from lib.games.solitaire import SOLVED, Solitaire
from lib.grading import lesson5_figures
from lib.truth.solitaire import random_solvable

SHIPPED = load_network(solitaire_roster.SHIPPED)


def test_shipped_network_solves_the_usual_start() -> None:
    found = strength(SHIPPED, games=300, seed=3)
    assert found["greedy in the centre"] == 1.0 and found["sampled one peg"] >= 0.98


@pytest.mark.parametrize(("pegs", "bar"), [(10, 0.94), (16, 0.70), (22, 0.60)])
def test_shipped_network_plays_greedy_on_positions_it_has_not_seen(pegs: int, bar: float) -> None:
    positions = random_solvable(pegs, 1000, np.random.default_rng(100 + pegs))
    share = solved_share(play_out(SHIPPED, positions), centre=True)
    assert share > bar - 4 * (bar * (1 - bar) / 1000) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("pegs", "bar"), [(10, 0.99), (16, 0.97), (22, 0.95)])
def test_shipped_network_with_a_beam(pegs: int, bar: float) -> None:
    positions = random_solvable(pegs, 60, np.random.default_rng(200 + pegs))
    share = solved_share(search_out(SHIPPED, positions), centre=True)
    assert share > bar - 4 * (bar * (1 - bar) / 60) ** 0.5


def test_players_of_the_registry_solve_the_game() -> None:
    players = registry.agents("solitaire")
    assert list(players) == ["random", "greedy", "actor-critic", "beam", "perfect"]
    for name in ("actor-critic", "beam"):
        record = play(Solitaire(), [players[name]()], np.random.default_rng(0))
        assert record.states[-1] == SOLVED, name


def test_learners_of_the_registry_save_and_go_on(tmp_path: Path) -> None:
    assert list(trainers.trainers("solitaire"))[:2] == ["a3c", "long"]
    progress, save = solitaire_roster.start("long", seed=1, minutes=0.01, resume=None)
    first = list(progress)
    path = tmp_path / "solitaire.pt"
    save(path)
    assert load_network(path).width == 512
    learner = ActorCritic.load(solitaire_roster.resume_file(path))
    assert learner.updates > 0 and first[-1].metrics["steps"] == learner.updates * 1024
    again, _ = solitaire_roster.start("long", seed=1, minutes=0.01, resume=path)
    assert list(again) == [], "its minutes are used up"


def test_more_boards_are_faster() -> None:
    def learn(network: PegNet, games: object) -> None:
        gradients(network, games, Settings(), 0.0)  # type: ignore[arg-type]

    one, many = (board_speed(learn, PegNet(64), boards, 0.2) for boards in (1, 64))
    assert many > 5 * one > 0


def test_workers_are_timed_once_they_all_work() -> None:
    learner = A3C(Settings(width=16, games=8), workers=2, start="fork")
    speed = worker_speed(learner, seconds=0.5)
    assert 100 < speed < 1e6 and learner.updates > 2


def test_stored_figures_are_those_of_the_lesson() -> None:
    figures = lesson5_figures.read()
    assert len(figures["ten_seeds"]) == 10
    assert all(run["greedy in the centre"] == 1.0 for run in figures["ten_seeds"])
    assert min(run["sampled one peg"] for run in figures["ten_seeds"]) >= 0.8
    pairs = figures["pairs"]  # who steps first is up to the machine: not all solve it
    assert len(pairs) == 10 and sum(run["greedy pegs"] == 1.0 for run in pairs) >= 8
    assert all(0 < run["seconds"] < 60 for run in pairs)
    for name, iterations in (("seed_recipe", 800), ("more_updates", 240)):
        rows = figures[name]
        assert rows[-1]["iteration"] == iterations and 2.5 < rows[-1]["pegs"] < 3.5, name
        assert not any(row["solved"] for row in rows), "as the lesson says"
    by_pegs = {row["pegs"]: row for row in figures["by_pegs"]}
    assert list(by_pegs) == list(range(4, 32, 3))
    assert min(by_pegs.values(), key=lambda row: row["greedy"])["pegs"] == 19  # as the lesson says
    assert round(by_pegs[19]["greedy"], 2) == 0.64 and round(by_pegs[19]["beam"], 2) == 0.99
    assert min(row["beam"] for row in by_pegs.values()) > 0.99
    assert plots_pegs.solved_by_pegs(figures["by_pegs"]).png().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="no figure is called 'other'"):
        lesson5_figures.remake(["other"])


def test_figures_that_are_not_remade_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figures.json"
    path.write_text(json.dumps({"ten_seeds": [1]}))
    monkeypatch.setattr(lesson5_figures, "seed_recipe", lambda: [2])
    lesson5_figures.remake(["seed_recipe"], path)
    assert lesson5_figures.read(path) == {"ten_seeds": [1], "seed_recipe": [2]}
