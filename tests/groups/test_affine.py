"""Affine groups in homogeneous coordinates."""

import numpy as np
import pytest
from scipy.linalg import expm

import softsym as ss


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("make", [ss.E, ss.SE, ss.Translation])
def test_points_stay_points_and_distances_stay(make, n):
    G = make(n)
    g = np.concatenate([G.sample(30), expm(0.7 * G.lie_algebra), G.discrete_generators])
    assert G.dim == n + 1
    assert np.allclose(g[:, n], np.eye(n + 1)[n])
    assert np.allclose(g[:, :n, :n] @ g[:, :n, :n].swapaxes(1, 2), np.eye(n), atol=1e-12)


def test_what_turns():
    assert np.allclose(ss.Translation(3).sample(20)[:, :3, :3], np.eye(3))
    assert np.allclose(np.linalg.det(ss.SE(3).sample(20)), 1)
    assert set(np.linalg.det(ss.E(3).sample(30)).round()) == {-1, 1}


def test_translations_are_standard_normal():
    shifts = ss.SE(2).sample(4000)[:, :2, 2]
    assert np.abs(shifts.mean(0)).max() < 0.08
    assert np.abs(np.cov(shifts.T) - np.eye(2)).max() < 0.15


def test_number_of_generators():
    assert (len(ss.E(3).lie), len(ss.SE(3).lie), len(ss.Translation(3).lie)) == (6, 6, 3)
    assert (len(ss.E(3).discrete), len(ss.SE(3).discrete), len(ss.Translation(3).discrete)) == (1, 0, 0)
