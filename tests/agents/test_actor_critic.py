"""Actor-critic on solitaire: targets and losses by hand, the curriculum, players, resuming."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from lib.agents import solitaire_config
from lib.agents.actor_critic import ActorCritic, Settings, advantages, between, losses
from lib.agents.actor_critic_seed import (
    SeedActorCritic,
    SeedSettings,
    analyse,
    best_iteration,
    critic_targets,
    read_results,
    weights_file,
)
from lib.agents.solitaire_games import (
    Curriculum,
    Games,
    Rollout,
    draw_starts,
    forward_starts,
    reverse_starts,
)
from lib.agents.solitaire_networks import (
    NETWORKS,
    draw,
    judge,
    load_network,
    save_network,
    seeded_network,
)
from lib.games import batch_solitaire as batch
from lib.games.solitaire import SOLVED, START, Solitaire, count_pegs, flip, jumps
from lib.truth.solitaire import solvable

SMALL = Settings(width=32, games=16, steps=4)


def rollout(**changed: object) -> Rollout:
    """Two boards, three moves; the first board ends after its second move."""
    fields = {
        "boards": torch.zeros(6, 111),
        "legal": torch.ones(6, 76, dtype=torch.bool),
        "actions": np.array([[0, 1], [2, 3], [4, 5]]),
        "rewards": np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]], dtype=np.float32),
        "ended": np.array([[False, False], [True, False], [False, False]]),
        "values": np.array([[0.2, 0.4], [0.5, 0.3], [0.1, 0.6]], dtype=np.float32),
        "last_values": np.array([0.7, 0.8], dtype=np.float32),
    }
    return Rollout(**{**fields, **changed})  # type: ignore[arg-type]


def test_advantages_by_hand() -> None:
    n_step = advantages(rollout(), gamma=1.0, lam=1.0)
    np.testing.assert_allclose(n_step[:, 0], [1 - 0.2, 1 - 0.5, 0.7 - 0.1], atol=1e-6)
    np.testing.assert_allclose(n_step[:, 1], [0.8 - 0.4, 0.8 - 0.3, 0.8 - 0.6], atol=1e-6)
    one_step = advantages(rollout(), gamma=0.9, lam=0.0)
    np.testing.assert_allclose(
        one_step[:, 0], [0.9 * 0.5 - 0.2, 1 - 0.5, 0.9 * 0.7 - 0.1], atol=1e-6
    )
    mixed = advantages(rollout(), gamma=1.0, lam=0.5)
    deltas = [0.3 - 0.4, 0.6 - 0.3, 0.8 - 0.6]
    by_hand = deltas[0] + 0.5 * deltas[1] + 0.25 * deltas[2]
    np.testing.assert_allclose(mixed[0, 1], by_hand, atol=1e-6)
    assert mixed[1, 0] == pytest.approx(0.5), "nothing after an end counts"


def test_seeds_targets_are_the_n_step_returns() -> None:
    played = rollout()
    targets = critic_targets(played.rewards, played.ended, played.last_values, 1.0)
    np.testing.assert_allclose(targets, [[1, 0.8], [1, 0.8], [0.7, 0.8]], atol=1e-6)
    np.testing.assert_allclose(targets - played.values, advantages(played, 1.0, 1.0), atol=1e-6)
    halved = critic_targets(played.rewards, played.ended, played.last_values, 0.5)
    np.testing.assert_allclose(halved[:, 1], [0.1, 0.2, 0.4], atol=1e-6)


class Constant(nn.Module):
    """Logits and values that are parameters, so that gradients can be read off."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.randn(rows, 76, generator=torch.manual_seed(1)))
        self.values = nn.Parameter(torch.linspace(0, 1, rows))

    def forward(self, boards: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.logits, self.values


def test_gradients_by_hand() -> None:
    network, played = Constant(6), rollout()
    settings = Settings(lam=1.0, value_weight=0.5)
    loss, parts = losses(network, played, settings, entropy_weight=0.0)
    loss.backward()
    gained = advantages(played, 1.0, 1.0).flatten()
    pi = network.logits.detach().softmax(dim=1).numpy()
    hot = np.eye(76)[played.actions.flatten()]
    np.testing.assert_allclose(network.logits.grad, (pi - hot) * gained[:, None] / 6, atol=1e-6)
    target = gained + played.values.flatten()
    error = network.values.detach().numpy() - target
    np.testing.assert_allclose(network.values.grad, error / 6, atol=1e-6)
    assert parts["critic"] == pytest.approx((error**2).mean(), abs=1e-6)


def test_entropy_pulls_towards_the_uniform_policy() -> None:
    network = Constant(6)
    flat = rollout(rewards=np.zeros((3, 2), np.float32), values=np.zeros((3, 2), np.float32))
    flat = flat._replace(last_values=np.zeros(2, np.float32))
    before = network.logits.detach().softmax(dim=1).max()
    optimizer = torch.optim.SGD(network.parameters(), lr=50.0)
    for _ in range(20):
        loss, _ = losses(network, flat, Settings(lam=1.0), entropy_weight=1.0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert network.logits.detach().softmax(dim=1).max() < before / 2


@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_mask_and_judge_images_alike(kind: str, tmp_path: Path) -> None:
    network = seeded_network(lambda: NETWORKS[kind](16), seed=1)
    rng = np.random.default_rng(2)
    boards = draw_starts(50, Curriculum(0.1, 0.4), rng)
    logits, values = judge(network, boards)
    assert logits.shape == (50, 76) and values.shape == (50,)
    legal = batch.legal(boards)
    assert (logits[~legal] <= -1e8).all() and (np.abs(logits[legal]) < 10).all()
    for symmetry in range(8):
        turned, same = judge(network, batch.symmetric(boards, symmetry))
        images = np.take_along_axis(turned, np.tile(batch.JUMP_IMAGES[symmetry], (50, 1)), axis=1)
        np.testing.assert_allclose(same, values, atol=1e-5)
        # Of jumps that a symmetric board maps onto each other any one may be meant: sort.
        np.testing.assert_allclose(np.sort(images), np.sort(logits), atol=1e-5)
    again = load_network(save_network(tmp_path / "net.pt", network))
    np.testing.assert_array_equal(judge(again, boards)[1], values)
    same_seed = seeded_network(lambda: NETWORKS[kind](16), seed=1)
    np.testing.assert_array_equal(judge(same_seed, boards)[1], values)


def test_unknown_networks_are_named(tmp_path: Path) -> None:
    torch.save({"kind": "Other", "width": 3, "weights": {}}, tmp_path / "x.pt")
    with pytest.raises(ValueError, match="'Other' is unknown: one of"):
        load_network(tmp_path / "x.pt")


def test_draw_follows_the_softmax() -> None:
    logits = np.log(np.array([0.5, 0.3, 0.2, 1e-12]))
    drawn = draw(np.tile(logits, (40_000, 1)), np.random.default_rng(4))
    for action, share in enumerate([0.5, 0.3, 0.2, 0.0]):
        assert abs((drawn == action).mean() - share) <= 5 * (share * (1 - share) / 40_000) ** 0.5


def test_reverse_starts_can_be_solved_and_forward_ones_reached() -> None:
    rng = np.random.default_rng(3)
    lengths = np.arange(1, 21)
    boards = reverse_starts(lengths, rng)
    assert batch.count_pegs(boards).tolist() == (lengths + 1).tolist()
    assert all(solvable(board) for board in boards.tolist())
    reached = forward_starts(np.arange(1, 17), rng)
    assert batch.count_pegs(reached).tolist() == [32 - n for n in range(1, 17)]
    assert batch.legal(reached).any(axis=1).all()
    with_one = reverse_starts(np.ones(400, dtype=np.int64), rng)
    assert set(with_one.tolist()) == {flip(SOLVED, a) for a in range(76) if flip_leads(a)}


def flip_leads(action: int) -> bool:
    """Whether that jump can have led to the solved board."""
    before = flip(SOLVED, action)
    return action in jumps(before) and count_pegs(before) == 2


def test_shares_of_the_curriculum() -> None:
    boards = draw_starts(4_000, Curriculum(0.2, 0.5, unjumps=6), np.random.default_rng(5))
    usual, near = (boards == START).mean(), (batch.count_pegs(boards) <= 7).mean()
    assert abs(usual - 0.2) < 0.035 and abs(near - 0.5) < 0.04  # 5 standard errors


def test_games_are_played_by_the_rules_and_start_again() -> None:
    network = seeded_network(lambda: NETWORKS["PegNet"](16), 0)
    games = Games(8, np.random.default_rng(1), Curriculum(0.5, 0.5, unjumps=3))
    for _ in range(40):
        before = games.boards.copy()
        played = games.play(network, 1)
        actions, ended = played.actions[0], played.ended[0]
        for i, (board, action) in enumerate(zip(before.tolist(), actions.tolist(), strict=True)):
            assert action in jumps(board)
            after = flip(board, action)
            over = not jumps(after)
            assert ended[i] == over
            one = count_pegs(after) == 1
            assert played.rewards[0, i] == (over and one) + 0.5 * (after == SOLVED)
            if not over:
                assert games.boards[i] == batch.canonical_position(after)
            else:
                assert jumps(int(games.boards[i]))
    assert games.finished > 20


def test_starts_without_a_jump_are_refused() -> None:
    with pytest.raises(ValueError, match="no jump is possible in any of 1024 starts"):
        Games(4, np.random.default_rng(0), starts=lambda count, *_: np.full(count, SOLVED))


def test_it_learns_what_is_two_jumps_away() -> None:
    curriculum = Curriculum(0.0, 1.0, unjumps=4)
    learner = ActorCritic(replace(SMALL, width=64, games=64, curriculum=curriculum), seed=3)
    ends = np.random.default_rng(0)
    for _ in learner.train(updates=250):
        pass
    from lib.agents.solitaire_player import play_out

    boards = reverse_starts(np.full(400, 4), ends)
    trained = (batch.count_pegs(play_out(learner.network, boards)) == 1).mean()
    fresh = seeded_network(lambda: NETWORKS["PegNet"](64), 3)
    untrained = (batch.count_pegs(play_out(fresh, boards)) == 1).mean()
    assert trained > 0.85 > 0.6 > untrained, (trained, untrained)


def test_same_seed_same_weights_and_resumed_equals_in_one_go(tmp_path: Path) -> None:
    whole, part, other = (ActorCritic(SMALL, seed=s) for s in (7, 7, 8))
    for learner in (whole, other):
        told = list(learner.train(updates=30, report=10))
        assert [p.done for p in told] == [10, 20, 30]
    for progress in part.train(updates=30, report=10):
        if progress.done == 10:
            break
    resumed = ActorCritic.load(part.save(tmp_path / "half.pt"))
    assert resumed.settings == SMALL and resumed.updates == 10
    list(resumed.train(updates=30, report=10))
    for a, b, c in zip(
        *(learner.network.parameters() for learner in (whole, resumed, other)), strict=True
    ):
        assert torch.equal(a, b) and not torch.equal(a, c)


def test_how_long_must_be_said_once() -> None:
    for limits in ({}, {"updates": 1, "seconds": 1.0}):
        with pytest.raises(ValueError, match="either updates"):
            next(ActorCritic(SMALL).train(**limits))
    assert between(1, 3, 0.25) == 1.5 and between(1, 3, 7) == 3


def test_seeds_form_writes_results_and_weights_and_goes_on(tmp_path: Path) -> None:
    settings = SeedSettings(width=4, iterations=4, games=4, batch=16, evaluation_games=10)
    whole = SeedActorCritic(settings, seed=1)
    told = list(whole.train(tmp_path / "a", tmp_path / "a"))
    assert [p.done for p in told] == [1, 2, 3, 4] and told[0].unit == "iterations"
    part = SeedActorCritic(settings, seed=1)
    for _ in itertools.islice(part.train(tmp_path / "b", tmp_path / "b"), 2):
        pass
    resumed = SeedActorCritic.load(tmp_path / "b" / "training.pt")
    assert resumed.iteration == 2 and list(resumed.buffer) == list(part.buffer)
    list(resumed.train(tmp_path / "b", tmp_path / "b"))
    rows, again = read_results(tmp_path / "a"), read_results(tmp_path / "b")
    assert [row["pegs"] for row in rows] == [row["pegs"] for row in again]
    assert all(len(row["pegs"]) == 10 and min(row["pegs"]) >= 1 for row in rows)
    found = analyse(rows, window=2)
    assert [part["iteration"] for part in found] == [2, 4]
    assert found[0]["pegs"] == pytest.approx(np.mean(rows[0]["pegs"] + rows[1]["pegs"]))
    last = load_network(weights_file(tmp_path / "b", 4))
    assert all(map(torch.equal, last.state_dict().values(), whole.network.state_dict().values()))
    assert best_iteration(rows) == 1 + int(np.argmin([np.mean(row["pegs"]) for row in rows]))


def test_seeds_buffer_holds_what_was_played() -> None:
    learner = SeedActorCritic(SeedSettings(width=4, games=3, buffer=10_000), seed=2)
    learner.play_iteration()
    assert sum(count_pegs(sample.state) == 32 for sample in learner.buffer) == 3
    for sample in learner.buffer:
        assert sample.action in jumps(sample.state)
    moves = {count_pegs(sample.state) for sample in learner.buffer}
    assert moves == set(range(min(moves), 33)), "every move of every game is there"
    last = [s for s in learner.buffer if not jumps(flip(s.state, s.action))]
    assert len(last) == 3
    assert all(s.critic_target == pytest.approx(1 / 31) for s in last), "an end is not bootstrapped"


def test_config_files(tmp_path: Path) -> None:
    seed = solitaire_config.read_config(solitaire_config.SEED_FILE)
    assert seed.form == "seed" and seed.settings == SeedSettings()
    path = tmp_path / "a3c.toml"
    path.write_text(
        'form = "actor-critic"\nminutes = 0.01\n[folders]\n'
        f'results = "{tmp_path.as_posix()}"\n[settings]\ngames = 8\nwidth = 16\n'
        "[settings.curriculum]\nstandard = 0.5\n"
    )
    config = solitaire_config.read_config(path)
    assert isinstance(config.settings, Settings)
    assert config.settings.curriculum.standard == 0.5 and config.settings.games == 8
    progress, save = solitaire_config.training(config)
    assert list(progress)[-1].unit == "seconds" and save() == tmp_path / "training.pt"
    resumed, _ = solitaire_config.training(config, resume=True)
    assert list(resumed) == [], "all of it was done before"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('form = "dqn"', "choose one of seed"),
        ("[settings]\nalhpa = 1", "'alhpa' in .* is unknown: choose from network"),
        ("colour = 3", "'colour' in .* is unknown"),
        ("form = ", "is not TOML"),
        ("folders = 3", "folders = 3 in .* below a line .folders."),
        ('form = "a3c"\n[settings]\ncurriculum = 3', "curriculum = 3 in .* below a line"),
        ('[settings]\nnetwork = "Foo"', "network = 'Foo' in .*: give one of PegNet, ConvNet"),
        ('[settings]\ngames = "many"', "games = 'many' in .*: give a whole number from 1 on"),
        ("[settings]\ngames = 0", "games = 0 in .*: give a whole number from 1 on, such as 16"),
        ("[settings]\nalpha = true", "alpha = True in .*: give a number, such as 5e-05"),
        ("seed = -1", "seed = -1 in .*: give a whole number from 0 on"),
        ("minutes = -1", "minutes = -1 in .*: give a number above 0, such as 2"),
        ("[folders]\nresults = 3", "results = 3 in .*: give a text, such as 'runs/solitaire'"),
    ],
)
def test_wrong_config_files_are_explained(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=says):
        solitaire_config.read_config(path)


def test_games_of_the_interface_agree_with_the_boards() -> None:
    from lib.agents.solitaire_player import PegPlayer, play_out
    from lib.game import play

    network = seeded_network(lambda: NETWORKS["PegNet"](16), 5)
    record = play(Solitaire(), [PegPlayer(network)], np.random.default_rng(0))
    assert record.states[-1] == play_out(network, np.array([START]))[0]
