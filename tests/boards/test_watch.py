"""Watching: the same game as the one loop plays, and every way through it."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from lib.agents.baselines import Greedy, Random
from lib.boards import Watch
from lib.boards.film import Film
from lib.boards.shapes import Drawing, circle
from lib.game import Agent, Game, play
from lib.games import GAMES
from lib.games.game2048 import Game2048
from lib.games.tapnswap import TapnSwap


def tell(watch: Any, name: str, value: Any = None) -> None:
    watch._hear(watch, {"kind": "control", "name": name, "value": value}, [])


@pytest.mark.parametrize("name", list(GAMES))
def test_it_is_the_game_that_the_one_loop_plays(name: str) -> None:
    game = GAMES[name]()
    agents = [Greedy(), Random()][: game.n_players]
    watched = Watch(game, agents=agents, seed=7).finish()
    limit = 200 if game.n_players == 2 else None
    played = play(game, agents, np.random.default_rng(7), max_turns=limit)
    assert watched.states == played.states
    assert watched.moves == played.moves


def test_step_back_scrub_and_end() -> None:
    watch = Watch(TapnSwap(), agents=("greedy", "random"), seed=3)
    for turn in (1, 2, 3):
        tell(watch, "step")
        assert watch.at == turn
    tell(watch, "back")
    assert watch.at == 2
    assert len(watch.record().moves) == 3
    tell(watch, "last")
    last = watch.at
    assert watch.view["over"]
    assert "win" in watch.view["say"]
    for turn in (0, 5, last):
        tell(watch, "turn", turn)
        assert watch.view["state"] == watch.game.write(watch.record().states[turn])
    tell(watch, "step")
    assert watch.at == last


def test_play_goes_on_by_itself_until_the_end_and_pauses() -> None:
    watch = Watch(TapnSwap(), agents=("greedy", "random"), seed=3)
    tell(watch, "play")
    assert watch.view["auto"] is not None
    watch._hear(watch, {"kind": "go"}, [])
    tell(watch, "play")
    assert watch.view["auto"] is None
    watch._hear(watch, {"kind": "go"}, [])
    assert watch.at == 1
    tell(watch, "play")
    while watch.view["auto"] is not None:
        watch._hear(watch, {"kind": "go"}, [])
    assert watch.view["over"]


def test_again_and_again() -> None:
    watch = Watch(TapnSwap(), agents=("greedy", "random"), seed=3, again=True)
    assert watch.view["keys"][" "] == "control:step"
    tell(watch, "last")
    first = watch.record()
    tell(watch, "step")
    assert watch.at == 0
    assert watch.record().moves == ()
    tell(watch, "last")
    assert watch.record().moves != first.moves
    tell(watch, "play")
    watch._hear(watch, {"kind": "go"}, [])
    assert watch.at == 0
    assert watch.view["auto"] is not None


def test_a_record_is_shown_and_never_played_on() -> None:
    record = play(Game2048(), [Random()], np.random.default_rng(0), max_turns=20)
    watch = Watch(record)
    tell(watch, "last")
    tell(watch, "step")
    assert watch.at == 20
    assert watch.record() == record
    assert "Player: " in watch.view["say"]  # a record does not say who played
    assert not [shape for shape in watch.view["shapes"] if "input" in shape]


def test_an_agent_is_asked_only_for_what_is_shown() -> None:
    class Counting(Random):
        asked = 0

        def act(self, game: Game[Any], state: Any, player: int) -> int:
            Counting.asked += 1
            return super().act(game, state, player)

    watch = Watch(TapnSwap(), agents=(Counting(), Counting()), seed=0)
    assert Counting.asked == 0
    tell(watch, "step")
    tell(watch, "back")
    tell(watch, "step")
    assert Counting.asked == 1


def test_a_broken_agent_stops_the_game_with_its_name() -> None:
    class Broken(Agent):
        def act(self, game: Game[Any], state: Any, player: int) -> int:
            raise ZeroDivisionError("by nothing")

    watch = Watch(TapnSwap(), agents=(Broken(), Broken()))
    tell(watch, "play")
    watch._hear(watch, {"kind": "go"}, [])
    assert "ZeroDivisionError" in watch.view["say"]
    assert watch.view["auto"] is None


def test_wrong_numbers_of_agents_are_named() -> None:
    with pytest.raises(ValueError, match=r"needs 2 agent\(s\) to watch, not 1"):
        Watch(TapnSwap(), agents=("random",))
    with pytest.raises(ValueError, match="choose random"):
        Watch(TapnSwap(), agents=("random", "nobody"))


def test_a_turn_that_python_asks_for_is_on_the_page() -> None:
    watch = Watch(TapnSwap(), agents=("greedy", "random"), seed=3)
    watch.show_turn(4)
    assert watch.view["state"] == TapnSwap().write(watch.state) and watch.at == 4
    assert watch.view["say"].startswith("Turn 4. ")
    assert watch.view["label"] == watch.drawing().title  # a screen reader hears the board too


def test_the_button_saves_where_the_reader_is(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch(TapnSwap(), agents=("greedy", "random"), seed=3)
    monkeypatch.setenv("RL_FIVE_GAMES_PICTURES", str(tmp_path))
    watch.heard({"kind": "control", "name": "png"})
    assert (tmp_path / "tapnswap-game.png").exists()
    assert f"Saved as tapnswap-game.png in {tmp_path}." in watch.view["say"]
    said: list[str] = []
    watch.observe(lambda change: said.append(change["new"]["say"]), "view")
    tell(watch, "gif")
    assert said[0] == "Turn 0. Saving …"
    assert "Saved as tapnswap-game.gif" in said[1]


def test_the_coach_says_what_its_signs_mean_until_the_game_goes_on() -> None:
    watch = Watch(TapnSwap(), agents=("random", "greedy"), seed=1)
    assert watch.view["chips"] == []
    tell(watch, "coach")
    assert "L8 loses in 8" in watch.view["say"]
    for chip in watch.view["chips"]:
        assert chip["disabled"]
        assert chip["mark"].startswith("✗ loss")  # who begins has lost
    assert len(watch.view["chips"]) == len(TapnSwap().legal(TapnSwap().start(), 0))
    tell(watch, "step")
    assert "Coach" not in watch.view["say"]
    tell(watch, "last")
    tell(watch, "coach")
    tell(watch, "coach")
    assert "moves. Coach: " in watch.view["say"]


def test_saved_as_pictures(tmp_path: Any) -> None:
    watch = Watch(TapnSwap(), agents=("greedy", "random"), seed=3)
    watch.show_turn(4)
    with Image.open(watch.save(tmp_path / "game.gif")) as animation:
        assert animation.n_frames == 5
        first = animation.convert("RGB").tobytes()
        animation.seek(4)
        assert animation.convert("RGB").tobytes() != first
    with Image.open(watch.save(tmp_path / "board.png")) as picture:
        assert picture.size == (880, 792)
    assert watch.save(tmp_path / "board.svg").read_text().startswith("<svg")
    with pytest.raises(ValueError, match=r"\.gif, \.png or \.svg"):
        watch.save(tmp_path / "game.mp4")


def test_a_film_keeps_its_drawings_and_thins_them_out() -> None:
    film = Film("Growing")
    for radius in range(1000):
        film.add(Drawing(100, 100, [circle(50, 50, radius)], f"radius {radius}"))
    assert len(film.drawings) <= 400
    assert film.drawings[0].title == "radius 0"
    assert film.drawings[-1].title == "radius 999"
    tell(film, "at", 3)
    assert film.view["shapes"] == film.drawings[3].shapes
    tell(film, "play")
    film._hear(film, {"kind": "go"}, [])
    assert film.at == 4
    tell(film, "back")
    assert film.view["auto"] is None


def test_a_film_is_saved_whole(tmp_path: Any) -> None:
    film = Film()
    for x in (20, 50, 80):
        film.add(Drawing(100, 60, [circle(x, 30, 10, fill="p0")]))
    content = io.BytesIO(film.save(tmp_path / "film.gif").read_bytes())
    with Image.open(content) as animation:
        assert animation.n_frames == 3
