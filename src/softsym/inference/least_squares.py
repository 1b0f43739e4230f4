r"""Equivariant least squares: the simplest model that can have a symmetry, in milliseconds.

A linear map W and a bias, with ridge and with every candidate as a penalty,

.. math:: \min_W \tfrac1n \lVert Y - X W^T \rVert^2 + \lambda_0 \lVert W \rVert^2 + \sum_k \lambda_k \lVert W - P_k W \rVert^2 ,

where P_k projects onto the equivariant maps of group k (:mod:`softsym.spaces`). A constant column carries the bias, so the bias
is an equivariant map too. Strengths are chosen by generalised cross-validation, one after the other.

Reference:
    Generalized Cross-Validation as a Method for Choosing a Good Ridge Parameter (Golub, Heath and Wahba, 1979),
    https://doi.org/10.1080/00401706.1979.10489751
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve

from softsym.data.scaler import SymmetricScaler
from softsym.errors import InputError
from softsym.groups import Group
from softsym.metrics.transform import read_shape
from softsym.reps import Rep, Scalar
from softsym.spaces import equivariant_maps
from softsym.typing import Array

RIDGES = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1e-1, 1.0)
STRENGTHS = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e6)
"""Of a candidate's penalty, relative to inputs of unit size; the last one stands for exact symmetry."""
LARGEST = 2_000  # entries of a map beyond which the linear system is refused


@dataclass(frozen=True, eq=False)
class EquivariantLinear:
    """A linear map between scaled data.

    Args:
        weight: Shape (outputs, inputs), in the units of the data.
        bias: Shape (outputs,).
        ridge: The ridge that was chosen.
        strengths: The strength of every candidate's penalty, by its name.
        error: Generalised cross-validation error, as a share of the outputs' variance.
    """

    weight: Array
    bias: Array
    ridge: float
    strengths: dict[str, float]
    error: float

    def predict(self, X: ArrayLike) -> Array:
        """Outputs (n, outputs) for inputs (n, inputs)."""
        return np.asarray(X, dtype=np.float64) @ self.weight.T + self.bias


def equivariant_lstsq(
    X: ArrayLike,
    Y: ArrayLike,
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Group | str | Sequence[Group | str] = (),
    *,
    ridge: float | None = None,
    strengths: Mapping[str, float] | None = None,
    weights: ArrayLike | None = None,
) -> EquivariantLinear:
    """Fits a linear map that has each candidate symmetry as far as that helps.

    Args:
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: Candidate groups; none for ridge regression.
        ridge: The ridge; chosen if None.
        strengths: Strengths of candidates' penalties by name; those not given are chosen.
        weights: How much every row counts (n,), positive; all the same by default.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((40, 6))
        >>> Y = X[:, :3] - 2 * X[:, 3:] + 0.1 * rng.standard_normal((40, 3))
        >>> fit = equivariant_lstsq(X, Y, "2V", "V", ["O(3)"])
        >>> fit.strengths["O(3)"] >= 1.0
        True
        >>> fit.weight[0, [0, 3]].round(1)
        array([ 1., -2.])
    """
    X, Y = np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)
    if X.ndim != 2 or Y.ndim != 2 or len(X) != len(Y) or len(X) < 2:
        raise InputError(
            f"`X` and `Y` must have shapes (n, inputs) and (n, outputs), n >= 2; got {X.shape} and {Y.shape}"
        )
    rep_in, rep_out, candidates = read_shape(rep_in, rep_out, groups, X, Y)
    size = Y.shape[1] * (X.shape[1] + 1)
    if size > LARGEST:
        raise InputError(f"a map from {rep_in} to {rep_out} has {size} entries; at most {LARGEST} are solved for")
    scale_in, scale_out = (SymmetricScaler.fit(X, rep_in, candidates), SymmetricScaler.fit(Y, rep_out, candidates))
    inputs = np.concatenate([np.ones((len(X), 1)), scale_in.transform(X)], axis=1)
    outputs = scale_out.transform(Y)
    if weights is not None:
        scale_by_weights = np.asarray(weights, dtype=np.float64)
        roots = np.sqrt(scale_by_weights / scale_by_weights.mean())[:, None]
        inputs, outputs = roots * inputs, roots * outputs
    bases = {group.name: equivariant_maps(Scalar + rep_in, rep_out, group).basis() for group in candidates}
    unknown = set(strengths or {}) - set(bases)
    if unknown:
        raise InputError(f"`strengths` names {', '.join(sorted(unknown))}, which is no candidate group")
    system = _System(inputs, outputs, bases)
    chosen = _chosen(system, ridge, dict(strengths or {}))
    W, error = system.solve(chosen)
    weight = W[:, 1:] * scale_out.scale[:, None] / scale_in.scale
    bias = scale_out.shift + scale_out.scale * W[:, 0] - weight @ scale_in.shift
    return EquivariantLinear(weight, bias, chosen.pop(""), chosen, error)


class _System:
    """The normal equations of all penalties."""

    def __init__(self, X: Array, Y: Array, bases: Mapping[str, Array]) -> None:
        self.X, self.Y = X, Y
        self.data = np.kron(np.eye(Y.shape[1]), X.T @ X / len(X))
        self.right = (Y.T @ X / len(X)).ravel()
        self.complements = {name: np.eye(len(basis)) - basis @ basis.T for name, basis in bases.items()}

    def solve(self, strengths: Mapping[str, float]) -> tuple[Array, float]:
        """The map (outputs, inputs + 1), and its generalised cross-validation error; the ridge has the empty name."""
        matrix = self.data + max(strengths[""], 1e-12) * np.eye(len(self.data))
        for name, rest in self.complements.items():
            matrix += strengths[name] * rest
        try:
            factor = cho_factor(matrix)
        except (
            np.linalg.LinAlgError
        ):  # columns depend on each other, as centred points do, and a large strength is rounded
            matrix[np.diag_indices_from(matrix)] += 1e-14 * len(matrix) * float(np.abs(np.diag(matrix)).max())
            factor = cho_factor(matrix)
        W = cho_solve(factor, self.right).reshape(self.Y.shape[1], -1)
        per_column_kernel = float(np.trace(cho_solve(factor, self.data))) / self.Y.size
        residual = float(np.mean((self.Y - self.X @ W.T) ** 2)) / max(float(np.mean(self.Y**2)), 1e-300)
        return W, residual / max(1.0 - per_column_kernel, 1e-6) ** 2


def _chosen(system: _System, ridge: float | None, given: dict[str, float]) -> dict[str, float]:
    """Strengths of lowest error, one after the other, twice; the ridge has the empty name."""
    fixed = dict(given) if ridge is None else {**given, "": ridge}
    current = {"": 1e-4, **dict.fromkeys(system.complements, 0.0), **fixed}
    for _ in range(2):
        for name in current:
            if name in fixed:
                continue
            grid = RIDGES if name == "" else STRENGTHS
            errors = [system.solve({**current, name: value})[1] for value in grid]
            # Among equals the most symmetric, within a tenth of a percent.
            best = max(k for k, error in enumerate(errors) if error <= min(errors) * 1.001 + 1e-15)
            current[name] = grid[best]
    return current
