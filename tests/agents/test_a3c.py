"""A3C: the shared optimizer and one worker's round by hand, processes that end, beam search."""

import multiprocessing
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from lib.agents.a3c import A3C, SharedAdam, WorkerDied, worker_step
from lib.agents.a3c_workers import SILENCE, Ledger
from lib.agents.actor_critic import Settings, gradients
from lib.agents.beam import beam_search, expand
from lib.agents.solitaire_networks import NEVER, PegNet, seeded_network
from lib.agents.solitaire_player import PegPlayer, play_out, search_out, solved_share, strength
from lib.arena import evaluate
from lib.games import batch_solitaire as batch
from lib.games.solitaire import SOLVED, START, Solitaire, count_pegs, flip, jumps, unjumps
from lib.truth.solitaire import random_solvable, solvable

SMALL = Settings(width=16, games=8, steps=4)


def no_workers() -> bool:
    """Whether every process of ours has ended; one that just did may take a moment."""
    for _ in range(50):
        if not multiprocessing.active_children():
            return True
        time.sleep(0.1)
    return False


def test_shared_adam_is_adam() -> None:
    ours, theirs = (seeded_network(lambda: nn.Linear(3, 2), 1) for _ in range(2))
    shared, plain = SharedAdam(ours.parameters(), 0.01), torch.optim.Adam(theirs.parameters(), 0.01)
    assert all(t.is_shared() for state in shared.tensors() for t in state.values())
    x = torch.linspace(-1, 1, 12).reshape(4, 3)
    for _ in range(5):
        for network, optimizer in ((ours, shared), (theirs, plain)):
            optimizer.zero_grad()
            network(x).square().sum().backward()
            optimizer.step()
    assert all(map(torch.equal, ours.parameters(), theirs.parameters()))
    assert float(shared.tensors()[0]["step"]) == 5


def test_one_round_of_a_worker_by_hand() -> None:
    shared, own = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    shared.weight.data.fill_(2.0)
    own.weight.data.fill_(9.0)
    seen = []

    def learn(network: nn.Module) -> dict[str, float]:
        seen.append(network.weight.item())
        network.weight.grad = torch.full((1, 1), 3.0)
        return {"loss": 4.0}

    figures = worker_step(shared, own, torch.optim.SGD(shared.parameters(), lr=0.1), learn)
    assert figures == {"loss": 4.0} and seen == [2.0], "it learned with the shared weights"
    assert shared.weight.item() == pytest.approx(2 - 0.1 * 3) and own.weight.item() == 2.0


def test_ledger_adds_up() -> None:
    ledger = Ledger(2, None, 10.0, updates=5, seconds=2.0)
    ledger.rows[0] = torch.tensor([3.0, 1.0, 10, 0.5, 2.0])
    ledger.rows[1] = torch.tensor([4.0, 2.0, 30, 0.9, 1.0])
    assert ledger.updates == 12 and ledger.seconds == 5.0 and ledger.fraction() == 0.5
    assert ledger.recent() == {"solved": pytest.approx(0.8), "pegs": pytest.approx(1.25)}
    assert Ledger(1, 4, None, updates=1).fraction() == 0.25


def test_workers_share_one_network_and_leave(tmp_path: Path) -> None:
    learner = A3C(SMALL, seed=1, workers=2, start="fork")
    before = [p.detach().clone() for p in learner.network.parameters()]
    told = list(learner.train(updates=60, report=0.2))
    assert told[-1].done == told[-1].total == 60 and 60 <= learner.updates <= 61
    assert learner.seconds > 0 and no_workers()
    after = list(learner.network.parameters())
    assert not any(map(torch.equal, before, after))
    assert float(learner.optimizer.tensors()[0]["step"]) >= 55, "both used one optimizer"
    again = A3C.load(learner.save(tmp_path / "a3c.pt"), start="fork")
    assert all(map(torch.equal, again.network.parameters(), after))
    assert again.updates == learner.updates and again.settings == SMALL
    list(again.train(updates=80, report=0.2))
    assert again.updates >= 80 and float(again.optimizer.tensors()[0]["step"]) >= 74


