"""The board without a browser: what the page says, what it is answered, and what stays true."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from pages import control, press, replayed, wait

from lib.agents.baselines import Greedy, Random
from lib.boards import Board
from lib.boards.fingers import Fingers
from lib.boards.panel import SPEEDS
from lib.boards.scene import Scene
from lib.game import Agent, Game
from lib.games import GAMES
from lib.games.chopsticks import Chopsticks
from lib.games.droids import Droids
from lib.games.game2048 import Game2048
from lib.games.solitaire import START, Solitaire, flip
from lib.games.tapnswap import TapnSwap
from lib.truth.fingers import solve
from lib.truth.solitaire import solution


def pressed(game: Any, state: Any) -> set[int]:
    """Every action that two presses on hands play, or offer in the middle."""
    artist, found = Fingers(), set()
    for hand, target in product(range(2), product(range(2), range(2))):
        held = artist.answer(game, Scene(state, player=0), f"hand:0:{hand}")
        if not held.selected:
            continue
        scene = Scene(state, player=0, selected=held.selected)
        answer = artist.answer(game, scene, "hand:{}:{}".format(*target))
        if answer.action is not None:
            found.add(answer.action)
        if ">" in answer.selected:
            shapes = artist.draw(game, replace(scene, selected=answer.selected)).shapes
            offers = [s["input"] for s in shapes if s.get("input", "").startswith("act:")]
            found |= {int(offer.removeprefix("act:")) for offer in offers}
    return found


@pytest.mark.parametrize("game", [TapnSwap(), Chopsticks(), Chopsticks(rollover=True)])
def test_every_finger_move_can_be_pressed_and_nothing_else(game: Any) -> None:
    for number in game.graph.reachable(game.number(game.start())):
        state = game.state(number)
        assert pressed(game, state) == set(game.legal(state, 0)), game.write(state)


def test_a_drag_is_both_ends_at_once() -> None:
    board = Board(TapnSwap())
    press(board, "hand:0:1", "hand:1:0")
    assert board.state.own == (2, 1)
    assert board.state.player == 1


@pytest.mark.parametrize(
    ("game", "tokens", "word"),
    [
        (TapnSwap(), ["hand:1:0"], "own hands first"),
        (TapnSwap(), ["act:9"], "not possible"),
        (Game2048(), ["act:7"], "no move"),
        (Droids(), ["act:2"], "wall"),
        (Solitaire(), ["hole:16"], "empty"),
        (Solitaire(), ["hole:0"], "nowhere to jump"),
        (Solitaire(), ["hole:4", "hole:0"], "nowhere to jump"),
    ],
)
def test_what_is_not_legal_is_refused_with_a_word(
    game: Game[Any], tokens: list[str], word: str
) -> None:
    board = Board(game, seed=0)
    before = board.state
    press(board, *tokens)
    assert board.state == before
    assert word in board.view["say"]


def test_a_slide_that_moves_nothing_is_refused() -> None:
    game = Game2048()
    board = Board(game, start=game.read("1000/0000/0000/0000 0 0"))
    press(board, "act:0")
    assert "Nothing moves up" in board.view["say"]
    press(board, "act:1")
    assert board.state.board >> 48 & 15 == 1


def test_solitaire_solved_by_pressing_pegs() -> None:
    from lib.games.solitaire import JUMPS

    board, position = Board(Solitaire(), coach=True), START
    for action in solution(START) or []:
        press(board, f"hole:{JUMPS[action].source}")
        press(board, f"hole:{JUMPS[action].target}")
        position = flip(position, action)
        assert board.state == position
    assert board.view["over"]
    assert "Solved" in board.view["say"]
    assert board.view["notes"] == []
    assert "Press New game" not in board.view["say"]
    press(board, "hole:3")
    assert "Press New game" in board.view["say"]


def test_against_an_agent_who_starts_it_moves_first_and_undo_takes_both_back() -> None:
    board = Board(TapnSwap(), against="perfect", first="it", seed=1)
    assert board.view["auto"] == SPEEDS["normal"]
    press(board, "hand:1:0")
    assert "One moment" in board.view["say"]
    wait(board)
    mine = board.state
    assert mine.player == 1
    press(board, f"act:{board.game.legal(mine, 1)[0]}")
    wait(board)
    assert len(board.record().moves) == 3
    control(board, "undo")
    assert board.state == mine
    control(board, "undo")
    assert "Nothing to take back" in board.view["say"]
    replayed(board)


def test_the_perfect_second_player_of_tapnswap_always_wins() -> None:
    rng = np.random.default_rng(5)
    for seed in range(5):
        board = Board(TapnSwap(), level="perfect", seed=seed, speed="at once")
        while not board.view["over"]:
            if board.view["auto"] is None:
                press(board, f"act:{rng.choice(board.game.legal(board.state, 0))}")
            wait(board)
        assert board.view["say"].startswith("You lose: perfect wins, after")
        assert board.view["tone"] == "bad"
        replayed(board)


def test_two_people_at_the_droids_choose_in_secret() -> None:
    board = Board(Droids())
    press(board, "by:1:4")
    assert board.state.rounds == 50
    assert "has chosen" in board.view["say"]
    press(board, "by:1:4")
    assert "chosen already" in board.view["say"]
    press(board, "by:0:0")
    assert board.state.rounds == 49
    assert board.state.shots == (5, 4)
    assert board.state.locations == ((1, 0), (2, 3))
    assert board.state.points == (0, 0)
    control(board, "undo")
    assert board.state.rounds == 50


def test_beams_are_drawn_for_the_round_in_which_they_were_fired() -> None:
    board = Board(Droids())
    press(board, "by:0:4")
    press(board, "by:1:2")
    assert "Player 1 hits" in board.view["say"]
    beams = [s for s in board.view["shapes"] if s.get("stroke") == "p0" and s.get("thick") == 4]
    assert len(beams) == 2
    control(board, "coach")
    assert not [s for s in board.view["shapes"] if s.get("thick") == 12]


@pytest.mark.parametrize("name", list(GAMES))
def test_the_coach_says_what_its_signs_mean(name: str) -> None:
    board = Board(GAMES[name](), seed=1)
    prompt = board.view["say"]
    control(board, "coach")
    assert board.view["say"].startswith("Coach: ")
    assert board.view["say"].endswith(prompt)
    marks = board.coach.marks(board.state, board.session.persons[0]).values()
    assert marks
    assert all(mark.sign in board.view["say"] for mark in marks)
    control(board, "coach")
    assert board.view["say"] == prompt


def test_where_a_game_was_lost_is_offered_and_a_game_lost_from_the_start_says_so() -> None:
    board = Board(TapnSwap(), level="perfect", seed=0)  # who begins has lost already
    while not board.view["over"]:
        press(board, board.view["chips"][0]["input"])
        wait(board)
    assert board.view["say"].endswith("Coach shows where it was lost.")
    control(board, "coach")
    assert board.view["say"].endswith("No move gave it away.")
    assert board.view["notes"] == []
    board = Board(TapnSwap(), level="perfect", first="it", coach=True, seed=0)
    wait(board)
    while not board.view["over"]:
        press(board, f"act:{min(board.coach.worths(board.state, 1).items(), key=worth)[0]}")
        wait(board)
    assert "perfect wins" in board.view["say"]
    assert "No move" not in board.view["say"]
    assert "(loss" in board.view["notes"][0]
    control(board, "coach")
    assert board.view["notes"] == []


def worth(judged: tuple[int, Any]) -> float:
    """What the coach thinks of one action."""
    return float(judged[1][0])


def test_the_coach_colours_every_legal_move_by_the_truth() -> None:
    game = TapnSwap()
    truth, board = solve(game), Board(game, coach=True)
    for _ in range(12):
        state = board.state
        for chip in board.view["chips"]:
            action = int(chip["input"].removeprefix("act:"))
            value = -truth.value(game.play(state, (action,)))
            assert chip["tone"] == {1: "good", 0: "even", -1: "bad"}[value]
            assert chip["mark"][0] == {1: "✓", 0: "=", -1: "✗"}[value]
        press(board, f"act:{game.legal(state, state.player)[-1]}")
        if board.view["over"]:
            return


def test_what_is_offered_in_the_middle_carries_the_coachs_verdict() -> None:
    game = TapnSwap()
    board = Board(game, start=game.read("[[3, 1], [2, 4]] Player 1"), coach=True)
    press(board, "hand:0:0")
    press(board, "hand:0:1")
    offers = [s for s in board.view["shapes"] if s.get("input", "").startswith("act:")]
    truth = solve(game)
    assert len(offers) == 2
    for offer in offers:
        value = -truth.value(game.play(board.state, (int(offer["input"][4:]),)))
        assert offer["stroke"] == {1: "good", 0: "even", -1: "bad"}[value]
        assert {1: "win", 0: "draw", -1: "loss"}[value] in offer["label"]


def test_a_move_in_the_list_names_its_key() -> None:
    board = Board(TapnSwap())
    for chip in board.view["chips"]:
        assert board.view["keys"][chip["key"]] == chip["input"]
    assert not [chip for chip in Board(Droids()).view["chips"] if "key" in chip]


def test_hint_names_a_best_move_and_lights_it() -> None:
    for name in GAMES:
        board = Board(GAMES[name](), seed=3)
        control(board, "hint")
        assert board.view["say"].startswith("Hint: ")
        assert board.hint in board.game.legal(board.state, 0)
        assert any(s.get("stroke") == "lit" for s in board.view["shapes"]) or any(
            chip["hint"] for chip in board.view["chips"]
        )


class Broken(Agent):
    name = "broken"

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("answer", [KeyError("lost"), None, 99, "up"])
def test_an_agent_that_breaks_is_named_and_the_board_lives(answer: Any) -> None:
    board = Board(TapnSwap(), against=Broken(answer))
    press(board, "act:0")
    wait(board)
    assert board.view["tone"] == "bad"
    assert board.view["auto"] is None
    control(board, "undo")
    assert board.state == board.game.start()
    control(board, "level", "perfect")
    press(board, "act:0")
    wait(board)
    assert len(board.record().moves) == 2


def test_a_broken_droid_leaves_the_round_unplayed() -> None:
    board = Board(Droids(), against=Broken(99))
    press(board, "act:0")
    assert board.state == board.game.start()
    assert "illegal" in board.view["say"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"first": "you"}, "me, it"),
        ({"level": "godlike"}, "easy, medium, hard, perfect"),
        ({"speed": "warp"}, "slow"),
        ({"against": "nobody"}, "choose random"),
    ],
)
def test_arguments_that_nobody_knows(arguments: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        Board(TapnSwap(), **arguments)


@pytest.mark.parametrize("name", list(GAMES))
def test_whole_games_end_with_plain_words(name: str) -> None:
    game, rng = GAMES[name](), np.random.default_rng(2)
    board = Board(game, against=Greedy() if game.n_players == 2 else None, seed=4)
    while not board.view["over"]:
        press(board, f"act:{rng.choice(game.legal(board.state, board.session.persons[0]))}")
        wait(board)
    words = {"2048": "No move is left", "solitaire": "is left"}.get(name, "win")
    assert words in board.view["say"] or "draw" in board.view["say"]
    replayed(board)


def test_a_new_game_starts_by_itself() -> None:
    game = Droids(rounds=1)
    board = Board(game, against=Random(), again=True)
    press(board, "act:0")
    assert board.view["over"]
    assert board.view["auto"] == 3000
    board._hear(board, {"kind": "go"}, [])
    assert board.state == game.start()
    assert not board.view["over"]


def test_a_game_in_circles_is_a_draw() -> None:
    game = Chopsticks(self_tap=False)
    board = Board(game, seed=0)
    truth = solve(game)
    while not board.view["over"]:
        press(board, f"act:{truth.keeping_moves(board.state)[0]}")
    assert "draw" in board.view["say"].lower()


def test_agents_get_dice_of_their_own_and_a_seed_repeats_the_game() -> None:
    games = []
    for _ in range(2):
        board = Board(TapnSwap(), against=Random(), first="it", seed=9)
        wait(board)
        press(board, f"act:{board.game.legal(board.state, 1)[0]}")
        wait(board)
        games.append(board.record().states)
    assert games[0] == games[1]
