r"""Kernel ridge regression with a soft symmetry: the Gaussian process's mean, with hyperparameters chosen on validation rows.

.. math:: K_s = (1 - s)\, K_G + s\, k I ,

where :math:`K_G` has the symmetry of G exactly. Group, softness s, base kernel, scaling of the inputs and ridge are those with the
least error on rows that were not fitted. Settings are first compared on a few rows; the best few are then fitted to as many as fit
into the largest matrix.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from softsym.data.scaler import SymmetricScaler
from softsym.errors import InputError
from softsym.groups import Group, Trivial, join_groups
from softsym.inference.kernels.base import GRID, Kernel
from softsym.inference.kernels.choice import equivariant_kernel
from softsym.inference.kernels.equivariant import EquivariantKernel, UnconstrainedKernel, repeated
from softsym.inference.kernels.kernel_blocks import Block, nonzero_blocks
from softsym.inference.lattice import contains
from softsym.reps import Rep, Scalar
from softsym.typing import Array

SOFTNESS = (0.0, 1e-3, 1e-2, 1e-1)
RIDGES = (1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""Relative to the mean of the kernel's diagonal."""
COMPARED, CHECKED, AGAIN, FEW, LARGEST = 400, 500, 1_000, 4, 4_000
"""Matrices, rows times coordinates of a block, by which all kernels are compared, on so many validation rows; those by which the best
few are compared again; and the largest."""


@dataclass(frozen=True, eq=False)
class Frame:
    """A group or none, and a scaling of the inputs.

    Args:
        name: The group's name; empty for none.
        candidate: Its kernel.
        blocks: Parts of the outputs that it does not mix.
        scale: Of the inputs.
        center: What it leaves as it is of the outputs' mean, shape (outputs,).
    """

    name: str
    candidate: EquivariantKernel
    blocks: tuple[Block, ...]
    scale: SymmetricScaler
    center: Array

    @property
    def size(self) -> int:
        """Coordinates of the largest block."""
        return max((block.size for block in self.blocks), default=1)

    def rows(self, size: int) -> int:
        """How many rows a matrix of this size holds."""
        return max(2, size // self.size)

    def grams(self, kernels: Sequence[Kernel], left: Array, right: Array) -> list[list[tuple[Array, Array]]]:
        """For every kernel and block the Gram matrices (b n, b m) with and without the symmetry."""
        exact = self.candidate.grams(kernels, self.blocks, left, right)
        unconstrained = [kernel.gram(left, right) for kernel in kernels]
        return [
            [(one, repeated(whole, block.size)) for one, block in zip(each, self.blocks, strict=True)]
            for each, whole in zip(exact, unconstrained, strict=True)
        ]

    def softness(self) -> tuple[float, ...]:
        """Shares of functions without the symmetry that are tried; without a group there is but one."""
        return SOFTNESS if self.name else (0.0,)


@dataclass(frozen=True, eq=False)
class SoftKernelRidge:
    """A fitted kernel ridge regression.

    Args:
        frame: The group and the scaling.
        softness: Share s of functions without the symmetry.
        kernel: The base kernel.
        ridge: Its ridge.
        rows: How many rows it was fitted to.
        error: Mean squared error on validation rows.
        function: From scaled inputs (n, inputs) to outputs (n, outputs) less the center.
    """

    frame: Frame
    softness: float
    kernel: Kernel
    ridge: float
    rows: int
    error: float
    function: Callable[[Array], Array]

    def __call__(self, X: Array) -> Array:
        """Outputs (n, outputs) for inputs (n, inputs)."""
        return self.function(self.frame.scale.transform(X)) + self.frame.center

    def __str__(self) -> str:
        group = f"{self.frame.name}, softness {self.softness:g}, " if self.frame.name else ""
        return f"{group}{self.kernel}, ridge {self.ridge:g}, {self.rows} rows"


def soft_kernel_ridge(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group],
    checked: tuple[Array, Array],
    kernels: Sequence[Kernel] = GRID,
) -> SoftKernelRidge:
    """The setting that suits validation rows best.

    Args:
        X: Inputs (n, inputs), in random order.
        Y: Outputs (n, outputs).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: Candidates: each by itself, and what they generate together; none for unconstrained kernel ridge regression.
        checked: Validation rows, inputs and outputs.
        kernels: Base kernels to choose from; a polynomial of degree 1 alone is ridge regression.

    Example:
        >>> import softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((80, 6))
        >>> Y = np.cross(X[:, :3], X[:, 3:])
        >>> model = soft_kernel_ridge(X[:40], Y[:40], ss.rep("2V"), ss.rep("V"), [ss.SO(3)], (X[40:60], Y[40:60]))
        >>> model.frame.name, bool(np.mean((model(X[60:]) - Y[60:]) ** 2) < 1e-3)
        ('SO(3)', True)
    """
    frames = list(_frames(X, Y, rep_in, rep_out, groups))
    few = checked[0][:CHECKED], checked[1][:CHECKED]
    first = [one for frame in frames for one in _compared(frame, kernels, X, Y, few, COMPARED)]
    if not first:
        raise InputError("no kernel can be fitted to these rows; are all numbers finite?")
    best: dict[tuple[int, Kernel], float] = {}
    for error, place, kernel, _, _ in sorted(
        ((e, frames.index(f), k, s, r) for e, f, k, s, r in first), key=lambda one: one[0]
    ):
        best.setdefault((place, kernel), error)
    second = [
        one
        for place, kernel in itertools.islice(best, FEW)
        for one in _compared(frames[place], [kernel], X, Y, checked, AGAIN)
    ]
    error, frame, kernel, soft, ridge = min(second or first, key=lambda one: one[0])
    n = min(len(X), frame.rows(LARGEST))
    function = _function(frame, kernel, soft, ridge, frame.scale.transform(X[:n]), Y[:n] - frame.center)
    return SoftKernelRidge(frame, soft, kernel, ridge, n, error, function)


