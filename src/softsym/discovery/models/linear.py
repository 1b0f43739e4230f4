"""Affine models: the mean of the outputs, equivariant least squares, ridge regression, constant and linear extrapolation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softsym.data import SymmetricScaler
from softsym.discovery.fit_data import Rows, Shape
from softsym.discovery.models.base import CONSTANT, EXTRAPOLATION, LINEAR, MEAN, RIDGE, ConstantNoise
from softsym.groups import Group, join_groups
from softsym.inference import EquivariantLinear, equivariant_lstsq
from softsym.reps import Scalar
from softsym.spaces import equivariant_maps
from softsym.typing import Array, Index

if TYPE_CHECKING:
    from torch import nn

EXTRAPOLATIONS = (CONSTANT, EXTRAPOLATION)
PENALTIES = (1e-8, 1e-6, 1e-4, 1e-2, 1.0)  # of ridge regression, relative to inputs of unit size


@dataclass(frozen=True, eq=False)
class Affine(ConstantNoise):
    """An affine map: outputs = weight x + bias."""

    title: str  # how it is fitted: one of the names of this file's models
    weight: Array  # shape (outputs, inputs)
    bias: Array  # shape (outputs,)
    noise: Array  # standard deviation of each output, shape (outputs,)
    shape: Shape  # representations and candidates
    ridge: float = 0.0  # its ridge
    strengths: dict[str, float] | None = None  # the strength of every candidate's penalty
    exact: tuple[str, ...] = ()  # names of the groups to which it is exactly equivariant
    kind = "affine"

    def predict(self, X: Array) -> Array:
        return np.asarray(X @ self.weight.T + self.bias)

    def fit(self, rows: Rows) -> Affine:
        if self.title == LINEAR:
            again = _fit_linear(rows, self.shape, ridge=self.ridge, strengths=self.strengths)
            weight, bias = again.weight, again.bias
        elif self.title == RIDGE:
            weight, bias = _ridge(rows, [self.ridge])[0]
        elif self.title == MEAN:
            weight, bias = self.weight, np.average(rows.Y, axis=0, weights=rows.weights)
        else:
            weight, bias = extrapolate(rows, self.shape, self.title), self.bias
        fitted = replace(self, weight=weight, bias=bias)
        exact = [group for group in self.shape.groups if group.name in self.exact]
        return fitted.project(exact) or fitted

    def project(self, groups: Sequence[Group]) -> Affine | None:
        """The nearest equivariant map; the bias is the column of a constant input and becomes invariant."""
        if not groups or self.title in EXTRAPOLATIONS:
            return self
        if self.title == RIDGE:
            return None
        maps = equivariant_maps(Scalar + self.shape.rep_in, self.shape.rep_out, join_groups(groups))
        both = np.asarray(maps.project(np.concatenate([self.bias[:, None], self.weight], axis=1)))
        exact = tuple(group.name for group in groups)
        return replace(self, bias=both[:, 0], weight=both[:, 1:], exact=exact)

    def module(self) -> nn.Module:
        from softsym.discovery.module import linear_layer

        return linear_layer(self.weight, self.bias)


def fit_mean(rows: Rows, shape: Shape) -> Affine:
    """The mean of the outputs as a constant map."""
    centre = np.average(rows.Y, axis=0, weights=rows.weights)
    return Affine(MEAN, np.zeros((rows.Y.shape[1], rows.X.shape[1])), centre, rows.Y.std(0), shape)


def fit_linear(rows: Rows, shape: Shape) -> Affine:
    """Equivariant least squares, its strengths chosen by generalised cross-validation."""
    fit = _fit_linear(rows, shape)
    noise = np.sqrt(np.mean((fit.predict(rows.X) - rows.Y) ** 2, axis=0))
    return Affine(LINEAR, fit.weight, fit.bias, noise, shape, fit.ridge, fit.strengths)


def _fit_linear(rows: Rows, shape: Shape, **known: Any) -> EquivariantLinear:
    return equivariant_lstsq(rows.X, rows.Y, shape.rep_in, shape.rep_out, shape.groups, weights=rows.weights, **known)


def fit_ridge(rows: Rows, folds: Index, shape: Shape) -> Affine:
    """Ridge regression on standardised columns, its penalty chosen by cross-validation."""
    losses = np.zeros(len(PENALTIES))
    for fold in range(int(folds.max()) + 1 if folds.max() else 0):
        held = rows.take(folds == fold)
        for k, (weight, bias) in enumerate(_ridge(rows.take(folds != fold), PENALTIES)):
            losses[k] += float(np.sum(np.mean((held.X @ weight.T + bias - held.Y) ** 2, axis=1)))
    penalty = PENALTIES[int(losses.argmin())]
    weight, bias = _ridge(rows, [penalty])[0]
    noise = np.sqrt(np.mean((rows.X @ weight.T + bias - rows.Y) ** 2, axis=0))
    return Affine(RIDGE, weight, bias, noise, shape.without_groups(), penalty)


def _ridge(rows: Rows, penalties: Sequence[float]) -> list[tuple[Array, Array]]:
    """Weight and bias for every penalty."""
    scale = SymmetricScaler.fit(rows.X, None, ())
    inputs, roots = scale.transform(rows.X), np.ones(len(rows)) if rows.weights is None else rows.weights
    middle, centre = (np.average(values, axis=0, weights=rows.weights) for values in (inputs, rows.Y))
    X, Y = (np.sqrt(roots)[:, None] * values for values in (inputs - middle, rows.Y - centre))
    values, vectors = np.linalg.eigh(X.T @ X / len(rows))
    along = vectors.T @ (X.T @ Y / len(rows))
    fits = []
    for penalty in penalties:
        weight = (vectors @ (along / (np.maximum(values, 0.0) + penalty)[:, None])).T / scale.scale
        fits.append((weight, centre - weight @ (scale.shift + scale.scale * middle)))
    return fits


def fit_extrapolation(rows: Rows, shape: Shape, title: str) -> Affine | None:
    """Every output as a combination of inputs of its own type, with one number for each; None if there are no such inputs.

    Such a map commutes with every matrix. ``constant extrapolation`` takes the one copy that is nearest, ``linear extrapolation`` the
    best combination: of positions at several times, for instance, or of a position and a velocity.
    """
    if not all(sources for _, sources in _copies(shape)):
        return None
    weight = extrapolate(rows, shape, title)
    noise = np.sqrt(np.mean((rows.X @ weight.T - rows.Y) ** 2, axis=0))
    exact = tuple(group.name for group in shape.groups)
    return Affine(title, weight, np.zeros(len(weight)), noise, shape, exact=exact)


def extrapolate(rows: Rows, shape: Shape, title: str) -> Array:
    """The map (outputs, inputs) of :func:`fit_extrapolation`."""
    weight = np.zeros((rows.Y.shape[1], rows.X.shape[1]))
    roots = 1.0 if rows.weights is None else np.sqrt(rows.weights)[:, None]
    for target, sources in _copies(shape):
        Y, X = roots * rows.Y[:, target], np.stack([(roots * rows.X[:, one]).ravel() for one in sources], 1)
        if title == CONSTANT:
            nearest = int(np.argmin(np.sum((X - Y.reshape(-1, 1)) ** 2, axis=0)))
            numbers = np.eye(len(sources))[nearest]
        else:
            numbers = np.linalg.lstsq(X, Y.ravel(), rcond=1e-10)[0]
        for number, source in zip(numbers, sources, strict=True):
            weight[target, source] += number * np.eye(target.stop - target.start)
    return weight


def _copies(shape: Shape) -> list[tuple[slice, list[slice]]]:
    """The columns of each output's copy, and of all inputs of the same type."""
    inputs, outputs = (
        [(part.type, slice(k, k + part.size)) for part in segments for k in range(part.start, part.stop, part.size)]
        for segments in (shape.rep_in.segments(shape.largest), shape.rep_out.segments(shape.largest))
    )
    return [(place, [one for kind, one in inputs if kind == own]) for own, place in outputs]
