r"""What a model does to a symmetry, beside what it does wrong anyway.

For a group k, with v the model's mean squared error on validation rows and

.. math:: E_k = \mathrm{mean}\, |f(g x) - g f(x)|^2 \,/\, \text{outputs}

over training inputs x and elements g, the *violation* is :math:`E_k / 2v`. Two predictions that both miss the same truth by v differ by
2v: up to a violation of one the model's mistakes are all that is seen, and the data may well have the symmetry. The weights cannot say
that: under a strong penalty those of all groups end at nearly the same small distance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from softsym.groups import Group
from softsym.metrics.error import equivariance_errors
from softsym.reps import Rep

ROWS, ELEMENTS = 250, 4
"""Training inputs and group elements over which a violation is averaged."""

Pair = tuple[Tensor, Tensor]
Link = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Violations:
    """Reads the violation of every candidate group.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        groups: The candidates.
        train: Training data.
        val: Validation data.
        link: From a model's outputs to what is compared with the truth, as softmax for classes.
    """

    rep_in: Rep
    rep_out: Rep
    groups: tuple[Group, ...]
    train: Pair
    val: Pair
    link: Link = lambda outputs: outputs

    @torch.no_grad()
    def __call__(self, model: nn.Module, seed: int) -> dict[str, float]:
        """Violations by group; the elements are drawn by the seed."""
        first = next(model.parameters())
        model.eval()
        x, y = (values.to(first) for values in self.val)
        error = float((self.link(model(x)) - y).square().mean())
        inputs = self.train[0][:ROWS].to(first)

        def f(rows: Tensor) -> Tensor:
            return self.link(model(rows))

        violations = {}
        for group in self.groups:
            gaps = equivariance_errors(f, inputs, self.rep_in, self.rep_out, group, ELEMENTS, "none", seed)
            violations[group.name] = float((gaps**2).mean()) / y.shape[1] / max(2 * error, 1e-300)
        return violations
