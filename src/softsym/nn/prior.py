"""A model's own term of the loss: its prior.

It is declared by inheriting, not found by name: many modules call something else their prior (every variational autoencoder does), and
nothing of theirs may end up in a loss by accident.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from torch import Tensor, nn


class HasPrior(ABC):
    """A network that adds a term of its own to the loss."""

    @abstractmethod
    def prior(self) -> Tensor:
        """The term: a differentiable scalar of the parameters alone."""


def prior_of(model: nn.Module) -> Callable[[], Tensor] | None:
    """The prior that a model declares; None if it declares none.

    Example:
        >>> import softsym as ss
        >>> prior_of(nn.Linear(3, 3)) is None, float(prior_of(ss.nn.MLP("V", "S", "O(3)", width=4))())
        (True, 0.0)
    """
    return model.prior if isinstance(model, HasPrior) else None
