"""The arcade: every game and every opponent makes a board, one's own agents among them."""

from pathlib import Path

import pytest

from lib.agents import registry
from lib.agents.q_learning import NegamaxQLearning
from lib.boards import Arcade, Board, Watch
from lib.games import GAMES
from lib.games.tapnswap import TapnSwap


@pytest.mark.parametrize("name", list(GAMES))
def test_every_opponent_makes_a_board(name: str) -> None:
    arcade = Arcade(seed=0)
    arcade.game.value = name
    for opponent in arcade.opponents():
        arcade.against.value = opponent
        assert arcade.board.game.name == name
        assert arcade.place.children == (arcade.board,)
    assert isinstance(arcade.board, Watch) == (GAMES[name].n_players == 1)
    arcade.watched.value = True
    assert isinstance(arcade.board, Watch)


def test_two_agents_of_ones_choice_are_watched() -> None:
    arcade = Arcade("tapnswap", seed=0)
    assert arcade.rival.layout.display == "none"
    arcade.watched.value = True
    arcade.against.value, arcade.rival.value = "random", "perfect"
    assert arcade.rival.layout.display == ""
    assert arcade.board.names == ("random", "perfect")


def test_nobody_watches_a_person_and_a_game_for_one_is_given_back() -> None:
    arcade = Arcade("tapnswap", seed=0)
    arcade.against.value = "two people"
    arcade.watched.value = True
    assert "two people" not in arcade.against.options and "level: easy" in arcade.against.options
    assert arcade.against.value == "perfect" and arcade.board.names == ("perfect 1", "perfect 2")
    arcade.against.value, arcade.rival.value = "level: easy", "greedy"
    arcade.watched.value = False
    assert arcade.against.value == "level: easy" and arcade.rival.value == "greedy"
    arcade.game.value = "solitaire"
    arcade.watched.value = True
    assert "you alone" not in arcade.against.options and arcade.board.names == ("perfect",)
    arcade.watched.value = False
    assert arcade.against.value == "you alone" and isinstance(arcade.board, Board)


def test_the_game_on_the_board_is_replayed_and_goes_on() -> None:
    arcade = Arcade("2048", seed=0)
    board = arcade.board
    assert isinstance(board, Board)
    board.play(board.game.legal(board.state, 0)[0])
    arcade.replayed.value = True
    (shown,) = arcade.place.children
    assert isinstance(shown, Watch) and shown.record().states == board.record().states
    arcade.replayed.value = False
    assert arcade.place.children == (board,)


def test_a_replay_keeps_names_and_places() -> None:
    arcade = Arcade("chopsticks", seed=0)
    arcade.board.heard({"kind": "control", "name": "first", "value": "it"})
    arcade.replayed.value = True
    (shown,) = arcade.place.children
    assert shown.names == arcade.board.names == ("easy", "You")
    assert shown.scene().bottom == 1


def test_the_opponent_is_chosen_in_one_place() -> None:
    arcade = Arcade("tapnswap", seed=0)
    names = [control["name"] for control in arcade.board.view["controls"]]
    assert "level" not in names and "first" in names and "speed" in names


def test_it_begins_with_an_easy_game_of_two() -> None:
    arcade = Arcade("chopsticks")
    assert isinstance(arcade.board, Board) and arcade.board.level == "easy"


def test_agents_that_were_trained_here_can_be_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    NegamaxQLearning(TapnSwap(), seed=3).save(tmp_path / "tapnswap-q-learning-seed3.npz")
    found = registry.own_agents("tapnswap", tmp_path)
    assert list(found) == ["my q-learning, seed 3"]
    assert found["my q-learning, seed 3"]().act(TapnSwap(), TapnSwap().start(), 0) in (
        0,
        1,
        2,
        3,
        4,
        7,
    )
    monkeypatch.setattr(registry, "own_agents", lambda name: found)
    arcade = Arcade("tapnswap")
    arcade.against.value = "my q-learning, seed 3"
    assert arcade.board.names == ("You", "my q-learning"), "told from the shipped one"