Setting = tuple[float, Frame, Kernel, float, float]
"""Validation error, frame, kernel, softness and ridge."""


def _frames(X: Array, Y: Array, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> Iterator[Frame]:
    scalars_in, scalars_out = X.shape[1] * Scalar, Y.shape[1] * Scalar
    for scale in (_whole(X, X.mean(0)), SymmetricScaler.fit(X, None, ())):
        blocks = tuple(nonzero_blocks(scalars_out, [Trivial(1)], Y))
        yield Frame("", UnconstrainedKernel(Trivial(1), scalars_in), blocks, scale, Y.mean(0))
    is_largest = [all(contains(group, other) for other in groups) for group in groups]
    together = [join_groups(groups)] if len(groups) > 1 and not any(is_largest) else []
    for group in (*groups, *together):
        try:
            candidate = equivariant_kernel(group, rep_in, rep_out)
            blocks = tuple(nonzero_blocks(rep_out, [group], Y))
        except InputError:  # it has no kernel; the others may do
            continue
        typed = SymmetricScaler.fit(X, rep_in, [group])
        center = SymmetricScaler.fit(Y, rep_out, [group]).shift
        for scale in (_whole(X, typed.shift), typed):
            yield Frame(group.name, candidate, blocks, scale, center)


def _whole(X: Array, shift: Array) -> SymmetricScaler:
    """One scale for all columns."""
    size = float(np.sqrt(np.mean((X - shift) ** 2))) or 1.0
    return SymmetricScaler(np.asarray(shift), np.full(X.shape[1], size))


def _compared(
    frame: Frame, kernels: Sequence[Kernel], X: Array, Y: Array, checked: tuple[Array, Array], size: int
) -> Iterator[Setting]:
    """Errors on validation rows of every softness and ridge, of kernels that the candidate allows."""
    kernels = [kernel for kernel in kernels if frame.candidate.allows(kernel)]
    n = min(len(X), frame.rows(size))
    rows, other = frame.scale.transform(X[:n]), frame.scale.transform(checked[0])
    own, across = frame.grams(kernels, rows, rows), frame.grams(kernels, other, rows)
    centred = Y[:n] - frame.center
    for kernel, mine, theirs in zip(kernels, own, across, strict=True):
        for soft in frame.softness():
            guesses = np.tile(frame.center, (len(RIDGES), len(other), 1))
            for block, gram, cross in zip(frame.blocks, mine, theirs, strict=True):
                mixed, between, outputs = _mixed(gram, soft), _mixed(cross, soft), block.read(centred)
                for guess, ridge in zip(guesses, RIDGES, strict=True):
                    block.add_to(guess, between @ _dual(mixed, ridge, outputs))
            for guess, ridge in zip(guesses, RIDGES, strict=True):
                error = float(np.mean((guess - checked[1]) ** 2))
                if np.isfinite(error):
                    yield error, frame, kernel, soft, ridge


def _function(
    frame: Frame, kernel: Kernel, soft: float, ridge: float, X: Array, Y: Array
) -> Callable[[Array], Array]:
    if not frame.blocks:  # the outputs do not vary
        return lambda new: np.zeros((len(new), Y.shape[1]))
    (grams,) = frame.grams([kernel], X, X)
    duals = [
        _dual(_mixed(gram, soft), ridge, block.read(Y))
        for block, gram in zip(frame.blocks, grams, strict=True)
    ]
    unconstrained = UnconstrainedKernel(frame.candidate.group, frame.candidate.rep_in)
    parts = [(1 - soft, frame.candidate.function(kernel, frame.blocks, X, duals))]
    if soft:
        parts.append((soft, unconstrained.function(kernel, frame.blocks, X, duals)))

    def function(new: Array) -> Array:
        out = np.zeros((len(new), Y.shape[1]))
        for share, sums in parts:
            for block, values in zip(frame.blocks, sums(new), strict=True):
                block.add_to(out, share * values)
        return out

    return function


def _mixed(grams: tuple[Array, Array], soft: float) -> Array:
    return grams[0] if soft == 0 else (1 - soft) * grams[0] + soft * grams[1]


def _dual(gram: Array, ridge: float, Y: Array) -> Array:
    """Weights of the rows; not a number where the matrix is singular."""
    matrix = np.array(gram, order="F")
    matrix.flat[:: len(gram) + 1] += ridge * max(float(np.trace(gram)) / len(gram), 1e-12)
    try:
        factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return np.full_like(Y, np.nan)
    return np.asarray(cho_solve(factor, Y, check_finite=False))
