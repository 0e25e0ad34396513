"""What surrounds the few lines of lesson 4 that learn: games, memory, and two networks."""

import copy

import numpy as np
import torch
from torch import Tensor

from lib.agents.dqn_networks import WindowNet, pick_device
from lib.agents.replay2048 import Ring
from lib.games.batch2048 import Batch2048, afterstates, exponents, symmetric

Drawn = tuple[Tensor, Tensor, Tensor, Tensor]


class Workshop:
    """256 games that `network` plays by reward + gamma V(board after the move), remembered.

    Both networks, and all that `sample` returns, lie on a GPU if there is one.
    """

    def __init__(
        self,
        seed: int = 0,
        games: int = 256,
        n_step: int = 10,
        gamma: float = 0.999,
        scale: float = 0.001,
        device: str = "auto",
    ) -> None:
        self.n_step, self.gamma, self.scale = n_step, gamma, scale
        self.rng = np.random.default_rng(seed)
        self.device = pick_device(device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = WindowNet().to(self.device)
        self.target = copy.deepcopy(self.network).requires_grad_(False)
        self.games = Batch2048(games, self.rng)
        self.ring = Ring(1000 * games, games, afterstates=True)
        self.scores: list[int] = []  # of the games that ended
        for _ in range(n_step + 1):
            self.play()

    def cells(self, boards: np.ndarray) -> Tensor:
        """Boards as the network sees them: exponents (n, 16)."""
        return torch.from_numpy(exponents(boards)).to(self.device, torch.int32)

    def worth(self, boards: np.ndarray) -> np.ndarray:
        """Reward + gamma V of each move on each board (n, 4), -inf where it is illegal."""
        after, gains, legal = afterstates(boards)
        with torch.inference_mode():
            values = self.network(self.cells(after[legal]))[:, 0].cpu().numpy()
        worth = np.full(legal.shape, -np.inf)
        worth[legal] = self.scale * gains[legal] + self.gamma * values
        return worth

    def choose(self, boards: np.ndarray) -> np.ndarray:
        """The best move on each board."""
        return np.argmax(self.worth(boards), axis=1)

    def play(self) -> None:
        """One move in every game; those that end begin anew."""
        boards = self.games.boards
        actions = self.choose(boards)
        after = afterstates(boards)[0][np.arange(len(boards)), actions]
        rewards = np.float32(self.scale) * self.games.step(actions)
        over = np.logical_not(self.games.legal().any(axis=1))
        self.ring.add(after, actions, rewards, over)
        self.scores += self.games.scores[over].tolist()
        self.games.reset(over)

    def sample(self, size: int = 512) -> Drawn:
        """Boards, n-step returns, discounts (0 at the end) and boards n steps later, turned."""
        drawn = self.ring.sample(size, self.n_step, self.gamma, self.rng)
        which = self.rng.integers(0, 8, size)
        boards, later = (self.cells(symmetric(b, which)) for b in (drawn.boards, drawn.later))
        returns, discounts = (
            torch.from_numpy(a).to(self.device) for a in (drawn.returns, drawn.discounts)
        )
        return boards, returns, discounts, later

    def weights(self) -> dict[str, np.ndarray]:
        """The network's weights as arrays."""
        return {name: w.detach().cpu().numpy() for name, w in self.network.state_dict().items()}

    def load(self, weights: dict[str, np.ndarray]) -> None:
        """Play with these weights; ValueError if they are not those of such a network."""
        try:
            tensors = {name: torch.from_numpy(np.asarray(w)) for name, w in weights.items()}
            self.network.load_state_dict(tensors)
        except (RuntimeError, TypeError, AttributeError) as error:
            raise ValueError(f"these are not the network's weights: {error}") from error
