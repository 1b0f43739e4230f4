"""The Gaussian process as a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from softsym.discovery.fit_data import Rows, Shape
from softsym.discovery.models.base import GP, GP_UNCONSTRAINED, About, Model, State
from softsym.gp import SoftEquivariantGP
from softsym.groups import Group
from softsym.typing import Array, Arrays, Index

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, eq=False)
class GaussianProcess(Model):
    """A fitted Gaussian process."""

    gp: SoftEquivariantGP  # the estimator
    shape: Shape  # representations and candidates
    title: str = GP  # its name, if it has candidates
    kind = "gp"

    @property
    def exact_groups(self) -> tuple[str, ...]:
        return self.gp.exact_groups_

    def predict(self, X: Array) -> Array:
        return np.asarray(self.gp.predict(X)).reshape(len(X), -1)

    def std(self, X: Array) -> Array:
        return np.asarray(self.gp.predict(X, return_std=True)[1]).reshape(len(X), -1)

    def fit(self, rows: Rows) -> GaussianProcess:
        return replace(self, gp=self.gp.condition(rows.X, rows.Y, rows.weights))

    def cross_val_predict(self, rows: Rows, folds: Index) -> Array:
        """See :class:`Model`; from sums over folds."""
        return self.gp.condition(rows.X, rows.Y, rows.weights).cross_val_predict(folds)

    def project(self, groups: Sequence[Group]) -> GaussianProcess | None:
        """The process with a prior of equivariant functions; None if the groups are no candidates."""
        if not groups or self.title == GP_UNCONSTRAINED:  # without candidates all columns are scalars
            return None if groups else self
        if not {group.name for group in groups} <= set(self.gp.weights_) or not self.gp.is_original:
            return None
        return replace(self, gp=self.gp.project(list(groups)))

    def to_state(self) -> State:
        about, arrays = self.gp.to_state()
        return {"shape": self.shape.to_dict(), "title": self.title, "gp": about}, arrays

    @classmethod
    def from_state(cls, about: About, arrays: Arrays) -> GaussianProcess:
        gp = SoftEquivariantGP.from_state(about["gp"], arrays)
        return cls(gp, Shape.from_dict(about["shape"]), about["title"])

    def module(self) -> nn.Module:
        return self.gp.module()


def fit_gp(
    rows: Rows, shape: Shape, *, seed: int = 0, title: str = GP, exact_groups: Sequence[str] | None = None
) -> GaussianProcess:
    """Fits a Gaussian process with candidates, or an unconstrained one; candidates that hold exactly may be known."""
    groups = list(shape.groups)
    gp = SoftEquivariantGP(shape.rep_in, shape.rep_out, groups, exact_groups=exact_groups, random_state=seed)
    return GaussianProcess(gp.fit(rows.X, rows.Y, rows.weights, groups=rows.row_groups), shape, title)
