r"""The proximal step of several groups at once, in closed form.

With :math:`K = \sum_k \lambda_k (1 - P_k)` of :mod:`softsym.regularize.joint`, the minimiser of
:math:`|w - w_0|^2 / (2t) + \sum_k \lambda_k R_k(w)` is

.. math:: w = (1 + t K)^{-1} w_0 = w_0 - U \frac{t d}{1 + t d} U^T w_0, \qquad K = U d\, U^T ,

whether the projectors commute or not. K is diagonalised once for given strengths, on small blocks; any step length after that costs two
small products. What lies in all equivariant spaces at once (d = 0) is left alone to the last bit. An optimiser that rescales gradients,
as Adam does, would rescale those of a penalty in the loss too; a step of its own keeps strengths meaning the same with any optimiser.

Reference:
    Proximal Algorithms (Parikh and Boyd, 2014), https://doi.org/10.1561/2400000003
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

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


class Proximal:
    """(1 + t K)^-1 on the flat vector of all parameters, for given strengths and any step t.

    Args:
        operator: K.
        strengths: One for each group.
        like: A tensor of the dtype and on the device of the parameters.
    """

    def __init__(self, operator: JointOperator, strengths: tuple[float, ...], like: Tensor) -> None:
        diagonal, matrices = operator.weighted(strengths)
        self._diagonal = torch.tensor(diagonal).to(like)
        self._spectra = []
        for mixing, K in zip(operator.mixings, matrices, strict=True):
            values, vectors = np.linalg.eigh(K)
            values = np.where(values > 1e-12 * max(sum(strengths), 1e-300), values, 0.0)  # rounding of a zero
            index = torch.tensor(mixing.index, device=like.device)
            self._spectra.append(
                Spectrum(index, torch.tensor(values[:, None]).to(like), torch.tensor(vectors).to(like))
            )
        self._large, self._strengths = operator.large, strengths

    def __call__(self, w: Tensor, step: float) -> Tensor:
        """The minimiser for a flat vector w (size,)."""
        out = w / (1 + step * self._diagonal)
        for spectrum in self._spectra:
            shrink = step * spectrum.values / (1 + step * spectrum.values)
            rows = w[spectrum.index]
            moved = torch.bmm(torch.bmm(rows, spectrum.vectors) * shrink, spectrum.vectors.mT)
            out[spectrum.index] = rows - moved
        if self._large is not None:
            index = self._large.index.to(w.device)
            out[index] = self._iterated(w[index], step)
        return out

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
