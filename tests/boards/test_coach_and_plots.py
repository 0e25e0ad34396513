"""The coach and the pictures, against facts that are known without them."""

import io

import numpy as np
import pytest
from PIL import Image

from lib import plots
from lib.agents.baselines import Random
from lib.agents.q_learning import NegamaxQLearning
from lib.boards.coach import Coach, judge_droids, judge_fingers, judge_solitaire
from lib.game import Record, play
from lib.games.board2048 import largest
from lib.games.chopsticks import Chopsticks
from lib.games.droids import Droids
from lib.games.game2048 import Game2048
from lib.games.solitaire import JUMPS, SOLVED, START, Solitaire, flip, jumps
from lib.games.tapnswap import TapnSwap
from lib.truth.droids import solve as droid_truth
from lib.truth.matrix import equilibrium
from lib.truth.solitaire import solution


def test_a_win_in_one_is_the_move_that_ends_the_game() -> None:
    game = TapnSwap()
    for number in game.graph.reachable(game.number(game.start())):
        state = game.state(number)
        for action, (_, mark) in judge_fingers(game, state, 0).items():
            ends = not game.movers(game.play(state, (action,)))
            assert (mark.words == "win in 1") == ends


def test_the_first_player_of_tapnswap_loses_in_26() -> None:
    marks = Coach(TapnSwap()).marks(TapnSwap().start(), 0)
    assert {mark.tone for mark in marks.values()} == {"bad"}
    assert max(int(mark.short[1:]) for mark in marks.values()) == 26


def test_a_chopsticks_game_is_reviewed_where_it_was_thrown_away() -> None:
    game = Chopsticks()  # who starts wins, by tapping her own hand: FACTS of the solved game
    states, moves = [game.start()], []
    for _ in range(6):
        action = game.legal(states[-1], states[-1].player)[0]
        moves.append((action,))
        states.append(game.play(states[-1], moves[-1]))
    notes = Coach(game).review(Record(game, tuple(states), tuple(moves), False), 0)
    assert notes[0].startswith("Move 1: tap 1 on 1 (loss")
    assert "better: tap 1 on own 1 (win in 23)" in notes[0]


def test_shares_of_the_droids_add_up_and_costs_are_for_what_is_never_played() -> None:
    game = Droids(rounds=12)
    for line in ("2,0,5,0 2,3,5,0 12", "0,1,2,1 3,1,1,2 3", "1,1,1,0 2,2,1,0 1"):
        worths = judge_droids(game, game.read(line), 0)
        assert set(worths) == set(game.legal(game.read(line), 0))
        good = [mark for _, mark in worths.values() if mark.tone == "good"]
        assert good
        shares = sum(float(mark.short.rstrip("%")) for mark in good)
        assert abs(shares - 100) <= len(good)


def test_the_droids_review_names_the_costliest_moves() -> None:
    game = Droids()
    record = play(game, [Random(), Random()], np.random.default_rng(2))
    costs = []
    for turn, (state, moves) in enumerate(zip(record.states, record.moves, strict=False)):
        balance = equilibrium(droid_truth(game).matrix(state, 0))
        row = droid_truth(game).matrix(state, 0)[moves[0]]
        against = sum(share * row[b] for b, share in enumerate(balance.columns) if share > 0)
        costs.append((balance.value - against, turn + 1))
    worst = sorted(turn for cost, turn in sorted(costs)[-4:] if cost > 0.005)
    assert len(worst) > 1
    notes = Coach(game).review(record, 0)
    assert [int(note.split(":")[0].removeprefix("Move ")) for note in notes] == worst


def test_solitaire_two_pegs_from_the_end() -> None:
    last = next(a for a in range(76) if JUMPS[a].target == 16)
    state = SOLVED ^ (1 << 16) | 1 << JUMPS[last].source | 1 << JUMPS[last].over
    marks = judge_solitaire(Solitaire(), state, 0)
    assert marks[last][1].words == "still solvable"
    assert all(mark.tone == "bad" for a, (_, mark) in marks.items() if a != last)


def test_a_solved_game_has_nothing_to_review_and_a_spoiled_one_one_move() -> None:
    game = Solitaire()
    states, moves = [START], []
    for action in (solution(START) or [])[:24]:
        moves.append((action,))
        states.append(flip(states[-1], action))
    wrong = [a for a in jumps(states[-1]) if solution(flip(states[-1], a)) is None]
    moves.append((wrong[0],))
    states.append(flip(states[-1], wrong[0]))
    notes = Coach(game).review(Record(game, tuple(states), tuple(moves), False), 0)
    assert len(notes) == 1
    assert notes[0].startswith("Move 25: ")


