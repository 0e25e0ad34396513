"""`course.py train`: what it makes, what Ctrl-C leaves behind, and sweeps over seeds."""

import argparse
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lib.agents import registry, trainers
from lib.agents.progress import Progress
from lib.agents.registry import WEIGHTS
from lib.agents.solitaire_networks import load_network
from lib.agents.trainers import Trainer
from lib.cli import follow, sweep, train
from lib.cli.main import parse
from lib.games import GAMES

SHIPPED = WEIGHTS / "tapnswap.npz"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course folder of the test's own for runs/."""
    monkeypatch.setattr(train, "ROOT", tmp_path)
    return tmp_path


def call(*argv: str) -> int:
    return train.run(arguments(*argv))


def arguments(*argv: str) -> argparse.Namespace:
    return parse("train", train, list(argv))


def table_in(path: Path) -> np.ndarray:
    with np.load(path, allow_pickle=False) as file:
        return np.array(file["table"])


def test_command_makes_the_shipped_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("tapnswap", "q-learning", "--seed", "0") == 0
    made = folder / "runs" / "tapnswap-q-learning-seed0.npz"
    assert (table_in(made) == table_in(SHIPPED)).all()
    said = capsys.readouterr().out
    assert "exact 177, of 177" in said and made.name in said


def interrupting(at: int, times: int = 1) -> Trainer:
    """The trainer of TapnSwap, with Ctrl-C pressed after so many games."""
    real = trainers.trainers("tapnswap")["q-learning"]

    def start(seed: int, minutes: float, resume: Path | None) -> tuple[Iterator[Progress], Any]:
        progress, save = real.start(seed, minutes, resume)

        def told() -> Iterator[Progress]:
            for each in progress:
                if each.done == at and not resume:
                    for _ in range(times):
                        signal.raise_signal(signal.SIGINT)
                yield each

        return told(), save

    return Trainer(real.summary, real.file, start, real.minutes)


def test_ctrl_c_saves_and_resume_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(trainers._TRAINERS, "tapnswap", {"q-learning": interrupting(4_000)})
    path = folder / "mine.npz"
    assert call("tapnswap", "--out", str(path)) == 130
    said = capsys.readouterr()
    assert f"To go on: python3 course.py train tapnswap --out {path} --resume" in said.out
    assert "Stopping after this step" in said.err
    assert table_in(path)[:, 3].sum() < table_in(SHIPPED)[:, 3].sum(), "fewer visits"
    assert call("tapnswap", "--out", str(path), "--resume") == 0
    assert (table_in(path) == table_in(SHIPPED)).all(), "as if it had never been interrupted"


def test_ctrl_c_twice_interrupts_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(trainers._TRAINERS, "tapnswap", {"q-learning": interrupting(1_000, 2)})
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        call("tapnswap")
    assert not (folder / "runs").exists(), "nothing half done"
    assert signal.getsignal(signal.SIGINT) is before


def test_long_trainings_are_saved_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "SAVE_EVERY", -1.0)
    saves: list[int] = []
    steps = (Progress(n, 4, "steps", {"score": n / 4}) for n in range(1, 5))
    metrics = follow.follow(steps, lambda: saves.append(1), follow.Stop())
    assert metrics == {"score": 1.0} and len(saves) == 5


def test_without_a_terminal_there_are_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(follow, "TELL_EVERY", -1.0)
    steps = (Progress(1_000 * n, 2_000, "games", {"won": n / 2}) for n in (1, 2))
    follow.follow(steps, lambda: None, follow.Stop())
    shown = capsys.readouterr().out.splitlines()
    assert shown == ["1,000 of 2,000 games: won 0.5", "2,000 of 2,000 games: won 1"]


def test_minutes_limit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("tapnswap", "--minutes", "0.0001") == 0
    made = table_in(folder / "runs" / "tapnswap-q-learning-seed0.npz")
    assert 0 < made[:, 3].sum() < 0.5 * table_in(SHIPPED)[:, 3].sum()


def test_weights_go_where_the_course_ships_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "WEIGHTS", folder / "shipped")
    assert call("tapnswap", "--weights", "--minutes", "0.0001") == 0
    assert (folder / "shipped" / "tapnswap.npz").exists() and not (folder / "runs").exists()