def test_one_worker_repeats_itself() -> None:
    weights = []
    for _ in range(2):
        learner = A3C(SMALL, seed=3, workers=1, start="fork")
        list(learner.train(updates=10, report=0.2))
        weights.append(learner.network.state_dict())
    assert all(map(torch.equal, weights[0].values(), weights[1].values()))


def test_stopping_in_the_middle_keeps_what_was_learned() -> None:
    learner = A3C(SMALL, workers=2, start="fork")
    training = learner.train(seconds=600, report=0.3)
    for progress in training:
        if progress.metrics["steps"] > 0:
            break
    training.close()
    assert no_workers() and learner.updates > 0 and learner.seconds < 100


def test_interrupt_stops_the_workers() -> None:
    learner = A3C(SMALL, workers=2, start="fork")
    with pytest.raises(KeyboardInterrupt):
        for progress in learner.train(seconds=600, report=0.3):
            if progress.metrics["steps"] > 0:
                signal.raise_signal(signal.SIGINT)
    del progress
    import gc

    gc.collect()  # a loop that was left drops its generator here at the latest
    assert no_workers() and learner.updates > 0


def test_a_worker_that_raises_is_reported_and_the_weights_are_saved(tmp_path: Path) -> None:
    calls = []

    def broken(*args: object) -> dict[str, float]:
        calls.append(1)
        if len(calls) > 5:
            raise ZeroDivisionError("a student's mistake")
        return worker_step(*args)  # type: ignore[arg-type]

    learner = A3C(SMALL, workers=2, start="fork", step=broken)
    path = tmp_path / "saved.pt"
    with pytest.raises(WorkerDied, match=r"Worker \d of 2 died: ZeroDivisionError: a student's"):
        list(learner.train(seconds=600, report=0.3, save_to=path))
    assert no_workers()
    saved = A3C.load(path)
    assert saved.updates == learner.updates >= 5
    assert all(map(torch.equal, saved.network.parameters(), learner.network.parameters()))


def test_a_worker_that_is_killed_is_reported() -> None:
    def deadly(*args: object) -> dict[str, float]:
        os.kill(os.getpid(), signal.SIGKILL)
        return {}

    learner = A3C(SMALL, workers=2, start="fork", step=deadly)
    with pytest.raises(WorkerDied, match=r"exit code -9.*this learner keeps the weights"):
        list(learner.train(seconds=600))
    assert no_workers()


def test_functions_that_cannot_travel_are_named() -> None:
    lock = multiprocessing.Lock()

    def locked(*args: object) -> dict[str, float]:
        with lock:
            return {}

    with pytest.raises(ValueError, match="can't be sent to a worker"):
        next(A3C(SMALL, step=locked).train(updates=1))
    with pytest.raises(ValueError, match="one worker or more"):
        A3C(workers=0)


def test_workers_of_a_silent_parent_end_and_are_hired_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert SILENCE > 5
    monkeypatch.setattr("lib.agents.a3c_workers.SILENCE", 1.0)
    learner = A3C(SMALL, workers=1, start="fork")
    training = learner.train(seconds=600, report=0.3)
    while next(training).metrics["steps"] == 0:
        pass
    time.sleep(3)
    assert not any(child.is_alive() for child in multiprocessing.active_children())
    before = learner.updates
    while learner.updates <= before + 50:
        next(training)
    training.close()
    assert no_workers()


@pytest.mark.slow
def test_spawned_workers_get_a_students_own_functions() -> None:
    class OwnNet(PegNet):
        """A class that no other process can import."""

    def own_learn(network, games, settings, fraction):  # type: ignore[no-untyped-def]
        assert type(network).__name__ == "OwnNet"
        return gradients(network, games, settings, fraction)

    def own_step(shared, own, optimizer, learn):  # type: ignore[no-untyped-def]
        return worker_step(shared, own, optimizer, learn)

    def own_starts(count, curriculum, rng):  # type: ignore[no-untyped-def]
        return np.full(count, flip(SOLVED, unjumps(SOLVED)[0]))

    for function in (own_learn, own_step, own_starts):
        function.__module__ = "__main__"
    learner = A3C(
        SMALL, network=lambda: OwnNet(16), learn=own_learn, step=own_step, starts=own_starts
    )
    told = list(learner.train(updates=40))
    assert told[-1].done == 40 and no_workers()


