"""The Gaussian process as a model: hyperparameters by the likelihood of training rows, conditioned on these or other rows.

The internals of :class:`~softsym.inference.SoftEquivariantGP` are used in this file alone.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from softsym.discovery.models.protocol import GP, GP_UNCONSTRAINED
from softsym.errors import DataWarning, InputError
from softsym.groups import Group, join_groups
from softsym.inference import SoftEquivariantGP
from softsym.inference.kernels import EquivariantKernel, equivariant_kernel
from softsym.inference.lattice import contains
from softsym.inference.likelihood.gaussian_process import Component, ConditionedGP, blocks_of, same_noise
from softsym.reps import Rep
from softsym.typing import Array, Index


@dataclass(frozen=True, eq=False)
class GaussianProcess:
    """A fitted Gaussian process.

    Args:
        gp: The estimator.
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        exact_groups: Names of the groups to which it is exactly equivariant.
        title: Its name, if it has candidates.

    Example:
        >>> import softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((60, 6))
        >>> gp = fit_gp_model(X[:50], np.cross(X[:50, :3], X[:50, 3:]), ss.rep("2V"), ss.rep("V"), [ss.SO(3)])
        >>> bool(np.abs(gp(X[50:]) - np.cross(X[50:, :3], X[50:, 3:])).max() < 1e-3)
        True
    """

    gp: SoftEquivariantGP
    rep_in: Rep
    rep_out: Rep
    exact_groups: tuple[str, ...] = ()
    title: str = GP

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.title if self.gp.weights_ else GP_UNCONSTRAINED

    @property
    def weights(self) -> dict[str, float]:
        """For every candidate the share of the prior variance that has its symmetry."""
        return dict(self.gp.weights_)

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

    def __call__(self, X: Array) -> Array:
        """Posterior means (n, outputs) for inputs (n, inputs)."""
        mean, _ = self.gp.process_.predict(self.gp.scale_in_.transform(X))
        return self.gp.scale_out_.inverse(mean)

    def std(self, X: Array) -> Array:
        """Standard deviations of a new measurement."""
        std = self.gp.process_.std(self.gp.scale_in_.transform(X))
        return np.asarray(std * self.gp.scale_out_.scale)

    def refit(self, X: Array, Y: Array, weights: Array | None = None) -> GaussianProcess:
        """Conditioned on other rows, the first of them if there are too many."""
        return self._with(self.gp.process_.components, X, Y, weights) or self

    def project(self, groups: Sequence[Group]) -> GaussianProcess | None:
        """The process with a prior of equivariant functions; None if the groups are no candidates or have no joint kernel."""
        if not groups:
            return self
        names = tuple(group.name for group in groups)
        if not set(names) <= set(self.gp.weights_):  # without candidates all columns are scalars
            return None
        inside = self.gp.process_
        kept = [component for component in inside.components if set(names) <= set(component.has)]
        if not kept:
            candidate = _joint_kernel(groups, self.rep_in, self.rep_out)
            if candidate is None or not candidate.allows(self.gp.kernel_):
                return None
            kept = [Component(candidate, self.gp.kernel_, 1.0, names)]
        total = sum(component.weight for component in kept)
        kept = [Component(one.candidate, one.kernel, one.weight / total, one.has) for one in kept]
        blocks = blocks_of(kept, self.rep_out, inside.Y)
        noises = same_noise(inside.noises, blocks)
        process = ConditionedGP.fit(kept, blocks, inside.X, inside.Y, noises, weights=inside.weights)
        return replace(self, gp=self._holding(process), exact_groups=names)

    def counting(self, weights: Array) -> GaussianProcess:
        """The process refitted with sample weights.

        Args:
            weights: Sample weights (n,) of all rows that the process was fitted to.
        """
        inside = self.gp.process_
        chosen = weights[self.gp.rows_]
        process = ConditionedGP.fit(
            inside.components, inside.blocks, inside.X, inside.Y, inside.noises, inside.row_groups, chosen
        )
        return replace(self, gp=self._holding(process))

    def _with(
        self, components: Sequence[Component], X: Array, Y: Array, weights: Array | None = None
    ) -> GaussianProcess | None:
        inside, gp = self.gp.process_, self.gp
        size = max((block.size for block in inside.blocks), default=1)
        n = min(len(X), max(2, gp.max_size // size))
        scaled = gp.scale_in_.transform(X[:n]), gp.scale_out_.transform(Y[:n])
        try:
            counted = None if weights is None else weights[:n]
            process = ConditionedGP.restored(
                components, inside.blocks, *scaled, inside.noises, weights=counted
            )
        except ValueError:  # singular with these rows
            return None
        return replace(self, gp=self._holding(process))

    def _holding(self, process: ConditionedGP) -> SoftEquivariantGP:
        gp = copy.copy(self.gp)
        gp.__dict__.pop("left_out_errors_", None)
        gp.process_, gp.n_rows_, gp.rows_, gp._n_given = (
            process,
            len(process.X),
            np.arange(len(process.X)),
            len(process.X),
        )
        gp.weights_ = {
            name: float(sum(one.weight for one in process.components if name in one.has))
            for name in gp.weights_
        }
        return gp


def fit_gp_model(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group] = (),
    *,
    row_groups: Index | None = None,
    seed: int = 0,
    title: str = GP,
    weights: Array | None = None,
) -> GaussianProcess:
    """Fits a Gaussian process with candidates, or an unconstrained one.

    Args:
        X: Inputs (n, inputs).
        Y: Outputs (n, outputs).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: Candidate groups.
        row_groups: Row groups (n,).
        seed: Random seed.
        title: Its name, if it has candidates.
        weights: Sample weights (n,); kernel and shares are chosen without them.

    Raises:
        InputError: There is no kernel for these groups.
    """
    gp = SoftEquivariantGP(rep_in, rep_out, list(groups), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # that rows are left out
        gp.fit(X, Y, groups=row_groups)
    fitted = GaussianProcess(gp, rep_in, rep_out, title=title)
    return fitted if weights is None else fitted.counting(weights)


def _joint_kernel(groups: Sequence[Group], rep_in: Rep, rep_out: Rep) -> EquivariantKernel | None:
    """A kernel that has several symmetries: of the candidate that contains the others, or of what they generate."""
    largest = [group for group in groups if all(group is other or contains(group, other) for other in groups)]
    for group in [*largest[:1], join_groups(groups)]:
        try:
            return equivariant_kernel(group, rep_in, rep_out)
        except InputError:
            continue
    return None
