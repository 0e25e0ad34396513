"""The games of two as PettingZoo environments: the finger games in turns, the droids in parallel.

Players are "player_0" and "player_1"; `info["action_mask"]` says which actions are legal. Rewards
sum to 0. In a finger game an illegal action forfeits the game; in the droid battle a step into a
wall or a shot without one left does nothing. Both are told: `info["illegal"]`.
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from pettingzoo import AECEnv, ParallelEnv

from lib.envs_render import MODES, check_mode, render
from lib.game import Game
from lib.games.droids import ACTIONS, Droids, play_round
from lib.games.fingers import FingerGame, FingerState

PLAYERS = ["player_0", "player_1"]
LIMIT = 200  # turns after which a finger game is truncated

Each = dict[str, Any]  # something for each player


class FingerEnv(AECEnv):
    """A finger game in turns; the reward comes at the end: 1 for a win, -1 for a loss."""

    def __init__(
        self, game: FingerGame, *, max_cycles: int = LIMIT, render_mode: str | None = None
    ) -> None:
        """`max_cycles` turns end the game as truncated, for it may run in circles."""
        super().__init__()
        if max_cycles < 1:
            raise ValueError(f"max_cycles={max_cycles}: give at least one turn")
        self.game, self.max_cycles, self.render_mode = game, max_cycles, check_mode(render_mode)
        self.metadata = _metadata(game)
        self.possible_agents = PLAYERS.copy()
        self.agents: list[str] = []
        self.observation_spaces = {name: Box(0, 4, (5,), np.int8) for name in PLAYERS}
        self.action_spaces = {name: Discrete(game.n_actions) for name in PLAYERS}
        self.position: FingerState = game.start()

    def observation_space(self, agent: str) -> Any:
        """Own hands, the other's, and 1 when it is one's turn."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The actions of the game by number."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Each | None = None) -> None:
        """The start, or the state in options["state"] (or its line, as `write` writes it)."""
        self.agents, self.turns = PLAYERS.copy(), 0
        self.position = _started(self.game, options)
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        over = not self.game.movers(self.position)
        self.terminations = dict.fromkeys(PLAYERS, over)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos = _infos(self.game, self.position, ())
        self._skip_agent_selection = None
        self.agent_selection = PLAYERS[self.position.player]

    def observe(self, agent: str) -> np.ndarray:
        """What a player sees."""
        return self.game.observe(self.position, PLAYERS.index(agent))

    def step(self, action: int | None) -> None:
        """One turn of the player whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        player = PLAYERS.index(agent)
        legal = action in self.game.legal(self.position, player)
        if legal:
            self.position = self.game.play(self.position, (int(action or 0),))
        outcome = self.game.outcome(self.position)
        self._ended(outcome if legal else (2.0 * player - 1, 1 - 2.0 * player))
        self.infos = _infos(self.game, self.position, () if legal else (player,))
        self.agent_selection = PLAYERS[1 - player]
        self._accumulate_rewards()
        self._deads_step_first()

    def _ended(self, outcome: tuple[float, ...]) -> None:
        """Note rewards, and whether the game is over or cut off."""
        self.turns += 1
        over = any(outcome)
        self.rewards = dict(zip(PLAYERS, outcome, strict=True))
        self.terminations = dict.fromkeys(PLAYERS, over)
        self.truncations = dict.fromkeys(PLAYERS, not over and self.turns >= self.max_cycles)

    def render(self) -> Any:
        """The table as text or pixels; None without a `render_mode`."""
        return render(self.game, self.position, self.render_mode)

    def close(self) -> None:
        """Nothing to release."""


class DroidsEnv(ParallelEnv):
    """The droid battle, both at once; the reward of a round is the change of one's lead."""

    def __init__(self, game: Droids | None = None, *, render_mode: str | None = None) -> None:
        self.game, self.render_mode = game or Droids(), check_mode(render_mode)
        self.metadata = _metadata(self.game)
        self.possible_agents = PLAYERS.copy()
        self.agents: list[str] = []
        rows, cols, shots, rounds = (
            getattr(self.game, part) for part in ("rows", "cols", "shots", "rounds")
        )
        droid = [rows - 1, cols - 1, max(shots, 1), max(shots, 1)]
        high = np.array([*droid, *droid, rounds], np.float32)
        self.observation_spaces = {name: Box(0, high, high.shape, np.float32) for name in PLAYERS}
        self.action_spaces = {name: Discrete(len(ACTIONS)) for name in PLAYERS}
        self.position = self.game.start()

    def observation_space(self, agent: str) -> Any:
        """Row, column, shots and points, one's own and the other's; then the rounds left."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Up, down, left, right, shoot = 0 to 4."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Each | None = None) -> tuple[Each, Each]:
        """The start, or the state in options["state"] (or its line, as `write` writes it)."""
        self.agents = PLAYERS.copy()
        self.position = _started(self.game, options)
        return self._observations(), _infos(self.game, self.position, ())

    def step(self, actions: dict[str, int]) -> tuple[Each, Each, Each, Each, Each]:
        """One round: observations, rewards, terminations, truncations, infos."""
        if not self.agents:
            raise ValueError("the game is over: call reset() first")
        if set(actions) != set(PLAYERS) or not all(a in range(5) for a in actions.values()):
            raise ValueError(
                f"{actions!r}: give each of {', '.join(PLAYERS)} an action from 0 to 4"
            )
        moves = [int(actions[name]) for name in PLAYERS]
        illegal = [p for p in (0, 1) if moves[p] not in self.game.legal(self.position, p)]
        lead = self._lead()
        self.position = self._played(moves)
        gain = self._lead() - lead
        over = not self.game.movers(self.position)
        answer = (
            self._observations(),
            dict(zip(PLAYERS, (gain, -gain), strict=True)),
            dict.fromkeys(PLAYERS, over),
            dict.fromkeys(PLAYERS, False),
            _infos(self.game, self.position, illegal),
        )
        self.agents = [] if over else self.agents
        return answer

    def _played(self, moves: list[int]) -> Any:
        """The round as the droids themselves play it: what they can't do, they don't."""
        one, other = self.game.droids(self.position)
        change = play_round(one, other, (ACTIONS[moves[0]], ACTIONS[moves[1]]))
        (mine, its), rounds = self.position.points, self.position.rounds
        return self.position._replace(
            locations=(one.location, other.location),
            shots=(one.shots, other.shots),
            points=(mine + (change > 0), its + (change < 0)),
            rounds=rounds - 1,
        )

    def _lead(self) -> float:
        one, other = self.game.score(self.position)
        return one - other

    def _observations(self) -> Each:
        return {name: self.game.observe(self.position, p) for p, name in enumerate(PLAYERS)}

    def render(self) -> Any:
        """The board as text or pixels; None without a `render_mode`."""
        return render(self.game, self.position, self.render_mode)

    def close(self) -> None:
        """Nothing to release."""


def _metadata(game: Game[Any]) -> dict[str, Any]:
    turns = game.name != "droids"
    name = {"name": f"{game.name}_v0", "is_parallelizable": not turns}
    return {**name, "render_modes": list(MODES), "render_fps": 4}


def _started(game: Game[Any], options: Each | None) -> Any:
    state = (options or {}).get("state", game.start())
    return game.read(state) if isinstance(state, str) else game.read(game.write(state))


def _infos(game: Game[Any], state: Any, illegal: Any) -> Each:
    """The mask of each player, empty for who does not move, and who tried what can't be."""
    movers, infos = game.movers(state), {}
    for player, name in enumerate(PLAYERS):
        mask = np.zeros(game.n_actions, np.int8)
        mask[game.legal(state, player) if player in movers else []] = 1
        infos[name] = {"action_mask": mask, "illegal": player in illegal}
    return infos
