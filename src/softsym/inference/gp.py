r"""The soft-equivariant Gaussian process: mixed symmetries in closed form.

.. math:: f \sim \mathcal{GP}(0,\; a_0\, k I + \sum_k a_k K_k), \qquad y = f + \text{noise},

a part of f that has each symmetry and a part that has none, with weights that the marginal likelihood chooses. It is the
function-space twin of the paper's soft equivariance. Candidates are first profiled one by one
(:mod:`softsym.inference.likelihood.profile`); those that hold are joined into one kernel that has all their symmetries, if the group
that they generate has a finite subgroup; then all weights are found together.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from softsym.data.row_groups import encode_row_groups
from softsym.data.table import check_magnitudes
from softsym.errors import DataWarning, InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.inference import gp_state
from softsym.inference.estimate import Estimate, estimate
from softsym.inference.evidence_table import EvidenceTable, make_detail, make_row
from softsym.inference.kernel_selection import LARGEST as LIKELIHOOD_SIZE
from softsym.inference.kernel_selection import KernelSelection
from softsym.inference.kernels import GRID, Kernel, UnconstrainedKernel, equivariant_kernel
from softsym.inference.likelihood.blas_threads import one_blas_thread
from softsym.inference.likelihood.gaussian_process import Component, ConditionedGP, blocks_of, same_noise
from softsym.inference.likelihood.leave_group_out import choose_by_row_groups
from softsym.inference.mixture import WEIGHING, How, alone, components_of, optimise_weights
from softsym.inference.shape import read_shape, seed_of
from softsym.reps import Rep
from softsym.typing import Array

LARGEST = 4_000
"""Rows times coordinates of a block: the largest matrix that is factorised."""


class SoftEquivariantGP(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A Gaussian process that uses each candidate symmetry just as much as it holds.

    Args:
        rep_in: How inputs transform, such as ``"5S + 5V"``; needed with groups.
        rep_out: How outputs transform, such as ``"T(2)"``; needed with groups.
        groups: Candidate groups, such as ``["O(2)@x", "O(2)@z"]``; none for an unconstrained Gaussian process.
        kernel: The base kernel; by default the one of :data:`softsym.inference.kernels.GRID` under which the data are most likely.
        max_size: The largest matrix to factorise, rows times coordinates of an output type; beyond it a subset of rows is used.
        random_state: Seed of the order of rows, and so of subsets.

    Attributes:
        weights_: For every candidate the share of the prior variance that has its symmetry.
        symmetries_: What the likelihood alone says about each candidate, a table; verdicts of :func:`softsym.evidence` rest on more tests.
        kernel_: The base kernel.
        process_: The conditioned Gaussian process.
        n_rows_: How many rows it is conditioned on.
        left_out_errors_: Leave-one-out errors: for every row of the data its squared error, mean over outputs, if it is predicted from
            all rows of other row groups (from all other rows without row groups); NaN for rows that were not conditioned on.

    Example:
        >>> import numpy as np, softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((100, 6))
        >>> gp = SoftEquivariantGP("2V", "V", ["SO(3)"]).fit(X, np.cross(X[:, :3], X[:, 3:]))
        >>> gp.weights_["SO(3)"] > 0.99
        True
        >>> mean, std = gp.predict(X[:5], return_std=True)
        >>> mean.shape, std.shape
        ((5, 3), (5, 3))
    """

    def __init__(
        self,
        rep_in: Rep | str | None = None,
        rep_out: Rep | str | None = None,
        groups: Group | str | Sequence[Group | str] = (),
        *,
        kernel: Kernel | None = None,
        max_size: int = LARGEST,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.rep_in, self.rep_out, self.groups = rep_in, rep_out, groups
        self.kernel, self.max_size, self.random_state = kernel, max_size, random_state

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike, groups: Any = None) -> Self:
        """Chooses kernel, weights and noise, and conditions on the data.

        Args:
            X: Inputs (n, size of ``rep_in``).
            y: Outputs (n, size of ``rep_out``), or (n,) for one output.
            groups: Row groups, a label for every row, if rows are dependent (windows of one recording): errors are those of whole row
                groups left out, and subsets hold as many row groups as possible.
        """
        inputs, outputs = validate_data(
            self, X, y, multi_output=True, y_numeric=True, ensure_min_samples=2, dtype=np.float64
        )
        self.n_outputs_ = 0 if outputs.ndim == 1 else outputs.shape[1]
        Y = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)
        check_magnitudes(inputs, "a value of `X`")
        check_magnitudes(Y, "a value of `y`")
        rep_in, rep_out, candidates = read_shape(self.rep_in, self.rep_out, self.groups, inputs, Y)
        kernels = GRID if self.kernel is None else [self.kernel]
        row_groups, seed = encode_row_groups(groups, len(Y)), seed_of(self.random_state)
        selection = KernelSelection.fit(
            inputs, Y, rep_in, rep_out, candidates, kernels=kernels, row_groups=row_groups, seed=seed
        )
        profiles = {
            name: selection.profile(selection.candidates[name].group)
            for name in selection.candidates
            if not selection.is_constant
        }
        self.scale_in_, self.scale_out_ = selection.scale_in, selection.scale_out
        self.kernel_ = selection.kernels[""]
        self.symmetries_ = EvidenceTable(
            [make_row(group, profiles.get(group.name), selection) for group in candidates],
            {group.name: make_detail(profiles.get(group.name)) for group in candidates},
        )
        self.alone_ = alone(selection, profiles)
        self.process_ = self._conditioned(
            selection, *optimise_weights(selection, components_of(selection, profiles, kernels))
        )
        self.__dict__.pop("left_out_errors_", None)
        return self

    def estimate(self, n: int, size: int = 1) -> Estimate:
        """Estimates the time and memory of a fit.

        Args:
            n: Number of rows.
            size: Coordinates of the largest block of the outputs: 3 for vectors, 5 for symmetric matrices under O(3).
        """
        rows = min(n, max(2, self.max_size // size))
        count = 1 if isinstance(self.groups, str | Group) else len(self.groups)
        return estimate(rows, size, count, LIKELIHOOD_SIZE, WEIGHING)

    def _conditioned(
        self, selection: KernelSelection, components: list[Component], noises: list[float]
    ) -> ConditionedGP:
        blocks = blocks_of(components, selection.rep_out, selection.Y)
        noises = same_noise(noises, blocks)
        size = max((block.size for block in blocks), default=1)
        n = min(len(selection.X), max(2, self.max_size // size))
        if n < len(selection.X):
            warnings.warn(
                f"{len(selection.X)} rows x {size} coordinates are more than max_size={self.max_size}: "
                f"a random {n} rows are used; train a network on all of them",
                DataWarning,
                stacklevel=5,
            )
        self.n_rows_, self._n_given = n, len(selection.X)
        self.rows_ = selection.order[:n]
        X, Y, row_groups = (
            selection.X[:n],
            selection.Y[:n],
            None if selection.row_groups is None else selection.row_groups[:n],
        )
        if row_groups is not None and len(np.unique(row_groups)) > 1:
            unconstrained, kernels = (
                UnconstrainedKernel(selection.whole, selection.rep_in, selection.stretch),
                [self.kernel] if self.kernel else GRID,
            )
            components, noises = choose_by_row_groups(
                components, blocks, X, Y, row_groups, unconstrained, kernels
            )
            blocks = blocks_of(components, selection.rep_out, selection.Y)
            noises = same_noise(noises, blocks)
        self.weights_ = {
            group.name: float(sum(c.weight for c in components if group.name in c.has))
            for group in selection.groups
        }
        return ConditionedGP.fit(components, blocks, X, Y, noises, row_groups)

    @functools.cached_property
    def left_out_errors_(self) -> Array:
        """Leave-one-out errors, see the class."""
        check_is_fitted(self, "process_")
        errors = np.full(self._n_given, np.nan)
        errors[self.rows_] = np.mean((self.process_.leave_out_errors() * self.scale_out_.scale) ** 2, axis=1)
        return errors

    @one_blas_thread()
    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Mean (n, outputs), or (n,) as ``y`` was, and the standard deviation of a new measurement if asked for."""
        check_is_fitted(self)
        inputs = np.asarray(validate_data(self, X, reset=False, dtype=np.float64))
        mean, std = self.process_.predict(self.scale_in_.transform(inputs), return_std)
        mean = self.scale_out_.inverse(mean)
        if self.n_outputs_ == 0:
            mean = mean[:, 0]
        if std is None:
            return mean
        std = std * self.scale_out_.scale
        return mean, std[:, 0] if self.n_outputs_ == 0 else std

    def project(self, group: Group | str) -> SoftEquivariantGP:
        """The Gaussian process with only functions that are exactly equivariant to one of the candidates.

        Args:
            group: One of the candidates.
        """
        name = self._candidate(group)
        kept = [component for component in self.process_.components if name in component.has]
        if not kept:
            rep_in, rep_out, _ = self._shape
            kept = [
                Component(equivariant_kernel(read_group(group), rep_in, rep_out), self.kernel_, 1.0, (name,))
            ]
        return self._with(kept)

    def snap(self, group: Group | str) -> SoftEquivariantGP:
        """The former name of :meth:`project`."""
        warnings.warn("gp.snap is now gp.project", DeprecationWarning, stacklevel=2)
        return self.project(group)

    def alone(self, group: Group | str, how: How = "softly") -> SoftEquivariantGP:
        """The Gaussian process with one candidate and no other, conditioned on the same rows: the effect of this symmetry by itself.

        Args:
            group: One of the candidates.
            how: ``exactly``, ``softly`` (as much as it holds) or ``without``.

        Example:
            >>> import numpy as np
            >>> X = np.random.default_rng(0).standard_normal((60, 3))
            >>> gp = SoftEquivariantGP("V", "S", ["O(3)"]).fit(X[:40], np.sin(X[:40, :1]))
            >>> errors = {how: np.mean((gp.alone("O(3)", how).predict(X) - np.sin(X[:, :1])) ** 2) for how in ("exactly", "without")}
            >>> bool(errors["exactly"] > 10 * errors["without"])
            True
        """
        name = self._candidate(group)
        if how not in ("exactly", "softly", "without"):
            raise InputError(f"`how` must be 'exactly', 'softly' or 'without', got {how!r}")
        if name not in self.alone_:
            raise InputError(f"{name} has no kernel here: {self.symmetries_[name].note}")
        single, unconstrained = self.alone_[name]
        rest = Component(
            UnconstrainedKernel(single.candidate.group, single.candidate.rep_in), single.kernel, unconstrained
        )
        parts = {"exactly": [single.weighted(1.0)], "softly": [single, rest], "without": [rest.weighted(1.0)]}
        return self._with([part for part in parts[how] if part.weight > 0])

    def _candidate(self, group: Group | str) -> str:
        check_is_fitted(self)
        name = read_group(group).name
        if name not in self.weights_:
            raise InputError(
                f"no candidate group {name!r}; the candidates were {', '.join(self.weights_) or 'none'}"
            )
        return name

    def _with(self, components: list[Component]) -> SoftEquivariantGP:
        """The same Gaussian process with other components."""
        total = sum(component.weight for component in components)
        components = [component.weighted(component.weight / total) for component in components]
        other = SoftEquivariantGP(**self.get_params(deep=False))
        other.__dict__.update(
            {key: value for key, value in self.__dict__.items() if key != "left_out_errors_"}
        )
        old = self.process_
        blocks = blocks_of(components, self._shape[1], old.Y)
        other.process_ = ConditionedGP.fit(
            components, blocks, old.X, old.Y, same_noise(old.noises, blocks), old.row_groups, old.weights
        )
        other.weights_ = {
            key: float(sum(c.weight for c in components if key in c.has)) for key in self.weights_
        }
        return other

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes the model as safetensors and JSON; :func:`softsym.load` reads it back.

        Args:
            folder: A new folder.
            force: Replace an existing model.
        """
        check_is_fitted(self)
        return gp_state.save(self, Path(folder), force=force)

    @property
    def _shape(self) -> tuple[Rep, Rep, list[Group]]:
        return read_shape(self.rep_in, self.rep_out, self.groups, self.process_.X, self.process_.Y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def load(folder: str | Path) -> SoftEquivariantGP:
    """The former name of :func:`softsym.load`, for Gaussian processes."""
    warnings.warn("softsym.inference.load is now softsym.load", DeprecationWarning, stacklevel=2)
    gp: SoftEquivariantGP = gp_state.read(Path(folder), SoftEquivariantGP)
    return gp
