"""`course.py droids`: the assignment's command line, with keys from a script."""

import argparse
from collections.abc import Iterator

import numpy as np
import pytest

from lib.agents.droid_agents import DroidAgent, RandomAgent
from lib.agents.droid_q import QAgent
from lib.agents.droid_roster import trained
from lib.cli import droids


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    droids.add_arguments(parser)
    return droids.run(parser.parse_args(words))


def keys(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    script: Iterator[str] = iter(lines)

    def typed(prompt: str = "") -> str:
        try:
            return next(script)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", typed)


def test_two_agents_are_watched_round_by_round(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys(monkeypatch, "", "", "", "q")
    assert run("ShooterAgent", "RandomAgent", "--terminal") == 0
    said = capsys.readouterr().out
    assert said.count("rounds left") == 4 and "That was it" in said


def test_a_person_plays_by_keys(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys(monkeypatch, "a", "w", " ", "q")  # left is a wall: asked again
    assert run("KeyboardAgent", "RandomAgent", "--terminal") == 0
    said = capsys.readouterr().out
    assert "A: move up" in said and "A: shoot" in said and "49 rounds left" in said


def test_without_more_words_a_page_opens_on_which_you_play_minimax(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[tuple[DroidAgent, DroidAgent]] = []
    monkeypatch.setattr(droids, "page", lambda agents: opened.append(agents) or 0)
    assert run() == 0
    assert [type(agent).__name__ for agent in opened[0]] == ["KeyboardAgent", "MinimaxAgent"]


def test_training_then_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("QAgent", "FrozenAgent", "20000", "--games", "20", "--seed", "1") == 0
    said = capsys.readouterr().out
    assert "20 games" in said and "lost 0%" in said


def test_the_frozen_agent_stays_frozen() -> None:
    before = trained("frozen").table()
    run("QAgent", "FrozenAgent", "500", "--games", "1")
    run("QAgent", "RandomAgent", "500", "FrozenAgent", "--games", "1")
    assert np.array_equal(trained("frozen").table(), before)


def test_two_learners_learn_from_each_other() -> None:
    args = argparse.Namespace(one="QAgent", other="QAgent", rounds=400, against=None, seed=0)
    agents: tuple[DroidAgent, DroidAgent] = QAgent(seed=1), QAgent(seed=2)
    droids.prepare(args, agents)
    assert all(isinstance(agent, QAgent) and agent.rounds >= 400 for agent in agents)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("QAgent",), "name two agents"),
        (("RandomAgent", "ShooterAgent", "100"), "learns"),
        (("KeyboardAgent", "QAgent", "100"), "trains with"),
        (("QAgent", "RandomAgent", "100", "KeyboardAgent"), "trains with"),
        (("RandomAgent", "ShooterAgent", "--games", "0"), "games 1 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        run(*words)


def test_every_name_makes_an_agent() -> None:
    assert all(isinstance(droids.made(name, 0), DroidAgent) for name in droids.AGENTS)
    assert isinstance(droids.made("RandomAgent", 0), RandomAgent)
