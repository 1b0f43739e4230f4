"""Points and displacements."""

import numpy as np
import pytest
from scipy.linalg import expm

import softsym as ss
from softsym.errors import InputError
from softsym.reps.affine import Displacement, Point, is_affine, mean_point, points_to_displacements, translate_points


def test_texts_read_back():
    assert str(ss.rep("2P + D + S")) == "2P + D + S"
    assert ss.rep("P") == Point
    assert ss.rep("D'") == Displacement.dual
    assert ss.rep("D*D").size("SE(3)") == 9


@pytest.mark.parametrize("G", [ss.SE(3), ss.E(2), ss.Translation(3)])
def test_displacements_are_a_representation(G):
    rep = ss.rep("D + D'")
    g, h = G.sample(2, seed=1)
    assert np.allclose(rep.rho(G, g @ h), rep.rho(G, g) @ rep.rho(G, h))
    for A in G.lie_algebra:
        numeric = (rep.rho(G, expm(1e-6 * A)) - rep.rho(G, expm(-1e-6 * A))) / 2e-6
        assert np.allclose(rep.drho(G, A), numeric, atol=1e-8)


def test_spaces_of_displacements():
    assert ss.equivariant_maps("2D", "D", "SE(3)").dim == 2
    assert ss.equivariant_maps("2D", "D", "Translation(3)").dim == 18


def test_centring_makes_maps_of_points_equivariant():
    G, rep = ss.SE(3), ss.rep("2P + D")
    X = np.random.default_rng(0).standard_normal((5, 9))

    def target(X):
        centre = mean_point(rep, G, X)
        centred = translate_points(rep, G, X, -centre)
        return centre + 0.3 * centred[:, :3] + centred[:, 6:]

    g = G.sample(1, seed=2)[0]
    R, t = g[:3, :3], g[:3, 3]
    transformed = np.concatenate([X[:, :3] @ R.T + t, X[:, 3:6] @ R.T + t, X[:, 6:] @ R.T], axis=1)
    assert np.allclose(target(transformed), target(X) @ R.T + t)
    assert str(points_to_displacements(rep)) == "3D"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Point.size("SO(3)"), "P needs a group in homogeneous coordinates such as SE"),
        (lambda: Displacement.size("SO(3)"), "D needs a group in homogeneous coordinates"),
        (lambda: Point.rho("SE(2)", np.eye(3)), "centre points first"),
        (lambda: Point.dual, "a point P has no dual"),
        (lambda: mean_point(Displacement, ss.SE(2), np.ones((1, 2))), "D has no points"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_affine_groups():
    assert all(map(is_affine, (ss.SE(2), ss.E(3), ss.Translation(1))))
    assert not any(map(is_affine, (ss.SO(3), ss.Lorentz(), ss.Scaling(2))))
