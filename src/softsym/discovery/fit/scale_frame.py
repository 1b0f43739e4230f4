r"""Scalings, which weights can hardly express.

Under scalings :math:`\lambda`, vectors grow and scalars stay, so the only equivariant linear map from vectors to scalars is zero: a
network whose weights obey that is constant, and a penalty can only fade. But a scaling can be undone. Whatever f is,

.. math:: \hat f(x) = \rho_{out}(s)\, f(\rho_{in}(s)^{-1} x), \qquad s = |x| / \text{usual size},

is exactly equivariant to scalings and asks f only where it has seen data. It takes the place of f where it predicts validation rows no
worse: where the size of an input tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from softsym.discovery.fit.member import Member, Shape, predict_members
from softsym.groups import Group
from softsym.reps import Rep
from softsym.tasks.task import Splits
from softsym.training.loop import Criterion


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
        inputs, outputs = (_degrees(rep, scalings[0]) for rep in (shape.rep_in, shape.rep_out))
        return cls(inputs, outputs, size) if (inputs > 0).any() else None

    def fitted(self, x: Tensor) -> ScaleFrame:
        """The same with the median size of inputs (n, inputs)."""
        return replace(self, size=float(self.sizes(x).median()) or 1.0)

    def sizes(self, x: Tensor) -> Tensor:
        """How large inputs (n, inputs) are, of degree one: from the coordinates that grow the least."""
        least = self.degrees_in[self.degrees_in > 0].min()
        return torch.linalg.norm(x[:, self.degrees_in == least], dim=1) ** (1 / least)

    def apply(self, f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        """The equivariant function made of f, at inputs (n, inputs)."""
        scale = (self.sizes(x) / self.size)[:, None]
        scale = torch.where(scale > 0, scale, 1.0)
        inputs, outputs = (degrees.to(x.dtype) for degrees in (self.degrees_in, self.degrees_out))
        return f(x / scale**inputs) * scale**outputs


def is_scaling(group: Group) -> bool:
    """Whether a group consists of multiples of the identity.

    Example:
        >>> import softsym as ss
        >>> is_scaling(ss.group("Scaling(3)")), is_scaling(ss.group("SO(2)"))
        (True, False)
    """
    if len(group.part_dims) > 1 or len(group.lie_algebra) != 1 or len(group.discrete_generators):
        return False
    A = group.lie_algebra[0]
    return bool(np.allclose(A, A[0, 0] * np.eye(len(A))))


def worthwhile_frame(
    shape: Shape, members: Sequence[Member], data: Splits, criterion: Criterion
) -> ScaleFrame | None:
    """The frame, if with it validation rows are predicted no worse."""
    frame = ScaleFrame.of(shape)
    if frame is None:
        return None
    frame = frame.fitted(data.train[0].double())
    x, y = (part.double() if part.is_floating_point() else part for part in data.val)

    def ensemble(rows: Tensor) -> Tensor:
        return predict_members(members, rows).mean(0)

    return frame if criterion(frame.apply(ensemble, x), y) <= criterion(ensemble(x), y) else None


def _degrees(rep: Rep, group: Group) -> Tensor:
    """By which power of the scaling each coordinate grows."""
    unit = group.lie_algebra[0] / group.lie_algebra[0][0, 0]
    return torch.from_numpy(np.diag(rep.drho(group, unit)).copy())
