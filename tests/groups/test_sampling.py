"""Drawing elements."""

import numpy as np
import pytest

import softsym as ss
from softsym.groups import gaussian, sampling

RNG = np.random.default_rng


@pytest.mark.parametrize("d", [2, 3])
def test_haar_rotations_turn_a_vector_uniformly(d):
    (g,) = sampling.haar_orthogonal(4000, RNG(0), d=d, special=True)
    v = g[:, :, 0]
    assert np.abs(v.mean(0)).max() < 0.06
    assert np.abs(v.T @ v / 4000 - np.eye(d) / d).max() < 0.04
    assert np.allclose(np.linalg.det(g), 1)


def test_rotation_angles_of_the_plane_are_uniform():
    (g,) = sampling.haar_orthogonal(8000, RNG(0), d=2, special=True)
    counts, _ = np.histogram(np.arctan2(g[:, 1, 0], g[:, 0, 0]), bins=16, range=(-np.pi, np.pi))
    assert ((counts - 500) ** 2 / 500).sum() < 15 + 5 * np.sqrt(30)


def test_haar_rotation_angles_of_space():
    (g,) = sampling.haar_orthogonal(8000, RNG(0), d=3, special=True)
    trace = np.trace(g, axis1=1, axis2=2)  # characters: <chi> = 0, <chi^2> = 1, <chi^3> = 1, <chi^4> = 3
    assert np.allclose([np.mean(trace**k) for k in (1, 2, 3, 4)], [0, 1, 1, 3], atol=0.25)


def test_embedded_joined_and_flattened_elements():
    G = ss.O(2).about("z") | ss.O(2).about("x")
    g = G.sample(2000)
    assert np.abs(g.mean(0)).max() < 0.1
    product = ss.SO(2) * ss.Z(2) | ss.Scaling(4)
    assert product.sample(3).shape == (3, 4, 4)


def test_walks_of_unknown_groups_stay_bounded():
    boost = ss.Group.from_generators(lie_algebra=[[[0, 30.0], [30.0, 0]]])
    assert np.abs(boost.sample(200)).max() <= np.cosh(1 / np.sqrt(2)) + 1e-9


def test_walks_of_unknown_orthogonal_groups_forget_their_start():
    mine = ss.Group.from_generators(lie_algebra=ss.SO(3).lie_algebra)
    g = mine.sample(3000)
    assert np.abs(g.mean(0)).max() < 0.1
    assert np.abs(np.einsum("nij,nij->ij", g, g) / 3000 - 1 / 3).max() < 0.05


def test_a_finite_group_too_large_to_list_is_still_sampled():
    G = ss.group("C(4)@x | C(5)@z")
    g = G.sample(5)
    assert np.allclose(g @ g.swapaxes(1, 2), np.eye(3), atol=1e-10)


@pytest.mark.parametrize("text", ["O(3)", "O(2)@z", "SO(3) | Scaling(3)", "Z(3)", "Trivial(3)", "Lorentz()"])
def test_the_published_draw(text):
    G = ss.group(text)
    g = gaussian(G, 6, seed=1)
    assert g.shape == (6, G.dim, G.dim)
    assert np.array_equal(g, gaussian(G, 6, seed=1))
    if G.is_orthogonal:
        assert np.allclose(g @ g.swapaxes(1, 2), np.eye(G.dim), atol=1e-10)


def test_the_published_draw_uses_reflections_half_of_the_time():
    det = np.linalg.det(gaussian(ss.O(3), 1000))
    assert 0.4 < (det < 0).mean() < 0.6


def test_place():
    out = sampling.place(np.array([[1.0, 2.0], [3.0, 4.0]]), dim=3, axes=(2, 0), fill=1.0)
    assert np.array_equal(out, [[4, 0, 3], [0, 1, 0], [2, 0, 1]])
