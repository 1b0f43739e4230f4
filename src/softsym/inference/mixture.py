"""The mixture of a soft-equivariant Gaussian process: its kernels and their weights.

Every candidate's kernel, one of the group that those which hold generate together, an unconstrained one, and an unconstrained one whose
columns are scaled separately. The weights maximise the marginal likelihood together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from softsym.errors import InputError
from softsym.groups import Group, join_groups
from softsym.inference.kernel_selection import KernelSelection
from softsym.inference.kernels import (
    Averaged,
    EquivariantKernel,
    Kernel,
    Polynomial,
    UnconstrainedKernel,
    equivariant_kernel,
)
from softsym.inference.likelihood.gaussian_process import Component, blocks_of, unit_of
from softsym.inference.likelihood.profile import DROP, Profile
from softsym.inference.likelihood.weights import best_weights
from softsym.typing import Array

How = Literal["exactly", "softly", "without"]
"""How one symmetry is used by itself."""
WEIGHING = 700
"""Size of the matrices of the search for weights, over all blocks."""
DROPPED = 1e-7
"""Components of a smaller share are left out, so that what is exact is exactly so."""


def components_of(
    selection: KernelSelection, profiles: dict[str, Profile], kernels: Sequence[Kernel]
) -> list[Component]:
    """The kernels of the mixture, with first guesses of their weights.

    A candidate that holds should not be given up for one that holds only in part: if some hold, the kernel of another one is that of the
    group which it generates together with them, where that has one.
    """
    named = _affordable(selection, {name: found for name, found in profiles.items() if not found.is_trivial})
    holding = [name for name, found in named.items() if found.against <= DROP]
    components = [
        _component(selection, [*holding, name], (1.0 - named[name].best ** 2) / len(named))
        for name in named
        if name not in holding
    ]
    components += [
        Component(selection.candidates[name], selection.kernels[name], 1.0 / len(named), (name,))
        for name in holding
    ]
    if len(holding) > 1:
        components.insert(0, _component(selection, holding, 1.0))
    least = min((found.best for found in profiles.values()), default=1.0)
    trivial = tuple(name for name, found in profiles.items() if found.is_trivial)
    components.append(
        Component(
            UnconstrainedKernel(selection.whole, selection.rep_in), selection.kernels[""], max(least**2, 1e-4)
        )
    )
    per_column = None if selection.is_constant else selection.per_column_kernel(kernels)
    if per_column is not None:
        components.append(Component(*per_column, 0.1))
    return [Component(c.candidate, c.kernel, c.weight, c.has + trivial) for c in _merged(components)]


def _affordable(selection: KernelSelection, named: dict[str, Profile]) -> dict[str, Profile]:
    """The candidates without those that neither hold nor have a finite subgroup: they would only keep large blocks from splitting."""
    kept = {
        name: found
        for name, found in named.items()
        if found.against <= DROP or not isinstance(selection.candidates[name], Polynomial)
    }
    return kept or named


def _merged(components: list[Component]) -> list[Component]:
    """The components without repetitions: different candidates may generate one group together with what holds."""
    kept: list[Component] = []
    for one in components:
        twin = next((k for k, other in enumerate(kept) if _same(one, other)), None)
        if twin is None:
            kept.append(one)
        else:
            names = tuple(dict.fromkeys(kept[twin].has + one.has))
            kept[twin] = Component(one.candidate, one.kernel, kept[twin].weight + one.weight, names)
    return kept


def _same(one: Component, other: Component) -> bool:
    """Whether two kernels are averages of the same kernel over the same elements."""
    first, second = one.candidate, other.candidate
    if not (isinstance(first, Averaged) and isinstance(second, Averaged) and one.kernel == other.kernel):
        return False
    sets = [
        np.concatenate([part.reshape(len(part), -1) for part in c.subgroup.parts], axis=1)
        for c in (first, second)
    ]
    if sets[0].shape != sets[1].shape:
        return False
    gaps = np.abs(sets[0][:, None] - sets[1][None]).max(axis=2)
    return bool(gaps.min(axis=1).max() < 1e-6)


def _component(selection: KernelSelection, names: list[str], weight: float) -> Component:
    """The kernel of the group that several candidates generate; that of the last one alone, if they have none."""
    together = _together([selection.candidates[name].group for name in names], selection)
    if together is None:
        return Component(selection.candidates[names[-1]], selection.kernels[names[-1]], weight, (names[-1],))
    return Component(together, selection.kernels[""], weight, tuple(names))


def _together(groups: list[Group], selection: KernelSelection) -> EquivariantKernel | None:
    """The kernel of the group that several generate, if it has one for the chosen base kernel."""
    if len(groups) < 2:
        return None
    try:
        candidate = equivariant_kernel(join_groups(groups), selection.rep_in, selection.rep_out)
    except InputError:
        return None
    return candidate if candidate.allows(selection.kernels[""]) else None


def optimise_weights(
    selection: KernelSelection, components: list[Component]
) -> tuple[list[Component], list[float]]:
    """The components with the weights of highest likelihood and the blocks' noise, from a subset of rows; zeros are dropped."""
    blocks = blocks_of(components, selection.rep_out, selection.Y)
    weights: Array = np.ones(len(components))
    noises: list[float] = []
    if blocks:
        n = selection.rows(blocks, WEIGHING)
        by_component = [c.grams(blocks, selection.X[:n]) for c in components]
        grams = [[one[b] / unit_of(one[b]) for one in by_component] for b in range(len(blocks))]
        Ys = [block.read(selection.Y[:n]) for block in blocks]
        weights, noises = best_weights(grams, Ys, np.array([c.weight for c in components]), 1e-2)
    kept = [(c, w) for c, w in zip(components, weights, strict=True) if w > DROPPED]
    total = sum(weight for _, weight in kept)
    return [Component(c.candidate, c.kernel, float(w / total), c.has) for c, w in kept], noises


def alone(selection: KernelSelection, profiles: dict[str, Profile]) -> dict[str, tuple[Component, float]]:
    """Every candidate by itself: its kernel, weighted as a soft symmetry, and the weight of the unconstrained kernel.

    The prior (1 - a^2) K_G + a^2 K_rest of a profile, with k I = K_G + K_rest, is one of K_G and k I.
    """
    singles = {}
    for name, found in profiles.items():
        share, kept = found.best**2, found.kept
        unconstrained = 1.0 if kept >= 1.0 else min(1.0, share / (1.0 - kept))
        singles[name] = (
            Component(selection.candidates[name], selection.kernels[name], 1.0 - unconstrained, (name,)),
            unconstrained,
        )
    return singles
