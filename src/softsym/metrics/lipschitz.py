r"""Lipschitz constants of the nonlinear layers on a ball, as upper bounds from their weights.

A bilinear form with :math:`|B(u, v)| \le \beta |u| |v|` makes :math:`x + s B(x, x)` Lipschitz with :math:`1 + s \beta (|x| + |x'|)`. The
form of a :class:`~softsym.nn.Bilinear` layer is a sum of terms, each a small weight tensor :math:`M_{t k a}` times a product of tensors
whose norms multiply; its norm is at most the operator norm of any unfolding of M into a matrix, so the least of the three is taken.
The same holds for the array of the terms' norms over (output, input, acting) types.

A gate multiplies a value v by :math:`\sigma(g)`: the derivative :math:`\sigma\,dv + v \sigma' dg` has norm at most
:math:`\sqrt{1 + |v|^2 / 16}`, because :math:`\sigma \le 1` and :math:`\sigma' \le 1/4`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from softsym.groups import Group
from softsym.maps import as_array
from softsym.nn import Bilinear, Gated
from softsym.reps import Rep
from softsym.typing import Array

SWISH_SLOPE = 1.0999  # the largest derivative of swish is 1.09984


def operator_norm(matrix: Array) -> float:
    """The largest singular value; zero for an empty matrix."""
    return float(np.linalg.norm(matrix, 2)) if matrix.size else 0.0


def multilinear_norm(tensor: Array) -> float:
    """An upper bound of the largest value of a three-way tensor on unit vectors: the least operator norm of its unfoldings."""
    unfolded = (np.moveaxis(tensor, axis, 0).reshape(tensor.shape[axis], -1) for axis in range(3))
    return min(operator_norm(matrix) for matrix in unfolded)


def bilinear_norm(layer: Bilinear) -> float:
    r"""An upper bound :math:`\beta` of the bilinear form W(u) v of a layer: :math:`|W(u) v| \le \beta |u| |v|`.

    Example:
        >>> import softsym as ss, torch
        >>> layer = ss.nn.Bilinear(ss.rep("2S + 2V"), ss.O(3), torch.Generator().manual_seed(0))
        >>> round(bilinear_norm(layer), 2)
        2.86
    """
    norms = np.zeros((len(layer.plan.types),) * 3)
    for term, weight in layer.term_weights():
        norms[term.target, term.source, term.through] = multilinear_norm(as_array(weight))
    return multilinear_norm(norms)


@dataclass(frozen=True)
class GateConstants:
    """Of a gated nonlinearity on a ball.

    Args:
        growth: |output| is at most this times |input|.
        lipschitz: The Lipschitz constant.
        broken: The part that ignores the symmetry has norm at most this times |input|.
    """

    growth: float
    lipschitz: float
    broken: float


def gate_constants(layer: Gated, rep: Rep, largest: Group, group: Group, radius: float) -> GateConstants:
    """The constants of a gated nonlinearity on a ball.

    Args:
        layer: The nonlinearity.
        rep: Representation of its values.
        largest: The group that the layer was built for; it decides which copies gate themselves.
        group: The group to measure.
        radius: Radius of the ball.
    """
    soft = np.zeros(layer.size) if layer.soft is None else as_array(layer.soft)
    gated_slope = math.sqrt(1 + radius**2 / 16)
    growth, lipschitz, broken = 0.0, 0.0, 0.0
    for segment in rep.segments(largest):
        w = soft[segment.start : segment.stop].reshape(segment.copies, segment.size)
        gates_itself = segment.type.is_permutation(largest)
        swish = 1 + w if gates_itself else w  # the weight of swish in each channel
        largest_weight = float(np.abs(swish).max(initial=0.0))
        growth = max(growth, largest_weight + (not gates_itself))
        lipschitz = max(lipschitz, SWISH_SLOPE * largest_weight + (0.0 if gates_itself else gated_slope))
        if segment.type.is_permutation(group):  # swish commutes with permutations, unequal weights do not
            swish = swish - swish.mean(axis=1, keepdims=True)
        broken = max(broken, float(np.abs(swish).max(initial=0.0)))
    return GateConstants(growth, lipschitz, broken)
