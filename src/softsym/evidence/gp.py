r"""The soft-equivariant Gaussian process: mixed symmetries in closed form.

.. math:: f \sim \mathcal{GP}(0,\; a_0\, k I + \sum_k a_k K_k), \qquad y = f + \text{noise},

a part of f that has each symmetry and a part that has none, with weights that the marginal likelihood chooses. It is the
function-space twin of the paper's soft equivariance. Candidates are first looked at one by one (:mod:`softsym.evidence.profile`);
those that hold are joined into one kernel that has all their symmetries, if the group that they generate has a closed set; then
all weights are found together.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from softsym.errors import DataWarning, InputError
from softsym.evidence import storage
from softsym.evidence.equivariant import EquivariantKernel, Plain, equivariant_kernel
from softsym.evidence.kernels import GRID, Kernel
from softsym.evidence.look import LARGEST as LIKELIHOOD_SIZE
from softsym.evidence.look import Look
from softsym.evidence.process import Component, Process, best_weights, unit_of
from softsym.evidence.profile import DROP, Profile
from softsym.evidence.table import EvidenceTable, row_of
from softsym.groups import Group, joined, read_groups
from softsym.groups import group as read_group
from softsym.reps import Rep, Scalar
from softsym.reps import rep as read_rep

Array = NDArray[np.float64]
LARGEST = 4_000
"""Rows times coordinates of a block: the largest matrix that is factorised."""
WEIGHING = 700
"""The same while weights are looked for, over all blocks."""
DROPPED = 1e-7
"""Components of a smaller share are left out, so that what is exact is exactly so."""


SPEED = 5e9
"""Floating-point operations in a second of one thread, cautiously."""
PROFILE_STEPS, WEIGHING_STEPS = 60, 40
"""Factorisations of a group's profile, and of the search for weights."""


@dataclass(frozen=True)
class Estimate:
    """What a fit will cost.

    Args:
        rows: How many rows will be conditioned on.
        seconds: Of one thread, within a factor of a few.
        bytes: Memory of its matrices.
    """

    rows: int
    seconds: float
    bytes: float


