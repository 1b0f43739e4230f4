"""Testing the testers: checks of equivariance must reject a map that is not equivariant."""

import dataclasses

import numpy as np
import pytest

import softsym as ss
from softsym.spaces import Packed, PackedBlock
from tests.spaces.test_random_cases import check
from tests.twin import equivariance_gap, twin_basis, twin_project

GROUPS = ["O(3)", "SO(2)@z", "S(3)", "SL(2)", "Lorentz()", "D(3)", "SE(2)", "Scaling(2)"]


@pytest.mark.parametrize("G", GROUPS)
def test_the_gap_rejects_a_nearly_equivariant_map(G):
    G = ss.group(G)
    good = np.eye(G.dim)
    bad = good.copy()
    bad[0, -1] += 1e-4
    assert equivariance_gap(good, ss.Vector, ss.Vector, G) < 1e-12
    if ss.Scaling(2) != G:  # every matrix commutes with a multiple of one
        assert equivariance_gap(bad, ss.Vector, ss.Vector, G) > 1e-6
    assert equivariance_gap(good, ss.Vector, ss.rep("V'"), G) < 1e-12 or not G.is_orthogonal


def test_the_twin_knows_schur():
    assert twin_basis(ss.Vector, ss.Vector, ss.SO(3)).shape == (9, 1)
    Q = twin_basis(ss.Vector, ss.Vector, ss.SO(2))
    rotation = np.array([[0.0, -1.0], [1.0, 0.0]])
    reflection = np.diag([1.0, -1.0])
    assert np.allclose(twin_project(rotation, Q), rotation)
    assert np.allclose(twin_project(reflection, Q), 0)


def test_the_twin_knows_biases():
    assert np.allclose(np.abs(twin_basis(None, ss.Vector, ss.S(4))), 0.5)
    assert twin_basis(None, ss.Vector, ss.O(3)).shape == (3, 0)


@pytest.mark.parametrize("spoil", ["dimension", "values"])
def test_the_case_checker_rejects_a_wrong_space(monkeypatch, spoil):
    """A space of the wrong group, and one whose projection is slightly off, both fail."""
    right = ss.equivariant_maps

    def wrong(a, b, G):
        if spoil == "dimension":
            return right(a, b, "Trivial(3)")
        space = right(a, b, G)
        (block,) = space.packed.blocks
        factor = block.matrix + 1e-6 * np.eye(len(block.matrix))[:, :1]
        return dataclasses.replace(space, packed=Packed(space.size, (PackedBlock(block.index, factor),)))

    monkeypatch.setattr("tests.spaces.test_random_cases.ss.equivariant_maps", wrong)
    W, V = np.random.default_rng(0).standard_normal((2, 3, 3))
    with pytest.raises(AssertionError):
        check(ss.SO(3), ss.Vector, ss.Vector, W, V)
