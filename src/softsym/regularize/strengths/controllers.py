"""Controllers that change strengths during a training, from residuals of the weights or from violations on data."""

from __future__ import annotations

import copy
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from softsym.errors import InputError
from softsym.registry import Registry

MOMENTS = (1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0)
MAX_RATIO = 100.0  # the largest ratio of a strength to its initial value, and of the initial value to it
Residuals = Mapping[str, float | Mapping[str, float]]


@dataclass(frozen=True)
class Schedule:
    """The hyperparameters of a training from which controllers are made; each uses those that it needs.

    Args:
        epochs: Number of epochs of the training.
        adjust_at: Epoch of the adjustment, where there is a single one.
        gamma: Exponent of ratios of residuals.
        window: Epochs before the adjustment whose residuals count.
    """

    epochs: int
    adjust_at: int
    gamma: float
    window: int


class Controller(ABC):
    """Chooses the strengths after each epoch.

    Call :meth:`begin` with the initial strengths, then :meth:`on_epoch_end` after every epoch (counted from one).
    """

    reads: ClassVar[Literal["weights", "data"]] = "weights"
    """Its input: residuals of the weights under each group, or violations of each group by the model on data."""
    state: ClassVar[tuple[str, ...]] = ("strengths",)
    """The attributes, without their underscore, that a checkpoint holds."""

    def __init__(self) -> None:
        self.begin({})

    @classmethod
    def from_schedule(cls, schedule: Schedule) -> Self:
        """The controller of a training; needed only by controllers that are chosen by name."""
        raise InputError(f"{cls.__name__} cannot be chosen by name: it has no `from_schedule`")

    @classmethod
    def of(cls, schedule: Schedule) -> Self:
        """Deprecated name of :meth:`from_schedule`."""
        warnings.warn("Controller.of is now Controller.from_schedule", DeprecationWarning, stacklevel=2)
        return cls.from_schedule(schedule)

    def begin(self, strengths: Mapping[str, float]) -> None:
        """Stores the initial strengths and forgets earlier trainings."""
        self._first, self._strengths = dict(strengths), dict(strengths)

    @abstractmethod
    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The strengths for the next epochs.

        Args:
            residuals: Unweighted R_k by group, or by group and layer as ``EquivarianceRegularizer.residuals()`` gives them; violations
                by group for a controller that reads data.
            epoch: Number of completed epochs.
        """

    @abstractmethod
    def wants_residuals(self, epoch: int) -> bool:
        """Whether this epoch's residuals are used, so that a loop computes them only then."""

    def state_dict(self) -> dict[str, Any]:
        """The state for checkpoints, as numbers and strings."""
        return {name: copy.copy(getattr(self, f"_{name}")) for name in self.state}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores :meth:`state_dict`."""
        for name in self.state:
            setattr(self, f"_{name}", copy.copy(state[name]))


def sum_layers(residuals: Residuals) -> dict[str, float]:
    """The residual of each group, summed over layers."""
    return {group: float(sum(r.values()) if isinstance(r, Mapping) else r) for group, r in residuals.items()}


def rescale(strengths: Mapping[str, float], residuals: Mapping[str, float], gamma: float) -> dict[str, float]:
    r"""The paper's rule: :math:`\lambda_k (\min_j R_j / R_k)^\gamma`."""
    # A residual of exactly zero would set all other strengths to zero.
    floor = max(1e-12 * max(residuals.values(), default=0.0), 1e-300)
    safe = {group: max(value, floor) for group, value in residuals.items()}
    least = min(safe.values())
    return {group: strengths[group] * (least / safe[group]) ** gamma for group in strengths}


class Fixed(Controller):
    """Strengths that never change."""

    @classmethod
    def from_schedule(cls, schedule: Schedule) -> Self:
        """No hyperparameter is needed."""
        return cls()

    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The initial strengths."""
        return dict(self._strengths)

    def wants_residuals(self, epoch: int) -> bool:
        """Never."""
        return False


class OneShot(Controller):
    r"""Adjusts the strengths once: the paper's rule.

    At the adjustment epoch :math:`\lambda_k \leftarrow \lambda_k (\min_j R_j / R_k)^\gamma`, with the residuals of that epoch, among the
    last ``window`` ones, whose total over all groups was smallest. (The published code keeps, over about 50 epochs, a vector that is
    replaced as a whole whenever any group reaches a new minimum.)

    Args:
        at_epoch: Number of epochs before the adjustment.
        gamma: Exponent of ratios of residuals; the paper uses 2 to 5.
        window: Number of epochs before the adjustment among which the smallest residuals are found.

    Reference:
        Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
    """

    state = ("strengths", "best", "done")

    def __init__(self, at_epoch: int, gamma: float = 2.0, window: int = 50) -> None:
        if at_epoch < 1 or window < 1 or not gamma > 0:
            raise InputError(f"OneShot needs at_epoch >= 1, window >= 1, gamma > 0; got {at_epoch}, {window}, {gamma}")
        self.at_epoch, self.gamma, self.window = at_epoch, gamma, window
        super().__init__()

    @classmethod
    def from_schedule(cls, schedule: Schedule) -> Self:
        """Adjusts at ``schedule.adjust_at``."""
        return cls(schedule.adjust_at, schedule.gamma, schedule.window)

    def begin(self, strengths: Mapping[str, float]) -> None:
        """Stores the initial strengths."""
        super().begin(strengths)
        self._best: dict[str, float] | None = None
        self._done = False

    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The strengths for the next epochs."""
        if self.wants_residuals(epoch):
            now = sum_layers(residuals)
            if self._best is None or not sum(self._best.values()) <= sum(now.values()):
                self._best = now
            if epoch == self.at_epoch and not self._done:
                self._strengths = rescale(self._strengths, self._best, self.gamma)
                self._done = True
        return dict(self._strengths)

    def wants_residuals(self, epoch: int) -> bool:
        """In the window that ends with the adjustment."""
        return self.at_epoch - self.window < epoch <= self.at_epoch