def test_who_follows_the_coach_of_2048_goes_far() -> None:
    game, coach, rng = Game2048(), Coach(Game2048()), np.random.default_rng(0)
    state = game.settle(game.start(), rng)
    for _ in range(700):  # random play is over after some 120 moves, with a tile of 128
        action, words = coach.advice(state, 0)
        assert "points to come" in words
        assert coach.marks(state, 0)[action].tone == "good"
        state = game.settle(game.play(state, (action,)), rng)
    assert game.movers(state)
    assert largest(state.board) >= 512


def pixels(figure: plots.Picture) -> np.ndarray:
    with Image.open(io.BytesIO(figure.png())) as image:
        return np.asarray(image.convert("RGB"), dtype=int)


def labels(figure: plots.Picture) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_the_q_table_marks_exactly_the_wrong_moves() -> None:
    from lib.truth.fingers import solve

    game = TapnSwap()
    for games in (50, 4000):
        learner = NegamaxQLearning(game, seed=3)
        list(learner.train(games))
        words = labels(plots.q_table(learner))
        assert len(words) == 177
        truth, wrong = solve(game), 0
        for s in truth.reachable():
            if learner.Q[s]:
                best = max(learner.Q[s], key=lambda a, s=s: learner.Q[s][a])  # type: ignore[misc]
                wrong += best not in truth.keeping_moves(game.state(s))
        assert sum("✗" in word for word in words) == wrong
    assert wrong == 0


def test_a_round_shows_both_assumptions_around_the_equilibrium() -> None:
    pennies = np.full((5, 5), np.nan)
    pennies[:2, :2] = [[1, -1], [-1, 1]]
    game = Droids(rounds=3)
    figure = plots.round_matrix(game, game.start(), matrix=pennies)
    title = figure.axes[0].get_title(loc="left")
    assert title == "pessimistic -1.00  ≤  equilibrium +0.00  ≤  optimistic +1.00"
    ticks = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert ticks == ["up  50%", "down  50%", "best"]


def test_the_report_of_2048_counts_what_was_played() -> None:
    records = [play(Game2048(), [Random()], np.random.default_rng(n)) for n in range(8)]
    figure = plots.report_2048(records)
    moves = [0] * 4
    for record in records:
        for (move,) in record.moves:
            moves[move] += 1
    shares = [f"{100 * n / sum(moves):.0f}%" for n in moves]
    assert [text.get_text() for text in figure.axes[2].texts] == shares
    assert pixels(figure).std() > 10
    with pytest.raises(ValueError, match="at least one"):
        plots.report_2048([])


def test_probabilities_stand_on_the_jumps() -> None:
    chances = np.zeros(76)
    legal = jumps(START)
    chances[legal] = [0.7, 0.2, 0.1, 0.0]
    drawing = plots.peg_policy(START, chances)
    words = [s["text"] for s in drawing.shapes if s["kind"] == "text"]
    assert [w for w in words if w.endswith("%")] == ["10%", "20%", "70%"]
    with pytest.raises(ValueError, match="76 jumps"):
        plots.peg_policy(START, [0.5, 0.5])


def test_the_four_values_stand_at_their_arrows() -> None:
    state = Game2048().read("1000/0000/0000/0000 0 0")
    drawing = plots.tile_values(state, [9.0, 1.5, 9.0, 12_345.0])
    assert drawing.title == "2048, values: down 1.5, right 12.3k"
    assert not any("input" in shape for shape in drawing.shapes)


def test_the_tree_shows_visits_and_shares() -> None:
    from lib.agents.mcts import run_mcts
    from lib.agents.mcts_nodes import chooser, create_nodes

    nodes = create_nodes(Chopsticks())
    root = nodes["1111C"]
    run_mcts(root, chooser(np.random.default_rng(0)), 50)
    drawing = plots.search_tree(root, depth=1)
    words = {s["text"] for s in drawing.shapes if s["kind"] == "text"}
    for games, won in zip(root.games, root.won, strict=True):
        assert f"{games:,} · {won / games:.0%}" in words
    assert sum(root.games) == 50
    deep = plots.search_tree(root, depth=3, most=2)
    assert len(deep.shapes) > len(drawing.shapes)


def test_curves_bars_and_strips_are_drawn() -> None:
    values = np.array([[0.1, 0.5], [0.3, 0.9]])
    figure = plots.bands({"q": ([1, 2], values)}, levels={"random": 0.5}, xlabel="games")
    assert figure.axes[0].lines[0].get_ydata().tolist() == [0.2, 0.7]
    drawn = plots.bars({"q": 0.9, "random": 0.5}, errors={"q": 0.1, "random": (0.2, 0.1)})
    assert drawn is not None
    assert [t for t in labels(drawn) if t] == ["0.9", "0.5"]
    assert pixels(plots.peg_strip([START, flip(START, jumps(START)[0])], columns=2)).std() > 5
    assert "0x" not in figure._repr_mimebundle_()["text/plain"]
