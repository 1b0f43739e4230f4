"""The two simplest models: the mean of the outputs, and soft equivariant least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from softsym.discovery.models.protocol import LINEAR, MEAN
from softsym.groups import Group, join_groups
from softsym.inference import equivariant_lstsq
from softsym.reps import Rep, Scalar
from softsym.spaces import equivariant_maps
from softsym.typing import Array


@dataclass(frozen=True, eq=False)
class Affine:
    """An affine map: outputs = weight x + bias.

    Args:
        weight: Shape (outputs, inputs).
        bias: Shape (outputs,).
        noise: Root mean squared error of each output on its rows, shape (outputs,).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: The candidate groups.
        ridge: The ridge that was chosen; None for a mean.
        strengths: The strength of every candidate's penalty.
        exact_groups: Names of the groups to which it is exactly equivariant.

    Example:
        >>> import softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((60, 3))
        >>> fit = fit_linear(X, 2 * X, ss.rep("V"), ss.rep("V"), [ss.O(3)])
        >>> fit.project([ss.O(3)])(X[:1]).round(6) - 2 * X[:1].round(6) < 1e-5
        array([[ True,  True,  True]])
    """

    weight: Array
    bias: Array
    noise: Array
    rep_in: Rep
    rep_out: Rep
    groups: tuple[Group, ...] = ()
    ridge: float | None = None
    strengths: dict[str, float] | None = None
    exact_groups: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the model."""
        return MEAN if self.ridge is None else LINEAR

    def __call__(self, X: Array) -> Array:
        """Outputs (n, outputs) for inputs (n, inputs)."""
        return np.asarray(X @ self.weight.T + self.bias)

    def std(self, X: Array) -> Array:
        """Standard deviations (n, outputs), equal for all rows."""
        return np.tile(self.noise, (len(X), 1))

    def refit(self, X: Array, Y: Array, weights: Array | None = None) -> Affine:
        """The map with the same ridge and strengths fitted to other rows."""
        if self.ridge is None:
            return fit_mean(X, Y, self.rep_in, self.rep_out, self.groups, weights)
        again = equivariant_lstsq(
            X,
            Y,
            self.rep_in,
            self.rep_out,
            self.groups,
            ridge=self.ridge,
            strengths=self.strengths,
            weights=weights,
        )
        fitted = replace(self, weight=again.weight, bias=again.bias, noise=_noise(again.predict(X), Y))
        exact = [group for group in self.groups if group.name in self.exact_groups]
        return _project_affine(fitted, exact) if exact else fitted

    def project(self, groups: Sequence[Group]) -> Affine:
        """The nearest equivariant map."""
        return _project_affine(self, groups) if groups else self


def fit_mean(
    X: Array, Y: Array, rep_in: Rep, rep_out: Rep, groups: Sequence[Group] = (), weights: Array | None = None
) -> Affine:
    """The mean of the outputs as a constant map."""
    centre = np.average(Y, axis=0, weights=weights)
    return Affine(
        np.zeros((Y.shape[1], X.shape[1])), centre, _noise(centre, Y), rep_in, rep_out, tuple(groups)
    )


def fit_linear(
    X: Array, Y: Array, rep_in: Rep, rep_out: Rep, groups: Sequence[Group] = (), weights: Array | None = None
) -> Affine:
    """Equivariant least squares, its strengths chosen by generalised cross-validation.

    Raises:
        InputError: The map is too large to be solved for.
    """
    fit = equivariant_lstsq(X, Y, rep_in, rep_out, groups, weights=weights)
    return Affine(
        fit.weight, fit.bias, _noise(fit.predict(X), Y), rep_in, rep_out, tuple(groups), fit.ridge, fit.strengths,
    )  # fmt: skip


def _project_affine(fit: Affine, groups: Sequence[Group]) -> Affine:
    """Projects an affine map; the bias is the column of a constant input and becomes invariant."""
    maps = equivariant_maps(Scalar + fit.rep_in, fit.rep_out, join_groups(groups))
    both = np.asarray(maps.project(np.concatenate([fit.bias[:, None], fit.weight], axis=1)))
    return replace(
        fit, bias=both[:, 0], weight=both[:, 1:], exact_groups=tuple(group.name for group in groups)
    )


def _noise(predicted: Array, Y: Array) -> Array:
    return np.sqrt(np.mean((predicted - Y) ** 2, axis=0))
