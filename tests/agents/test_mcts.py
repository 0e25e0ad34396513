"""Monte Carlo tree search: steps by hand, strength against exact solutions, the compiled twin."""

import functools
import itertools
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from nim import Nim
from tictactoe import TicTacToe

from lib.agents.baselines import Random
from lib.agents.mcts import (
    MCTS,
    MCTSPlayer,
    MCTSSettings,
    backpropagate,
    expand,
    get_trained_nodes,
    playout,
    run_mcts,
    select,
    ucb1,
)
from lib.agents.mcts_compiled import CompiledMCTS
from lib.agents.mcts_nodes import Nodes, chooser, create_nodes
from lib.arena import match
from lib.games.chopsticks import Chopsticks
from lib.games.droids import Droids
from lib.games.fingers import FingerGame, FingerState
from lib.games.game2048 import Game2048
from lib.games.tapnswap import TapnSwap
from lib.truth.fingers import forced_wins, solve

GAME = Chopsticks()
RULES = [Chopsticks(rollover=r, self_tap=s) for r, s in itertools.product([False, True], repeat=2)]


def trained(learner: MCTS, rounds: int = 1) -> MCTS:
    for _ in learner.train(rounds):
        pass
    return learner


def stopped(learner: MCTS, roots: int) -> MCTS:
    for _ in learner.train(2):
        if learner.searched == roots:
            break
    return learner


def choose_first(options):
    return options[0]


def test_ucb1_by_hand() -> None:
    bounds = ucb1([1.0, 0.5], [2, 1], 3, c=1.5)
    assert bounds == pytest.approx([0.5 + 1.5 * 0.741152, 0.5 + 1.5 * 1.048147], abs=1e-6)
    assert ucb1([0.0, 3.0], [0, 4], 4) == [float("inf"), pytest.approx(0.75 + 1.5 * 0.588705)]
    assert ucb1([1.0], [1], 1) == [1.0], "log 1 is 0"
    assert ucb1([2.0, 1.0], [4, 2], 6, c=0.0) == [0.5, 0.5]


def test_selection_follows_the_bounds_and_stops_at_an_untried_move() -> None:
    nodes = Nodes(GAME)
    root = nodes["1111C"]
    names = [child.name for child in root.children]
    assert names == ["1211C", "1112C"], "a tap, and a tap on one's own hand"
    assert select(root) == [root]
    root.figures = (3, 1.5, [2, 1], [1.0, 0.5])
    assert select(root, c=1.5) == [root, root.children[1]]
    root.figures = (3, 1.5, [2, 1], [2.0, 0.0])
    assert select(root, c=0.1) == [root, root.children[0]]


def test_selection_stops_where_the_game_is_over_or_goes_round() -> None:
    nodes = Nodes(GAME)
    won = nodes["0404C"]
    others = len(won.children) - 1
    won.figures = (9, 4.0, [4] + [1] * others, [4.0] + [0.0] * others)
    over = won.children[0]
    assert over.name == "0004C" and select(won, c=0.0) == [won, over]
    circle = [nodes[name] for name in ("1313C", "1322C", "2222C", "2213C", "1313C")]  # splits
    for node, after in itertools.pairwise(circle):
        chosen = [float(child is after) for child in node.children]
        node.figures = (9, 1.0, [1] * len(chosen), chosen)
    assert select(circle[0], c=0.0) == circle
    assert expand(circle, choose_first) == circle


def test_expansion_adds_each_untried_child_as_often() -> None:
    node = Nodes(GAME)["1213C"]
    node.figures = (2, 1.0, [1, 0, 1] + [0] * (len(node.children) - 3), [0.5] * len(node.children))
    choose = chooser(np.random.default_rng(1))
    added = Counter(expand([node], choose)[-1] for _ in range(6_000))
    untried = [c for c, n in zip(node.children, node.games, strict=True) if n == 0]
    assert set(added) == set(untried) and len(untried) >= 4
    share = 1 / len(untried)
    for count in added.values():  # 5 standard errors
        assert abs(count / 6_000 - share) < 5 * (share * (1 - share) / 6_000) ** 0.5
    node.figures = (9, 1.0, [1] * len(node.children), [0.5] * len(node.children))
    assert expand([node], choose) == [node]


def random_results(game: FingerGame, cap: int) -> np.ndarray:
    """What a capped random playout brings the mover on average, for every position."""
    after = [list(moves.values()) for moves in game.graph.after]
    value = np.array([0.5 if to else 0.0 for to in after])
    for _ in range(cap):
        value = np.array([1 - np.mean(value[to]) if to else 0.0 for to in after])
    return value


