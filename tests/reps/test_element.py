"""Reading group and algebra elements."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.reps.element import (
    algebra_element,
    discrete_elements,
    group_element,
    kron_sum,
    lie_elements,
)


@pytest.mark.parametrize("bad", [np.eye(2), np.ones(3), 1.0, np.ones((3, 2)), np.ones((4, 2, 3))])
def test_wrong_shape(bad):
    with pytest.raises(InputError, match=r"an element of O\(3\) has shape \(..., 3, 3\), got \("):
        ss.Vector.rho("O(3)", bad)
    with pytest.raises(InputError, match=r"an element of O\(3\) has shape \(..., 3, 3\), got \("):
        ss.Vector.drho("O(3)", bad)


def test_wrong_parts():
    with pytest.raises(
        InputError, match=r"SO\(3\) \* S\(2\) has parts of size \(3, 2\), got \[\(2, 2\), \(3, 3\)\]"
    ):
        ss.rep("V[0]").rho("SO(3) * S(2)", (np.eye(2), np.eye(3)))
    with pytest.raises(InputError, match=r"has parts of size \(3, 2\)"):
        ss.rep("V[0]").rho("SO(3) * S(2)", (np.eye(3),))
    with pytest.raises(InputError, match=r"has parts of size \(3, 2\)"):
        ss.rep("V[0]").rho("SO(3) * S(2)", (1.0, 2.0))


def test_batches_of_any_shape():
    g = ss.O(3).sample(6).reshape(2, 3, 3, 3)
    assert ss.rep("S + T(2)").rho("O(3)", g).shape == (2, 3, 10, 10)
    assert ss.Vector.rho("O(3)", g[0, 0].tolist()).shape == (3, 3)


def test_whole_and_parts_agree():
    G = ss.group("SO(2) * S(3)")
    parts = [part[0] for part in G.sample_parts(1, seed=1)]
    assert np.allclose(group_element(G, parts).whole, np.kron(*parts))
    A, B = np.random.default_rng(0).standard_normal((2, 2)), np.random.default_rng(1).standard_normal((3, 3))
    assert np.allclose(algebra_element(G, (A, B)).whole, np.kron(A, np.eye(3)) + np.kron(np.eye(2), B))


def test_generators_as_elements():
    G = ss.group("SO(2) * S(3)")
    (A,), (h, _) = lie_elements(G), discrete_elements(G)
    assert np.array_equal(A.parts[1], np.zeros((3, 3)))
    assert np.array_equal(h.parts[0], np.eye(2))
    assert np.array_equal(h.whole, np.kron(np.eye(2), h.parts[1]))


def test_kronecker_sums():
    a, b = np.random.default_rng(0).standard_normal((2, 2)), np.random.default_rng(1).standard_normal((3, 3))
    assert np.allclose(kron_sum(a, b), np.kron(a, np.eye(3)) + np.kron(np.eye(2), b))
