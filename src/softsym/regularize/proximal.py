r"""The proximal step of several groups at once, in closed form.

With :math:`K = \sum_k \lambda_k (1 - P_k)` of :mod:`softsym.regularize.joint`, the minimiser of
:math:`|w - w_0|^2 / (2t) + \sum_k \lambda_k R_k(w)` is

.. math:: w = (1 + t K)^{-1} w_0 = w_0 - U \frac{t d}{1 + t d} U^T w_0, \qquad K = U d\, U^T ,

whether the projectors commute or not. K is diagonalised once for given strengths, on small blocks; any step length after that costs two
small products, in compiled code (:class:`softsym.native.Resolvent`) where that can run. What lies in all equivariant spaces at once
(d = 0) is left alone. An optimiser that rescales gradients, as Adam does, would rescale those of a penalty in the loss too; a step of its
own keeps strengths meaning the same with any optimiser.

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
from softsym.regularize.joint import JointOperator

MOST_ITERATIONS = 200


@dataclass(frozen=True)
class Spectrum:
    """K on all components of one kind of mixing.

    Args:
        index: Flat positions, shape (components, copies, m).
        values: Its eigenvalues, shape (components, 1, m).
        vectors: Its eigenvectors in columns, shape (components, m, m).
    """

    index: Tensor
    values: Tensor
    vectors: Tensor


@dataclass(frozen=True)
class Constants:
    """What K is for torch.

    Args:
        diagonal: Its diagonal where no coordinates mix, zero elsewhere, shape (size,).
        spectra: The rest of it.
    """

    diagonal: Tensor
    spectra: list[Spectrum]


class Proximal:
    """(1 + t K)^-1 on all parameters, for given strengths and any step t.

    Args:
        operator: K.
        strengths: One for each group.
    """

    def __init__(self, operator: JointOperator, strengths: tuple[float, ...]) -> None:
        self._operator, self._large, self._strengths = operator, operator.large, strengths
        self._diagonal, matrices = operator.weighted(strengths)
        self._eigen = []
        for K in matrices:
            values, vectors = np.linalg.eigh(K)
            values = np.where(values > 1e-12 * max(sum(strengths), 1e-300), values, 0.0)  # rounding of a zero
            self._eigen.append((values, vectors))
        self._resolvents: dict[torch.dtype, Resolvent] = {}
        self._constants: dict[Any, Constants] = {}

    def apply_(self, parameters: Sequence[Tensor], step: float) -> None:
        """Replaces the parameters by the minimiser."""
        if self._operator.can_run_compiled(parameters):
            large = None if self._large is None else self._large.gathered(parameters)
            self._resolvent(parameters[0].dtype).run_(parameters, step)
            if self._large is not None and large is not None:
                self._large.put_(parameters, self._iterated(large, step))
            return
        moved = self(torch.cat([p.detach().reshape(-1) for p in parameters]), step)
        for parameter, piece in zip(parameters, moved.split(self._operator.sizes), strict=True):
            parameter.copy_(piece.view(parameter.shape))

    def __call__(self, w: Tensor, step: float) -> Tensor:
        """The minimiser for a flat vector w (size,), in torch operations."""
        constants = self._for(w)
        out = w / (1 + step * constants.diagonal)
        for spectrum in constants.spectra:
            shrink = step * spectrum.values / (1 + step * spectrum.values)
            rows = w[spectrum.index]
            moved = torch.bmm(torch.bmm(rows, spectrum.vectors) * shrink, spectrum.vectors.mT)
            out[spectrum.index] = rows - moved
        if self._large is not None:
            index = self._large.index.to(w.device)
            out[index] = self._iterated(w[index], step)
        return out

    def _for(self, w: Tensor) -> Constants:
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
        """The same for compiled code."""
        if dtype not in self._resolvents:
            spectra = [
                SmallSpectra(where, values, vectors, k)
                for mixing, (values, vectors) in zip(self._operator.mixings, self._eigen, strict=True)
                for k, where in self._operator.in_parameters(mixing.index)
            ]
            diagonals = torch.tensor(self._diagonal).split(self._operator.sizes)
            self._resolvents[dtype] = Resolvent(diagonals, spectra, dtype)
        return self._resolvents[dtype]

    def _iterated(self, x: Tensor, step: float) -> Tensor:
        """The same on coordinates of types too large to be diagonalised, by conjugate gradients."""
        assert self._large is not None
        whole = 1 + step * sum(self._strengths)
        solution = torch.zeros_like(x)
        residual, direction = x.clone(), x.clone()
        square = torch.dot(residual, residual)
        enough = square * torch.finfo(x.dtype).eps ** 2
        for _ in range(MOST_ITERATIONS):
            if square <= enough:
                break
            image = whole * direction - step * self._large.inside(direction, self._strengths)
            length = square / torch.dot(direction, image)
            solution += length * direction
            residual -= length * image
            square, before = torch.dot(residual, residual), square
            direction = residual + (square / before) * direction
        return solution
