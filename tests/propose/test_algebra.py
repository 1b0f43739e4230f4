"""Nearest algebras, and ones in round numbers."""

import numpy as np
import pytest

import softsym as ss
from softsym.propose.algebra import (
    NEAR,
    angle,
    catalogue,
    derived,
    in_round_rates,
    is_closed,
    is_known,
    leaving,
    nearest_algebra,
    orthonormal,
    rounded_axis,
    rounder,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("text", ["SO(3)", "SO(4)", "SO13p()", "Sp(2)", "SU(2)", "SL(2)", "SO(2)@z | Scaling(3)"])
def test_steps_lead_to_an_algebra_no_further_from_the_truth(text):
    truth = orthonormal(ss.group(text).lie_algebra)
    noisy = orthonormal(truth + 0.01 * RNG.standard_normal(truth.shape))
    near = nearest_algebra(noisy)
    assert is_closed(near)
    assert angle(near, truth) <= 1.1 * angle(noisy, truth)


def test_what_is_closed_stays():
    truth = orthonormal(ss.SO(3).lie_algebra)
    assert np.array_equal(nearest_algebra(truth), truth)
    assert not leaving(truth).any() or np.abs(leaving(truth)).max() < 1e-12
    assert not is_closed(orthonormal(ss.SO(3).lie_algebra[:2]))


def test_angles():
    a = ss.SO(3).lie_algebra
    assert angle(a, a[[2, 0, 1]] * 3) == 0.0
    assert angle(a[:1], a[1:2]) == pytest.approx(90.0)
    assert angle(a[:2], a) == 90.0
    assert angle(a[:0], a[:0]) == 0.0


@pytest.mark.parametrize("text", ["SO(3)", "SO(2)@y", "SL(3)", "Scaling(3)", "SO13p()", "SU(2)", "SO(3) | Scaling(3)"])
def test_the_roundest_comes_first(text):
    truth = orthonormal(ss.group(text).lie_algebra)
    noisy = orthonormal(truth + 0.02 * np.random.default_rng(0).standard_normal(truth.shape))
    assert angle(next(rounder(noisy)), truth) < 1e-5


def test_all_are_near_and_of_the_same_dimension():
    span = orthonormal(np.random.default_rng(0).standard_normal((2, 3, 3)))
    for other in rounder(span):
        assert len(other) == 2
        assert angle(other, span) < NEAR


@pytest.mark.parametrize("rates", [(1.0, -1.0, 0.0), (2.0, -1.0, 0.0), (3.0, 1.0, -2.0)])
def test_rates_are_rounded_in_a_frame_of_their_own(rates):
    frame = np.random.default_rng(0).standard_normal((3, 3))
    truth = frame @ np.diag(rates) @ np.linalg.inv(frame)
    noisy = truth + 0.01 * np.linalg.norm(truth) * np.random.default_rng(1).standard_normal((3, 3))
    near = next(in_round_rates(noisy[None]))[0]
    values = np.sort(np.linalg.eigvals(near).real)
    assert np.allclose(values / np.abs(values).max(), np.sort(rates) / np.abs(rates).max(), atol=1e-9)


def test_two_rotations_get_round_rates_and_a_shear_none():
    rotations = np.zeros((4, 4))
    rotations[0, 1], rotations[1, 0], rotations[2, 3], rotations[3, 2] = -1.03, 1.03, -1.98, 1.98
    speeds = np.abs(np.linalg.eigvals(next(in_round_rates(rotations[None]))[0]).imag)
    assert np.allclose(np.sort(speeds), [1.0, 1.0, 2.0, 2.0])
    assert not list(in_round_rates(np.array([[[0.0, 1.0], [0.0, 0.0]]])))


def test_a_rotation_and_a_squeeze_that_commute_get_round_rates_together():
    frame = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    rotation, squeeze = np.zeros((2, 4, 4))
    rotation[0, 1], rotation[1, 0] = -1.0, 1.0
    squeeze[2, 2], squeeze[3, 3] = 1.0, -1.0
    truth = frame @ np.array([rotation, squeeze]) @ frame.T
    off = frame @ (np.array([rotation + 0.3 * squeeze, squeeze + 0.04 * np.eye(4)])) @ frame.T
    assert angle(off, truth) > 1
    assert angle(next(in_round_rates(off)), truth) < 1e-6


def test_generators_that_do_not_commute_have_no_rates():
    assert not list(in_round_rates(ss.SO(3).lie_algebra))


def test_a_shear_and_directions_that_nothing_depends_on():
    shear = np.array([[[0.01, 1.0], [0.0, -0.02]]])
    assert any(np.abs(A @ A).max() < 1e-12 for (A,) in rounder(orthonormal(shear)))
    boost = np.zeros((1, 3, 3))
    boost[0, 0, 0], boost[0, 1, 1] = 1.0, -1.0
    anything = np.zeros((3, 3, 3))
    anything[np.arange(3), 2, np.arange(3)] = 1.0
    truth = np.concatenate([boost, anything])
    noisy = orthonormal(truth + 0.01 * np.random.default_rng(0).standard_normal(truth.shape))
    assert min(angle(each, truth) for each in rounder(noisy)) < 2.0


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_catalogue_holds_lie_algebras(d):
    listed = [orthonormal(algebra) for algebra in catalogue(d)]
    assert all(is_closed(algebra) for algebra in listed)
    assert {len(algebra) for algebra in catalogue(d, 1)} == {1}


def test_brackets_leave_out_what_commutes_with_everything():
    assert [len(derived(G.lie_algebra)) for G in (ss.U(2), ss.SO(3), ss.SO(2))] == [3, 3, 0]


def test_a_tilted_axis_is_not_in_the_catalogue():
    assert is_known(ss.SO(3).lie_algebra)
    assert not is_known(ss.SO(2).about((1, 2, 0)).lie_algebra)
    assert rounded_axis(np.array([-1.0, -2.0, 0.0])) == (0.4472, 0.8944, 0.0)
