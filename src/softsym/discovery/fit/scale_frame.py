r"""Canonicalisation of scale, for models whose weights cannot express equivariance to scalings.

Under scalings :math:`\lambda`, vectors grow and scalars stay, so the only equivariant linear map from vectors to scalars is zero: a
network whose weights obey that is constant, and a penalty can only fade. But a scaling can be undone. For any f,

.. math:: \hat f(x) = \rho_{out}(s)\, f(\rho_{in}(s)^{-1} x), \qquad s = |x| / \text{usual size},

is exactly equivariant to scalings and evaluates f only at sizes of the data. Networks are made so where a candidate scales
(:class:`softsym.nn.ScaleCanonical`); this is for those that are not: older models, where outputs did not depend on the size of an input,
and models that are projected onto scalings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from softsym.discovery.fit.member import Shape
from softsym.nn.scale_canonical import input_scales, input_sizes, median_size
from softsym.reps.scaling import is_scaling, scaling_degrees


@dataclass(frozen=True, eq=False)
class ScaleFrame:
    """Brings inputs to one size, and outputs back.

    Args:
        degrees_in: The power of the scaling by which each input grows.
        degrees_out: The same for the outputs.
        size: The usual size of an input.

    Example:
        >>> frame = ScaleFrame(torch.tensor([0.0, 1.0, 1.0]), torch.tensor([1.0]), 5.0)
        >>> frame.sizes(torch.tensor([[7.0, 3.0, 4.0]]))
        tensor([5.])
    """

    degrees_in: Tensor
    degrees_out: Tensor
    size: float

    @classmethod
    def of(cls, shape: Shape, size: float = 1.0) -> ScaleFrame | None:
        """The frame of the candidate groups; None if none of them scales, or no input grows."""
        scalings = [group for group in shape.groups if is_scaling(group)]
        if not scalings:
            return None
        inputs, outputs = (
            torch.from_numpy(scaling_degrees(rep, scalings[0])) for rep in (shape.rep_in, shape.rep_out)
        )
        return cls(inputs, outputs, size) if (inputs > 0).any() else None

    def fitted(self, x: Tensor) -> ScaleFrame:
        """The frame with the median size of inputs (n, inputs)."""
        return replace(self, size=median_size(x, self.degrees_in))

    def sizes(self, x: Tensor) -> Tensor:
        """How large inputs (n, inputs) are, of degree one: from the coordinates that grow the least."""
        return input_sizes(x, self.degrees_in)

    def apply(self, f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        """The equivariant function made of f, at inputs (n, inputs)."""
        scale = input_scales(x, self.degrees_in, self.size)
        inputs, outputs = (powers.to(x.dtype) for powers in (self.degrees_in, self.degrees_out))
        return f(x / scale**inputs) * scale**outputs
