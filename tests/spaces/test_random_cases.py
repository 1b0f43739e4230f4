"""Random (group, rep_in, rep_out, W), each compared with the slow twin and with every property of a projector."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import softsym as ss
from tests.catalogue import REPRESENTATIVES, SMALL
from tests.twin import equivariance_gap, twin_basis, twin_project

CHUNKS, CASES = 20, 110
NAMES = list(SMALL)
TERMS = ["S", "V", "V'", "T(2)", "T(1,1)", "V'*V"]
PART_TERMS = ["S", "V[0]", "V[1]'", "V[0]*V[1]", "V"]
PLANE_TERMS = ["S", "V", "Grid(2,2)", "T(2)", "V*Grid(1,1)"]


def random_rep(rng: np.random.Generator, G: ss.Group, limit: int) -> ss.Rep:
    """A sum of one to three random terms with at most ``limit`` coordinates."""
    terms = PART_TERMS if len(G.part_dims) > 1 else PLANE_TERMS if ss.C(4) == G else TERMS
    rep = ss.rep(terms[rng.integers(len(terms))])
    rep = rep if rep.size(G) <= limit else ss.Scalar
    for _ in range(rng.integers(3)):
        more = int(rng.integers(1, 3)) * ss.rep(terms[rng.integers(len(terms))])
        rep = rep + more if (rep + more).size(G) <= limit else rep
    return rep


def check(G: ss.Group, rep_in: ss.Rep, rep_out: ss.Rep, W: np.ndarray, V: np.ndarray) -> None:
    """Every property that one case can show."""
    space = ss.equivariant_maps(rep_in, rep_out, G)
    PW, Q = space.project(W), twin_basis(rep_in, rep_out, G)
    scale = 1 + np.abs(W).max()
    assert space.dim == Q.shape[1]
    assert np.abs(PW - twin_project(W, Q)).max() < 1e-8 * scale
    assert np.abs(space.project(PW) - PW).max() < 1e-10 * scale
    assert equivariance_gap(PW, rep_in, rep_out, G, n=2) < 1e-8
    assert abs((V * PW).sum() - (space.project(V) * W).sum()) < 1e-8 * scale * (1 + np.abs(V).sum())
    assert np.abs(space.combine(space.coefficients(W)) - PW).max() < 1e-9 * scale
    assert space.distance(PW) < 1e-9 * scale
    assert (space.distance(W) > 1e-9) == (space.dim < space.size)


def check_random_cases(names: list[str], chunk: int) -> None:
    rng = np.random.default_rng(1000 + chunk)
    for case in range(CASES):
        G = SMALL[names[(chunk * CASES + case) % len(names)]]
        rep_in, rep_out = random_rep(rng, G, 12), random_rep(rng, G, 12)
        W, V = rng.standard_normal((2, rep_out.size(G), rep_in.size(G)))
        check(G, rep_in, rep_out, W, V)


@pytest.mark.parametrize("chunk", range(4))
def test_random_cases_of_each_kind(chunk):
    check_random_cases([name for name in NAMES if name in REPRESENTATIVES], chunk)


@pytest.mark.nightly
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_cases(chunk):
    check_random_cases(NAMES, chunk)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.sampled_from(NAMES), st.integers(0, 2**32 - 1), st.floats(-8, 8))
def test_cases_of_any_magnitude(name, seed, magnitude):
    rng = np.random.default_rng(seed)
    G = SMALL[name]
    rep_in, rep_out = random_rep(rng, G, 9), random_rep(rng, G, 9)
    W = 10.0**magnitude * rng.standard_normal((rep_out.size(G), rep_in.size(G)))
    space = ss.equivariant_maps(rep_in, rep_out, G)
    assert np.abs(space.project(W) - twin_project(W, twin_basis(rep_in, rep_out, G))).max() <= 1e-8 * np.abs(W).max()
