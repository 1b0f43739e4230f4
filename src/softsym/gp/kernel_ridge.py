r"""Kernel ridge regression with inducing points, equivariant, soft or unconstrained: everything is chosen by cross-validation.

The kernel is that of features (:mod:`softsym.gp.features`): with the symmetry of a group, or :math:`k_G + s^2 k` with an unconstrained one.
It is the mean of a Gaussian process whose features, softness s and ridge predict left-out folds best.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softsym.gp.arrays import stored
from softsym.gp.features import (
    MAX_FEATURES,
    FeatureMap,
    SumFeatures,
    combine,
    equivariant_features,
    scale_copies,
    unconstrained_features,
)
from softsym.gp.mixture import Component, sum_rows
from softsym.gp.regression import FLAT, add, search_ridge
from softsym.groups import Group, Trivial, join_groups
from softsym.reps import Rep, Scalar, TensorType
from softsym.typing import Array, Index

if TYPE_CHECKING:
    from torch import nn

SOFTNESS = (0.03, 0.3)  # prior size of the part without the symmetry
FOLDS, MAX_ROWS = 5, 20_000


@stored
@dataclass(frozen=True, eq=False)
class RidgeBlock:
    """The outputs of one type."""

    columns: Index  # (copies, q)
    features: Any
    ridge: float
    weights: Array  # of the features (features, copies)
    group: str  # its name; empty for none
    error: float  # mean square for left-out folds, scaled outputs


@stored
@dataclass(frozen=True, eq=False)
class KernelRidge:
    """A fitted kernel ridge regression.

    Args:
        shift_in: Shift and
        scale_in: scale of the inputs.
        shift_out: Shift and
        scale_out: scale of the outputs.
        blocks: Outputs by type.
    """

    shift_in: Array
    scale_in: Array
    shift_out: Array
    scale_out: Array
    blocks: tuple[RidgeBlock, ...]

    def predict(self, X: Any) -> Any:
        """Outputs (n, outputs) of inputs (n, inputs)."""
        rows, out = (X - self.shift_in) / self.scale_in, np.zeros((len(X), len(self.shift_out)))
        for block in self.blocks:
            values = combine(block.features(rows), block.weights, block.columns.shape[1])
            out[:, block.columns.ravel()] = values.swapaxes(1, 2).reshape(len(X), -1)
        return out * self.scale_out + self.shift_out

    def module(self) -> nn.Module:
        """The same as an ``nn.Module`` in double precision."""
        from softsym.gp.torch_module import FeatureModule

        scales = self.shift_in, self.scale_in, self.shift_out, self.scale_out
        return FeatureModule(scales, [((block.features,), block.weights, block.columns) for block in self.blocks])

    def condition(self, X: Array, Y: Array, weights: Array | None = None) -> KernelRidge:
        """The same features and ridges, fitted to other rows."""
        rows, scaled = (X - self.shift_in) / self.scale_in, (Y - self.shift_out) / self.scale_out
        roots = np.ones(len(X)) if weights is None else np.sqrt(weights)
        fitted = []
        for block in self.blocks:
            (sums,) = sum_rows([Component(block.features)], rows, scaled[:, block.columns].swapaxes(1, 2), roots)
            fitted.append(replace(block, weights=sums.weights(block.ridge)))
        return replace(self, blocks=tuple(fitted))


def fit_kernel_ridge(
    X: Array,
    Y: Array,
    rep_in: Rep | None = None,
    rep_out: Rep | None = None,
    groups: Sequence[Group] = (),
    *,
    folds: Index | None = None,
    weights: Array | None = None,
    seed: int = 0,
) -> KernelRidge:
    """Chooses group, softness, features and ridge by cross-validation.

    Args:
        X: Inputs (n, inputs).
        Y: Outputs (n, outputs).
        rep_in: Representation of the inputs; needed with groups.
        rep_out: Representation of the outputs; needed with groups.
        groups: Candidates: each by itself and what they generate together are tried; none for unconstrained functions.
        folds: The fold of every row (n,); at random if None.
        weights: Sample weights (n,).
        seed: Seed of folds and rows.

    Example:
        >>> import softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((80, 6))
        >>> Y = np.cross(X[:, :3], X[:, 3:])
        >>> model = fit_kernel_ridge(X[:60], Y[:60], ss.rep("2V"), ss.rep("V"), [ss.SO(3)])
        >>> model.blocks[0].group, bool(np.mean((model.predict(X[60:]) - Y[60:]) ** 2) < 1e-3)
        ('SO(3)', True)
    """
    inputs, outputs = (X.shape[1] * Scalar, Y.shape[1] * Scalar) if not groups else (rep_in, rep_out)
    assert inputs is not None
    assert outputs is not None
    whole = join_groups(groups) if groups else Trivial(1)
    shift_in, scale_in = scale_copies(X, inputs, whole, weights)
    shift_out, scale_out = scale_copies(Y, outputs, whole, weights)
    rng = np.random.default_rng(seed)
    folds = rng.permutation(len(X)) % FOLDS if folds is None else folds
    some = np.sort(rng.permutation(len(X))[:MAX_ROWS])
    rows, scaled = ((X - shift_in) / scale_in)[some], ((Y - shift_out) / scale_out)[some]
    roots = np.ones(len(some)) if weights is None else np.sqrt(weights[some])
    blocks = []
    for segment in outputs.segments(whole):
        columns = np.arange(segment.start, segment.stop).reshape(segment.copies, segment.size)
        values = scaled[:, columns].swapaxes(1, 2)
        best: RidgeBlock | None = None
        near = None
        for name, features in _options(inputs, segment.type, groups, rows, segment.size):
            block = _validate(columns, features, name, rows, values, roots, folds[some], near)
            near, best = block.ridge, block if best is None or block.error < best.error else best
        assert best is not None
        (sums,) = sum_rows([Component(best.features)], rows, values, roots)
        blocks.append(replace(best, weights=sums.weights(best.ridge)))
    model = KernelRidge(shift_in, scale_in, shift_out, scale_out, tuple(blocks))
    return model if len(some) == len(X) else model.condition(X, Y, weights)


def _options(
    rep: Rep, kind: TensorType, groups: Sequence[Group], rows: Array, q: int
) -> Iterator[tuple[str, FeatureMap]]:
    """Names of groups and features: unconstrained, equivariant, and sums of both."""
    yield from (("", each) for each in unconstrained_features(rows))
    smooth = next(each for each in unconstrained_features(rows, MAX_FEATURES // q) if "width 1.4" in each.name)
    joined = [join_groups(groups)] if len(groups) > 1 else []
    for group in (*groups, *joined):
        for each in equivariant_features(rep, kind, group, rows):
            yield group.name, each
            if "1.4" in each.name or "degree 3" in each.name:
                yield from ((group.name, SumFeatures((each, smooth), (1.0, size))) for size in SOFTNESS)


def _validate(
    columns: Index,
    features: FeatureMap,
    group: str,
    rows: Array,
    Y: Array,
    roots: Array,
    folds: Index,
    near: float | None,
) -> RidgeBlock:
    """The best ridge of some features by left-out folds, searched from one that is near; without weights."""
    sums = sum_rows([Component(features)], rows, Y, roots, folds)
    total = add(sums)
    rests = [total - own for own in sums]

    @functools.cache
    def error(exponent: float) -> float:
        found = 0.0
        for own, rest in zip(sums, rests, strict=True):
            weights = rest.raw_weights(10.0**exponent)
            found += float(own.squares.sum() - 2.0 * (weights * own.b).sum() + (weights * (own.A @ weights)).sum())
        return found

    squares = float(total.squares.sum())
    exponent = search_ridge(lambda exponent: -error(exponent), lambda e: error(e) > FLAT * squares, near, finest=1.0)
    return RidgeBlock(columns, features, 10.0**exponent, np.zeros((0, 0)), group, error(exponent) / total.count)
