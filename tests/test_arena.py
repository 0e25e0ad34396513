"""Matches and tournaments, on a game whose every result is known beforehand."""

import threading
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from nim import Anything, Dice, Growing, Nim, Perfect

from lib.arena import evaluate, match, tournament
from lib.arena_results import Played, Result, Scores, wilson
from lib.game import Agent


def chance_of_anything(heap: int) -> float:
    """How often a random mover wins at this heap against another, by summing over all lines."""
    chances = [0.0]  # the mover of an empty heap has lost
    for left in range(1, heap + 1):
        options = [1 - chances[left - take] for take in range(1, min(3, left) + 1)]
        chances.append(sum(options) / len(options))
    return chances[heap]


def test_the_perfect_player_wins_from_the_seat_that_wins() -> None:
    result = match(Nim(7), Perfect(), Perfect(), games=30)  # 7 is won for who starts
    assert (result.as_first, result.as_second) == ((15, 0, 0), (0, 0, 15))
    result = match(Nim(8), Perfect(), Perfect(), games=31)  # 8 is lost for who starts
    assert (result.as_first, result.as_second) == ((0, 0, 16), (15, 0, 0))
    assert (result.wins, result.draws, result.losses, result.games) == (15, 0, 16, 31)
    assert result.lead == pytest.approx(-2 / 31)


def test_random_play_wins_as_often_as_it_must() -> None:
    result = match(Nim(4), Anything(), Anything(), games=4000, seed=3)
    first = result.as_first[0] / 2000
    error = np.sqrt(0.25 / 2000)
    assert abs(first - chance_of_anything(4)) < 5 * error
    assert abs(result.as_second[2] / 2000 - chance_of_anything(4)) < 5 * error


def test_a_truncated_game_is_a_draw() -> None:
    result = match(Nim(20), Perfect(), Anything(), games=10, max_turns=3)
    assert (result.draws, result.truncated, result.score) == (10, 10, 0.5)


@pytest.mark.parametrize("jobs", [1, 2])
def test_seeds_repeat_and_differ(jobs: int) -> None:
    def play(seed: int | np.random.SeedSequence) -> Scores:
        return evaluate(Dice(3), Anything(), games=25, seed=seed, jobs=jobs)

    sequence = np.random.SeedSequence(5)
    assert play(5) == play(5) == play(sequence) == play(sequence)
    assert play(5) != play(6)


def test_results_do_not_depend_on_where_games_run() -> None:
    agents = {"perfect": Perfect, "any": Anything(), "growing": Growing()}
    one = tournament(Nim(9), agents, games=24, seed=2, jobs=1)
    two = tournament(Nim(9), agents, games=24, seed=2, jobs=2)
    assert one == two
    assert match(Nim(9), Growing(), Anything(), 50) == match(
        Nim(9), Growing(), Anything(), 50, jobs=2
    )


def test_a_match_leaves_the_agents_as_they_were() -> None:
    agent = Growing()
    match(Nim(9), agent, Anything(), games=20)
    assert agent.played == 0


def test_an_agent_that_can_not_be_copied_plays_here_and_only_here() -> None:
    agent = Growing()
    agent.lock = threading.Lock()
    assert match(Nim(9), agent, Anything(), games=20).games == 20
    assert agent.played > 0
    with pytest.raises(ValueError, match=r"agent a can't be sent .* jobs=1"):
        match(Nim(9), agent, Anything(), games=20, jobs=2)


def test_one_player_scores_are_those_of_the_dice() -> None:
    result = evaluate(Dice(2), Anything(), games=3000, seed=1)
    sums = [a + b for a, b in product(range(1, 7), repeat=2)]
    deviation = np.std(sums)
    assert abs(result.mean - 7) < 5 * deviation / np.sqrt(3000)
    assert result.standard_error == pytest.approx(deviation / np.sqrt(3000), rel=0.1)
    assert abs(result.win_rate - np.mean(np.array(sums) > 7)) < 5 * np.sqrt(0.25 / 3000)
    assert set(result.turns) == {2} and set(result.scores) == set(range(2, 13))
    assert [float(line.split()[1]) for line in result.finals] == list(result.scores)


