"""What the tests of grading share."""

import pytest
from sample_lesson import FOLDER, Sample

import lib.grading


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Sample:
    monkeypatch.setenv("RL_FIVE_GAMES_LESSONS", str(FOLDER))
    monkeypatch.setattr(lib.grading, "__path__", [*lib.grading.__path__, str(FOLDER)])
    return Sample((FOLDER / "90_sample.txt").read_text(encoding="utf-8"))
