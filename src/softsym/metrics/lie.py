r"""The Lie derivative of a function: its equivariance error under an infinitesimal motion.

For a generator A of the Lie algebra,

.. math::
    L_A f(x) = \frac{d}{dt}\Big|_{t=0} \rho_{out}(e^{-tA})\, f(\rho_{in}(e^{tA}) x)
             = J_f(x)\, d\rho_{in}(A)\, x - d\rho_{out}(A)\, f(x) .

It vanishes for all generators iff f is equivariant to the continuous part of the group. No element is drawn: one directional
derivative for each generator says it all.

Reference:
    The Lie Derivative for Measuring Learned Equivariance (Gruver et al., 2022), https://arxiv.org/abs/2210.02984
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.metrics.equivariance import check_outputs, evaluation
from softsym.metrics.transform import check_samples
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.atoms import Element, lie_elements


@dataclass(frozen=True)
class LieError:
    """The mean size of the Lie derivative.

    Args:
        per_generator: One number for each row of ``G.lie_algebra``.
    """

    per_generator: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over the generators."""
        return float(np.mean(self.per_generator))

    def __float__(self) -> float:
        return self.mean


def lie_derivative_error(
    f: Callable[[Tensor], Tensor],
    x: Tensor,
    rep_in: Rep | str,
    rep_out: Rep | str,
    G: Group | str,
    normalize: str = "output",
) -> LieError:
    r"""The mean of :math:`|L_A f(x)| / |f(x)|` over samples, for each generator A scaled to operator norm one.

    For a small motion :math:`e^{tA}` of an orthogonal group, t/2 times this number is the sum-normalised equivariance error.

    Args:
        f: A torch function or module, rows (m, size of ``rep_in``) to rows (m, size of ``rep_out``), each by itself. A module is
            evaluated in eval mode and then put back in the mode it was in.
        x: Samples (n, size of ``rep_in``).
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        G: A group with a continuous part.
        normalize: Divide by ``output``, the norm of f(x) (zero over zero is zero), or by nothing (``none``).

    Example:
        >>> import torch
        >>> x = torch.randn(100, 3, generator=torch.Generator().manual_seed(0))
        >>> error = lie_derivative_error(lambda x: x * torch.tensor([1.0, 1.0, 2.0]), x, "V", "V", "SO(3)")
        >>> [round(value, 2) for value in error.per_generator]
        [0.0, 0.59, 0.57]
    """
    source, target, group = read_rep(rep_in), read_rep(rep_out), read_group(G)
    if normalize not in ("output", "none"):
        raise InputError(f"unknown normalisation {normalize!r}; pass 'output' or 'none'")
    if not isinstance(x, Tensor):
        raise InputError(f"a derivative needs a torch tensor, got `x` as {type(x).__name__}; pass torch.as_tensor(x)")
    if not group.lie:
        raise InputError(f"{group.name} has no continuous part; use equivariance_error")
    x = check_samples(x.detach(), source, group, "rep_in", "x")
    if not len(x):
        raise InputError("`x` has no samples; pass at least one row")
    with evaluation(f):
        y = check_outputs(f(x), len(x), target, group)
        sizes = []
        for A in lie_elements(group):
            tangent = _infinitesimal(source, group, A, x)
            gap = check_outputs(_derivative(f, x, tangent), len(x), target, group) - _infinitesimal(target, group, A, y)
            sizes.append(_mean_size(gap, y, normalize) / np.linalg.norm(A.whole, 2))
    return LieError(tuple(map(float, sizes)))


def _derivative(f: Callable[[Tensor], Tensor], x: Tensor, tangent: Tensor) -> Tensor:
    """J_f(x) applied to a tangent (n, size)."""
    with warnings.catch_warnings():
        # torch compiles its own forward-mode rules with a function it has deprecated.
        warnings.filterwarnings("ignore", message="`torch.jit.script` is deprecated", category=DeprecationWarning)
        derivative: Tensor = torch.func.jvp(f, (x,), (tangent,))[1]
    return derivative


def _infinitesimal(rep: Rep, group: Group, A: Element, x: Tensor) -> Tensor:
    """d_rho(A) x for samples x (n, size), block by block."""
    pieces = []
    for segment in rep.segments(group):
        matrix = torch.tensor(segment.type.drho(group, A).T, dtype=x.dtype, device=x.device)
        block = x[:, segment.start : segment.stop].unflatten(1, (segment.copies, segment.size))
        pieces.append((block @ matrix).flatten(1))
    return torch.cat(pieces, dim=1) if pieces else torch.zeros_like(x)


def _mean_size(gap: Tensor, y: Tensor, normalize: str) -> float:
    size = gap.norm(dim=1)
    if normalize == "output":
        size = torch.where(size == 0, 0.0, size / y.norm(dim=1))
    return float(size.mean())
