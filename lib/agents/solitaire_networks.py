"""Two networks that look at a solitaire board and give a policy and a value.

`PegNet` is the fast one: a board as 111 numbers, two wide layers, two heads. `ConvNet` is the
seed's: the board as 7×7×3 planes, three convolutions, two heads. Both take a batch of boards that
`encode` prepared, and the legal jumps; an illegal jump gets a logit so low that it is never drawn.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lib.files import write_whole
from lib.games import batch_solitaire as batch
from lib.games.solitaire import TO_REMOVE

NEVER = -1e9  # the logit of an illegal jump: its probability is exactly 0, its log is finite


class PegNet(nn.Module):
    """33 pegs, 2 fractions and 76 legal flags -> two layers -> 76 logits and a value."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.width = width
        self.trunk = nn.Sequential(
            nn.Linear(111, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, 76), nn.Linear(width, 1)
        start_small(self.policy, self.value)

    @staticmethod
    def encode(boards: np.ndarray, legal: np.ndarray) -> Tensor:
        """n×111: pegs, the fractions removed and left to remove, legal jumps."""
        numbers = np.empty((len(boards), 111), dtype=np.float32)
        numbers[:, :33] = boards[:, None] >> np.arange(33) & 1
        numbers[:, 33] = (TO_REMOVE + 1 - batch.count_pegs(boards)) / TO_REMOVE
        numbers[:, 34] = 1 - numbers[:, 33]
        numbers[:, 35:] = legal
        return torch.from_numpy(numbers)

    def forward(self, boards: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Masked logits, n×76, and values, n."""
        seen = self.trunk(boards)
        return self.policy(seen).masked_fill(~legal, NEVER), self.value(seen).squeeze(1)


class ConvNet(nn.Module):
    """The seed's: three convolutions, then for each head a 1×1 convolution and dense layers."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.width = width
        self.trunk = nn.Sequential(
            nn.Conv2d(3, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
        )
        self.policy = nn.Sequential(nn.Conv2d(width, 8, 1), nn.ReLU(), nn.Flatten())
        self.logits = nn.Linear(8 * 49, 76)
        self.value = nn.Sequential(
            nn.Conv2d(width, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 49, 64), nn.ReLU()
        )
        self.last = nn.Linear(64, 1)
        start_small(self.logits, self.last)

    @staticmethod
    def encode(boards: np.ndarray, legal: np.ndarray) -> Tensor:
        """n×3×7×7: the planes, channels first as torch has them."""
        return torch.from_numpy(batch.observe(boards)).permute(0, 3, 1, 2).contiguous()

    def forward(self, boards: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Masked logits, n×76, and values, n."""
        seen = self.trunk(boards)
        logits = self.logits(self.policy(seen)).masked_fill(~legal, NEVER)
        return logits, self.last(self.value(seen)).squeeze(1)


class Planes(nn.Module):
    """A network that knows only 7×7×3 planes, as one that can look at boards and masks jumps."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    @staticmethod
    def encode(boards: np.ndarray, legal: np.ndarray) -> Tensor:
        """n×7×7×3: the planes as `Solitaire.observe` has them."""
        return torch.from_numpy(batch.observe(boards))

    def forward(self, boards: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Masked logits, n×76, and values, n."""
        logits, values = self.inner(boards)
        return logits.masked_fill(~legal, NEVER), values


def seeing(network: Any) -> Any:
    """The network itself; one without `encode` is taken to look at planes, as in lesson 5."""
    return network if hasattr(network, "encode") else Planes(network)


NETWORKS: dict[str, Callable[..., Any]] = {"PegNet": PegNet, "ConvNet": ConvNet}


def start_small(*heads: nn.Linear) -> None:
    """A tenth of the usual weights: nearly uniform policy, values near 0."""
    with torch.no_grad():
        for head in heads:
            head.weight.mul_(0.1)
            head.bias.mul_(0.1)


def seeded_network(make: Callable[[], nn.Module], seed: int) -> nn.Module:
    """A network whose first weights depend on `seed` only; torch's own dice stay untouched."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make()


@torch.no_grad()
def judge(network: Any, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logits over the 76 jumps, illegal ones very low, and values, for boards as they lie.

    The network looks at each board's canonical image, so all eight images are judged alike.
    """
    network = seeing(network)
    images, symmetry = batch.canonical(positions)
    legal = batch.legal(images)
    logits, values = network(network.encode(images, legal), torch.from_numpy(legal))
    turned = np.take_along_axis(logits.numpy(), batch.JUMP_IMAGES[symmetry], axis=1)
    return turned, values.numpy()


def draw(logits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One action a row, drawn from the softmax of the logits (the Gumbel-max trick)."""
    return np.asarray((logits + rng.gumbel(size=logits.shape)).argmax(axis=1))


def save_network(path: str | Path, network: Any) -> Path:
    """Write kind, width and weights; nothing that runs."""
    return write_whole(path, lambda file: torch.save(described(network), file))


def described(network: Any) -> dict[str, Any]:
    """Kind, width and weights, as `restored` takes them."""
    weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
    width = getattr(network, "width", 0)
    return {"kind": type(network).__name__, "width": width, "weights": weights}


def load_network(path: str | Path) -> Any:
    """The network that `save_network`, or a learner's `save`, wrote."""
    content = torch.load(path, map_location="cpu", weights_only=True)
    return restored(content.get("network", content))


def restored(content: dict[str, Any]) -> Any:
    """The network that `described` described."""
    if content.get("kind") not in NETWORKS:
        raise ValueError(f"network {content.get('kind')!r} is unknown: one of {list(NETWORKS)}")
    network = NETWORKS[content["kind"]](content["width"])
    network.load_state_dict(content["weights"])
    return network.eval()