def test_tournament_tables_add_up_and_are_sorted() -> None:
    agents = {"any": Anything(), "perfect": Perfect(), "other": Anything()}
    table = tournament(Nim(9), agents, games=40, seed=1)
    assert table.names[0] == "perfect"
    assert [line.score for line in table.lines] == sorted(e.score for e in table.lines)[::-1]
    assert sum(e.wins for e in table.lines) == sum(e.losses for e in table.lines)
    assert all(e.wins + e.draws + e.losses == 80 for e in table.lines)
    matrix = table.matrix()
    assert np.isnan(np.diag(matrix)).all()
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose((matrix + matrix.T)[off], 1)
    assert table.pairs["any", "perfect"] == table.pairs["perfect", "any"].reversed()
    assert table.rows()[0][:2] == ("1", "perfect")
    assert str(table).splitlines()[1].startswith("1  perfect")
    assert table._repr_markdown_().count("\n") == 4


def test_a_tournament_of_a_one_player_game_ranks_means() -> None:
    table = tournament(Dice(3), {"one": Anything(), "two": Anything()}, games=20, seed=4)
    best, second = table.lines
    assert best.score >= second.score and table.scores[best.name].mean == best.score
    assert table.pairs == {} and best.wins + best.losses + best.draws == 20


def test_progress_counts_games(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int]] = []

    def report(done: int, total: int) -> None:
        told.append((done, total))

    match(Nim(), Anything(), Anything(), games=25, progress=report)
    assert told == [(10, 25), (20, 25), (25, 25)]
    match(Nim(), Anything(), Anything(), games=25, progress="games")
    assert "25/25" in capsys.readouterr().err


def test_an_interrupted_tournament_goes_on_where_it_stopped(tmp_path: Path) -> None:
    keep, agents = tmp_path / "games.jsonl", {"any": Anything(), "perfect": Perfect()}

    def interrupt(done: int, total: int) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tournament(Nim(9), agents, games=40, seed=8, keep=keep, progress=interrupt)
    kept = keep.read_text()
    assert kept.count('"index"') == 2
    table = tournament(Nim(9), agents, games=40, seed=8, keep=keep)
    assert table == tournament(Nim(9), agents, games=40, seed=8)
    assert keep.read_text().startswith(kept) and keep.read_text().count('"index"') == 4


def test_wilson_intervals_are_those_of_the_books() -> None:
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    low, high = Result(40, 20, 40).interval
    assert (low, high) == pytest.approx(wilson(50, 100))
    with pytest.raises(ValueError, match="11 successes of 10"):
        wilson(11, 10)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    held = 0
    for wins in rng.binomial(50, 0.8, size=2000):
        low, high = wilson(wins, 50)
        held += low <= 0.8 <= high
    assert 0.92 < held / 2000 < 0.98


def test_a_result_seen_from_the_other_side() -> None:
    games = [Played((sign, -sign), (sign, 0.0), 3, False, "") for sign in (1.0, 0.0, 1.0, -1.0)]
    result = Result.of(games)
    assert result == Result(2, 1, 1, 0, (2, 0, 0), (0, 1, 1), 0.25)
    assert result.reversed() == Result(1, 1, 2, 0, (1, 1, 0), (0, 0, 2), -0.25)
    assert result.reversed().reversed() == result
    assert str(result).startswith("2 won, 1 drawn, 1 lost: score 62.5%")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: match(Dice(), Anything(), Anything()), "game for 1: use `evaluate`"),
        (lambda: evaluate(Nim(), Anything()), "game for 2: use `match`"),
        (lambda: match(Nim(), Anything(), Anything(), games=0), "games=0"),
        (lambda: match(Nim(), Anything(), Anything(), max_turns=0), "max_turns=0"),
        (lambda: tournament(Nim(), {"one": Anything()}), "two agents or more"),
        (lambda: match(Nim(), object, Anything()), "is not an agent"),
        (lambda: match(Nim(), Illegal(), Anything()), "move 7 of player 0 is illegal"),
    ],
)
def test_bad_input_is_named(call: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()  # type: ignore[operator]


class Illegal(Agent):
    """Plays what isn't there."""

    def act(self, game: object, state: object, player: int) -> int:
        return 7


class OneThread(Anything):
    """Fails where torch has more than one thread."""

    def act(self, game, state, player):
        assert torch.get_num_threads() == 1
        return super().act(game, state, player)


def test_torch_has_one_thread_while_agents_play() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert match(Nim(), OneThread(), OneThread(), games=2).games == 2
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
