"""Discrete candidates."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.discrete import candidates, mirror
from tests.inference.propose.target_functions import rows


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_candidates_are_elements_of_their_groups(d):
    for one in candidates(d, np.eye(d)[:1] + 0.3):
        assert np.allclose(one.element, one.group.discrete_generators[0])
        assert one.group.dim == d
        assert ss.group(str(one.group)) == one.group


def test_mirrors_reverse_their_normal():
    normal = np.array([0.3, -0.2, 0.9])
    one = mirror(normal)
    assert np.allclose(one.element @ normal, -normal, atol=1e-3)
    assert one.group.order == 2


def test_a_tilted_mirror_is_found():
    rng = np.random.default_rng(0)
    normal = np.array([2.0, -1.0, 0.0]) / np.sqrt(5)
    along, up = np.array([1.0, 2.0, 0.0]) / np.sqrt(5), np.array([0.0, 0.0, 1.0])
    X = rng.standard_normal((300, 3))
    Y = X + 0.5 * (X @ along)[:, None] * up + 0.4 * along + 0.3 * (X @ normal)[:, None] ** 2 * up
    found = ss.propose(X, Y + 0.01 * rng.standard_normal(Y.shape), "V", "V")
    mirrors = [row for row in found.table if row.verdict == "exact" and row.name.startswith("mirror")]
    assert len(mirrors) == 1
    assert np.array(mirrors[0].generator) @ normal == pytest.approx(-normal, abs=0.02)


def test_inversion_differs_from_its_opposite():
    X, Y, rep_in, rep_out, _ = rows("cross product", 200, 0.02)
    assert "inversion" not in {row.name for row in ss.propose(X, Y, rep_in, rep_out).table}
    odd = X[:, :3] * np.sum(X[:, 3:] ** 2, axis=1, keepdims=True)
    assert ss.propose(X, odd, "2V", "V").groups[0] == ss.O(3)
