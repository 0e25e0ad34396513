"""Lesson 3's matches: who fouls loses that game alone, and the referee believes nothing."""

import re
from typing import Any

import numpy as np
import pytest

from lib.agents.droid_policies import asked_shares, shares_of
from lib.agents.droid_roster import stored_standings, trained
from lib.agents.droid_sealed import SealedDroid
from lib.agents.minimax import MinimaxAgent
from lib.games.droids import ACTIONS, Action, R2Droid
from lib.grading import lesson3
from lib.grading import lesson3_match as matches
from lib.grading.ask import LocalAsk
from lib.plots_droids import by_depth, depth_figure, two_columns


class Shy:
    """Always steps back and forth; what else it does is up to each test."""

    def __init__(self) -> None:
        self.games = 0

    def clear(self) -> None:
        self.games += 1

    def get_best_move(self, me: Any, it: Any, change: int, training: bool) -> Any:
        moves = me.available_actions() - {Action.SHOOT}
        return min(moves, key=lambda action: action.value)


def contest(agent: type, seconds: float = 100.0) -> matches.Score:
    ask = LocalAsk({"Player": agent, "Action": Action})
    ask.seconds = 1.0
    return matches.contest(ask, ask.new("Player"), np.random.default_rng(1), seconds)


def test_a_match_counts_a_hundred_games() -> None:
    score = contest(Shy)
    assert score.played == 100 and not score.fouls and not score.gone


def test_who_raises_now_and_then_loses_those_games_alone() -> None:
    class Touchy(Shy):
        def get_best_move(self, me: Any, it: Any, change: int, training: bool) -> Any:
            if self.games % 4 == 0:
                raise ValueError("not today")
            return super().get_best_move(me, it, change, training)

    plain, score = contest(Shy), contest(Touchy)
    assert sum(score.fouls.values()) == 25 and score.played == 100
    assert score.lost >= 25 and score.lost - 25 <= plain.lost
    assert "not today" in score.note()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda me: None, "return an `Action`"),
        (lambda me: "SHOOT", "return an `Action`"),
        (lambda me: 5, "return an `Action`"),
        (
            lambda me: Action.MOVE_LEFT if me.location[1] == 0 else Action.MOVE_RIGHT,
            "not available",
        ),
        (lambda me: me, "return plain"),
        (lambda me: me.rows, "no attribute 'rows'"),
        (lambda me: me.points, "no attribute 'points'"),
    ],
)
def test_cheats_lose_and_are_told_why(answer: Any, said: str) -> None:
    class Cheat(Shy):
        def get_best_move(self, me: Any, it: Any, change: int, training: bool) -> Any:
            return answer(me)

    score = contest(Cheat)
    assert score.won == 0 and said in score.note()
    assert score.played == matches.PATIENCE and "the rest were not played" in score.gone


def test_changing_the_droids_changes_nothing() -> None:
    class Vandal(Shy):
        def get_best_move(self, me: Any, it: Any, change: int, training: bool) -> Any:
            move = super().get_best_move(me, it, change, training)
            me.location, me.shots, it.shots = (0, 0), 99, 0
            return move

    assert contest(Vandal).games == contest(Shy).games


def test_who_stalls_loses_by_the_guard() -> None:
    class Slow(Shy):
        def get_best_move(self, me: Any, it: Any, change: int, training: bool) -> Any:
            while True:
                pass

    ask = LocalAsk({"Player": Slow, "Action": Action})
    ask.seconds = 0.05
    score = matches.contest(ask, ask.new("Player"), np.random.default_rng(1), 100.0)
    assert score.won == 0 and "did not return in time" in score.note()


class Clocked(LocalAsk):
    """Counts one CPU-second for every call, on any machine."""

    calls = 0

    def send(self, *request: Any) -> Any:
        self.calls += 1
        return super().send(*request)

    @property
    def cpu(self) -> float:
        return float(self.calls)


def test_time_that_is_used_up_ends_the_match() -> None:
    score = contest(Shy, seconds=0.0)
    assert score.played == 0 and score.late and "used up" in score.gone


