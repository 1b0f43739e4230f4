"""Dense solves, and how far noisy generators can be trusted."""

import warnings

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError, UnclearNullSpaceWarning
from softsym.spaces.solve import forget


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
    assert (
        warned or without != rank or rep == "T(1,1)"
    )  # the identity map is invariant whatever the generators
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
