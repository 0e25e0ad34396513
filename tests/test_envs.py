"""The environments: their field's own checks, and play through them equal to play by the rules."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import lib.envs
from lib.envs import DroidsEnv, Env2048, FingerEnv, SolitaireEnv
from lib.games.board2048 import PENALTY, REWARD_FORMS, planes, tiles_of
from lib.games.chopsticks import Chopsticks
from lib.games.droids import Droids, DroidState
from lib.games.game2048 import Game2048, State, from_tiles
from lib.games.solitaire import SOLVED, START, Solitaire
from lib.games.tapnswap import TapnSwap
from lib.truth.solitaire import solution

pytestmark = pytest.mark.filterwarnings("error")

SINGLE = ("five-games/2048-v0", "five-games/solitaire-v0")
TURNS = ("five-games/tapnswap-v0", "five-games/chopsticks-v0")
PARALLEL = "five-games/droids-v0"
EMPTY = [0, 0, 0, 0]


def single(name: str, **settings: Any) -> Any:
    return gymnasium.make(name, **settings).unwrapped


def in_turns(name: str) -> Callable[..., FingerEnv]:
    return lambda **settings: pettingzoo.make("aec", name, **settings)  # type: ignore[no-any-return]


def at_once(**settings: Any) -> DroidsEnv:
    return pettingzoo.make("parallel", PARALLEL, **settings)  # type: ignore[no-any-return]


@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
@pytest.mark.parametrize("name", SINGLE)
def test_gymnasium_is_content(name: str, mode: str | None) -> None:
    check_env(single(name, render_mode=mode), skip_render_check=mode == "rgb_array")


@pytest.mark.parametrize("view", ["tiles", "planes12", "planes16"])
def test_gymnasium_is_content_with_every_view_of_2048(view: str) -> None:
    check_env(Env2048(view=view, goal=2048), skip_render_check=True)


@pytest.mark.parametrize("name", TURNS)
def test_pettingzoo_is_content_with_turns(name: str) -> None:
    api_test(in_turns(name)(), num_cycles=400)
    seed_test(in_turns(name), num_cycles=200)


def test_pettingzoo_is_content_in_parallel() -> None:
    parallel_api_test(at_once(), num_cycles=400)
    parallel_seed_test(at_once, num_cycles=200)


def test_settings_reach_the_games() -> None:
    env = pettingzoo.make("aec", TURNS[1], rollover=True, self_tap=False, max_cycles=7)
    assert env.game == Chopsticks(rollover=True, self_tap=False) and env.max_cycles == 7
    assert at_once(rows=5, cols=3, shots=2).game.rows == 5
    assert single(SINGLE[1], centre=False).game.centre is False
    lib.envs._register()  # a second time without a warning


def test_2048_plays_by_the_rules() -> None:
    """The same dice through the environment and through the game: the same game."""
    env, game = Env2048(), Game2048()
    seen, info = env.reset(seed=11)
    rng = np.random.default_rng(11)  # Gymnasium's own generator for a seed
    state = game.settle(game.start(), rng)
    choose = np.random.default_rng(3)
    while game.movers(state):
        assert (seen == tiles_of(state.board)).all() and env.score == state.score == info["score"]
        legal = game.legal(state, 0)
        assert np.flatnonzero(info["action_mask"]).tolist() == legal
        action = int(choose.choice(legal))
        before = state
        state = game.settle(game.play(state, (action,)), rng)
        seen, reward, over, cut, info = env.step(action)
        assert reward == state.score - before.score and not cut and not info["illegal"]
        assert over == (not game.movers(state))
    assert env.is_game_over() == (False, True) and env.score > 200


def test_2048_has_the_attributes_of_the_seed() -> None:
    env = Env2048()
    env.reset(seed=0, options={"board": [[2, 2, 4, 0], [0] * 4, [0] * 4, [0] * 4]})
    assert env.board.tolist()[0] == [2, 2, 4, 0] and env.score == 0 and env.log_rewards is False
    assert (
        env.get_legit_actions().tolist() == env.legit_actions.tolist() == [False, True, True, True]
    )
    assert [env._can_UP(), env._can_DOWN(), env._can_LEFT(), env._can_RIGHT()] == [0, 1, 1, 1]
    assert env._LEFT() == 4 and env.board.tolist() == [[4, 4, 0, 0], EMPTY, EMPTY, EMPTY]
    assert env._RIGHT() == 8 and env.board.tolist()[0] == [0, 0, 0, 8] and env.score == 12
    assert env._DOWN() == 0 and env.board.tolist()[3] == [0, 0, 0, 8]
    assert env._UP() == 0 and env.board.tolist()[0] == [0, 0, 0, 8]
    assert env.is_full_board() is False and env.is_game_over() == (False, False)
    env.board = np.array([[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]])
    assert env.is_full_board() and env.is_game_over() == (False, True)
    with pytest.raises(ValueError, match="the board is full"):
        env._add_random_tile(0.9)


@pytest.mark.parametrize(("p", "tile"), [(1.0, 2), (0.0, 4)])
def test_random_tiles(p: float, tile: int) -> None:
    env = Env2048()
    env.reset(seed=5, options={"board": [EMPTY] * 4})
    for count in range(1, 17):
        env._add_random_tile(p)
        assert (env.board == tile).sum() == count
    assert env.is_full_board()


def test_log_rewards_and_the_other_forms() -> None:
    board = [[512, 512, 8, 8], EMPTY, EMPTY, EMPTY]
    expected = {
        "none": 0.0,
        "score": 1024.0 + 16,
        "log2": 10.0 + 4,
        "progressive": 14 + 2.5,
        "progressive_penalty": 14 + 2.5 - PENALTY,
    }
    assert set(expected) == set(REWARD_FORMS)
    for form, reward in expected.items():
        env = Env2048(rewards=form)
        env.reset(seed=0, options={"board": board})
        assert env.step(2)[1] == reward
    env = Env2048(log_rewards=True)
    env.reset(seed=0, options={"board": board})
    assert env.log_rewards and env.step(2)[1] == expected["log2"] and env.score == 1040


def test_2048_may_stop_or_go_on() -> None:
    board = [[1024, 1024, 0, 0], EMPTY, EMPTY, EMPTY]
    for goal, over in ((2048, True), (None, False)):
        env = Env2048(goal=goal)
        env.reset(seed=0, options={"board": board})
        *_, ended, _, info = env.step(2)
        assert ended is over and env.is_game_over() == (True, over)
        assert info["action_mask"].any() != over
        if over:
            assert env.step(1)[4]["illegal"], "nothing moves after the end"


@pytest.mark.parametrize("depth", [12, 16])
def test_views_of_2048_are_binary_tensors(depth: int) -> None:
    env = Env2048(view=f"planes{depth}")
    seen, _ = env.reset(seed=1, options={"board": [[2, 4096, 0, 0], EMPTY, EMPTY, EMPTY]})
    exponents = np.array([[1, 12, 0, 0], EMPTY, EMPTY, EMPTY])
    assert seen.shape == (depth, 4, 4) and (seen == planes(exponents, depth)).all()


def test_illegal_moves_of_one_player_change_nothing() -> None:
    env = Env2048(rewards="progressive_penalty")
    seen, _ = env.reset(seed=2, options={"board": [[2, 4, 0, 0], EMPTY, EMPTY, EMPTY]})
    after, reward, over, cut, info = env.step(0)
    assert info["illegal"] and (after == seen).all() and (reward, over, cut) == (0, False, False)
    pegs = SolitaireEnv()
    seen, info = pegs.reset(seed=2)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    after, reward, over, cut, info = pegs.step(illegal)
    assert info["illegal"] and (after == seen).all() and (reward, over, cut) == (0, False, False)
    for env_, action in ((env, 4), (env, -1), (pegs, 76), (pegs, "up")):
        with pytest.raises(ValueError, match="is no action"):
            env_.step(action)


@pytest.mark.parametrize(("rewards", "total"), [("seed", 2.0), ("solved", 1.0)])
def test_solitaire_solved(rewards: str, total: float) -> None:
    env = SolitaireEnv(rewards=rewards)
    env.reset(seed=0)
    earned, game = 0.0, Solitaire()
    for jump in solution(START) or []:
        legal = game.legal(env.position)
        seen, reward, over, cut, info = env.step(np.int64(jump))
        assert jump in legal and (seen == game.observe(env.position)).all()
        assert np.flatnonzero(info["action_mask"]).tolist() == game.legal(env.position)
        earned += reward
    assert over and not cut and info["pegs"] == 1 and env.position == SOLVED
    assert earned == pytest.approx(total)
    stuck = "ooo/.../......./......./......./.../..."
    assert env.reset(options={"start": stuck})[1]["action_mask"].sum() == 0


@pytest.mark.parametrize("game", [TapnSwap(), Chopsticks()], ids=["tapnswap", "chopsticks"])
def test_finger_games_play_by_the_rules(game: Any) -> None:
    rng, wins = np.random.default_rng(4), [0, 0]
    env = FingerEnv(game)
    for _ in range(30):
        env.reset()
        state, total = game.start(), dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, over, cut, info = env.last()
            total[agent] += reward
            if over or cut:
                env.step(None)
                continue
            player = env.possible_agents.index(agent)
            assert game.movers(state) == (player,)
            assert (seen == game.observe(state, player)).all()
            legal = game.legal(state, player)
            assert np.flatnonzero(info["action_mask"]).tolist() == legal
            action = int(rng.choice(legal))
            state = game.play(state, (action,))
            env.step(action)
        assert tuple(total.values()) == game.outcome(state) and env.agents == []
        wins[int(total["player_1"] > 0)] += 1
    assert min(wins) > 3


def test_a_finger_game_in_circles_is_truncated() -> None:
    env = FingerEnv(TapnSwap(), max_cycles=3)
    env.reset(options={"state": "[[2, 2], [2, 2]] Player 2"})
    assert env.agent_selection == "player_1"
    swaps = 0
    for _ in env.agent_iter():
        *_, over, cut, info = env.last()
        if over or cut:
            assert cut and not over and swaps == 3
            env.step(None)
            continue
        env.step(max(np.flatnonzero(info["action_mask"])))  # the last actions are swaps
        swaps += 1
    assert swaps == 3
    with pytest.raises(ValueError, match="max_cycles=0"):
        FingerEnv(TapnSwap(), max_cycles=0)
    with pytest.raises(ValueError, match="no state"):
        env.reset(options={"state": "1111"})


def test_an_illegal_action_forfeits_a_finger_game() -> None:
    env = FingerEnv(TapnSwap())
    env.reset()
    env.step(9)  # a swap of three fingers, from 1-1
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert env.infos["player_0"]["illegal"] and not env.infos["player_1"]["illegal"]


def test_droids_play_by_the_rules() -> None:
    game, rng = Droids(), np.random.default_rng(6)
    env = DroidsEnv(game)
    for _ in range(10):
        seen, infos = env.reset()
        state, leads = game.start(), []
        while env.agents:
            for player, name in enumerate(env.agents):
                assert (seen[name] == game.observe(state, player)).all()
                assert seen[name] in env.observation_space(name)
                mask = infos[name]["action_mask"]
                assert np.flatnonzero(mask).tolist() == game.legal(state, player)
            moves = tuple(int(rng.choice(game.legal(state, p))) for p in (0, 1))
            state = game.play(state, moves)
            seen, rewards, over, cut, infos = env.step(dict(zip(env.agents, moves, strict=True)))
            leads.append(rewards["player_0"])
            assert rewards["player_1"] == -rewards["player_0"] and not any(cut.values())
            assert set(over.values()) == {not game.movers(state)}
        assert sum(leads) == state.points[0] - state.points[1]


def test_what_a_droid_can_not_do_it_does_not() -> None:
    env = DroidsEnv()
    state = DroidState(((0, 0), (3, 3)), (0, 3), (2, 1), 10)
    env.reset(options={"state": state})
    *_, infos = env.step({"player_0": 0, "player_1": 4})  # a wall, a shot
    assert env.position == DroidState(((0, 0), (3, 3)), (0, 2), (2, 1), 9)
    assert infos["player_0"]["illegal"] and not infos["player_1"]["illegal"]
    env.step({"player_0": 4, "player_1": 0})  # no shot left
    assert env.position == DroidState(((0, 0), (2, 3)), (0, 2), (2, 1), 8)
    for actions in ({"player_0": 0}, {"player_0": 0, "player_1": 5}, {}):
        with pytest.raises(ValueError, match="give each of player_0, player_1"):
            env.step(actions)
    env.reset(options={"state": "0,0,0,2 3,3,1,1 1"})
    env.step({"player_0": 1, "player_1": 4})
    with pytest.raises(ValueError, match="call reset"):
        env.step({"player_0": 1, "player_1": 0})


ALL: dict[str, Callable[..., Any]] = {
    "2048": Env2048,
    "solitaire": SolitaireEnv,
    "tapnswap": lib.envs.tapnswap,
    "chopsticks": lib.envs.chopsticks,
    "droids": lib.envs.droids,
}


@pytest.mark.parametrize("name", ALL)
def test_render(name: str) -> None:
    env = ALL[name](render_mode="ansi")
    env.reset(seed=1)
    state = State(env._board) if name == "2048" else env.position
    assert env.render() == env.game.text(state)
    env = ALL[name](render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert first.dtype == np.uint8 and first.ndim == 3 and first.shape[2] == 3
    assert len(np.unique(first[::9, ::9].reshape(-1, 3), axis=0)) > 4, "not one plain surface"
    assert ALL[name]().render() is None
    with pytest.raises(ValueError, match="render_mode 'human' is unknown"):
        ALL[name](render_mode="human")
    env.close()


def test_a_picture_shows_the_state() -> None:
    env = Env2048(render_mode="rgb_array")
    pictures = []
    for tile in (2, 4):
        env.reset(options={"board": [[tile, 0, 0, 0], EMPTY, EMPTY, EMPTY]})
        pictures.append(env.render())
    assert from_tiles(env.board) and (pictures[0] != pictures[1]).any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Env2048(rewards="gold"), "no reward form 'gold'"),
        (lambda: Env2048(view="flat"), "no view 'flat'"),
        (lambda: Env2048(goal=3), "goal=3"),
        (lambda: SolitaireEnv(rewards="gold"), "rewards 'gold'"),
        (lambda: SolitaireEnv("oo"), "is no position"),
        (lambda: Env2048().reset(options={"board": [[3]]}), "4x4 board"),
    ],
)
def test_bad_settings_are_named(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
