"""The Gaussian process as a model: the one place that knows :class:`~softsym.inference.SoftEquivariantGP`.

Until the engine has ``cross_val_predict``, ``project`` for several groups, ``to_state`` and ``module`` of its own, the functions below the
line *fallbacks* do their work on the internals of the estimator.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softsym.discovery.fit_data import Rows, Shape
from softsym.discovery.models.base import GP, GP_UNCONSTRAINED, About, Model, State
from softsym.errors import DataWarning, InputError
from softsym.groups import Group, join_groups
from softsym.inference import SoftEquivariantGP
from softsym.typing import Array, Arrays, Index

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, eq=False)
class GaussianProcess(Model):
    """A fitted Gaussian process.

    Args:
        gp: The estimator.
        shape: Representations and candidates.
        order: Which of the rows that it was fitted to it holds, in their order there.
        exact: Names of the groups to which it is exactly equivariant.
        title: Its name, if it has candidates.

    Example:
        >>> import softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((60, 6))
        >>> rows = Rows(X[:50], np.cross(X[:50, :3], X[:50, 3:]))
        >>> gp = fit_gp(rows, Shape.of(ss.rep("2V"), ss.rep("V"), [ss.SO(3)]))
        >>> bool(np.abs(gp.predict(X[50:]) - np.cross(X[50:, :3], X[50:, 3:])).max() < 1e-3)
        True
    """

    gp: SoftEquivariantGP
    shape: Shape
    order: Index
    exact: tuple[str, ...] = ()
    title: str = GP
    kind = "gp"

    @property
    def name(self) -> str:
        return self.title

    @property
    def exact_groups(self) -> tuple[str, ...]:
        return self.exact

    def predict(self, X: Array) -> Array:
        mean, _ = self.gp.process_.predict(self.gp.scale_in_.transform(X))
        return self.gp.scale_out_.inverse(mean)

    def std(self, X: Array) -> Array:
        std = self.gp.process_.std(self.gp.scale_in_.transform(X))
        return np.asarray(std * self.gp.scale_out_.scale)

    def fit(self, rows: Rows) -> GaussianProcess:
        """Conditioned on other rows, the first of them if there are too many."""
        return _condition(self, rows)

    def cross_val_predict(self, rows: Rows, folds: Index) -> Array:
        """See :class:`Model`; in one factorisation, unless rows that the process does not hold may depend on those it does."""
        if len(self.order) != len(rows) and rows.row_groups is not None:
            return super().cross_val_predict(rows, folds)
        return _leave_folds_out(self, rows, folds)

    def project(self, groups: Sequence[Group]) -> GaussianProcess | None:
        """The process with a prior of equivariant functions; None if the groups are no candidates or have no joint kernel."""
        if not groups or self.title == GP_UNCONSTRAINED:  # without candidates all columns are scalars
            return None if groups else self
        return _project(self, groups)

    @property
    def rows(self) -> int:
        """Number of rows that it is conditioned on."""
        return len(self.gp.process_.X)

    @property
    def noise(self) -> Array:
        """Estimated noise variance of the outputs, shape (outputs,), in the units of the data."""
        inside = self.gp.process_
        variance = np.zeros(inside.Y.shape[1])
        for block, fit in zip(inside.blocks, inside.fits, strict=True):
            variance[block.columns] += fit.scale * fit.noise * block.variances(np.eye(block.size)[None])
        return np.asarray(variance * self.gp.scale_out_.scale**2)

    def to_state(self) -> State:
        from softsym.inference import gp_state

        files = gp_state.to_bytes(self.gp)
        arrays = {f"file/{name}": np.frombuffer(data, dtype=np.uint8) for name, data in files.items()}
        about = {"shape": self.shape.to_dict(), "exact": list(self.exact), "title": self.title}
        return about, {**arrays, "order": self.order}

    @classmethod
    def from_state(cls, about: About, arrays: Arrays) -> GaussianProcess:
        from softsym.inference import gp_state

        files = {
            name.removeprefix("file/"): array.tobytes()
            for name, array in arrays.items()
            if name.startswith("file/")
        }
        gp = gp_state.from_bytes(files, SoftEquivariantGP)
        shape = Shape.from_dict(about["shape"])
        return cls(gp, shape, arrays["order"], tuple(about["exact"]), about["title"])

    def module(self) -> nn.Module:
        from softsym.discovery.gp_module import process_module

        return process_module(self.gp)


def fit_gp(rows: Rows, shape: Shape, *, seed: int = 0, title: str = GP) -> GaussianProcess:
    """Fits a Gaussian process with candidates, or an unconstrained one.

    Raises:
        InputError: There is no kernel for these groups.
    """
    gp = SoftEquivariantGP(shape.rep_in, shape.rep_out, list(shape.groups), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # that rows are left out
        gp.fit(rows.X, rows.Y, groups=rows.row_groups)
    fitted = GaussianProcess(gp, shape, np.asarray(gp.rows_), title=title)
    return fitted if rows.weights is None else _reweight(fitted, rows.weights)


# ---- fallbacks


def _condition(model: GaussianProcess, rows: Rows) -> GaussianProcess:
    """Conditions on other rows, with the same kernels and noises."""
    from softsym.inference.likelihood.gaussian_process import ConditionedGP

    gp, inside = model.gp, model.gp.process_
    size = max((block.size for block in inside.blocks), default=1)
    n = min(len(rows), max(2, gp.max_size // size))
    scaled = gp.scale_in_.transform(rows.X[:n]), gp.scale_out_.transform(rows.Y[:n])
    weights = None if rows.weights is None else rows.weights[:n]
    try:
        process = ConditionedGP.restored(
            inside.components, inside.blocks, *scaled, inside.noises, weights=weights
        )
    except ValueError:  # singular with these rows
        return model
    return replace(model, gp=_holding(gp, process), order=np.arange(n))


def _leave_folds_out(model: GaussianProcess, rows: Rows, folds: Index) -> Array:
    """Predictions of all rows from other folds."""
    gp, order = model.gp, model.order
    process = copy.copy(gp.process_)
    process.row_groups = folds[order]
    errors = process.leave_out_errors() * gp.scale_out_.scale
    predicted = np.empty_like(rows.Y)
    predicted[order] = rows.Y[order] - errors
    others = np.setdiff1d(np.arange(len(rows)), order)
    if len(others):
        predicted[others] = model.predict(rows.X[others])
    return predicted


def _project(model: GaussianProcess, groups: Sequence[Group]) -> GaussianProcess | None:
    """Conditions on the same rows with kernels that have all these symmetries."""
    from softsym.inference.likelihood.gaussian_process import Component, ConditionedGP, blocks_of, same_noise

    gp, inside, names = model.gp, model.gp.process_, tuple(group.name for group in groups)
    if not set(names) <= set(gp.weights_):  # the scaling of its columns need not respect another group
        return None
    kept = [component for component in inside.components if set(names) <= set(component.has)]
    if not kept:
        candidate = _joint_kernel(groups, model.shape)
        if candidate is None or not candidate.allows(gp.kernel_):
            return None
        kept = [Component(candidate, gp.kernel_, 1.0, names)]
    total = sum(component.weight for component in kept)
    kept = [component.weighted(component.weight / total) for component in kept]
    blocks = blocks_of(kept, model.shape.rep_out, inside.Y)
    noises = same_noise(inside.noises, blocks)
    process = ConditionedGP.fit(kept, blocks, inside.X, inside.Y, noises, weights=inside.weights)
    return replace(model, gp=_holding(gp, process), exact=names)


def _reweight(model: GaussianProcess, weights: Array) -> GaussianProcess:
    """The process refitted with sample weights (n,) of all rows that it was fitted to."""
    from softsym.inference.likelihood.gaussian_process import ConditionedGP

    inside = model.gp.process_
    process = ConditionedGP.fit(
        inside.components,
        inside.blocks,
        inside.X,
        inside.Y,
        inside.noises,
        inside.row_groups,
        weights[model.order],
    )
    return replace(model, gp=_holding(model.gp, process))


def _holding(gp: SoftEquivariantGP, process: Any) -> SoftEquivariantGP:
    """The estimator with another conditioned process."""
    gp = copy.copy(gp)
    gp.__dict__.pop("left_out_errors_", None)
    gp.process_, gp.n_rows_, gp._n_given = process, len(process.X), len(process.X)
    gp.rows_ = np.arange(len(process.X))
    gp.weights_ = {
        name: float(sum(one.weight for one in process.components if name in one.has)) for name in gp.weights_
    }
    return gp


def _joint_kernel(groups: Sequence[Group], shape: Shape) -> Any:
    """A kernel that has several symmetries: of the candidate that contains the others, or of what they generate."""
    from softsym.inference.kernels import equivariant_kernel
    from softsym.inference.lattice import contains

    largest = [group for group in groups if all(group is other or contains(group, other) for other in groups)]
    for group in [*largest[:1], join_groups(groups)]:
        try:
            return equivariant_kernel(group, shape.rep_in, shape.rep_out)
        except InputError:
            continue
    return None