class SoftEquivariantGP(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A Gaussian process that uses each candidate symmetry just as much as it holds.

    Args:
        rep_in: How inputs transform, such as ``"5S + 5V"``; needed with groups.
        rep_out: How outputs transform, such as ``"T(2)"``; needed with groups.
        groups: Candidate groups, such as ``["O(2)@x", "O(2)@z"]``; none for an ordinary Gaussian process.
        kernel: The base kernel; by default the one of :data:`softsym.evidence.kernels.GRID` under which the data are most likely.
        max_size: The largest matrix to factorise, rows times coordinates of an output type; beyond it a subset of rows is used.
        random_state: Seed of the order of rows, and so of subsets.

    Attributes:
        weights_: For every candidate the share of the prior variance that has its symmetry.
        symmetries_: What was found about each candidate, a table.
        kernel_: The base kernel.
        process_: The conditioned process.
        n_rows_: How many rows it is conditioned on.

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

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Chooses kernel, weights and noise, and conditions on the data.

        Args:
            X: Inputs (n, size of ``rep_in``).
            y: Outputs (n, size of ``rep_out``), or (n,) for one output.
        """
        inputs, outputs = validate_data(
            self, X, y, multi_output=True, y_numeric=True, ensure_min_samples=2, dtype=np.float64
        )
        self.n_outputs_ = 0 if outputs.ndim == 1 else outputs.shape[1]
        Y = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)
        rep_in, rep_out, groups = read_shape(self.rep_in, self.rep_out, self.groups, inputs, Y)
        kernels = GRID if self.kernel is None else [self.kernel]
        look = Look.at(inputs, Y, rep_in, rep_out, groups, kernels=kernels, seed=seed_of(self.random_state))
        profiles = {
            name: look.profile(look.candidates[name].group)
            for name in look.candidates
            if not look.is_constant
        }
        self.scale_in_, self.scale_out_ = look.scale_in, look.scale_out
        self.kernel_ = look.kernels[""]
        self.symmetries_ = EvidenceTable([row_of(group, profiles.get(group.name), look) for group in groups])
        self.process_ = self._conditioned(look, *_weighed(look, _components(look, profiles, kernels)))
        return self

    def estimate(self, n: int, size: int = 1) -> Estimate:
        """What a fit will cost, before it starts.

        Args:
            n: Number of rows.
            size: Coordinates of the largest block of the outputs: 3 for vectors, 5 for symmetric matrices under O(3).
        """
        rows = min(n, max(2, self.max_size // size))
        count = 1 if isinstance(self.groups, str | Group) else len(self.groups)
        profiles = count * PROFILE_STEPS * LIKELIHOOD_SIZE**3 / 3
        weights = WEIGHING_STEPS * WEIGHING**3 * (1 + 0.1 * count)
        flops = (rows * size) ** 3 / 3 + profiles + (weights if count else 0.0)
        return Estimate(
            rows, flops / SPEED, 3 * 8 * (rows * size) ** 2 + 8 * (count + 4) * LIKELIHOOD_SIZE**2
        )

    def _conditioned(self, look: Look, components: list[Component], noises: list[float]) -> Process:
        blocks = look.blocks(look.groups)
        size = max((block.size for block in blocks), default=1)
        n = min(len(look.X), max(2, self.max_size // size))
        if n < len(look.X):
            warnings.warn(
                f"{len(look.X)} rows x {size} coordinates are more than max_size={self.max_size}: "
                f"a random {n} rows are used; train a network on all of them",
                DataWarning,
                stacklevel=3,
            )
        self.n_rows_ = n
        self.weights_ = {
            group.name: float(sum(c.weight for c in components if group.name in c.has))
            for group in look.groups
        }
        return Process.fit(components, blocks, look.X[:n], look.Y[:n], noises)

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Mean (n, outputs), or (n,) as ``y`` was, and the standard deviation of a new measurement if asked for."""
        check_is_fitted(self)
        inputs = np.asarray(validate_data(self, X, reset=False, dtype=np.float64))
        mean, spread = self.process_.predict(self.scale_in_.transform(inputs), return_std)
        mean = self.scale_out_.inverse(mean)
        if self.n_outputs_ == 0:
            mean = mean[:, 0]
        if spread is None:
            return mean
        spread = spread * self.scale_out_.scale
        return mean, spread[:, 0] if self.n_outputs_ == 0 else spread

    def snap(self, group: Group | str) -> SoftEquivariantGP:
        """The same process with only functions that are exactly equivariant to one of the candidates.

        Args:
            group: One of the candidates.
        """
        check_is_fitted(self)
        name = read_group(group).name
        kept = [component for component in self.process_.components if name in component.has]
        if name not in self.weights_:
            raise InputError(
                f"no candidate group {name!r}; the candidates were {', '.join(self.weights_) or 'none'}"
            )
        if not kept:
            rep_in, rep_out, _ = self._shape
            kept = [
                Component(equivariant_kernel(read_group(group), rep_in, rep_out), self.kernel_, 1.0, (name,))
            ]
        total = sum(component.weight for component in kept)
        kept = [Component(c.candidate, c.kernel, c.weight / total, c.has) for c in kept]
        snapped = SoftEquivariantGP(**self.get_params(deep=False))
        snapped.__dict__.update(self.__dict__)
        old = self.process_
        snapped.process_ = Process.fit(kept, old.blocks, old.X, old.Y, old.noises)
        snapped.weights_ = {key: float(sum(c.weight for c in kept if key in c.has)) for key in self.weights_}
        return snapped

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes the model as safetensors and JSON; :func:`softsym.evidence.load` reads it back.

        Args:
            folder: A new folder.
            force: Replace an existing model.
        """
        check_is_fitted(self)
        return storage.save(self, Path(folder), force=force)

    @property
    def _shape(self) -> tuple[Rep, Rep, list[Group]]:
        return read_shape(self.rep_in, self.rep_out, self.groups, self.process_.X, self.process_.Y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def load(folder: str | Path) -> SoftEquivariantGP:
    """Reads a process that :meth:`SoftEquivariantGP.save` wrote; runs no code of the file's.

    Args:
        folder: The model's folder.
    """
    gp: SoftEquivariantGP = storage.read(Path(folder), SoftEquivariantGP)
    return gp


def seed_of(random_state: Any) -> int:
    """A seed from what scikit-learn allows as a random state."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return int(random_state)


def read_shape(
    rep_in: Rep | str | None, rep_out: Rep | str | None, groups: Any, X: Array, Y: Array
) -> tuple[Rep, Rep, list[Group]]:
    """Representations and groups that fit the data, or a clear refusal."""
    listed = read_groups(groups) if isinstance(groups, str | Group) or len(groups) else []
    if not listed:  # nothing acts: every column is a scalar, whatever it is called
        return X.shape[1] * Scalar, Y.shape[1] * Scalar, []
    if rep_in is None or rep_out is None:
        missing = "rep_in" if rep_in is None else "rep_out"
        raise InputError(
            f"`{missing}` is None; with candidate groups pass how the data transform, such as '5S + 5V'"
        )
    first, second, whole = read_rep(rep_in), read_rep(rep_out), joined(listed)
    for rep, values, name, what in ((first, X, "rep_in", "X"), (second, Y, "rep_out", "y")):
        size = rep.size(whole)
        if size != values.shape[1]:
            raise InputError(
                f"{rep} under {whole.name} has size {size}, {what} has {values.shape[1]} columns; pass another `{name}`"
            )
    return first, second, listed


def _components(look: Look, profiles: dict[str, Profile], kernels: Sequence[Kernel]) -> list[Component]:
    """Every candidate's kernel, the joint one of those that hold, and the one without symmetry, with first guesses of weights."""
    plain = Plain(look.whole, look.rep_in)
    components = [
        Component(look.candidates[name], look.kernels[name], (1.0 - found.best**2) / len(profiles), (name,))
        for name, found in profiles.items()
        if not found.is_trivial
    ]
    holding = [name for name, found in profiles.items() if found.against <= DROP and not found.is_trivial]
    together = _together([look.candidates[name].group for name in holding], look)
    if together is not None:
        components.insert(0, Component(together, look.kernels[""], 1.0, tuple(holding)))
    least = min((found.best for found in profiles.values()), default=1.0)
    trivial = tuple(name for name, found in profiles.items() if found.is_trivial)
    components.append(Component(plain, look.kernels[""], max(least**2, 1e-4)))
    free = None if look.is_constant else look.free(kernels)
    if free is not None:
        components.append(Component(*free, 0.1))
    return [Component(c.candidate, c.kernel, c.weight, c.has + trivial) for c in components]


def _together(groups: list[Group], look: Look) -> EquivariantKernel | None:
    """The kernel of the group that several generate, if it has one for the chosen base kernel."""
    if len(groups) < 2:
        return None
    try:
        candidate = equivariant_kernel(joined(groups), look.rep_in, look.rep_out)
    except InputError:
        return None
    return candidate if candidate.allows(look.kernels[""]) else None


def _weighed(look: Look, components: list[Component]) -> tuple[list[Component], list[float]]:
    """The components with the weights of highest likelihood and the blocks' noise, from a subset of rows; those of no weight go."""
    blocks = look.blocks(look.groups)
    weights: Array = np.ones(len(components))
    noises: list[float] = []
    if blocks:
        n = look.rows(blocks, WEIGHING)
        by_component = [c.grams(blocks, look.X[:n]) for c in components]
        grams = [[one[b] / unit_of(one[b]) for one in by_component] for b in range(len(blocks))]
        Ys = [block.read(look.Y[:n]) for block in blocks]
        weights, noises = best_weights(grams, Ys, np.array([c.weight for c in components]), 1e-2)
    kept = [(c, w) for c, w in zip(components, weights, strict=True) if w > DROPPED]
    total = sum(weight for _, weight in kept)
    return [Component(c.candidate, c.kernel, float(w / total), c.has) for c, w in kept], noises