@pytest.mark.slow
def test_it_solves_the_board() -> None:
    """Half of what the bar allows: 60 CPU-seconds of two workers instead of 120."""
    learner = A3C(seed=0, workers=2)
    for _ in learner.train(seconds=60):
        pass
    found = strength(learner.network, games=1000, seed=1)
    assert found["greedy in the centre"] == 1.0, found
    assert found["sampled one peg"] >= 0.95, found


class Oracle(nn.Module):
    """Knows the truth: the value of a solvable position is 1, of any other 0."""

    @staticmethod
    def encode(boards: np.ndarray, legal: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(boards)

    def forward(
        self, boards: torch.Tensor, legal: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        values = torch.tensor([float(solvable(board)) for board in boards.tolist()])
        return torch.zeros(legal.shape).masked_fill(~legal, NEVER), values


def test_beam_of_one_with_the_truth_as_value_solves() -> None:
    for position in random_solvable(14, 5, np.random.default_rng(1)).tolist():
        for jump in beam_search(Oracle(), position, width=1):
            assert jump in jumps(position)
            position = flip(position, jump)
        assert position == SOLVED


def test_beam_that_keeps_everything_is_exhaustive() -> None:
    network = seeded_network(lambda: PegNet(8), 0)
    for position in random_solvable(9, 5, np.random.default_rng(2)).tolist():
        assert search_out(network, np.array([position]), width=100_000).tolist() == [SOLVED]
    stuck = 0b101
    assert beam_search(network, stuck) == []
    with pytest.raises(ValueError, match="one position or more"):
        beam_search(network, START, width=0)


def test_a_level_has_each_position_once() -> None:
    level = expand(np.array([START]))
    assert len(level.boards) == 1, "the four first jumps are images of each other"
    after = expand(level.boards)
    by_hand = {
        batch.canonical_position(flip(int(level.boards[0]), a)) for a in jumps(int(level.boards[0]))
    }
    assert {batch.canonical_position(b) for b in after.boards.tolist()} == by_hand
    assert len(after.boards) == len(by_hand)


def test_players_in_the_arena() -> None:
    network = seeded_network(lambda: PegNet(16), 3)
    greedy = evaluate(Solitaire(), PegPlayer(network), games=3, seed=1)
    assert len(set(greedy.scores)) == 1
    drawn = evaluate(Solitaire(), PegPlayer(network, sample=True), games=20, seed=1)
    assert len(set(drawn.scores)) > 1
    searched = evaluate(Solitaire(), PegPlayer(network, beam=8), games=1, seed=1)
    line = beam_search(network, START, 8)
    assert searched.scores[0] == len(line) >= greedy.scores[0]
    with pytest.raises(ValueError, match="choose one"):
        PegPlayer(network, sample=True, beam=3)


def test_random_policy_leaves_what_random_play_leaves() -> None:
    class Uniform(Oracle):
        def forward(
            self, boards: torch.Tensor, legal: torch.Tensor
        ) -> tuple[torch.Tensor, torch.Tensor]:
            return torch.zeros(legal.shape).masked_fill(~legal, NEVER), torch.zeros(len(boards))

    ends = play_out(Uniform(), np.full(4000, START), np.random.default_rng(1))
    pegs = batch.count_pegs(ends)
    assert abs(pegs.mean() - 7.64) < 5 * pegs.std() / 4000**0.5
    assert solved_share(ends) < 0.002 and count_pegs(int(ends[0])) == pegs[0]


def test_settings_reach_the_network() -> None:
    assert A3C(replace(SMALL, width=24)).network.width == 24
