r"""The gated nonlinearity.

A pointwise function of a vector's coordinates would break the symmetry, so every copy of a tensor is multiplied by
the sigmoid of a *gate*: a scalar of its own that the layer before produces. Scalars and copies whose coordinates the group merely
permutes gate themselves, :math:`x\,\sigma(x)`, which is swish. The soft variant adds a path that ignores the symmetry,

.. math:: \mathrm{gate}(x) + w \cdot \mathrm{swish}(x),

with a learned w for each channel that starts small and is decayed. Channels that gate themselves and the soft path are both multiples of
swish, so with one weight w per channel (one for self-gating channels, plus the soft coefficient) gates are
:math:`w \cdot \mathrm{swish}(v) + v \cdot \sigma(g)`, the second term where a gate g exists.

Reference:
    3D Steerable CNNs (Weiler et al., 2018), https://arxiv.org/abs/1807.02547 (gates);
    Residual Pathway Priors for Soft Equivariance Constraints (Finzi et al., 2021), https://arxiv.org/abs/2112.01388 (soft path)
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from softsym.groups import Group
from softsym.native import Gates
from softsym.reps import Rep, Scalar, Segment

SOFT_START = 1e-3


def gate_count(rep: Rep, group: Group) -> int:
    """How many extra scalars a layer must produce: one for each copy that cannot gate itself."""
    return sum(copies for copies, kind in rep if not kind.is_permutation(group))


def gated_rep(rep: Rep, group: Group) -> Rep:
    """The representation a layer must produce: gates first, then the values.

    Example:
        >>> import softsym as ss
        >>> gated_rep(ss.rep("2S + 3V"), ss.O(3))
        5S + 3V
    """
    return gate_count(rep, group) * Scalar + rep


class Gated(nn.Module):
    """Maps (..., gates + size) to (..., size).

    Args:
        rep: Representation of the values.
        group: The (largest) group; it decides which copies need a gate.
        soft: Whether to add the soft path.
    """

    self_gated: Tensor

    def __init__(self, rep: Rep, group: Group, *, soft: bool = False) -> None:
        super().__init__()
        self.gates, self.size = gate_count(rep, group), rep.size(group)
        self.plan = Gates(self.gates, self.size, tuple(_runs(rep.segments(group), group)))
        self.soft = nn.Parameter(torch.full((self.size,), SOFT_START)) if soft else None
        self_gated = torch.zeros(self.size)
        for start, stop, copies, *_ in self.plan.runs:
            self_gated[start:stop] = float(copies == 0)
        self.register_buffer("self_gated", self_gated, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Applies gates (the first channels) to values (the others)."""
        flat = x.reshape(-1, x.shape[-1])
        return gate(self.plan, flat, self.weight).reshape(*x.shape[:-1], self.size)

    @property
    def weight(self) -> Tensor:
        """Weight of each channel's swish."""
        return self.self_gated if self.soft is None else self.self_gated + self.soft

    def extra_repr(self) -> str:
        return f"size={self.size}, gates={self.gates}, soft={self.soft is not None}"


def _runs(segments: list[Segment], group: Group) -> list[tuple[int, int, int, int, int]]:
    """Consecutive values that have gates, or none; those that gate themselves are joined."""
    runs: list[tuple[int, int, int, int, int]] = []
    gates = 0
    for segment in segments:
        if not segment.type.is_permutation(group):
            runs.append((segment.start, segment.stop, segment.copies, segment.size, gates))
            gates += segment.copies
        else:
            start = runs.pop()[0] if runs and runs[-1][2] == 0 else segment.start
            runs.append((start, segment.stop, 0, 1, 0))
    return runs


def gate(gates: Gates, x: Tensor, weight: Tensor) -> Tensor:
    """Applies gates (the first channels) to values (the others)."""
    openings, values = x.split((gates.count, gates.size), dim=1)
    openings = openings.sigmoid()
    swish = torch.nn.functional.silu(values) * weight
    if not gates.count:
        return swish
    pieces = []
    for start, stop, copies, size, first in gates.runs:
        piece = swish[:, start:stop]
        if copies:
            opened = openings[:, first : first + copies].unsqueeze(2)
            piece = piece + (values[:, start:stop].unflatten(1, (copies, size)) * opened).flatten(1)
        pieces.append(piece)
    return torch.cat(pieces, 1)