class Continuous(Controller):
    r"""Adjusts the strengths periodically, from an exponential average of the residuals.

    Every ``period`` epochs they become :math:`\lambda_k^0 (\min_j \bar R_j / \bar R_k)^\gamma`, always relative to the initial strengths,
    so that a symmetry that seemed broken early in training can recover.

    Args:
        period: Epochs between adjustments.
        gamma: Exponent of ratios of residuals.
        decay: Weight of the past in the average.
        start: First epoch at which strengths may change; the first period by default.
    """

    state = ("first", "strengths", "average")

    def __init__(self, period: int, gamma: float = 2.0, decay: float = 0.9, start: int | None = None) -> None:
        if period < 1 or not gamma > 0 or not 0 <= decay < 1:
            raise InputError(f"Continuous needs period >= 1, gamma > 0, 0 <= decay < 1; got {period}, {gamma}, {decay}")
        self.period, self.gamma, self.decay = period, gamma, decay
        self.start = period if start is None else start
        super().__init__()

    @classmethod
    def from_schedule(cls, schedule: Schedule) -> Self:
        """Ten adjustments in a training."""
        return cls(max(1, schedule.epochs // 10), schedule.gamma)

    def begin(self, strengths: Mapping[str, float]) -> None:
        """Stores the initial strengths."""
        super().begin(strengths)
        self._average: dict[str, float] | None = None

    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The strengths for the next epochs."""
        now = sum_layers(residuals)
        before = now if self._average is None else self._average
        self._average = {group: self.decay * before[group] + (1 - self.decay) * now[group] for group in now}
        if epoch >= self.start and epoch % self.period == 0:
            self._strengths = rescale(self._first, self._average, self.gamma)
        return dict(self._strengths)

    def wants_residuals(self, epoch: int) -> bool:
        """Always."""
        return True


class ByData(Controller):
    r"""Adjusts the strengths five times by violations on data.

    A violation (:mod:`softsym.metrics.equivariance`) is a group's equivariance error on data relative to the error that the model's own
    prediction errors explain. With the smallest violation :math:`r_k` so far, and :math:`m = \max(1, \min_j r_j)`,

    .. math:: \lambda_k = \lambda_k^0 \, \mathrm{clip}((m / r_k)^{\gamma/2},\ 1/100,\ 100) .

    A group that is violated no more than prediction errors explain becomes stronger, in the end strong enough to be exact; one that is
    violated more becomes weaker. The smallest violation so far counts because a weakened penalty no longer enforces a group.

    Args:
        epochs: Number of epochs of the training.
        gamma: Exponent of ratios of violations; they are squares, hence gamma / 2.
    """

    reads = "data"
    state = ("first", "strengths", "least")

    def __init__(self, epochs: int, gamma: float = 2.0) -> None:
        if epochs < 1 or not gamma > 0:
            raise InputError(f"ByData needs epochs >= 1 and gamma > 0; got {epochs}, {gamma}")
        self.epochs, self.gamma = epochs, gamma
        self._moments = {max(1, math.floor(share * epochs)) for share in MOMENTS}
        super().__init__()

    @classmethod
    def from_schedule(cls, schedule: Schedule) -> Self:
        """Adjusts over all epochs."""
        return cls(schedule.epochs, schedule.gamma)

    def begin(self, strengths: Mapping[str, float]) -> None:
        """Stores the initial strengths."""
        super().begin(strengths)
        self._least: dict[str, float] = {}

    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The strengths for the next epochs; the residuals are violations."""
        if self.wants_residuals(epoch):
            for group, violation in sum_layers(residuals).items():
                self._least[group] = min(violation, self._least.get(group, math.inf))
            allowed = max(1.0, min(self._least.values()))
            for group, first in self._first.items():
                ratio = (allowed / max(self._least[group], 1e-12)) ** (self.gamma / 2)
                self._strengths[group] = first * min(MAX_RATIO, max(1 / MAX_RATIO, ratio))
        return dict(self._strengths)

    def wants_residuals(self, epoch: int) -> bool:
        """At a third, a half, two thirds, five sixths and the end."""
        return epoch in self._moments


CONTROLLERS: Registry[type[Controller]] = Registry(
    "rule of strengths",
    {
        "one-shot": "softsym.regularize.strengths.controllers:OneShot",
        "continuous": "softsym.regularize.strengths.controllers:Continuous",
        "by-data": "softsym.regularize.strengths.controllers:ByData",
        "fixed": "softsym.regularize.strengths.controllers:Fixed",
    },
)
"""The controllers by name, as specs, estimators and commands choose them."""
