r"""The Jacobian penalty: how far a network is from equivariant under infinitesimal motions, one directional derivative for each generator.

.. math:: \frac1k \sum_A \lvert J_f(x)\, d\rho_{in}(A)\, x - d\rho_{out}(A)\, f(x) \rvert^2 ,

the mean over the generators A of the continuous part of a group. No element is drawn; reflections and other discrete elements are not
seen by it. The mean size of the same derivative measures a trained function: :func:`softsym.lie_derivative_error`.

Reference:
    SymmetryML, whose penalty of learned vector fields it is for given generators, https://github.com/KevinMoonLab/SymmetryML
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import block_diag
from torch import Tensor

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.element import Element, lie_elements


class JacobianPenalty:
    """The mean of the squared Lie derivative over a batch and the generators, each scaled to operator norm one.

    Args:
        rep_in: Representation of the inputs.
        rep_out: Representation of the outputs.
        group: A group with a continuous part.

    Example:
        >>> import softsym as ss, torch
        >>> penalty = ss.regularize.JacobianPenalty("2V", "V", "SO(3)")
        >>> x = torch.randn(5, 6, generator=torch.Generator().manual_seed(0))
        >>> bool(penalty(lambda x: x[:, :3] - x[:, 3:], x) < 1e-10), bool(penalty(lambda x: x[:, :3] ** 2, x) > 0.1)
        (True, True)
    """

    def __init__(self, rep_in: Rep | str, rep_out: Rep | str, group: Group | str) -> None:
        source, target, G = read_rep(rep_in), read_rep(rep_out), read_group(group)
        if not G.lie:
            raise InputError(
                f"{G.name} has no continuous part, so it has no Jacobian penalty; use a sample-based one"
            )
        elements = [(A, float(np.linalg.norm(A.whole, 2))) for A in lie_elements(G)]
        self._moves = [
            tuple(torch.tensor(_matrix(rep, G, A).T / size) for rep in (source, target))
            for A, size in elements
        ]

    def __call__(self, f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        """The penalty of a torch function at inputs (n, size of rep_in)."""
        total = x.new_zeros(())
        for inside, outside in self._moves:
            with warnings.catch_warnings():
                # torch compiles its own forward-mode rules with a function it has deprecated.
                warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
                y, along = torch.func.jvp(f, (x,), (x @ inside.to(x),))[:2]
            total = total + (along - y @ outside.to(x)).square().sum(-1).mean()
        return total / len(self._moves)


def _matrix(rep: Rep, group: Group, A: Element) -> NDArray[np.float64]:
    """d_rho(A), shape (size, size)."""
    blocks = [np.kron(np.eye(one.copies), one.type.drho(group, A)) for one in rep.segments(group)]
    return np.asarray(block_diag(*blocks), dtype=np.float64)
