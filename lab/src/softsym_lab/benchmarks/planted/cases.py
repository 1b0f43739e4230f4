"""The tasks of the comparison: images with planted symmetries, digits, sets of 3D points, and flights where their file is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from softsym.metrics import equivariance_error
from softsym.regularize import GroupAugmentation
from softsym_lab.benchmarks.planted import images, points

QUARTERS = ("D(4)@x", "D(4)@y", "D(4)@z")
Pair = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Case:
    """A task with a network.

    Args:
        name: What it is.
        build: Makes the network.
        draw: Training and test rows of a seed; inputs are flat, (n, size of ``rep_in``).
        shape: The shape in which the network wants one input.
        rep_in: Representation of an input.
        rep_out: Representation of an output; of class scores, scalars.
        groups: All candidates.
        holds: Those that hold exactly.
        epochs: How long to train.
        lr: Step length.
        finite: Finite candidates in the place of continuous ones: their hidden representations commute with every nonlinearity.
        order: Candidates from what holds to what does not, where that was planted.
    """

    name: str
    build: Callable[[], nn.Module]
    draw: Callable[[int], tuple[Pair, Pair]]
    shape: tuple[int, ...]
    rep_in: str
    rep_out: str
    groups: tuple[str, ...]
    holds: tuple[str, ...]
    epochs: int = 120
    lr: float = 2e-3
    finite: tuple[str, ...] = ()
    order: tuple[str, ...] = ()

    @property
    def has_classes(self) -> bool:
        """Whether outputs are scores of classes."""
        return self.rep_out.endswith("S")

    def network(self, net: nn.Module) -> Callable[[Tensor], Tensor]:
        """The network as a function of flat inputs, with flat outputs."""
        return lambda x: net(x.view(-1, *self.shape)).flatten(1)

    def loss(self, prediction: Tensor, target: Tensor) -> Tensor:
        """What is minimised: cross entropy of classes, the mean squared error of numbers."""
        if self.has_classes:
            return nn.functional.cross_entropy(prediction, target)
        return nn.functional.mse_loss(prediction, target)

    def scores(self, prediction: Tensor, target: Tensor) -> Tensor:
        """What held-out rows are judged by, (n,): squared errors, of probabilities where there are classes."""
        if self.has_classes:
            prediction = prediction.softmax(1)
        return (prediction - target).square().mean(1)

    def error(self, prediction: Tensor, target: Tensor) -> float:
        """What the table shows: the share of wrong classes, or of the variance that is left unexplained."""
        if self.has_classes:
            return float((prediction.argmax(1) != target.argmax(1)).float().mean())
        return float(nn.functional.mse_loss(prediction, target) / target.var())

    @torch.no_grad()
    def measured(self, net: nn.Module, test: Pair, seed: int) -> dict[str, float]:
        """Errors on test rows as they are and transformed by the groups that hold, and the equivariance error under these groups."""
        f, (x, y) = self.network(net), test
        numbers = {"test_error": self.error(f(x), y)}
        for group in self.holds:
            transformed, expected = GroupAugmentation(self.rep_in, self.rep_out, group, seed + 1)(x, y, 0)
            numbers["test_error_transformed"] = self.error(f(transformed), expected)
            numbers["equivariance_error"] = equivariance_error(
                f, x[:200], self.rep_in, self.rep_out, group, n_transforms=4, seed=seed
            )
        return numbers


def cases(flights: str | None = None) -> list[Case]:
    """All tasks; recorded flights only where their file is named."""
    flips: dict[str, Any] = {"groups": images.GROUPS}
    planted: dict[str, Any] = {**flips, "holds": images.GROUPS[:1], "order": images.GROUPS}
    axes: dict[str, Any] = {"groups": points.AXES, "holds": ("O(2)@z",), "finite": QUARTERS}
    made = [
        Case("planted images", images.SmallCNN, _planted, (1, 12, 12), "Grid(12,12)", "2S", **planted),
        Case("digits", lambda: images.SmallCNN(8, 10), points.digits, (1, 8, 8), "Grid(8,8)", "10S", holds=(), **flips),
        Case("points", points.SetTransformer, points.sets, (6, 3), "6V", "V", **axes),
    ]
    if flights:
        made.append(Case("flights", points.Recurrent, points.flights(flights), (6, 3), "6V", "6V", **axes))
    return made


def _planted(seed: int) -> tuple[Pair, Pair]:
    pairs = (images.draw_images(200, seed), images.draw_images(2_000, 1_000 + seed))
    train, test = ((x.flatten(1), nn.functional.one_hot(label, 2).float()) for x, label in pairs)
    return train, test