@pytest.mark.parametrize("draws", [0.0, 0.5])
@pytest.mark.parametrize(("seconds", "enough"), [(1000, False), (5000, True)])
def test_of_who_is_slow_the_games_played_count_if_there_are_twenty(
    monkeypatch: pytest.MonkeyPatch, seconds: float, enough: bool, draws: float
) -> None:
    class Careful(Shy):
        searcher = MinimaxAgent(depth=1, seed=1)

        def get_best_move(self, *asked: Any) -> Any:
            return self.searcher.get_best_move(*asked)

    monkeypatch.setattr(lesson3, "MATCH_SECONDS", seconds)
    monkeypatch.setitem(lesson3.SETTINGS, "draws", draws)
    ask = Clocked({"MinimaxAgent": Careful, "Action": Action})
    (verdict,) = lesson3.run_minimax_agent(ask, np.random.default_rng(1))
    won, drawn, lost, played = map(int, re.findall(r"\d+", verdict.message)[:4])
    assert won + drawn + lost == played < 100 and won and drawn
    assert (played >= 20) == enough
    assert verdict.share == ((won + draws * drawn) / played if enough else 0)
    assert ("At least 20 games" in verdict.message) != enough


def test_training_that_fails_says_why() -> None:
    class Silent(Shy):
        def get_best_move(self, me: Any, it: Any, change: int, training: bool) -> Any:
            return None

    ask = LocalAsk({"Player": Silent, "Action": Action})
    said, given_up = matches.practise(ask.new("Player"), 1000, np.random.default_rng(1))
    assert given_up and f"{matches.PATIENCE} games" in said and "return an `Action`" in said


def test_who_raises_now_and_then_trains_on_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Touchy(Shy):
        def get_best_move(self, me: Any, it: Any, change: int, training: bool) -> Any:
            if training and self.games % 4 == 0:
                raise ValueError("not today")
            return max(me.available_actions(), key=lambda action: action.value)

    monkeypatch.setitem(lesson3.SETTINGS, "rounds", 1000)
    ask = LocalAsk({"QAgent": Touchy, "Action": Action})
    (verdict,) = lesson3.run_q_agent(ask, np.random.default_rng(1))
    assert verdict.label == "the match" and " lost of 100" in verdict.message
    assert "While training for 1,0" in verdict.message and "not today" in verdict.message


def test_training_plays_the_rounds_and_tells_of_the_last_one() -> None:
    calls: list[tuple[int, bool]] = []

    class Noting(Shy):
        def get_best_move(self, me: Any, it: Any, change: int, training: bool) -> Any:
            calls.append((change, training))
            return super().get_best_move(me, it, change, training)

    ask = LocalAsk({"Player": Noting, "Action": Action})
    assert matches.practise(ask.new("Player"), 200, np.random.default_rng(1)) == ("", False)
    assert 200 < len(calls) < 270 and all(training for _, training in calls)


def test_training_ends_with_its_time_and_the_match_goes_on() -> None:
    ask = LocalAsk({"Player": Shy, "Action": Action})
    assert matches.practise(ask.new("Player"), 10**9, np.random.default_rng(1), 0.05) == ("", False)
    assert 0.05 <= ask.cpu < 5.0


@pytest.mark.parametrize("cell", [(0, 0), (0, 2), (3, 5), (1, 3), (3, 0)])
@pytest.mark.parametrize("shots", [0, 2])
def test_the_sealed_droid_is_a_droid(cell: tuple[int, int], shots: int) -> None:
    sealed, plain = SealedDroid(4, 6, cell, shots), R2Droid(4, 6, cell, shots)
    assert sealed.available_actions() == plain.available_actions()
    for action in ACTIONS:
        one, other = sealed.copy(), plain.copy()
        one.move_location(action)
        other.move_location(action)
        target = R2Droid(4, 6, (0, 5), 1)
        assert one.shoot(target, action) == other.shoot(target, action)
        assert (one.location, one.shots) == (other.location, other.shots)
    names = {name for name in dir(sealed) if not name.startswith("_")}
    assert names == {"location", "shots", "copy", "move_location", "shoot", "available_actions"}


def test_the_shares_of_an_agent_can_be_asked_for() -> None:
    agent, found = trained("frozen"), asked_shares(trained("frozen", seed=1))
    assert np.all(shares_of(agent)[found > 0] > 0)
    assert np.all(found.sum(axis=-1) == 1)


def test_figures_are_drawn() -> None:
    assert two_columns(stored_standings()).png()[:4] == b"\x89PNG"
    measured = by_depth(trained("frozen"), ("combined",), games=20)
    assert depth_figure(measured).png()[:4] == b"\x89PNG"
    depths = [row[0] for row in measured["combined"]]
    assert depths == [1, 2, 3] and MinimaxAgent().depth in depths
