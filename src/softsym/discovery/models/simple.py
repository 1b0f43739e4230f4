"""The two lowest rungs: the mean of the outputs, and a linear map that has each symmetry as far as that helps."""

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
    """What both are: outputs = weight x + bias.

    Args:
        weight: Shape (outputs, inputs).
        bias: Shape (outputs,).
        noise: Root mean squared error of each output on its rows, shape (outputs,).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: The candidate groups.
        ridge: The ridge that was chosen; None for a mean.
        strengths: The strength of every candidate's penalty.
        has: Names of the groups that it has exactly.

    Example:
        >>> import softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((60, 3))
        >>> fit = linear(X, 2 * X, ss.rep("V"), ss.rep("V"), [ss.O(3)])
        >>> fit.snapped([ss.O(3)])(X[:1]).round(6) - 2 * X[:1].round(6) < 1e-5
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
    has: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Which of the two it is."""
        return MEAN if self.ridge is None else LINEAR

    def __call__(self, X: Array) -> Array:
        """Outputs (n, outputs) for inputs (n, inputs)."""
        return np.asarray(X @ self.weight.T + self.bias)

    def spread(self, X: Array) -> Array:
        """The same for every row."""
        return np.tile(self.noise, (len(X), 1))

    def on(self, X: Array, Y: Array, weights: Array | None = None) -> Affine:
        """With the same ridge and strengths on other rows."""
        if self.ridge is None:
            return mean(X, Y, self.rep_in, self.rep_out, self.groups, weights)
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
        exact = [group for group in self.groups if group.name in self.has]
        return _projected(fitted, exact) if exact else fitted

    def snapped(self, groups: Sequence[Group]) -> Affine:
        """The nearest equivariant map."""
        return _projected(self, groups) if groups else self


def mean(
    X: Array, Y: Array, rep_in: Rep, rep_out: Rep, groups: Sequence[Group] = (), weights: Array | None = None
) -> Affine:
    """The mean of the outputs, whatever the inputs are."""
    centre = np.average(Y, axis=0, weights=weights)
    return Affine(
        np.zeros((Y.shape[1], X.shape[1])), centre, _noise(centre, Y), rep_in, rep_out, tuple(groups)
    )


def linear(
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


def _projected(fit: Affine, groups: Sequence[Group]) -> Affine:
    """A constant column carries the bias, which has to be invariant."""
    maps = equivariant_maps(Scalar + fit.rep_in, fit.rep_out, join_groups(groups))
    both = np.asarray(maps.project(np.concatenate([fit.bias[:, None], fit.weight], axis=1)))
    return replace(fit, bias=both[:, 0], weight=both[:, 1:], has=tuple(group.name for group in groups))


def _noise(predicted: Array, Y: Array) -> Array:
    return np.sqrt(np.mean((predicted - Y) ** 2, axis=0))
