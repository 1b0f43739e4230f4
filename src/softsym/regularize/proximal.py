r"""The penalty and its proximal step, both in closed form.

With :math:`K = \sum_k \lambda_k (1 - P_k)` of :mod:`softsym.regularize.operator` the penalty is :math:`\frac12 w^T K w`, and its gradient
:math:`K w` is needed for the value anyway. The dimensionless penalty divides by :math:`|w|^2`. The minimiser of
:math:`|w - w_0|^2 / (2t) + \sum_k \lambda_k R_k(w)` is

.. math:: w = (1 + t K)^{-1} w_0 = w_0 - U \frac{t d}{1 + t d} U^T w_0, \qquad K = U d\, U^T ,

whether the projectors commute or not. K is diagonalised once for given strengths, on small blocks; any step length after that costs two
small products, in compiled code (:class:`softsym.native.Resolvent`) where that can run. The intersection of all equivariant spaces
(d = 0) is not changed. An optimiser that rescales gradients, as Adam does, would rescale those of a penalty in the loss too; with a
separate proximal step a strength means the same with any optimiser.

Reference:
    Proximal Algorithms (Parikh and Boyd, 2014), https://doi.org/10.1561/2400000003
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from softsym.native import Resolvent, SmallSpectra
from softsym.regularize.operator import JointOperator, flatten

MOST_ITERATIONS = 200


class Penalty(torch.autograd.Function):
    """1/2 w^T K w of the parameters' concatenation w, divided by |w|^2 if relative."""

    @staticmethod
    def forward(
        ctx: Any, operator: JointOperator, strengths: Sequence[float], relative: bool, *parameters: Tensor
    ) -> Tensor:
        """The value, a scalar."""
        value, ctx.gradient = value_and_gradient(operator, strengths, relative, parameters)
        ctx.arguments = operator, strengths, relative
        ctx.save_for_backward(*parameters)
        return value

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """K w, handed over without a copy, so that other gradients are added to it in place; a second backward computes it again."""
        gradient, ctx.gradient = ctx.gradient, None
        if gradient is None:
            operator, strengths, relative = ctx.arguments
            _, gradient = value_and_gradient(operator, strengths, relative, ctx.saved_tensors)
        if grad.device.type != "cpu" or grad.item() != 1:  # reading the number would synchronise a GPU
            torch._foreach_mul_(gradient, grad)
        return None, None, None, *gradient


def value_and_gradient(
    operator: JointOperator, strengths: Sequence[float], relative: bool, parameters: Sequence[Tensor]
) -> tuple[Tensor, list[Tensor]]:
    """The penalty and its gradient, in new tensors."""
    gradient, form, square = operator.products(parameters, strengths)
    dtype = gradient[0].dtype if gradient[0].dtype == torch.float64 else torch.float32
    value = torch.as_tensor(0.5 * form, dtype=dtype)
    if relative:
        norm = torch.as_tensor(square + torch.finfo(dtype).tiny, dtype=dtype)  # all weights may be zero
        value = value / norm
        torch._foreach_sub_(gradient, torch._foreach_mul(list(parameters), 2 * value))
        torch._foreach_div_(gradient, norm)
    return value, gradient


@dataclass(frozen=True)
class Spectrum:
    """The eigendecomposition of K on all components of one :class:`~softsym.regularize.operator.Mixing`."""

    index: Tensor  # flat positions, shape (components, copies, m)
    values: Tensor  # its eigenvalues, shape (components, 1, m)
    vectors: Tensor  # its eigenvectors in columns, shape (components, m, m)


@dataclass(frozen=True)
class Constants:
    """K for torch."""

    diagonal: Tensor  # its diagonal where no coordinates mix, zero elsewhere, shape (size,)
    spectra: list[Spectrum]  # its blocks


class Proximal:
    """(1 + t K)^-1 on all parameters, for given strengths and any step t."""

    def __init__(self, operator: JointOperator, strengths: tuple[float, ...]) -> None:
        self._operator, self._large, self._strengths = operator, operator.large, strengths
        self._diagonal, matrices = operator.weight(strengths)
        self._eigen = []
        for K in matrices:
            values, vectors = np.linalg.eigh(K)
            values = np.where(
                values > 1e-12 * max(sum(strengths), 1e-300), values, 0.0
            )  # rounding error of a zero
            self._eigen.append((values, vectors))
        self._resolvents: dict[torch.dtype, Resolvent] = {}
        self._constants: dict[Any, Constants] = {}

    def apply_(self, parameters: Sequence[Tensor], step: float) -> None:
        """Replaces the parameters by the minimiser."""
        if self._operator.can_run_compiled(parameters):
            large = None if self._large is None else self._large.gather(parameters)
            self._resolvent(parameters[0].dtype).run_(parameters, step)
            if self._large is not None and large is not None:
                self._large.scatter_(parameters, self._solve_large(large, step))
            return
        flat = self(flatten(parameters), step)
        for parameter, piece in zip(parameters, flat.split(self._operator.sizes), strict=True):
            parameter.copy_(piece.view(parameter.shape))

    def __call__(self, w: Tensor, step: float) -> Tensor:
        """The minimiser for a flat vector w (size,), in torch operations."""
        constants = self._prepare(w)
        out = w / (1 + step * constants.diagonal)
        for spectrum in constants.spectra:
            shrink = step * spectrum.values / (1 + step * spectrum.values)
            rows = w[spectrum.index]
            change = torch.bmm(torch.bmm(rows, spectrum.vectors) * shrink, spectrum.vectors.mT)
            out[spectrum.index] = rows - change
        if self._large is not None:
            index = self._large.index.to(w.device)
            out[index] = self._solve_large(w[index], step)
        return out

    def _prepare(self, w: Tensor) -> Constants:
        """K in the dtype and on the device of w."""
        if (w.dtype, w.device) not in self._constants:
            spectra = [
                Spectrum(
                    torch.tensor(mixing.index, device=w.device),
                    torch.tensor(values[:, None]).to(w),
                    torch.tensor(vectors).to(w),
                )
                for mixing, (values, vectors) in zip(self._operator.mixings, self._eigen, strict=True)
            ]
            self._constants[w.dtype, w.device] = Constants(torch.tensor(self._diagonal).to(w), spectra)
        return self._constants[w.dtype, w.device]

    def _resolvent(self, dtype: torch.dtype) -> Resolvent:
        """The eigendecomposition for compiled code."""
        if dtype not in self._resolvents:
            spectra = [
                SmallSpectra(where, values, vectors, k)
                for mixing, (values, vectors) in zip(self._operator.mixings, self._eigen, strict=True)
                for k, where in self._operator.split_positions(mixing.index)
            ]
            diagonals = torch.tensor(self._diagonal).split(self._operator.sizes)
            self._resolvents[dtype] = Resolvent(diagonals, spectra, dtype)
        return self._resolvents[dtype]

    def _solve_large(self, x: Tensor, step: float) -> Tensor:
        """The minimiser on coordinates of types too large to be diagonalised, by conjugate gradients."""
        assert self._large is not None
        scale = 1 + step * sum(self._strengths)
        solution = torch.zeros_like(x)
        residual, direction = x.clone(), x.clone()
        square = torch.dot(residual, residual)
        tolerance = square * torch.finfo(x.dtype).eps ** 2
        for _ in range(MOST_ITERATIONS):
            if square <= tolerance:
                break
            image = scale * direction - step * self._large.project(direction, self._strengths)
            length = square / torch.dot(direction, image)
            solution += length * direction
            residual -= length * image
            square, before = torch.dot(residual, residual), square
            direction = residual + (square / before) * direction
        return solution
