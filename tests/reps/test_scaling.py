"""Scale and direction as representations: homomorphism, and the equivariant maps between them."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.reps.scaling import is_scaling, preserves_angles, remove_scaling, scaling_degrees

ROTATIONS = ["SO(3)", "O(3)", "O(2)@z", "S(3)", "Z(3)", "Trivial(3)", "C(4)@z"]
CONFORMAL = [*ROTATIONS, "Scaling(3)", "SO(3) | Scaling(3)", "O(2)@x | Scaling(3)"]


@pytest.mark.parametrize("text", ["U", "Size", "Size'", "2Size + 3U + U*U*Size'"])
@pytest.mark.parametrize("G", CONFORMAL)
def test_representations(text, G):
    rep, G = ss.rep(text), ss.group(G)
    assert ss.rep(str(rep)) == rep
    g, h = G.sample(4, 0), G.sample(4, 1)
    assert np.allclose(rep.rho(G, g @ h), rep.rho(G, g) @ rep.rho(G, h))
    assert np.allclose(rep.dual.rho(G, g), np.linalg.inv(rep.rho(G, g)).swapaxes(-1, -2))
    for A in G.lie_algebra:
        step = 1e-6
        finite = (rep.rho(G, np.eye(3) + step * A) - rep.rho(G, np.eye(3) - step * A)) / (2 * step)
        assert np.allclose(rep.drho(G, A), finite, atol=1e-7)


@pytest.mark.parametrize("G", ROTATIONS)
def test_without_scalings_a_vector_and_a_scalar(G):
    expected = ss.equivariant_maps("S + 2V + S", "S + V + T(2)", G)
    space = ss.equivariant_maps("Size + 2U + S", "S + U + U*U", G)
    W = np.random.default_rng(0).standard_normal(space.shape)
    assert space.dim == expected.dim
    assert np.allclose(space.project(W), expected.project(W), atol=1e-12)
    assert ss.rep("U").terms[0][1].is_permutation(ss.group(G)) == ss.group(G).is_permutation
    assert ss.rep("Size").terms[0][1].is_permutation(ss.group(G))


@pytest.mark.parametrize("G", ["Scaling(3)", ss.Group.from_generators(0.1 * np.eye(3)[None], name="tenth")])
def test_under_scalings_everything_but_the_size_is_free(G):
    space = ss.equivariant_maps("Size + 2U + S", "S + U + U*U", G)
    W = np.random.default_rng(0).standard_normal(space.shape)
    expected = W.copy()
    expected[:, 0] = 0
    assert np.array_equal(space.project(W), expected)
    assert ss.equivariant_maps("Size + S", "Size", G).dim == 1
    assert ss.rep("U").terms[0][1].is_permutation(ss.group(G))
    assert not ss.rep("Size").terms[0][1].is_permutation(ss.group(G))


def test_both_at_once():
    joint = ss.equivariant_maps("Size + 2U", "S + U + U*U", "SO(3) | Scaling(3)")
    W = np.random.default_rng(0).standard_normal(joint.shape)
    rotations, scales = (ss.equivariant_maps("Size + 2U", "S + U + U*U", G) for G in ("SO(3)", "Scaling(3)"))
    assert np.allclose(joint.project(W), rotations.project(scales.project(W)), atol=1e-12)


def test_which_groups_scale_and_which_preserve_angles():
    assert is_scaling(ss.group("Scaling(4)"))
    for other in ("SO(2)", "GL(2)", "SO(3) | Scaling(3)", "Trivial(3)", "Translation(2)", "Scaling(2) * S(2)"):
        assert not is_scaling(ss.group(other))
    assert all(preserves_angles(ss.group(G)) for G in CONFORMAL)
    for other in ("SL(2)", "GL(3)", "SO(3) | SL(3)", "Lorentz()", "Translation(2)", "Scaling(2)@3[0,1]"):
        assert not preserves_angles(ss.group(other))
    shear = ss.Group.from_generators(discrete=[[[1, 1], [0, 1]]], name="shear")
    assert not preserves_angles(shear)


def test_other_groups_are_refused():
    with pytest.raises(InputError, match=r"U is for groups of rotations, reflections and scalings; SL\(3\)"):
        ss.equivariant_maps("U", "U", "SL(3)")


def test_tensors_lose_their_duals():
    assert remove_scaling(ss.rep("S + V + V' + T(2,1)")) == ss.rep("S + 2U + U*U*U")
    for odd in ("V[0]", "Grid(2,2)"):
        with pytest.raises(InputError, match="scalars, vectors and tensors, not out of"):
            remove_scaling(ss.rep(odd))


def test_degrees():
    assert scaling_degrees(ss.rep("S + V' + T(2)"), ss.Scaling(2)).tolist() == [0, -1, -1, 2, 2, 2, 2]
