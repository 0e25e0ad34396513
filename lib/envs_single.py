"""2048 and peg solitaire as Gymnasium environments.

`info["action_mask"]` says which actions are legal: `env.action_space.sample(info["action_mask"])`.
An illegal action changes nothing, earns nothing and is told so: `info["illegal"]`.
"""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from lib.envs_render import MODES, check_mode, render
from lib.games import board2048, solitaire
from lib.games.board2048 import DOWN, LARGEST, LEFT, MOVES, RIGHT, UP, WON
from lib.games.game2048 import Game2048, State
from lib.games.solitaire import Solitaire

Info = dict[str, Any]
Step = tuple[np.ndarray, float, bool, bool, Info]

VIEWS: dict[str, tuple[Box, Callable[[int], np.ndarray]]] = {
    "tiles": (Box(0, 1 << LARGEST, (4, 4), np.int64), board2048.tiles_of),
    "planes12": (Box(0, 1, (12, 4, 4), np.float32), lambda board: _planes(board, 12)),
    "planes16": (Box(0, 1, (16, 4, 4), np.float32), lambda board: _planes(board, 16)),
}


def _planes(board: int, depth: int) -> np.ndarray:
    return board2048.planes(np.array(board2048.cells(board)).reshape(4, 4), depth)


class Env2048(gymnasium.Env[np.ndarray, np.int64]):
    """2048 with the seed's attributes and methods; actions up, down, left, right = 0 to 3."""

    metadata = {"render_modes": list(MODES), "render_fps": 4}  # noqa: RUF012 - Gymnasium's own form

    def __init__(
        self,
        log_rewards: bool = False,
        *,
        rewards: str | None = None,
        view: str = "tiles",
        goal: int | None = None,
        p_two: float = 0.9,
        render_mode: str | None = None,
    ) -> None:
        """Rewards are the new tiles, their logarithms with `log_rewards`, or one of REWARD_FORMS.

        An observation is the `board` with its tile values, or a binary tensor ("planes12",
        "planes16"). With goal=2048 the game ends there; without, it goes on.
        """
        self.form = rewards or ("log2" if log_rewards else "score")
        if self.form not in board2048.REWARD_FORMS:
            raise ValueError(f"no reward form {self.form!r}: {', '.join(board2048.REWARD_FORMS)}")
        if view not in VIEWS:
            raise ValueError(f"no view {view!r}: choose one of {', '.join(VIEWS)}")
        self.log_rewards = self.form == "log2"
        self.game, self.render_mode = Game2048(p_two, goal), check_mode(render_mode)
        self.action_space = Discrete(4)
        self.observation_space, self._seen = VIEWS[view]
        self._board, self.score = 0, 0

    @property
    def board(self) -> np.ndarray:
        """The 4x4 tile values, 0 where empty; may be set."""
        return board2048.tiles_of(self._board)

    @board.setter
    def board(self, tiles: np.ndarray) -> None:
        self._board = board2048.from_tiles(tiles)

    @property
    def legit_actions(self) -> np.ndarray:
        """Four booleans: can the board be moved up, down, left, right?"""
        return self.get_legit_actions()

    def get_legit_actions(self) -> np.ndarray:
        """Four booleans: can the board be moved up, down, left, right?"""
        return _MASKS[board2048.valid_bits(self._board)].copy()

    def is_full_board(self) -> bool:
        """Is there no empty cell?"""
        return board2048.empty_mask(self._board) == 0

    def is_game_over(self) -> tuple[bool, bool]:
        """Is the game won (2048, or the goal, was made), and is it finished?"""
        won = board2048.largest(self._board) >= (self.game.goal or 1 << WON)
        return won, self._stopped() or not board2048.valid_bits(self._board)

    def _stopped(self) -> bool:
        """Has the goal ended the game?"""
        return self.game.goal is not None and board2048.largest(self._board) >= self.game.goal

    def _add_random_tile(self, p: float = 0.9) -> None:
        """A new tile on a random empty cell: a 2 with probability p, else a 4."""
        if self.is_full_board():
            raise ValueError("the board is full: there is no cell for a new tile")
        game = self.game if p == self.game.p_two else Game2048(p)
        self._board = game.settle(State(self._board, 0, 1), self.np_random).board

    def _slide(self, action: int) -> float:
        """Move without a new tile; returns the reward."""
        before = self._board
        self._board, earned = board2048.move(before, action)
        self.score += earned
        return (
            float(earned) if self.form == "score" else board2048.reward(self.form, before, action)
        )

    def _UP(self) -> float:
        """Move up, without a new tile; returns the reward."""
        return self._slide(UP)

    def _DOWN(self) -> float:
        """Move down, without a new tile; returns the reward."""
        return self._slide(DOWN)

    def _LEFT(self) -> float:
        """Move left, without a new tile; returns the reward."""
        return self._slide(LEFT)

    def _RIGHT(self) -> float:
        """Move right, without a new tile; returns the reward."""
        return self._slide(RIGHT)

    def _can_UP(self) -> bool:
        """Would a move up change the board?"""
        return UP in board2048.can_move(self._board)

    def _can_DOWN(self) -> bool:
        """Would a move down change the board?"""
        return DOWN in board2048.can_move(self._board)

    def _can_LEFT(self) -> bool:
        """Would a move left change the board?"""
        return LEFT in board2048.can_move(self._board)

    def _can_RIGHT(self) -> bool:
        """Would a move right change the board?"""
        return RIGHT in board2048.can_move(self._board)

    def reset(
        self, *, seed: int | None = None, options: Info | None = None
    ) -> tuple[np.ndarray, Info]:
        """Two random tiles, or the board in options["board"]."""
        super().reset(seed=seed)
        self.score = 0
        if options and "board" in options:
            self.board = options["board"]
        else:
            self._board = self.game.settle(self.game.start(), self.np_random).board
        return self._seen(self._board), self._info(board2048.valid_bits(self._board), False)

    def step(self, action: int | np.int64) -> Step:
        """Move and add a tile: observation, reward, terminated, truncated, info."""
        if action not in (UP, DOWN, LEFT, RIGHT):
            raise ValueError(f"{action!r} is no action: they are 0 to 3 for {', '.join(MOVES)}")
        before, score, reward = self._board, self.score, 0.0
        stopped = self._stopped()
        if not stopped:
            reward = self._slide(int(action))
        illegal = stopped or self._board == before
        if illegal:
            reward, self.score = 0.0, score
        else:
            self._board = self.game.settle(State(self._board, 0, 1), self.np_random).board
            stopped = self._stopped()
        valid = 0 if stopped else board2048.valid_bits(self._board)
        return self._seen(self._board), reward, not valid, False, self._info(valid, illegal)

    def _info(self, valid: int, illegal: bool) -> Info:
        mask = _MASKS[valid].view(np.int8).copy()
        return {"action_mask": mask, "score": self.score, "illegal": illegal}

    def render(self) -> Any:
        """The board as text or pixels; None without a `render_mode`."""
        return render(self.game, State(self._board, self.score), self.render_mode)


