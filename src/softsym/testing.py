"""Assertions for tests of equivariant functions, networks and spaces.

Each one draws its own seeded samples and group elements, and fails with an ``AssertionError`` that says which group, how large the
error and where it was worst.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.metrics import equivariance_error, equivariance_errors
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.atoms import discrete_elements, lie_elements
from softsym.spaces import EquivariantSpace
from softsym.spaces.solvers.solver import multiply_axis
from softsym.typing import Array

__all__ = ["assert_equivariant", "assert_not_equivariant", "assert_projector", "equivariance_error"]

DENSE = 512  # spaces of maps up to this size are checked for completeness


def assert_equivariant(
    f: Callable[[Any], Any],
    rep_in: Rep | str,
    rep_out: Rep | str,
    G: Group | str,
    x: Any = None,
    tol: float = 1e-5,
    n: int = 16,
    n_transforms: int = 8,
    seed: int = 0,
) -> None:
    """Fails unless a function is equivariant.

    Args:
        f: A torch module or any function, rows (m, size of ``rep_in``) to rows (m, size of ``rep_out``).
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        G: The group.
        x: Samples (n, size of ``rep_in``); by default ``n`` standard-normal ones, as a tensor of the dtype and device of its parameters
            for a torch module and as a float64 array for any other function.
        tol: The largest allowed sum-normalised error (the mean over samples) of any group element.
        n: How many samples to draw.
        n_transforms: How many group elements to draw.
        seed: Seed of both.

    Example:
        >>> import numpy as np
        >>> assert_equivariant(lambda x: np.linalg.norm(x, axis=1), "V", "S", "O(3)")
    """
    group, errors = _errors(f, rep_in, rep_out, G, x, n, n_transforms, seed)
    worst = int(np.argmax(np.where(np.isnan(errors), np.inf, errors)))
    if not errors[worst] <= tol:
        raise AssertionError(
            f"not equivariant to {group.name}: error {errors[worst]:.3g} > tol {tol:g}, "
            f"worst at transform {worst} of {len(errors)} (mean {errors.mean():.3g})"
        )


def assert_not_equivariant(
    f: Callable[[Any], Any],
    rep_in: Rep | str,
    rep_out: Rep | str,
    G: Group | str,
    x: Any = None,
    tol: float = 1e-3,
    n: int = 16,
    n_transforms: int = 8,
    seed: int = 0,
) -> None:
    """Fails unless a function clearly breaks a symmetry: some group element has an error above ``tol``.

    Other arguments as in :func:`assert_equivariant`.

    Example:
        >>> import numpy as np
        >>> assert_not_equivariant(np.abs, "V", "V", "O(3)")
    """
    group, errors = _errors(f, rep_in, rep_out, G, x, n, n_transforms, seed)
    worst = int(np.argmax(errors))
    if not errors[worst] > tol:
        raise AssertionError(
            f"equivariant to {group.name}: error {errors[worst]:.3g} <= tol {tol:g}, largest at transform {worst} of {len(errors)}"
        )


def assert_projector(space: EquivariantSpace, tol: float = 1e-8, n: int = 4, seed: int = 0) -> None:
    """Fails unless a space projects orthogonally onto equivariant maps, and (if it is small) onto all of them.

    ``n`` random maps are projected; ``tol`` is the allowed error relative to their norm.

    Example:
        >>> import softsym as ss
        >>> assert_projector(ss.equivariant_maps("2V", "T(2) + S", "O(2)@z"))
    """
    W = np.random.default_rng(seed).standard_normal((n, *space.shape))
    flat = W.reshape(n, -1)
    projected = space.project(W)
    scale = max(float(np.linalg.norm(flat, axis=1).max(initial=0.0)), 1e-300)
    _require(space, "P P = P", space.project(projected) - projected, tol * scale)
    products = flat @ projected.reshape(n, -1).T
    _require(space, "P = P^T", products - products.T, tol * scale**2)
    for kind, gap in _generator_gaps(space, projected):
        _require(space, f"P W is equivariant ({kind})", gap, tol * scale)
    if space.size <= DENSE:
        _require_complete(space)


def _errors(
    f: Any, rep_in: Rep | str, rep_out: Rep | str, G: Group | str, x: Any, n: int, n_transforms: int, seed: int
) -> tuple[Group, Array]:
    """The error of each transform, the mean over samples."""
    group = read_group(G)
    if x is None:
        x = np.random.default_rng(seed).standard_normal((n, read_rep(rep_in).size(group)))
        if isinstance(f, torch.nn.Module):
            x = torch.as_tensor(x).to(next(f.parameters(), torch.empty(0)))
    return group, equivariance_errors(f, x, rep_in, rep_out, group, n_transforms, seed=seed).mean(axis=1)


def _generator_gaps(space: EquivariantSpace, W: Array) -> list[tuple[str, Array]]:
    """How far maps (n, ...) are from commuting with each generator: the action of one of the Lie algebra, or the change by an element."""
    G, reps = space.group, list(enumerate(space.factors, 1))
    tensors = W.reshape(len(W), *(rep.size(G) for rep in space.factors))
    gaps = []
    for number, A in enumerate(lie_elements(G)):
        action = sum(multiply_axis(rep.drho(G, A.parts or (A.whole,)), tensors, k) for k, rep in reps)
        gaps.append((f"Lie generator {number}", np.asarray(action)))
    for number, h in enumerate(discrete_elements(G)):
        transformed = tensors
        for k, rep in reps:
            transformed = multiply_axis(rep.rho(G, h.parts or (h.whole,)), transformed, k)
        gaps.append((f"discrete generator {number}", transformed - tensors))
    return gaps


def _require(space: EquivariantSpace, identity: str, gap: Array, tol: float) -> None:
    error = float(np.abs(gap).max(initial=0.0))
    if not error <= tol:
        raise AssertionError(f"{space}: {identity} fails by {error:.3g} > {tol:.3g}")


def _require_complete(space: EquivariantSpace) -> None:
    """The trace of P must be the dimension of the common null space of all constraints."""
    identity = np.eye(space.size).reshape(space.size, *space.shape)
    gaps = [gap.reshape(space.size, -1) for _, gap in _generator_gaps(space, identity)]
    rank = int(np.linalg.matrix_rank(np.concatenate(gaps, axis=1), tol=1e-8)) if gaps and space.size else 0
    trace = float(np.einsum("ii->", space.project(identity).reshape(space.size, space.size)))
    if abs(trace - (space.size - rank)) > 1e-6:
        raise AssertionError(f"{space}: projects onto {trace:.3g} dimensions, {space.size - rank} are equivariant")
