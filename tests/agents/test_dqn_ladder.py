"""The ladder of 2048's DQN, what surrounds lesson 4's training, and the players with its values."""

import itertools
import json
from dataclasses import asdict

import numpy as np
import pytest
import torch

from lib import plots, plots_dqn
from lib.agents import dqn_ladder, registry
from lib.agents.afterstate_dqn import AfterstateDQN, Settings
from lib.agents.dqn_games import play_games, preferring
from lib.agents.dqn_ladder import GROUPS, Rule, Rung, climb, read
from lib.agents.dqn_player import DQNPlayer
from lib.agents.dqn_workshop import Workshop
from lib.boards.watch import Watch
from lib.games.batch2048 import exponents
from lib.games.board2048 import can_move, from_tiles, move
from lib.games.game2048 import Game2048, State


def test_every_rung_mends_one_thing() -> None:
    """Afterstates also drop the random moves: they need none, as no value goes untried."""
    rungs = [rung for rung in GROUPS["ladder"].values() if isinstance(rung, Rung)]
    assert len(rungs) == 10
    for before, after in itertools.pairwise(rungs):
        one, two = ({**asdict(r.settings), "symmetries": r.symmetries} for r in (before, after))
        changed = {name for name in one if one[name] != two[name]} - {"epsilon"}
        assert len(changed) == 1, changed
    assert rungs[-1].settings == dqn_ladder.BEST == Settings(alpha_end=Settings().alpha)