def test_sweep(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("tapnswap", "--seeds", "2", "--seed", "4", "--jobs", "2") == 0
    rows = capsys.readouterr().out.splitlines()[1:-1]
    heads = [row.split()[0] for row in rows]
    assert heads == ["seed", "4", "5", "mean", "spread"]
    assert all(row.split()[-2:] == ["177", "177"] for row in rows[1:4])
    made = sorted((folder / "runs").glob("*.npz"))
    assert [path.stem[-1] for path in made] == ["4", "5"]
    assert (table_in(made[0]) != table_in(made[1])).any()
    alone = folder / "alone.npz"
    assert call("tapnswap", "--seed", "5", "--out", str(alone)) == 0
    assert (table_in(made[1]) == table_in(alone)).all(), "the same seed alone"


def test_sweep_resumes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trained: list[int] = []

    def pretend(task: sweep.Training) -> tuple[dict[str, float], dict[str, bytes]]:
        trained.append(task.seed)
        if task.seed == 2 and len(trained) == 3:
            raise KeyboardInterrupt
        return {"score": 10.0 * task.seed}, {sweep.file_name(task): b"x"}

    monkeypatch.setattr(sweep, "train", pretend)
    assert call("tapnswap", "--seeds", "4") == 130
    assert "course.py train tapnswap --seeds 4 --resume" in capsys.readouterr().out
    assert call("tapnswap", "--seeds", "4", "--resume") == 0
    assert trained == [0, 1, 2, 2, 3]
    assert "mean     15" in capsys.readouterr().out


def test_table_has_mean_and_spread() -> None:
    shown = sweep.table({7: {"won": 0.5, "score": 1000.0}, 8: {"won": 1.0, "score": 3000.0}})
    assert [row.split() for row in shown.splitlines()] == [
        ["seed", "won", "score"],
        ["7", "0.5", "1,000"],
        ["8", "1", "3,000"],
        ["mean", "0.75", "2,000"],
        ["spread", "0.3536", "1,414"],
    ]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["tapnswap", "dqn"], "no learner called 'dqn': there is q-learning"),
        (["tapnswap", "--minutes", "0"], "--minutes 0: give more than 0"),
        (["tapnswap", "--seeds", "0"], "--seeds is 1 or more"),
        (["tapnswap", "--jobs", "2"], "give --seeds too"),
        (["tapnswap", "--workers", "2"], "tapnswap q-learning learns in one process"),
        (["solitaire", "--workers", "0"], "--workers is 1 or more"),
        (["solitaire", "--workers", "2", "--seeds", "2"], "for one seed"),
        (["tapnswap", "--seeds", "2", "--out", "x"], "leave them out with --seeds"),
        (["tapnswap", "--weights", "--out", "x"], "give one of them"),
        (["tapnswap", "--resume"], "nothing to resume"),
        (["tapnswap", "--config", "x.toml"], "--config is for solitaire"),
        (["solitaire", "a3c", "--config", "x.toml"], "leave out all but --resume"),
        (["solitaire", "--config", "x.toml", "--minutes", "3"], "leave out all but --resume"),
    ],
)
def test_mistakes_are_named(argv: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(*argv)


def test_every_learner_can_be_chosen() -> None:
    for game in train.GAME_NAMES:
        for name, trainer in trainers.trainers(game).items():
            assert train.chosen(game, name)[0] == name
            assert trainer.summary and Path(trainer.file).suffix in (".npz", ".pt")


LEARNERS = [(game, name) for game in train.GAME_NAMES for name in trainers.trainers(game)]


@pytest.mark.slow
@pytest.mark.parametrize("game, name", LEARNERS)
def test_every_learner_is_saved_resumed_and_plays(game: str, name: str, folder: Path) -> None:
    path = folder / "runs" / f"{game}-{name}-seed1{Path(trainers.trainers(game)[name].file).suffix}"
    for more in ((), ("--resume",)):
        assert call(game, name, "--seed", "1", "--minutes", "0.01", *more) == 0 and path.exists()
    (player,) = registry.own_agents(game, folder / "runs").values()
    rules, agent = GAMES[game](), player()
    state = rules.settle(rules.start(), np.random.default_rng(0))
    agent.begin(np.random.default_rng(1))
    assert agent.act(rules, state, 0) in rules.legal(state, 0)


def test_an_unknown_game_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        arguments("go")
    assert "invalid choice: 'go'" in capsys.readouterr().err


@pytest.mark.slow
def test_solitaire_with_three_workers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("solitaire", "a3c", "--workers", "3", "--minutes", "0.05") == 0
    assert "steps" in capsys.readouterr().out
    saved = torch.load(folder / "runs" / "solitaire-a3c-seed0.resume.pt", weights_only=True)
    assert saved["progress"][1] == 3


@pytest.mark.slow
def test_a_killed_worker_ends_the_training_and_what_was_learned_is_saved(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def kill_one() -> None:
        while not (workers := multiprocessing.active_children()):
            time.sleep(0.1)
        os.kill(workers[0].pid or 0, signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    path = folder / "net.pt"
    assert call("solitaire", "a3c", "--minutes", "5", "--out", str(path)) == 1
    killer.join()
    said = capsys.readouterr().err
    assert "of 2 died: it ended with exit code -9" in said and f"--out {path} --resume" in said
    assert load_network(path).width == 256 and not multiprocessing.active_children()


@pytest.mark.slow
def test_solitaire_by_a_file_of_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = folder / "short.toml"
    config.write_text(
        f'form = "actor-critic"\nminutes = 0.01\n[folders]\nresults = "{folder.as_posix()}/a"\n',
        encoding="utf-8",
    )
    assert call("solitaire", "--config", str(config)) == 0
    assert "pegs" in capsys.readouterr().out and (folder / "a" / "training.pt").exists()
    assert call("solitaire", "--config", str(config), "--resume") == 0
    config.write_text('form = "magic"', encoding="utf-8")
    with pytest.raises(ValueError, match="form = 'magic'"):
        call("solitaire", "--config", str(config))
