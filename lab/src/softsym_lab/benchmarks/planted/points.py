"""Sets of 3D points, sequences and digits for comparisons, with small networks as people write them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

AXES = ("O(2)@x", "O(2)@y", "O(2)@z")
Pair = tuple[Tensor, Tensor]
TRAIN, TEST = 200, 1_000


class SetTransformer(nn.Module):
    """torch's own encoder on sets of points.

    Args:
        width: Numbers of each point inside.
    """

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 2, 2 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.embed, self.head = nn.Linear(3, width), nn.Linear(width, 3)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x: Tensor) -> Tensor:
        """Sets (n, points, 3) to vectors (n, 3)."""
        out: Tensor = self.head(self.encoder(self.embed(x)).mean(1))
        return out


class Recurrent(nn.Module):
    """An LSTM that reads a flight and predicts its continuation, step by step.

    Args:
        width: Size of its state.
    """

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.rnn, self.head = nn.LSTM(3, width, batch_first=True), nn.Linear(width, 18)

    def forward(self, x: Tensor) -> Tensor:
        """Past positions (n, 6, 3) to future ones (n, 18)."""
        out: Tensor = self.head(self.rnn(x)[0][:, -1])
        return out


def target_function(x: Tensor) -> Tensor:
    """A vector of a set of points (n, points, 3) that is equivariant to O(2) about z and to nothing about x or y.

    Points pull at the origin by their distance from the vertical axis, and weight pulls down.

    Example:
        >>> x = torch.ones(1, 2, 3)
        >>> target_function(x * torch.tensor([1.0, -1.0, 1.0])).equal(target_function(x) * torch.tensor([1.0, -1.0, 1.0]))
        True
    """
    radius = x[..., :2].square().sum(-1, keepdim=True)
    pull = (x * torch.exp(-radius / 2)).mean(1)
    weight = (radius.squeeze(-1) * x[..., 2]).mean(1, keepdim=True)
    return pull + torch.cat([torch.zeros(len(x), 2), weight - 1.0], dim=1)


def sets(seed: int) -> tuple[Pair, Pair]:
    """Training and test rows: six points each, flat, and their vectors."""
    generator = torch.Generator().manual_seed(seed)
    train, test = (torch.randn(n, 6, 3, generator=generator) for n in (TRAIN, TEST))
    return (train.flatten(1), target_function(train)), (test.flatten(1), target_function(test))


def digits(seed: int) -> tuple[Pair, Pair]:
    """Training and test rows of scikit-learn's digits: flat images, and classes one of ten."""
    from sklearn.datasets import load_digits

    known = load_digits()
    x = torch.tensor(known.images / 16).float().flatten(1)
    y = nn.functional.one_hot(torch.tensor(known.target).long(), 10).float()
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    train, test = order[:TRAIN], order[TRAIN:]
    return (x[train], y[train]), (x[test], y[test])


def flights(path: str) -> Callable[[int], tuple[Pair, Pair]]:
    """Draws rows of recorded flights: six past and six future positions."""
    from softsym_lab.tasks.table_tennis import TableTennis

    task = TableTennis(path)

    def draw(seed: int) -> tuple[Pair, Pair]:
        splits = task.splits(seed, (2 * TRAIN, 0, TEST // 2))
        return splits.train, splits.test

    return draw
