"""What a strength controller is, and the numbers that every one of them can be made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from softsym.errors import InputError

Residuals = Mapping[str, float | Mapping[str, float]]


@dataclass(frozen=True)
class Schedule:
    """The numbers of a training that rules are made from; each takes what it needs.

    Args:
        epochs: How many epochs there will be.
        adjust_at: Epoch of the adjustment, where there is a single one.
        gamma: How strongly differences of residuals count.
        window: Epochs before the adjustment in which residuals are read.
    """

    epochs: int
    adjust_at: int
    gamma: float
    window: int


class Controller(ABC):
    """Decides the strengths after each epoch.

    Call :meth:`begin` with the strengths at the start, then :meth:`on_epoch_end` after every epoch (counted from one).
    """

    reads: ClassVar[Literal["weights", "data"]] = "weights"
    """What it is told: how far the weights are from each group's space, or how much the model violates each group on data."""

    @classmethod
    def of(cls, schedule: Schedule) -> Self:
        """The rule for a training: how a controller that is chosen by name is made. Only those need it."""
        raise InputError(f"{cls.__name__} cannot be chosen by name: it has no `of`")

    @abstractmethod
    def begin(self, strengths: Mapping[str, float]) -> None:
        """Takes note of the strengths at the start."""

    @abstractmethod
    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The strengths from now on.

        Args:
            residuals: Unweighted R_k by group, or by group and layer as ``EquivarianceRegularizer.residuals()`` gives them; violations
                by group for a rule that reads data.
            epoch: How many epochs are done.
        """

    @abstractmethod
    def wants_residuals(self, epoch: int) -> bool:
        """Whether this epoch's residuals matter, so that a loop need not measure them in vain."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Everything that must survive a restart, as plain numbers and strings."""

    @abstractmethod
    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores :meth:`state_dict`."""


def totals(residuals: Residuals) -> dict[str, float]:
    """Sums over layers."""
    return {
        group: float(sum(value.values())) if isinstance(value, Mapping) else float(value)
        for group, value in residuals.items()
    }


def rescaled(
    strengths: Mapping[str, float], residuals: Mapping[str, float], gamma: float
) -> dict[str, float]:
    r"""The paper's rule: :math:`\lambda_k (\min_j R_j / R_k)^\gamma`.

    A residual of exactly zero would switch all other groups off at once, so residuals are floored at 1e-12 of the largest.

    Example:
        >>> rescaled({"a": 100.0, "b": 100.0}, {"a": 1.0, "b": 2.0}, gamma=2.0)
        {'a': 100.0, 'b': 25.0}
    """
    floor = max(1e-12 * max(residuals.values(), default=0.0), 1e-300)
    safe = {group: max(value, floor) for group, value in residuals.items()}
    least = min(safe.values())
    return {group: strengths[group] * (least / safe[group]) ** gamma for group in strengths}
