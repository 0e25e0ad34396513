"""The strategy table, all outcomes and a game at the keyboard, against independent walks."""

import functools
import itertools
from pathlib import Path

import pytest

from lib.agents.mcts import MCTSPlayer, MCTSSettings
from lib.agents.mcts_compiled import CompiledMCTS
from lib.agents.mcts_nodes import Nodes, create_nodes
from lib.agents.mcts_strategy import best_strategy, play, show_all_outcomes, worst_outcomes
from lib.games.chopsticks import Chopsticks
from lib.truth.fingers import forced_wins, solve

WORTH = {"loss": -1, "draw": 0, "win": 1}


@functools.cache
def trained(game: Chopsticks, iterations: int = 1_000) -> Nodes:
    learner = CompiledMCTS(game, MCTSSettings(iterations))
    for _ in learner.train():
        pass
    return learner.nodes


def reached(nodes: Nodes, start: str) -> set[str]:
    """The ends that can be reached, found by trying everything to a depth of 60 plies."""
    game, player = nodes.game, MCTSPlayer(nodes)
    first, ends = game.read(start), set()
    layer = {first}
    for _ in range(60):
        after = set()
        for state in layer:
            mine = state.player == first.player
            actions = (
                [player.act(game, state, state.player)] if mine else game.legal(state, state.player)
            )
            after |= {game.play(state, (action,)) for action in actions}
        ends |= {game.write(state) for state in after if not game.movers(state)}
        layer = {state for state in after if game.movers(state)}
    return ends | ({"circle"} if layer else set())


@pytest.mark.parametrize("game", [Chopsticks(), Chopsticks(self_tap=False)], ids=str)
@pytest.mark.parametrize("start", ["1111C", "1111P", "0124C", "2334P"])
def test_all_outcomes_are_those_that_a_walk_finds(game: Chopsticks, start: str) -> None:
    outcomes = show_all_outcomes(trained(game), start)
    assert set(outcomes.ends) == reached(trained(game), start)
    for end, result in outcomes.ends.items():
        expected = "draw" if end == "circle" else ("win" if end[-1] != start[-1] else "loss")
        assert result == expected
        assert f"  {end}  {result}" in str(outcomes)


def test_the_claim_holds_under_one_rule_set() -> None:
    for rollover, self_tap in ((False, True), (False, False), (True, True), (True, False)):
        nodes = trained(Chopsticks(rollover=rollover, self_tap=self_tap))
        results = set(show_all_outcomes(nodes, "1111C").ends.values())
        assert results == ({"win"} if (rollover, self_tap) == (False, True) else {"win", "draw"})


@pytest.mark.parametrize("game", [Chopsticks(), Chopsticks(rollover=True)], ids=str)
def test_paths_are_lines_of_play(game: Chopsticks) -> None:
    nodes = trained(game)
    outcomes, player = show_all_outcomes(nodes, "1111P"), MCTSPlayer(nodes)
    for end in outcomes.ends:
        paths = outcomes.paths(end, limit=5)
        assert paths and all(len(a) <= len(b) for a, b in itertools.pairwise(paths))
        for path in paths:
            assert path[0] == "1111P" and (path[-1] == end or path.index(path[-1]) < len(path) - 1)
            assert end != "circle" or path[-1] in path[:-1], "shown where it closes"
            states = [game.read(name) for name in path]
            for before, after in itertools.pairwise(states):
                actions = game.legal(before, before.player)
                if before.player == states[0].player:
                    actions = [player.act(game, before, before.player)]
                assert after in [game.play(before, (a,)) for a in actions]


def test_unknown_ends_and_starts_are_named() -> None:
    nodes = trained(Chopsticks())
    with pytest.raises(ValueError, match="'0001C' is no outcome here: choose one of 00"):
        show_all_outcomes(nodes, "1111C").paths("0001C")
    with pytest.raises(ValueError, match="the game is over in 0011C"):
        show_all_outcomes(nodes, "0011C")


@pytest.mark.parametrize("iterations", [3, 1_000])
@pytest.mark.parametrize("game", [Chopsticks(), Chopsticks(rollover=True, self_tap=False)], ids=str)
def test_worst_outcomes_are_those_of_all_outcomes(game: Chopsticks, iterations: int) -> None:
    nodes = trained(game, iterations)
    worst, player = worst_outcomes(nodes), MCTSPlayer(nodes)
    sure = forced_wins(game, lambda state: [player.act(game, state, state.player)])
    for name, found in worst.items():
        ends = show_all_outcomes(nodes, name).ends.values()
        assert found == min(ends, key=WORTH.__getitem__)
        assert (found == "win") == (game.number(game.read(name)) in sure)
    if iterations == 1_000:
        values = solve(game).values
        assert all(WORTH[found] == values[game.number(game.read(n))] for n, found in worst.items())


def test_the_table_has_columns_for_the_actioner_and_rows_for_the_receiver() -> None:
    strategy = best_strategy(trained(Chopsticks()))
    assert strategy.moves["04"]["13"].startswith("tap"), "13 moves against 04"
    assert strategy.cell("04", "04") == "tap 4 on 4: win"
    assert strategy.columns == sorted(strategy.moves) and len(strategy.columns) == 14
    lines = str(strategy).splitlines()
    assert len(lines) == 15 and lines[0].split() == strategy.columns
    assert "<td>tap 4 on 4: win</td>" in strategy._repr_html_()
    moves_only = best_strategy(trained(Chopsticks()), show_move_only=True)
    assert moves_only.moves == strategy.moves and moves_only.worst == {}
    assert moves_only.cell("04", "04") == "tap 4 on 4"


def script(*lines: str):
    """Someone who types these lines, then always the first legal move."""
    said, asked = iter(lines), []

    def ask(text: str) -> str:
        asked.append(text)
        moves = [line.split()[0] for line in text.splitlines() if line[:1].isdigit()]
        return next(said, moves[0])

    return ask, asked


def test_a_game_against_the_computer() -> None:
    nodes, said = trained(Chopsticks()), []
    ask, asked = script("what?", "99", "-1")
    record = play(trained_nodes=nodes, ask=ask, say=said.append, seed=1)
    assert record.outcome == (1.0, -1.0) and "Computer has won" in said[-1]
    assert asked[0] == asked[1] == asked[2] == asked[3], "asked again after nonsense"
    assert asked[0].endswith("Your move: ") and record.states[0].player == 0


def test_training_on_the_spot_is_the_default_and_the_player_may_start() -> None:
    ask, asked = script()
    record = play(computer_starts=False, ask=ask, say=str, seed=2)
    assert "Round of Player" in asked[0] and record.game.write(record.states[0]) == "1111P"
    assert record.game == Chopsticks() and record.truncated is False


def test_untrained_nodes_still_have_a_strategy() -> None:
    assert len(best_strategy(create_nodes(Chopsticks())).moves) == 14


def test_the_shipped_nodes_are_perfect() -> None:
    path = Path(__file__).parents[2] / "lib" / "weights" / "chopsticks.npz"
    nodes, facts = Nodes.load(path, Chopsticks())
    values = solve(nodes.game).values
    worst = worst_outcomes(nodes)
    assert len(worst) == 196 and facts["searched"] == 196
    assert all(WORTH[w] == values[nodes.game.number(nodes.game.read(n))] for n, w in worst.items())