def test_playouts_bring_what_they_should_on_average() -> None:
    nodes, choose = Nodes(GAME), chooser(np.random.default_rng(2))
    exact = random_results(GAME, 100)
    for name in ("1111C", "0104C", "2312C", "0411C"):
        results = [playout(nodes[name], choose) for _ in range(4_000)]
        expected = exact[GAME.number(GAME.read(name))]
        assert abs(np.mean(results) - expected) < 5 * 0.5 / 4_000**0.5


def test_playouts_end_at_once_and_at_the_cap() -> None:
    nodes = Nodes(GAME)
    assert playout(nodes["0011C"], choose_first) == 0.0, "over: who would move has lost"
    assert playout(nodes["0404C"], choose_first, cap=1) == 1.0, "the last move allowed wins"
    assert playout(nodes["1111C"], choose_first, cap=3) == 0.5
    assert playout(nodes["1111C"], choose_first, cap=0) == 0.5


def test_backpropagation_by_hand() -> None:
    nodes = Nodes(GAME)
    root = nodes["1111C"]
    child = root.children[0]
    leaf = child.children[1]
    backpropagate([root, child, leaf], 1.0)
    assert root.figures == (1, 1.0, [1, 0], [1.0, 0.0])
    assert child.figures[:3] == (1, 0.0, [0, 1] + [0] * (len(child.children) - 2))
    assert child.won[1] == 0.0 and (leaf.total_num_games, leaf.num_games_won) == (1, 1.0)
    backpropagate([root, child], 0.25)
    assert root.figures == (2, 1.75, [2, 0], [1.75, 0.0]) and child.num_games_won == 0.25
    backpropagate([root], 0.5)
    assert root.figures == (3, 2.25, [2, 0], [1.75, 0.0])


def test_a_search_counts_every_round() -> None:
    root = Nodes(GAME)["1111C"]
    run_mcts(root, chooser(np.random.default_rng(0)), 500)
    assert sum(root.games) == 500, "of a root that is never a leaf again, every round chose a move"
    assert root.total_num_games >= 500 and 0 < root.num_games_won < root.total_num_games


def worst(learner: MCTS) -> tuple[int, int]:
    """Positions whose value the best move loses, and won ones not won against every reply."""
    game, player = learner.game, MCTSPlayer(learner.nodes)
    truth = solve(game)
    numbers = [s for s, moves in enumerate(game.graph.after) if moves]

    def choices(state: FingerState) -> list[int]:
        return [player.act(game, state, state.player)]

    lost = [
        s
        for s in numbers
        if truth.worth(game.state(s), choices(game.state(s))[0])[0] != truth.values[s]
    ]
    won = {s for s in numbers if truth.values[s] == 1}
    return len(lost), len(won - forced_wins(game, choices))


@pytest.mark.parametrize("game", RULES, ids=str)
def test_every_value_is_kept_and_every_win_is_won(game: Chopsticks) -> None:
    assert worst(trained(CompiledMCTS(game, seed=0))) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("game", [*RULES, TapnSwap()], ids=str)
def test_every_seed_keeps_and_wins(game: FingerGame) -> None:
    for seed in range(1, 11):
        assert worst(trained(CompiledMCTS(game, seed=seed))) == (0, 0), f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("game", RULES, ids=str)
def test_the_readable_form_reaches_the_same(game: Chopsticks) -> None:
    assert worst(trained(MCTS(game, seed=0))) == (0, 0)


TWINS = [*RULES, TapnSwap(), Nim(12), Nim(5)]


@pytest.mark.parametrize("game", TWINS, ids=range(len(TWINS)))
def test_the_compiled_twin_has_the_same_figures(game: FingerGame) -> None:
    settings = MCTSSettings(iterations=25, c=1.1, cap=30)
    plain, compiled = (trained(form(game, settings, seed=5), 2) for form in (MCTS, CompiledMCTS))
    assert plain.nodes.figures() == compiled.nodes.figures()
    assert plain.nodes.figures() != trained(MCTS(game, settings, seed=6), 2).nodes.figures()


@pytest.mark.parametrize("form", [MCTS, CompiledMCTS])
def test_interrupted_saved_and_resumed_equals_in_one_go(form: type[MCTS], tmp_path: Path) -> None:
    settings = MCTSSettings(20)
    whole = stopped(form(GAME, settings, seed=4), 290)
    part = stopped(form(GAME, settings, seed=4), 100)
    resumed = form.load(part.save(tmp_path / "nodes.npz"), GAME)
    assert type(resumed) is form and resumed.searched == 100
    assert resumed.nodes.figures() == part.nodes.figures()
    assert stopped(resumed, 290).nodes.figures() == whole.nodes.figures()


