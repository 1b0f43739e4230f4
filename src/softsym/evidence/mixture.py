"""The mixture of a soft-equivariant process: which kernels it has, and with what weights.

Every candidate's kernel, one of the group that those which hold generate together, one without symmetry, and one without symmetry whose
columns have units of their own. Weights are found together by marginal likelihood.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.evidence.kernels import EquivariantKernel, Kernel, Plain, equivariant_kernel
from softsym.evidence.likelihood.process import Component, unit_of
from softsym.evidence.likelihood.profile import DROP, Profile
from softsym.evidence.likelihood.weights import best_weights
from softsym.evidence.look import Look
from softsym.groups import Group, joined

Array = NDArray[np.float64]
How = Literal["exactly", "softly", "without"]
"""How one symmetry is used by itself."""
WEIGHING = 700
"""Size of the matrices while weights are looked for, over all blocks."""
DROPPED = 1e-7
"""Components of a smaller share are left out, so that what is exact is exactly so."""


def components_of(look: Look, profiles: dict[str, Profile], kernels: Sequence[Kernel]) -> list[Component]:
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


def weighed(look: Look, components: list[Component]) -> tuple[list[Component], list[float]]:
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


def alone(look: Look, profiles: dict[str, Profile]) -> dict[str, tuple[Component, float]]:
    """Every candidate by itself: its kernel, weighted as a soft symmetry takes it beside the one without symmetry, and the weight of that.

    The prior (1 - a^2) K_G + a^2 K_rest of a profile, with k I = K_G + K_rest, is one of K_G and k I.
    """
    singles = {}
    for name, found in profiles.items():
        share, kept = found.best**2, found.kept
        plain = 1.0 if kept >= 1.0 else min(1.0, share / (1.0 - kept))
        singles[name] = (Component(look.candidates[name], look.kernels[name], 1.0 - plain, (name,)), plain)
    return singles
