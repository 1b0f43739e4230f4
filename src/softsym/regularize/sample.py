r"""Penalties on transformed samples: augmentation, the sample-based penalty and the Jacobian penalty.

They need nothing but the action on inputs and outputs, so they work for any network, and are the baselines of weight-space
regularization: augmentation adds transformed pairs, the sample-based penalty is :math:`|f(g x) - g f(x)|^2` at random group elements, and
the Jacobian penalty is its infinitesimal form,

.. math:: \frac1k \sum_A \lvert J_f(x)\, d\rho_{in}(A)\, x - d\rho_{out}(A)\, f(x) \rvert^2 ,

the mean over the k generators A of the continuous part of a group, one directional derivative each; it does not depend on reflections and
other discrete elements. :func:`softsym.lie_derivative_error` measures a trained function by the mean size of the same derivative.

Reference:
    SymmetryML, which has the Jacobian penalty for learned vector fields, https://github.com/KevinMoonLab/SymmetryML
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.atoms import lie_elements
from softsym.typing import Index


class GroupAugmentation:
    """Transforms every sample of a batch by its own random group element.

    Args:
        rep_in: Representation of the inputs.
        rep_out: Representation of the targets.
        group: The group.
        seed: Seed of the elements drawn.

    Example:
        >>> import softsym as ss, torch
        >>> augment = ss.regularize.GroupAugmentation("2V", "V", "SO(3)")
        >>> x, y = augment(torch.ones(4, 6), torch.ones(4, 3))
        >>> x.shape, y.shape
        (torch.Size([4, 6]), torch.Size([4, 3]))
    """

    def __init__(self, rep_in: Rep | str, rep_out: Rep | str, group: Group | str, seed: int = 0) -> None:
        self.rep_in, self.rep_out, self.group = read_rep(rep_in), read_rep(rep_out), read_group(group)
        self._seed, self._calls = seed, 0

    def __call__(self, x: Tensor, y: Tensor, step: int | None = None) -> tuple[Tensor, Tensor]:
        """Transformed inputs and targets.

        Args:
            x: Inputs (n, size of rep_in).
            y: Targets (n, size of rep_out).
            step: Which batch this is, which decides the elements: a training that resumes draws the same ones. The calls are
                counted if it is None.
        """
        if step is None:
            step, self._calls = self._calls, self._calls + 1
        parts = self.group.sample_parts(len(x), (self._seed * 1_000_003 + step) % 2**63)
        # A finite group has few elements, and images large matrices: each distinct one is made once.
        flat = np.concatenate([part.reshape(len(part), math.prod(part.shape[1:])) for part in parts], axis=1)
        _, first, which = np.unique(flat.round(9), axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
        distinct = tuple(part[first] for part in parts)
        a, b = (torch.as_tensor(rep.rho(self.group, distinct)).to(x) for rep in (self.rep_in, self.rep_out))
        if x.shape[-1] != a.shape[-1] or y.shape[-1] != b.shape[-1]:
            raise InputError(
                f"{self.rep_in} -> {self.rep_out} under {self.group.name} has sizes {a.shape[-1]} -> {b.shape[-1]}, "
                f"got x of shape {tuple(x.shape)} and y of shape {tuple(y.shape)}"
            )
        return _transform(a, x, which), _transform(b, y, which)


def _transform(matrices: Tensor, rows: Tensor, which: Index) -> Tensor:
    """Multiplies every row by its matrix; rows that share a matrix in one product."""
    if 2 * len(matrices) >= len(rows):
        return (matrices[which] @ rows.unsqueeze(-1)).squeeze(-1)
    order = np.argsort(which, kind="stable")
    pieces = rows[order].split(np.bincount(which).tolist())
    transformed = torch.cat([piece @ matrix.mT for piece, matrix in zip(pieces, matrices, strict=True)])
    return transformed[np.argsort(order)]


class SamplePenalty:
    """The mean of |f(g x) - g f(x)|^2 over a batch, each sample with its own random group element.

    Arguments are as for :class:`GroupAugmentation`.

    Example:
        >>> import softsym as ss, torch
        >>> penalty = ss.regularize.SamplePenalty("2V", "V", "SO(3)")
        >>> x = torch.randn(5, 6, generator=torch.Generator().manual_seed(0))
        >>> bool(penalty(lambda x: x[:, :3] - x[:, 3:], x) < 1e-10), bool(penalty(lambda x: x[:, :3] ** 2, x) > 0.1)
        (True, True)
    """

    def __init__(self, rep_in: Rep | str, rep_out: Rep | str, group: Group | str, seed: int = 0) -> None:
        self._augment = GroupAugmentation(rep_in, rep_out, group, seed)

    def __call__(
        self, f: Callable[[Tensor], Tensor], x: Tensor, prediction: Tensor | None = None, step: int | None = None
    ) -> Tensor:
        """The penalty of a function at inputs (n, size of rep_in); ``prediction`` is f(x), ``step`` as for :class:`GroupAugmentation`."""
        transformed, expected = self._augment(x, f(x) if prediction is None else prediction, step)
        return (f(transformed) - expected).square().sum(-1).mean()


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
            raise InputError(f"{G.name} has no continuous part, so it has no Jacobian penalty; use a sample-based one")
        self._actions: list[list[Tensor]] = []
        for A in lie_elements(G):
            matrices = (rep.drho(G, A.parts or A.whole).T for rep in (source, target))
            self._actions.append([torch.tensor(matrix / np.linalg.norm(A.whole, 2)) for matrix in matrices])

    def __call__(self, f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        """The penalty of a torch function at inputs (n, size of rep_in)."""
        total = x.new_zeros(())
        for action_in, action_out in self._actions:
            y, derivative = differentiate(f, x, x @ action_in.to(x))
            total = total + (derivative - y @ action_out.to(x)).square().sum(-1).mean()
        return total / len(self._actions)


def differentiate(f: Callable[[Tensor], Tensor], x: Tensor, tangent: Tensor) -> tuple[Tensor, Tensor]:
    """f(x), and J_f(x) applied to a tangent (n, size)."""
    with warnings.catch_warnings():
        # torch compiles its own forward-mode rules with a function it has deprecated.
        warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
        y, derivative = torch.func.jvp(f, (x,), (tangent,))[:2]
    return y, derivative