_MASKS = [np.array([bool(bits >> a & 1) for a in range(4)]) for bits in range(16)]


class SolitaireEnv(gymnasium.Env[np.ndarray, np.int64]):
    """Peg solitaire: 76 jumps, the 7x7x3 planes; ends when no jump is left."""

    metadata = {"render_modes": list(MODES), "render_fps": 4}  # noqa: RUF012 - Gymnasium's own form

    def __init__(
        self,
        start: int | str | None = None,
        *,
        centre: bool = True,
        rewards: str = "seed",
        render_mode: str | None = None,
    ) -> None:
        """Rewards: "seed" is 1/31 a jump and 1 more when solved, "solved" that 1 alone."""
        if rewards not in ("seed", "solved"):
            raise ValueError(f"rewards {rewards!r} are unknown: choose 'seed' or 'solved'")
        self.game, self.render_mode = Solitaire(start, centre=centre), check_mode(render_mode)
        self.per_jump = 1 / solitaire.TO_REMOVE if rewards == "seed" else 0.0
        self.action_space = Discrete(self.game.n_actions)
        self.observation_space = Box(0, 1, (7, 7, 3), np.float32)
        self.position = self.game.start()

    def reset(
        self, *, seed: int | None = None, options: Info | None = None
    ) -> tuple[np.ndarray, Info]:
        """The start, or the position (a number, or its line) in options["start"]."""
        super().reset(seed=seed)
        self.position = self.game.start()
        if options and "start" in options:
            self.position = Solitaire(options["start"]).start()
        return self.game.observe(self.position), self._info(False)

    def step(self, action: int | np.int64) -> Step:
        """Make a jump: observation, reward, terminated, truncated, info."""
        if action not in self.action_space:
            raise ValueError(
                f"{action!r} is no action: the jumps are 0 to {len(solitaire.JUMPS) - 1}"
            )
        reward, illegal = 0.0, action not in solitaire.jumps(self.position)
        if not illegal:
            self.position = solitaire.flip(self.position, int(action))
            reward = self.per_jump + self.game.solved(self.position)
        over = not self.game.movers(self.position)
        return self.game.observe(self.position), reward, over, False, self._info(illegal)

    def _info(self, illegal: bool) -> Info:
        mask = np.zeros(self.game.n_actions, np.int8)
        mask[solitaire.jumps(self.position)] = 1
        pegs = solitaire.count_pegs(self.position)
        return {"action_mask": mask, "pegs": pegs, "illegal": illegal}

    def render(self) -> Any:
        """The board as text or pixels; None without a `render_mode`."""
        return render(self.game, self.position, self.render_mode)