def test_a_climb_writes_what_it_measured(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    few = {
        "ladder": {name: GROUPS["ladder"][name] for name in ("the project's form", "afterstates")},
        "rules": {"entropy": Rule("entropy")},
    }
    monkeypatch.setattr(dqn_ladder, "GROUPS", few)
    monkeypatch.setattr(
        dqn_ladder, "measure_rule", lambda rule, seed, games: {"seed": seed, "score": 1}
    )
    steps = 256 * 12
    told = list(climb(tmp_path / "a.json", steps=steps, games=5, seeds=(2, 1)))
    assert [p.done for p in told] == [1, 2, 3, 4, 5, 6]
    found = read(tmp_path / "a.json")
    assert found["about"] == {"steps": steps, "games": 5, "seeds": [2, 1]}
    for rows in (found["ladder"]["afterstates"], found["rules"]["entropy"]):
        assert [row["seed"] for row in rows] == [1, 2]
    row = found["ladder"]["afterstates"][0]
    again = dqn_ladder.measure(few["ladder"]["afterstates"], 1, steps, 5)  # type: ignore[arg-type]
    assert json.loads(json.dumps(again)) == row


def test_the_stored_ladder_is_whole_and_climbs() -> None:
    found = read()
    assert {group: list(rungs) for group, rungs in GROUPS.items()} == {
        group: list(found[group]) for group in GROUPS
    }
    for rungs in (found[group] for group in GROUPS):
        assert all([row["seed"] for row in rows] == [1, 2, 3, 4, 5] for rows in rungs.values())


def test_the_ladder_shows_what_the_lesson_says() -> None:
    found = read()
    ends, means = {}, {}
    for name, rows in {**found["ladder"], **found["rewards"]}.items():
        means[name], half = float(np.mean([r["score"] for r in rows])), plots_dqn.interval(rows)
        ends[name] = (means[name] - half, means[name] + half)
    assert ends["10-step returns"][0] > ends["faster target"][1]  # two mends together
    assert ends["afterstates"][0] > 2.5 * means["symmetry"]  # "three times the score"
    by_seed = zip(
        found["ladder"]["8 views at play"], found["ladder"]["mean of weights"], strict=True
    )
    assert all(eight["score"] > 1.16 * one["score"] for eight, one in by_seed)
    assert ends["none"][0] < 1094 < ends["none"][1]  # random play
    others = [ends[name] for name in ("score", "log2", "progressive", "progressive_penalty")]
    assert max(low for low, _ in others) < min(high for _, high in others)  # they overlap
    heats = [np.array(row["heat"]) for rows in found["rules"].values() for row in rows]
    assert len(heats) == 15
    for cells in heats:  # the large tiles stand in the centre
        assert cells[1:3, 1:3].min() > max(cells[0].max(), cells[3].max(), cells[:, ::3].max())


def test_the_hierarchy_of_moves_is_the_rule_s_own() -> None:
    """Under entropy training prefers some moves; what was learned, played greedily, does not."""
    shares: dict[tuple[str, str], np.ndarray] = {}
    for kind, rows in read()["rules"].items():
        for counts in ("taken", "moves"):
            taken = np.array([row[counts] for row in rows], float)
            ranked = np.sort(taken / taken.sum(axis=1, keepdims=True), axis=1)
            shares[kind, counts] = ranked.mean(axis=0)  # least to most
    assert shares["entropy", "taken"][3] > 3 * shares["entropy", "taken"][0]
    even = [share for key, share in shares.items() if key != ("entropy", "taken")]
    assert all(share[0] > 0.19 and share[3] < 0.31 for share in even)


def test_the_interval_of_a_bar_covers_seeds_and_games() -> None:
    rows = [{"score": 100.0, "error": 3.0}, {"score": 110.0, "error": 4.0}]
    assert plots_dqn.interval(rows) == pytest.approx(12.71 * 5.0)  # seeds: 7.07 / sqrt(2)
    assert plots_dqn.interval(rows[:1]) == pytest.approx(1.96 * 3.0)
    alike = [{"score": 100.0, "error": 3.0}] * 4
    assert plots_dqn.interval(alike) == pytest.approx(1.96 * 1.5)


def test_figures_are_pictures_that_a_page_does_not_shrink() -> None:
    games = {"fixed": play_games(preferring((1, 2, 3, 0)), 10)}
    row = {"score": 5.0, "error": 1.0, "reached": {"512": 0.0}}
    drawn = [
        plots_dqn.scores(games),
        plots_dqn.tiles_reached(games),
        plots_dqn.moves({"a": [1, 2, 3, 4]}, ("most", "second", "third", "least")),
        plots_dqn.heats({"a": games["fixed"].heat()}),
        plots_dqn.ladder({"one": [row], "two": [row, row]}, "a ladder", {"level": 2.0}),
        plots_dqn.losses(),
        plots_dqn.planes(np.zeros((12, 4, 4))),
        plots_dqn.heats(dict.fromkeys("abcd", games["fixed"].heat())),
        plots.bars({str(pegs): pegs for pegs in range(1, 14)}),
    ]
    assert all(figure is not None and figure.get_figwidth() <= 9 for figure in drawn)
    assert all(figure.png().startswith(b"\x89PNG") for figure in drawn)


def test_games_stand_side_by_side_until_the_longest_ends() -> None:
    watches = {f"seed {seed}": Watch(Game2048(), agents=["random"], seed=seed) for seed in (1, 2)}
    lengths = [len(watch.finish().moves) for watch in watches.values()]
    film = plots_dqn.beside(watches, pictures=10)
    assert len(film.drawings) == 10
    one = watches["seed 1"].drawing()
    assert all(drawing.width == 2 * one.width + 16 for drawing in film.drawings)
    words = [
        [s["text"] for s in drawing.shapes if s["kind"] == "text"] for drawing in film.drawings
    ]
    for (name, watch), length in zip(watches.items(), lengths, strict=True):
        assert f"{name}, move 0" in words[0]
        assert f"{name}, move {length}" in words[-1]
        assert f"Score {watch.session.states[-1].score:,}" in words[-1]
    points = [p for s in film.drawings[-1].shapes if s["kind"] == "poly" for p in s["points"]]
    assert max(x for x, _ in points) > one.width  # the second board's arrows moved with it


def test_a_workshop_plays_and_remembers() -> None:
    work = Workshop(seed=1, games=8, n_step=3)
    for _ in range(200):
        work.play()
    assert len(work.scores) > 3
    boards, returns, discounts, later = work.sample(64)
    assert boards.shape == later.shape == (64, 16)
    assert set(np.round(discounts.tolist(), 5)) == {0.0, round(0.999**3, 5)}
    assert returns.min() >= 0 and returns.max() > 0
    worth = work.worth(work.games.boards)
    for row, board in zip(worth, work.games.boards, strict=True):
        assert np.flatnonzero(row > -np.inf).tolist() == can_move(int(board))
    again = Workshop(seed=2, games=8)
    again.load(work.weights())
    assert torch.equal(again.network(boards), work.network(boards))
    with pytest.raises(ValueError, match="not the network's weights"):
        again.load({"first": np.zeros(3)})


def test_the_player_takes_the_largest_mean_over_symmetries() -> None:
    learner = AfterstateDQN(Settings(games=4, replay=40), seed=2, device="cpu")
    player, board = DQNPlayer(learner), from_tiles([[4, 2, 0, 0], [2, 0, 8, 0], [0] * 4, [0] * 4])
    worth = {}
    for action in can_move(board):
        after, gain = move(board, action)
        cells = exponents(np.array([after], np.uint64)).reshape(4, 4)
        seen = [np.rot90(c, k).ravel() for c in (cells, cells.T) for k in range(4)]
        values = learner.mean(torch.from_numpy(np.array(seen)).int()).detach().numpy()
        worth[action] = 0.001 * gain + 0.999 * values.mean()
    assert player.act(Game2048(), State(board), 0) == max(worth, key=worth.__getitem__)
    got = player.values(board)
    assert {a: got[a] for a in worth} == pytest.approx(worth, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "reached"), [("dqn", 0.801), ("tuples", 0.865)])
def test_the_shipped_networks_win(name: str, reached: float) -> None:
    """What the table of weights says, less five standard errors of 100 games."""
    player = registry.agents("2048")[name]()
    assert isinstance(player, DQNPlayer)
    games = player.learner.test(100, seed=21, symmetries=player.symmetries)
    assert games.reached(2048) > reached - 5 * (reached * (1 - reached) / 100) ** 0.5