def test_progress() -> None:
    told = list(CompiledMCTS(GAME, MCTSSettings(100)).train(2))
    assert [p.done for p in told] == sorted(p.done for p in told)
    assert told[-1].done == told[-1].total == 2 * 196 * 100 and told[0].unit == "iterations"
    assert 0.6 < told[-1].metrics["first wins"] <= 1


def test_nodes_of_another_game_are_refused(tmp_path: Path) -> None:
    path = get_trained_nodes(GAME, 2).save(tmp_path / "nodes.npz")
    with pytest.raises(ValueError, match=r"was learned on Chopsticks\(rollover=False"):
        Nodes.load(path, Chopsticks(rollover=True))
    with pytest.raises(ValueError, match="these nodes know Chopsticks"):
        MCTSPlayer(get_trained_nodes(GAME, 2)).act(TapnSwap(), TapnSwap().start(), 0)


def test_nodes_travel_between_processes() -> None:
    nodes = get_trained_nodes(GAME, 5)
    again = pickle.loads(pickle.dumps({"nodes": nodes, "one": nodes["1322P"]}))
    assert again["nodes"].figures() == nodes.figures()
    assert again["one"] is again["nodes"]["1322C"] and again["nodes"].game == GAME


def test_nodes_have_one_name_whoever_moves() -> None:
    nodes = create_nodes(GAME)
    assert len(nodes) == 210 and sum(bool(node.children) for node in nodes.values()) == 196
    assert nodes["1322P"] is nodes["1322C"] and len(nodes) == 210
    assert nodes["0003C"].result == 0.0 and nodes["0003C"].children == []
    with pytest.raises(ValueError, match="'3122C' is no state"):
        nodes["3122C"]


@pytest.mark.parametrize("game", [Droids(), Game2048()], ids=lambda game: game.name)
def test_other_kinds_of_games_are_refused(game) -> None:
    with pytest.raises(ValueError, match="two"):
        Nodes(game).at(game.start(), 0).children  # noqa: B018


def test_nim_is_solved() -> None:
    game = Nim(11)
    nodes = get_trained_nodes(game, 2_000)
    player = MCTSPlayer(nodes)
    for heap in range(1, 12):
        if heap % 4:
            assert player.act(game, (heap, 0), 0) == heap % 4 - 1
            assert player.act(game, (heap, 1), 1) == heap % 4 - 1
    assert nodes["10 0"].total_num_games >= 1_000, "where play never went, it searches on the spot"


@functools.cache
def minimax(state: tuple) -> int:
    """The value of a tic-tac-toe position for who moves."""
    game = TicTacToe()
    if not (movers := game.movers(state)):
        return -1 if any(game.outcome(state)) else 0
    return max(-minimax(game.play(state, (a,))) for a in game.legal(state, movers[0]))


def test_tic_tac_toe_keeps_its_value_where_it_is_easily_lost() -> None:
    game, player, rng = (
        TicTacToe(),
        MCTSPlayer(settings=MCTSSettings(1_500), seed=1),
        np.random.default_rng(7),
    )
    tried = 0
    while tried < 25:
        state = game.start()
        for _ in range(int(rng.integers(1, 6))):
            if movers := game.movers(state):
                state = game.play(state, (int(rng.choice(game.legal(state, movers[0]))),))
        movers = game.movers(state)
        if (
            movers
            and len({minimax(game.play(state, (a,))) for a in game.legal(state, movers[0])}) > 1
        ):
            player.begin(np.random.default_rng(tried))
            action = player.act(game, state, movers[0])
            assert -minimax(game.play(state, (action,))) == minimax(state), game.write(state)
            tried += 1


def test_a_search_on_the_spot_beats_random_from_either_seat() -> None:
    result = match(GAME, MCTSPlayer(settings=MCTSSettings(300)), Random(), games=20, seed=3)
    assert result.wins == 20
    again = match(GAME, MCTSPlayer(settings=MCTSSettings(300)), Random(), games=20, seed=3)
    assert result == again


def test_mirrored_hands_are_played_alike() -> None:
    game = TapnSwap()
    player = MCTSPlayer(trained(CompiledMCTS(game)).nodes)
    for own, other in itertools.product([(1, 3), (3, 1)], [(2, 4), (4, 2)]):
        state = game.from_lists([own, other], 1)
        action = player.act(game, state, 1)
        best = player.nodes.at(state, 1)
        assert game.number(game.play(state, (action,))) == game.number(
            best.children[best.best].state
        )
