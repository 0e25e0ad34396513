"""What lesson 2 builds on: small trees by name, and its figures against the exact solution."""

import numpy as np
import pytest
from tictactoe import TicTacToe

from lib import plots_mcts as figures
from lib.agents.mcts import MCTS, MCTSSettings
from lib.agents.mcts_compiled import CompiledMCTS
from lib.agents.mcts_nodes import Nodes, create_nodes
from lib.agents.mcts_trees import figures_of, names_of, node_of, path_of
from lib.games.chopsticks import Chopsticks
from lib.truth.fingers import solve

GAME = Chopsticks()
REMEMBERED = {"1111C": (3, 1.5, [2, 1], [1.0, 0.5])}


def trained(iterations: int = 100) -> Nodes:
    learner = CompiledMCTS(GAME, MCTSSettings(iterations))
    for _ in learner.train():
        pass
    return learner.nodes


def test_trees_remember_what_they_are_given() -> None:
    assert node_of("1111P", REMEMBERED).figures == REMEMBERED["1111C"]
    path = path_of(["1111C", "1211C", "1111P"], REMEMBERED)
    assert path[0] is path[2] and names_of(path) == ["1111C", "1211C", "1111C"]
    assert figures_of(path) == REMEMBERED | {"1211C": (0, 0.0, [0] * 4, [0.0] * 4)}
    assert names_of(3) == 3 and names_of(path[1]) == "1211C" and names_of(None) is None
    with pytest.raises(ValueError, match="1111C has 2 moves, not 3"):
        node_of("1111C", {"1111C": (3, 1.5, [2, 1, 1], [1.0, 0.5, 0.0])})


def test_states_after_a_move_have_the_other_letter() -> None:
    nodes = create_nodes(GAME)
    assert nodes.after("1111C") == ["1211P", "1112P"] and nodes.after("0012P") == []
    for name in ("2313P", "0401C"):
        game_says = {
            GAME.write(GAME.play(GAME.read(name), (action,)))
            for action in GAME.legal(GAME.read(name), GAME.read(name).player)
        }
        assert set(nodes.after(name)) == game_says
    assert len(Nodes(TicTacToe()).after("0" * 9)) == 9


def test_kept_is_what_the_exact_solution_says() -> None:
    truth, nodes = solve(GAME), create_nodes(GAME)
    for name in ("1111C", "1311C", "2312C", "0101C"):
        node, state = nodes[name], GAME.read(name)
        keeping = set(truth.keeping_moves(state))
        found = {a for i, a in enumerate(node.actions) if figures.keeps(node, i)}
        assert found == keeping & set(node.actions)
    assert 0.6 < figures.chance_kept(nodes) < 0.63
    assert figures.share_kept(trained()) > 0.98


def test_one_tree_for_all_beats_searches_apart() -> None:
    settings = MCTSSettings(100)
    assert figures.shared(GAME, settings, 1) > 0.98 > 0.9 > figures.apart(GAME, settings, 1) > 0.75


def test_a_search_apart_is_a_search_from_an_empty_tree() -> None:
    settings = MCTSSettings(30)
    right = []
    for place in range(196):
        learner = MCTS(GAME, settings, seed=2)
        learner.searched = place
        learner.search(place)
        right.append(figures.keeps(learner.roots[place], learner.roots[place].best))
    assert figures.apart(GAME, settings, 2) == np.mean(right)


def test_keeping_the_value_is_not_enough_to_win() -> None:
    nodes = trained(300)

    def first(node) -> int:
        return next(i for i in range(len(node.children)) if figures.keeps(node, i))

    assert figures.sure_wins(nodes, lambda node: node.best) == (141, 141)
    won, of = figures.sure_wins(nodes, first)
    assert of == 141 and won < 100, "it runs in circles"


def test_figures_are_drawn() -> None:
    nodes = trained()
    for picture in (figures.visit_bars(nodes["1311C"]), figures.strategy_maps(nodes)):
        assert picture.png().startswith(b"\x89PNG")
    labels = [
        tick.get_text() for tick in figures.visit_bars(nodes["1311C"]).axes[0].get_xticklabels()
    ]
    assert sum("keeps the value" in label for label in labels) == 2 and len(labels) == 5


@pytest.mark.slow
def test_curves_over_seeds_are_drawn() -> None:
    rising = figures.by_iterations(GAME, seeds=2).axes[0].lines
    assert [line.get_ydata()[-1] > line.get_ydata()[0] + 0.15 for line in rising[:2]] == [True] * 2
    hill = figures.by_constant(GAME, seeds=2).axes[0].lines[0].get_ydata()
    assert max(hill) == hill[4] == 1 and hill[0] < 0.9 and hill[-1] < 0.95
