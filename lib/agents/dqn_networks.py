"""Networks for 2048: the seed's, which see planes or the raw board, and those that win.

The first group takes what the seed's agents give them and has one output for each action. The
second takes exponents, an integer tensor (n, 16), and has one output (the value of an afterstate)
or four.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.agents.ntuple import FIVE

LINES = tuple(tuple(4 * r + c for c in range(4)) for r in range(4)) + tuple(
    tuple(4 * r + c for r in range(4)) for c in range(4)
)
SQUARES = tuple((i, i + 1, i + 4, i + 5) for i in (4 * r + c for r in range(3) for c in range(3)))
RECTANGLES = tuple(  # 2 rows of 3, and, read the same way after a transposition, 3 rows of 2
    tuple(i + j for j in (0, 1, 2, 4, 5, 6)) for i in (4 * r + c for r in range(3) for c in (0, 1))
) + tuple(
    tuple(i + j for j in (0, 4, 8, 1, 5, 9)) for i in (4 * r + c for r in (0, 1) for c in range(3))
)
WINDOWS = {"lines": LINES, "squares": SQUARES, "rectangles": RECTANGLES}


def pick_device(device: str = "auto") -> torch.device:
    """The named device; "auto" is a GPU if there is one."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(device)


class FullyConnected(nn.Module):
    """The seed's plain network: any number of inputs, three layers of ReLU, four outputs."""

    def __init__(self, inputs: int = 192, hidden: int = 256, outputs: int = 4) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Flatten(),
            nn.Linear(inputs, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, outputs),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Q of the four actions, from (n, ...) with `inputs` numbers each."""
        return self.layers(x)


class ConvolutionalNetwork(nn.Module):
    """The seed's convolution over two planes of neighbouring tiles at a time, then three layers."""

    def __init__(self, depth: int = 12, channels: int = 3, hidden: int = 128) -> None:
        super().__init__()
        self.convolution = nn.Conv3d(1, channels, kernel_size=(2, 4, 4))
        self.normal = nn.BatchNorm3d(channels)
        self.layers = FullyConnected((depth - 1) * channels, hidden)

    def forward(self, x: Tensor) -> Tensor:
        """Q of the four actions, from planes (n, depth, 4, 4)."""
        return self.layers(self.normal(torch.relu(self.convolution(x[:, None]))))


