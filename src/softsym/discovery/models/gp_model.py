"""The Gaussian process as a rung: chosen by its likelihood on training rows, then conditioned on whatever rows there are.

Whatever is known here about the inside of :class:`~softsym.inference.SoftEquivariantGP` is known in this file alone.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from softsym.discovery.models.protocol import PLAIN, PROCESS
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
    """A fitted process.

    Args:
        gp: The process.
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        has: Names of the groups that it has exactly.
        title: What it is called, if it has candidates.

    Example:
        >>> import softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((60, 6))
        >>> gp = process(X[:50], np.cross(X[:50, :3], X[:50, 3:]), ss.rep("2V"), ss.rep("V"), [ss.SO(3)])
        >>> bool(np.abs(gp(X[50:]) - np.cross(X[50:, :3], X[50:, 3:])).max() < 1e-3)
        True
    """

    gp: SoftEquivariantGP
    rep_in: Rep
    rep_out: Rep
    has: tuple[str, ...] = ()
    title: str = PROCESS

    @property
    def name(self) -> str:
        """With candidates or without."""
        return self.title if self.gp.weights_ else PLAIN

    @property
    def weights(self) -> dict[str, float]:
        """For every candidate the share of the prior variance that has its symmetry."""
        return dict(self.gp.weights_)

    @property
    def rows(self) -> int:
        """How many rows it is conditioned on."""
        return len(self.gp.process_.X)

    @property
    def noise(self) -> Array:
        """Its own estimate of the variance of the outputs' noise, shape (outputs,), in the units of the data."""
        inside = self.gp.process_
        variance = np.zeros(inside.Y.shape[1])
        for block, fit in zip(inside.blocks, inside.fits, strict=True):
            variance[block.columns] += fit.scale * fit.noise * block.variances(np.eye(block.size)[None])
        return np.asarray(variance * self.gp.scale_out_.scale**2)

    def __call__(self, X: Array) -> Array:
        """Posterior means (n, outputs) for inputs (n, inputs)."""
        mean, _ = self.gp.process_.predict(self.gp.scale_in_.transform(X))
        return self.gp.scale_out_.inverse(mean)

    def spread(self, X: Array) -> Array:
        """Standard deviations of a new measurement."""
        std = self.gp.process_.std(self.gp.scale_in_.transform(X))
        return np.asarray(std * self.gp.scale_out_.scale)

    def on(self, X: Array, Y: Array, weights: Array | None = None) -> GaussianProcess:
        """Conditioned on other rows, the first of them if there are too many."""
        return self._with(self.gp.process_.components, X, Y, weights) or self

    def snapped(self, groups: Sequence[Group]) -> GaussianProcess | None:
        """With only functions that have these symmetries; None if they are no candidates, or have no kernel together."""
        if not groups:
            return self
        names = tuple(group.name for group in groups)
        if not set(names) <= set(self.gp.weights_):  # its columns are scalars to it
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
        return replace(self, gp=self._holding(process), has=names)

    def counting(self, weights: Array) -> GaussianProcess:
        """The same process on its rows, each counting as its weight says, with the noise that suits that.

        Args:
            weights: Of all rows that the process was fitted to, (n,).
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


def process(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group] = (),
    *,
    sources: Index | None = None,
    seed: int = 0,
    title: str = PROCESS,
    weights: Array | None = None,
) -> GaussianProcess:
    """Fits a process with candidates, or an ordinary one without.

    Args:
        X: Inputs (n, inputs).
        Y: Outputs (n, outputs).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: Candidate groups.
        sources: Labels of rows that belong together.
        seed: Of the order of rows.
        title: What it is called, if it has candidates.
        weights: How much every row counts (n,). Kernel and shares are chosen by all rows alike, which then count by their weights.

    Raises:
        InputError: There is no kernel for these groups.
    """
    gp = SoftEquivariantGP(rep_in, rep_out, list(groups), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of rows that are left out: the ladder knows
        gp.fit(X, Y, groups=sources)
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
