"""DQN on 2048 in the seed's form: one game at a time, Q(board, action), replay, target network.

    act      by one of three exploration rules (`dqn_explore`) among the legal moves
    store    board, action, reward, next board, whether that ended the game
    target   reward + gamma max over a' of Q_target(next board, a'), or the reward alone at the end
    learn    Huber or squared loss, and lambda/2 |weights|**2, on a random batch, at every move
    target network += tau (network - target network)

`DQNAgent` sees the board as 16 numbers, `ConvDQNAgent` as 12 binary planes. The seed took the
maximum over illegal moves too: `legal_max=False` shows what that does.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.agents.afterstate_dqn import soft_update
from lib.agents.dqn_explore import RULES, choose, torch_version
from lib.agents.dqn_games import Games, play_games
from lib.agents.dqn_memory import Batch, Memory
from lib.agents.dqn_networks import pick_device
from lib.agents.progress import Progress
from lib.files import write_whole
from lib.game import Agent, Game
from lib.games.batch2048 import afterstates, exponents
from lib.games.board2048 import REWARD_FORMS, planes, reward
from lib.games.game2048 import Game2048, State


def td_target(
    rewards: Tensor,
    over: Tensor,
    next_q: Tensor,
    legal: Tensor | None,
    gamma: float,
    chooser: Tensor | None = None,
) -> Tensor:
    """reward + gamma max Q(next, a') over legal a', the reward alone at the end.

    With `chooser`, the network's own Q of the next boards, it chooses a' and `next_q` values it:
    double DQN (van Hasselt et al. 2016). Without `legal` the maximum runs over all four actions.
    """
    ranked = next_q if chooser is None else chooser
    if legal is not None:
        ranked = ranked.masked_fill(~legal, -torch.inf)
    best = next_q.gather(1, ranked.argmax(dim=1, keepdim=True))[:, 0]
    return rewards + gamma * torch.where(over, 0.0, best)


class DQNAgent(Agent):
    """The seed's agent on the raw board: for progress in agent.fit(Game2048(), 100): ..."""

    name = "dqn"
    binary = False  # what the network sees: 16 tile values, or 12 planes of bits

    def __init__(
        self,
        model: nn.Module,
        device: str = "auto",
        batch_size: int = 128,
        gamma: float = 0.99,
        eps_start: float = 1.0,
        eps_end: float = 0.01,
        eps_decay: float = 0.0005,
        kind_action: str = "lai_robbins",
        tau: float = 0.001,
        lr: float = 0.001,
        replay_memory_size: int = 10_000,
        epochs_checkpoint: int = 10,
        penality_move: float = 0.0,
        *,
        reward_form: str = "log2",  # one of board2048.REWARD_FORMS
        reward_scale: float = 1.0,
        loss: str = "huber",  # or mse
        l2: float = 1e-5,  # lambda of the squared weights
        legal_max: bool = True,  # False: the seed's mistake
        double: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        if kind_action not in RULES or reward_form not in REWARD_FORMS:
            raise ValueError(
                f"kind_action={kind_action!r}, reward_form={reward_form!r}: choose one of "
                f"{', '.join(RULES)} and one of {', '.join(REWARD_FORMS)}"
            )
        self.device = pick_device(device)
        self.policy_net = model.to(self.device)
        self.batch_size, self.gamma, self.tau, self.lr = batch_size, gamma, tau, lr
        self.eps_start, self.eps_end, self.eps_decay = eps_start, eps_end, eps_decay
        self.kind_action, self.replay_memory_size = kind_action, replay_memory_size
        self.epochs_checkpoint, self.penality_move = epochs_checkpoint, penality_move
        self.reward_form, self.reward_scale = reward_form, reward_scale
        self.loss, self.l2, self.legal_max, self.double = loss, l2, legal_max, double
        self._first = copy.deepcopy(model.state_dict())
        self.reset()

    def reset(self) -> None:
        """Forget what was learned and counted; the weights are those it was made with."""
        self.policy_net.load_state_dict(self._first)
        self.target_net = copy.deepcopy(self.policy_net).requires_grad_(False).eval()
        self.optimizer = torch.optim.Adam(
            self.policy_net.parameters(), lr=self.lr, weight_decay=self.l2
        )
        self.memory = Memory(self.replay_memory_size)
        self.loss_history: list[float] = []
        self.cumulative_reward: list[float] = []  # of each game
        self.scores: list[int] = []
        self.score = 0  # of the game being played
        self.steps_done = 0
        self.steps_per_action = np.zeros(4, np.int64)

    def binary_tensor(self, boards: np.ndarray) -> Tensor:
        """Boards (n,) as binary planes (n, 12, 4, 4)."""
        cells = exponents(boards).reshape(-1, 4, 4)
        return torch.from_numpy(planes(cells)).to(self.device)

    def tensor(self, boards: np.ndarray) -> Tensor:
        """What the network sees: planes, or the 16 tile values."""
        if self.binary:
            return self.binary_tensor(boards)
        cells = exponents(boards).astype(np.int64)
        return torch.from_numpy(np.where(cells > 0, 1 << cells, 0)).to(self.device, torch.float32)

    def q_values(self, boards: np.ndarray) -> np.ndarray:
        """Q of the four actions on each board (n, 4)."""
        self.policy_net.eval()
        with torch.inference_mode():
            return self.policy_net(self.tensor(boards)).cpu().numpy()

    @property
    def epsilon(self) -> float:
        """Epsilon of the rule torch_version, now."""
        return torch_version(self.steps_done, self.eps_start, self.eps_end, self.eps_decay)

    def select_action(self, state: State, kind: str | None = None) -> int:
        """A legal action by an exploration rule, counted."""
        board = np.array([state.board], dtype=np.uint64)
        legal = np.flatnonzero(afterstates(board)[2][0])
        kind, counts = kind or self.kind_action, self.steps_per_action
        action = choose(kind, self.q_values(board)[0], legal, counts, self.rng, self.epsilon)
        self.steps_done += 1
        self.steps_per_action[action] += 1
        return action

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        """The legal action of the highest value, without exploring."""
        return int(self.greedy(np.array([state.board], dtype=np.uint64))[0])

    def greedy(self, boards: np.ndarray) -> np.ndarray:
        """The legal action of the highest value on each board."""
        legal = afterstates(boards)[2]
        return np.argmax(np.where(legal, self.q_values(boards), -np.inf), axis=1)

    def targets(self, batch: Batch) -> Tensor:
        """The TD target of each transition of a batch."""
        legal = None
        if self.legal_max:
            legal = torch.from_numpy(afterstates(batch.next_boards)[2]).to(self.device)
        seen = self.tensor(batch.next_boards)
        with torch.no_grad():
            chooser = self.policy_net(seen) if self.double else None
            next_q = self.target_net(seen)
        rewards = torch.from_numpy(batch.rewards).to(self.device)
        over = torch.from_numpy(batch.over).to(self.device)
        return td_target(rewards, over, next_q, legal, self.gamma, chooser)

    def optimize_model(self) -> float | None:
        """One step of Adam on a random batch; its loss, None while the memory is too small."""
        if len(self.memory) < self.batch_size:
            return None
        batch = self.memory.sample(self.batch_size, self.rng)
        self.policy_net.train()
        actions = torch.from_numpy(batch.actions).to(self.device)
        taken = self.policy_net(self.tensor(batch.boards)).gather(1, actions[:, None])[:, 0]
        measure = F.mse_loss if self.loss == "mse" else F.huber_loss
        loss = measure(taken, self.targets(batch))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        soft_update(self.target_net, self.policy_net, self.tau)
        self.loss_history.append(float(loss.detach()))
        return self.loss_history[-1]

    def fit(self, env: Game2048, num_episodes: int, kind: str | None = None) -> Iterator[Progress]:
        """Learn from games; tells every `epochs_checkpoint` of them how the last ones went."""
        for episode in range(1, num_episodes + 1):
            self._episode(env, kind)
            if episode % self.epochs_checkpoint == 0 or episode == num_episodes:
                yield self._progress(episode, num_episodes)

    def _episode(self, env: Game2048, kind: str | None) -> None:
        state, total = env.settle(env.start(), self.rng), 0.0
        while env.movers(state):
            action = self.select_action(state, kind)
            earned = reward(self.reward_form, state.board, action) - self.penality_move
            after = env.settle(env.play(state, (action,)), self.rng)
            scaled = earned * self.reward_scale
            self.memory.push(state.board, action, scaled, after.board, not env.movers(after))
            self.optimize_model()
            state, self.score, total = after, after.score, total + earned
        self.cumulative_reward.append(total)
        self.scores.append(self.score)

    def _progress(self, done: int, total: int) -> Progress:
        last = slice(-self.epochs_checkpoint, None)
        metrics = {
            "score": float(np.mean(self.scores[last])),
            "reward": float(np.mean(self.cumulative_reward[last])),
            "loss": float(np.mean(self.loss_history[-1000:] or [np.nan])),
            "steps": float(self.steps_done),
        }
        return Progress(done, total, "games", metrics)

    def test(self, env: Game2048, num_episodes: int, seed: int = 0) -> Games:
        """Games that follow the learned policy greedily, all at once."""
        return play_games(self.greedy, num_episodes, seed, env)

    def save(self, path: str | Path) -> Path:
        """Write the networks, the memory and all counts: `load` goes on exactly from there."""
        counts = {
            "loss_history": self.loss_history,
            "cumulative_reward": self.cumulative_reward,
            "scores": self.scores,
            "score": self.score,
            "steps_done": self.steps_done,
            "steps_per_action": self.steps_per_action.tolist(),
            "rng": self.rng.bit_generator.state,
        }
        state = {
            "policy_net": self.policy_net.state_dict(),
            "target_net": self.target_net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "memory": self.memory.state(),
            "counts": json.dumps(counts),
        }
        return write_whole(path, lambda file: torch.save(state, file))

    def load(self, path: str | Path) -> None:
        """Go on from what `save` wrote, with the same model and settings."""
        state = torch.load(path, map_location=self.device, weights_only=True)
        for name in ("policy_net", "target_net", "optimizer"):
            getattr(self, name).load_state_dict(state[name])
        self.memory.restore(state["memory"])
        counts = json.loads(state["counts"])
        self.rng.bit_generator.state = counts.pop("rng")
        self.steps_per_action = np.array(counts.pop("steps_per_action"), np.int64)
        for name, value in counts.items():
            setattr(self, name, value)


class ConvDQNAgent(DQNAgent):
    """The seed's agent on binary planes, for a convolutional network (or any on 12 x 4 x 4)."""

    name = "conv-dqn"
    binary = True
