"""A stand-in for learning, with which one round of an A3C worker can be tried by hand."""

import torch
from torch import nn


class Practice:
    """A `learn` that leaves given gradients in a network and remembers the weights that it saw."""

    def __init__(self, gradients: list[list[float]], figures: dict[str, float]) -> None:
        self.gradients, self.figures = gradients, figures
        self.seen: list[list[list[float]]] = []

    def __call__(self, network: nn.Module) -> dict[str, float]:
        self.seen.append([p.detach().flatten().tolist() for p in network.parameters()])
        for p, gradient in zip(network.parameters(), self.gradients, strict=True):
            p.grad = torch.tensor(gradient).reshape(p.shape)
        return self.figures
