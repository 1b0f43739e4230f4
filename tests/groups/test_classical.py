"""Lie groups: each element preserves what defines its group."""

import numpy as np
import pytest
from scipy.linalg import expm

import softsym as ss

WITH_SIZE = "O SO SL GL Scaling Sp U SU S A Z C D Trivial E"
MINKOWSKI = {"Lorentz()": 4, "SO13()": 4, "SO13p()": 4, "O11()": 2, "SO11p()": 2}


def members(G: ss.Group) -> np.ndarray:
    """Samples, exponentials of the algebra and discrete generators."""
    return np.concatenate([G.sample(40), expm(0.7 * G.lie_algebra), G.discrete_generators])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_orthogonal_groups(n):
    for G in (ss.O(n), ss.SO(n)):
        g = members(G)
        assert np.allclose(g @ g.swapaxes(1, 2), np.eye(n), atol=1e-12)
        assert len(G.lie_algebra) == n * (n - 1) // 2
    assert np.allclose(np.linalg.det(members(ss.SO(n))), 1)
    assert set(np.linalg.det(ss.O(n).sample(40)).round()) == {-1, 1}


@pytest.mark.parametrize("n", [1, 2, 3])
def test_linear_groups(n):
    assert np.allclose(np.linalg.det(members(ss.SL(n))), 1)
    assert len(ss.SL(n).lie_algebra) == n * n - 1
    assert len(ss.GL(n).lie_algebra) == n * n
    assert set(np.sign(np.linalg.det(ss.GL(n).sample(40)))) == {-1, 1}
    assert np.linalg.cond(ss.SL(n).sample(200)).max() <= np.exp(4)
    assert np.linalg.cond(ss.GL(n).sample(200)).max() <= np.exp(2) * (1 + 1e-9)


def test_scaling():
    g = members(ss.Scaling(3))
    assert np.allclose(g, g[:, :1, :1] * np.eye(3))
    assert (g[:, 0, 0] > 0).all()


@pytest.mark.parametrize("m", [1, 2, 3])
def test_symplectic_groups_keep_the_form(m):
    G = ss.Sp(m)
    J = np.kron([[0, 1], [-1, 0]], np.eye(m))
    g = members(G)
    assert np.allclose(g.swapaxes(1, 2) @ J @ g, J, atol=1e-10)
    assert G.dim == 2 * m
    assert np.linalg.matrix_rank(G.lie_algebra.reshape(len(G.lie), -1)) == len(G.lie) == m * (2 * m + 1)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_unitary_groups_are_orthogonal_and_commute_with_i(n):
    i = np.kron([[0, -1], [1, 0]], np.eye(n))
    for G, size in ((ss.U(n), n * n), (ss.SU(n), n * n - 1)):
        g = members(G)
        assert np.allclose(g @ g.swapaxes(1, 2), np.eye(2 * n), atol=1e-12)
        assert np.allclose(g @ i, i @ g, atol=1e-12)
        assert len(G.lie) == size
        assert not size or np.linalg.matrix_rank(G.lie_algebra.reshape(size, 4 * n * n)) == size
    g = members(ss.SU(n))
    assert np.allclose(np.linalg.det(g[:, :n, :n] + 1j * g[:, n:, :n]), 1)


@pytest.mark.parametrize("text", MINKOWSKI)
def test_lorentz_groups_keep_the_metric(text):
    G = ss.group(text)
    metric = np.diag([-1.0] + [1.0] * (MINKOWSKI[text] - 1))
    g = members(G)
    assert np.allclose(g.swapaxes(1, 2) @ metric @ g, metric, atol=1e-10)
    assert np.abs(G.sample(200)[:, 0, 0]).max() <= np.cosh(1) + 1e-9


def test_lorentz_components():
    def components(G):
        g = G.sample(200)
        return set(zip(np.linalg.det(g).round().tolist(), np.sign(g[:, 0, 0]).tolist(), strict=True))

    assert components(ss.Lorentz()) == {(1, 1), (1, -1), (-1, 1), (-1, -1)} == components(ss.O11())
    assert components(ss.SO13()) == {(1, 1), (1, -1)}
    assert components(ss.SO13p()) == {(1, 1)} == components(ss.SO11p())


@pytest.mark.parametrize("make", [getattr(ss, name) for name in WITH_SIZE.split()])
def test_sizes_must_be_positive_whole_numbers(make):
    with pytest.raises(ss.errors.InputError, match=rf"{make.__name__}\(n\) needs n >= 1, got 0"):
        make(0)
    with pytest.raises(ss.errors.InputError, match=rf"{make.__name__}\(n\) needs a whole number n, got 2.5"):
        make(2.5)


@pytest.mark.parametrize("name", ["O", "SO"])
def test_rotations_of_many_dimensions_come_from_neighbours(name):
    G = ss.group(f"{name}(20)")
    assert G.lie_algebra.shape == (19, 20, 20)
    assert ss.group(f"{name}(8)").lie_algebra.shape == (28, 8, 8)
    assert ss.group(f"{name}(200)").dim == 200
    neighbours = list(ss.group(f"{name}(9)").lie_algebra)
    span = list(neighbours)
    for _ in range(7):  # commutators with neighbours reach one axis further each time
        span += [A @ B - B @ A for A in span for B in neighbours]
        span = list({(matrix + 0.0).tobytes(): matrix + 0.0 for matrix in span}.values())
    assert np.linalg.matrix_rank(np.reshape(span, (len(span), -1))) == 36


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("make", [ss.E, ss.SE, ss.Translation])
def test_affine_groups_preserve_points_and_distances(make, n):
    G = make(n)
    g = np.concatenate([G.sample(30), expm(0.7 * G.lie_algebra), G.discrete_generators])
    assert G.dim == n + 1
    assert np.allclose(g[:, n], np.eye(n + 1)[n])
    assert np.allclose(g[:, :n, :n] @ g[:, :n, :n].swapaxes(1, 2), np.eye(n), atol=1e-12)


def test_linear_parts_of_affine_groups():
    assert np.allclose(ss.Translation(3).sample(20)[:, :3, :3], np.eye(3))
    assert np.allclose(np.linalg.det(ss.SE(3).sample(20)), 1)
    assert set(np.linalg.det(ss.E(3).sample(30)).round()) == {-1, 1}


def test_translations_are_standard_normal():
    translations = ss.SE(2).sample(4000)[:, :2, 2]
    assert np.abs(translations.mean(0)).max() < 0.08
    assert np.abs(np.cov(translations.T) - np.eye(2)).max() < 0.15


def test_number_of_affine_generators():
    assert (len(ss.E(3).lie), len(ss.SE(3).lie), len(ss.Translation(3).lie)) == (6, 6, 3)
    assert (len(ss.E(3).discrete), len(ss.SE(3).discrete), len(ss.Translation(3).discrete)) == (1, 0, 0)