class BigConvolutionalNetwork(nn.Module):
    """Pairs of neighbours (1x2 and 2x1), pairs of those, then one wide layer."""

    def __init__(self, depth: int = 12, channels: int = 64, hidden: int = 256) -> None:
        super().__init__()
        self.across = nn.Conv2d(depth, channels, (1, 2))
        self.down = nn.Conv2d(depth, channels, (2, 1))
        self.across2 = nn.Conv2d(channels, channels, (2, 1))
        self.down2 = nn.Conv2d(channels, channels, (1, 2))
        self.layers = nn.Sequential(
            nn.Linear(42 * channels, hidden), nn.ReLU(), nn.Linear(hidden, 4)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Q of the four actions, from planes (n, depth, 4, 4)."""
        across, down = torch.relu(self.across(x)), torch.relu(self.down(x))
        parts = (across, down, torch.relu(self.across2(across)), torch.relu(self.down2(down)))
        return self.layers(torch.cat([part.flatten(1) for part in parts], dim=1))


class OnCells(nn.Module):
    """One of the seed's networks, fed with exponents (n, 16) as the networks below."""

    def __init__(self, body: nn.Module, *, binary: bool = True) -> None:
        super().__init__()
        self.body, self.binary = body, binary

    def forward(self, cells: Tensor) -> Tensor:
        """The body's outputs on 12 binary planes, or on the 16 tile values."""
        if not self.binary:
            return self.body(torch.where(cells > 0, 2.0**cells, 0.0))
        bits = F.one_hot(cells.long().clamp(max=11), 12).to(torch.float32)
        return self.body(bits.transpose(1, 2).reshape(-1, 12, 4, 4))


class WindowNet(nn.Module):
    """One shared layer on every window of a kind (one-hot cells), then one hidden layer.

    Net R is `WindowNet()`: rows, columns and 2x2 squares, 32 units each, 128 hidden.
    """

    onehot: Tensor

    def __init__(
        self,
        kinds: Sequence[str] = ("lines", "squares"),
        width: int = 32,
        hidden: int = 128,
        outputs: int = 1,
    ) -> None:
        super().__init__()
        self.kinds = tuple(kinds)
        self.register_buffer("onehot", torch.eye(16), persistent=False)
        for kind in self.kinds:
            self.register_buffer(kind, torch.tensor(WINDOWS[kind]), persistent=False)
        sizes = [16 * len(WINDOWS[kind][0]) for kind in self.kinds]
        self.first = nn.ModuleList(nn.Linear(size, width) for size in sizes)
        total = width * sum(len(WINDOWS[kind]) for kind in self.kinds)
        self.hidden = nn.Linear(total, hidden)
        self.last = nn.Linear(hidden, outputs)

    def forward(self, cells: Tensor) -> Tensor:
        """The outputs (n, outputs) for exponents (n, 16)."""
        seen = []
        for kind, layer in zip(self.kinds, self.first, strict=True):
            window = F.embedding(cells[:, getattr(self, kind)], self.onehot)
            seen.append(layer(window.flatten(2)).flatten(1))
        hidden = torch.relu(self.hidden(torch.relu(torch.cat(seen, dim=1))))
        return self.last(hidden)


class TupleNet(nn.Module):
    """An n-tuple network as a layer: one embedding of size 1, summed over tuples and symmetries."""

    places: Tensor
    powers: Tensor
    offsets: Tensor

    def __init__(self, tuples: Sequence[Sequence[int]] = FIVE) -> None:
        super().__init__()
        board = torch.arange(16).view(4, 4)
        images = [torch.rot90(b, k).flatten() for b in (board, board.T) for k in range(4)]
        places = torch.stack([image[list(cells)] for cells in tuples for image in images])
        size = 16 ** places.shape[1]
        self.register_buffer("places", places, persistent=False)
        powers = 16 ** torch.arange(places.shape[1])
        self.register_buffer("powers", powers, persistent=False)
        offsets = size * torch.arange(len(tuples)).repeat_interleave(8)
        self.register_buffer("offsets", offsets, persistent=False)
        self.table = nn.EmbeddingBag(size * len(tuples), 1, mode="sum", sparse=True)
        nn.init.zeros_(self.table.weight)

    def forward(self, cells: Tensor) -> Tensor:
        """The values (n, 1) of exponents (n, 16)."""
        index = (cells[:, self.places].long() * self.powers).sum(dim=2)
        return self.table(index + self.offsets)


def make_network(name: str, outputs: int = 1) -> nn.Module:
    """A network on exponents by name: R, wide, rectangles, tuples; raw, planes, conv, bigconv."""
    if name == "R":
        return WindowNet(outputs=outputs)
    if name == "wide":
        return WindowNet(width=64, hidden=256, outputs=outputs)
    if name == "rectangles":
        return WindowNet(("lines", "rectangles"), width=64, hidden=256, outputs=outputs)
    if name == "tuples" and outputs == 1:
        return TupleNet()
    if name == "raw" and outputs == 4:
        return OnCells(FullyConnected(16), binary=False)
    if name == "planes" and outputs == 4:
        return OnCells(FullyConnected(192))
    if name == "conv" and outputs == 4:
        return OnCells(ConvolutionalNetwork())
    if name == "bigconv" and outputs == 4:
        return OnCells(BigConvolutionalNetwork(channels=16, hidden=128))
    raise ValueError(
        f"no network {name!r} with {outputs} output(s): R, wide, rectangles; with one output "
        "tuples; with four raw, planes, conv, bigconv"
    )
