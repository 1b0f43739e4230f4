"""Equivariant spaces: all linear maps that commute with a group, and the nearest one to any matrix.

    python examples/02_equivariant_spaces.py

A map W is equivariant if transforming the input by g and then applying W is the same as applying W and transforming the output. These
maps form a linear space, and the distance of a matrix from it is what softsym penalises (Finzi et al., 2021; Kim et al., 2023).
"""

from __future__ import annotations

import numpy as np
import torch

import softsym as ss
from softsym.spaces.solvers.auto import choose
from softsym.testing import assert_equivariant


def dimensions() -> None:
    """The larger the group, the fewer maps are left."""
    print("linear maps from five masses and five positions (5S + 5V) to a 3 x 3 matrix (T(2)):")
    for group in ["Trivial(3)", "O(2)@z", "O(2)@x", "O(3)", "O(3) | Scaling(3)"]:
        space = ss.equivariant_maps("5S + 5V", "T(2)", group)
        print(f"  {group:18s} {space.dim:3d} of {space.size}")


def project() -> None:
    """The nearest equivariant map of a random matrix, in NumPy and differentiably in torch."""
    space = ss.equivariant_maps("5S + 5V", "T(2)", "O(2)@z")
    W = np.random.default_rng(0).standard_normal(space.shape)
    P = space.project(W)
    assert_equivariant(lambda x: x @ P.T, "5S + 5V", "T(2)", "O(2)@z")
    print(f"\ndistance of a random matrix of norm {np.linalg.norm(W):.2f}: {space.distance(W):.2f}")

    # The penalty of the paper for one layer, with its gradient W - P W.
    weight = torch.tensor(W, requires_grad=True)
    penalty = 0.5 * space.distance(weight) ** 2
    penalty.backward()
    print("the gradient of half the squared distance is W - P W:", np.allclose(weight.grad, W - P))

    # Biases are invariant vectors: under O(3) only multiples of the identity matrix are.
    print("invariant 3 x 3 matrices under O(3):\n", ss.invariants("T(2)", "O(3)").basis().reshape(3, 3).round(3))


def explain_solvers() -> None:
    """Which solver computes a basis, and why."""
    for group, rep in [("S(5)", "T(2)"), ("Cube()", "T(3)"), ("SO(3)", "T(4)")]:
        tensor = ss.rep(rep).terms[0][1]
        choice = choose(ss.group(group), tensor)
        space = ss.invariants(rep, group)
        print(f"{rep} under {group}: {space.dim} invariants by {choice.solver!r}, because {choice.reason}")


if __name__ == "__main__":
    dimensions()
    project()
    print()
    explain_solvers()
