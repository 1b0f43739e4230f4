"""Dense solves, how far noisy generators can be trusted, and the solver without matrices."""

import warnings

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError, UnclearNullSpaceWarning
from softsym.spaces import forget
from softsym.spaces.solvers import null_space
from softsym.spaces.solvers.null_space import ITERATIVE
from tests.catalogue import GROUPS


def noisy(noise: float, seed: int = 0) -> ss.Group:
    """Rotations of space as if they had been learned."""
    error = noise * np.random.default_rng(seed).standard_normal((3, 3, 3))
    return ss.Group.from_generators(lie_algebra=ss.SO(3).lie_algebra + error, name=f"noisy {noise}")


TYPES = [("T(2)", 1), ("T(3)", 1), ("T(4)", 3), ("T(1,1)", 1), ("T(5)", 6)]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("rep", "rank"), TYPES)
def test_noisy_generators_need_a_tolerance(rep, rank, seed):
    G = noisy(1e-3, seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        without = ss.invariants(rep, G).dim
    warned = any(issubclass(w.category, UnclearNullSpaceWarning) for w in caught)
    assert warned or without != rank or rep == "T(1,1)"  # the identity map is invariant whatever the generators
    assert ss.invariants(rep, G, tol=1e-2).dim == rank


def test_noisy_maps():
    space = ss.equivariant_maps("S + V", "T(2) + V", noisy(1e-3), tol=1e-2)
    exact = ss.equivariant_maps("S + V", "T(2) + V", "SO(3)")
    assert space.dim == exact.dim == 3
    W = np.random.default_rng(0).standard_normal(space.shape)
    assert np.abs(space.project(W) - exact.project(W)).max() < 1e-2


def test_a_tolerance_takes_the_dense_solver_for_larger_types_too():
    space = ss.invariants("T(6)", noisy(1e-4), tol=1e-2)
    assert {solution.method for solution in space.evidence.values()} == {"dense"}
    assert space.dim == 15


def test_a_tolerance_is_refused_where_the_whole_spectrum_is_out_of_reach():
    with pytest.raises(
        InputError, match=r"T\(9\) under noisy .* has 19683 coordinates; a tolerance needs the whole spectrum"
    ):
        ss.invariants("T(9)", noisy(1e-3), tol=1e-2)


def test_noise_near_the_threshold_warns():
    with pytest.warns(
        UnclearNullSpaceWarning,
        match=r"the null space of T\(2\) under noisy 1e-05 is not clearly separated.*pass `tol` above",
    ):
        ss.invariants("T(2)", noisy(1e-5))
    with pytest.warns(UnclearNullSpaceWarning, match="threshold 1.0e-06"):
        ss.invariants("T(2)", noisy(3e-7))


def test_a_tolerance_in_the_middle_of_the_spectrum_warns():
    with pytest.warns(UnclearNullSpaceWarning, match="threshold 5.0e-01"):
        ss.invariants("T(3)", noisy(0.3), tol=0.5)


def test_the_warning_is_given_again_when_the_solution_comes_from_memory_or_disk():
    G = noisy(1e-5, seed=5)
    for prepare in (lambda: None, lambda: None, forget):
        prepare()
        with pytest.warns(UnclearNullSpaceWarning):
            ss.invariants("T(2)", G)


def test_exact_groups_do_not_warn():
    for G in ("SO(3)", "SL(3)", "Lorentz()", "SE(2)", "Translation(3)"):
        solution = next(iter(ss.invariants("T(3)", G, solver="dense").evidence.values()))
        assert solution.gap > 1e6


def test_evidence():
    (solution,) = ss.invariants("T(2)", noisy(1e-3), tol=1e-2).evidence.values()
    assert 1e-5 < solution.residual < 1e-2
    assert solution.below < 1e-2 < solution.above
    assert 3 < solution.gap < 1e4


def test_no_generators_constrain_nothing():
    assert ss.invariants("T(3)", "Trivial(2)", solver="dense").dim == 8


@pytest.mark.parametrize(
    ("G", "rep", "rank"),
    [
        ("SO(3)", "T(6)", 15),
        ("S(4)", "T(5)", 51),
        ("SE(3)", "T(5)", None),
        ("O(4)", "T(5)", 0),
        ("Trivial(3)", "T(3)", 27),
        ("GL(2)", "T(3,3)", 5),
        ("Translation(2)", "T(5)", None),
    ],
)
def test_ranks_of_the_iterative_solver(G, rep, rank):
    space = ss.invariants(rep, G, solver="iterative")
    assert space.dim == (ss.invariants(rep, G).dim if rank is None else rank)
    assert space.residual_bound < 1e-8


def test_a_space_wider_than_the_first_block():
    tensor_type = ss.rep("T(4)").terms[0][1]
    Q = ITERATIVE.solve(ss.C(2), tensor_type).basis
    assert Q.shape == (16, 16)
    Q = ITERATIVE.solve(GROUPS["quaternions"], tensor_type).basis
    assert Q.shape[1] == 64
    assert np.allclose(Q.T @ Q, np.eye(64), atol=1e-10)


def test_says_so_when_it_does_not_converge(monkeypatch):
    monkeypatch.setattr(null_space, "MAX_STEPS", 1)
    with pytest.raises(InputError, match=r"did not converge on T\(3\) under SO\(3\) in 1 steps; pass solver='dense'"):
        ITERATIVE.solve(ss.SO(3), ss.rep("T(3)").terms[0][1])
