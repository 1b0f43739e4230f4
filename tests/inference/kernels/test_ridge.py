"""Kernel ridge regression with a symmetry."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.inference.kernels import Kernel
from softsym.inference.kernels.ridge import RIDGES, soft_kernel_ridge
from softsym.metrics import equivariance_error

X = np.random.default_rng(0).standard_normal((160, 6))
PARTS = slice(0, 60), slice(60, 100), slice(100, 160)


def fitted(Y, groups, **changed):
    fit, val, _ = PARTS
    reps = ss.rep("2V"), ss.rep("V")
    return soft_kernel_ridge(
        X[fit], Y[fit], *reps, [ss.group(g) for g in groups], (X[val], Y[val]), **changed
    )


def error(model, Y):
    return np.mean((model(X[PARTS[2]]) - Y[PARTS[2]]) ** 2)


def test_a_symmetry_that_holds_is_built_in_exactly():
    Y = np.cross(X[:, :3], X[:, 3:])
    with_group, plain = fitted(Y, ["SO(3)"]), fitted(Y, [])
    assert with_group.softness == 0
    assert error(with_group, Y) < 0.2 * error(plain, Y)
    assert equivariance_error(with_group, X[:20], "2V", "V", "SO(3)") < 1e-6
    assert str(plain).startswith("polynomial of degree 2, ridge")


def test_a_symmetry_that_holds_softly_is_soft_and_one_that_does_not_is_left_out():
    Y = np.cross(X[:, :3], X[:, 3:]) + 0.5 * X[:, [0]] * [1, 0, 0]
    assert fitted(Y, ["SO(3)"]).softness > 0
    broken = np.sin(X @ np.random.default_rng(1).standard_normal((6, 3)))
    assert fitted(broken, ["SO(3)"]).frame.name == "" or fitted(broken, ["SO(3)"]).softness > 0


def test_candidates_are_tried_together_where_none_has_the_others():
    Y = np.cross(X[:, :3], X[:, 3:])
    assert fitted(Y, ["SO(2)@x", "SO(2)@z"]).frame.name == "SO(2)@x | SO(2)@z"
    assert fitted(Y, ["SO(2)@z", "SO(3)"]).frame.name == "SO(3)"


def test_one_kernel_is_the_closed_form():
    """Ridge regression as everybody writes it, in the units that the model chose."""
    Y = X[:, :3] @ np.random.default_rng(1).standard_normal((3, 3)) + 0.3 * X[:, 3:] ** 2
    model = fitted(Y, [], kernels=[Kernel("polynomial", 1)])
    rows, new = (model.frame.scale.transform(part) for part in (X[:60], X[100:]))
    gram = 1 + rows @ rows.T / 6
    penalty = model.ridge * np.trace(gram) / 60 * np.eye(60)
    expected = (1 + new @ rows.T / 6) @ np.linalg.solve(gram + penalty, Y[:60] - Y[:60].mean(0)) + Y[
        :60
    ].mean(0)
    np.testing.assert_allclose(model(X[100:]), expected, atol=1e-5)
    assert model.ridge in RIDGES
    assert model.rows == 60


def test_validation_rows_choose():
    Y = np.cross(X[:, :3], X[:, 3:])
    model = fitted(Y, ["SO(3)"])
    assert model.error == pytest.approx(np.mean((model(X[PARTS[1]]) - Y[PARTS[1]]) ** 2), rel=1e-3)


def test_inputs_that_are_all_the_same_are_no_crash():
    same = np.ones((20, 6))
    Y = np.random.default_rng(0).standard_normal((20, 3))
    model = soft_kernel_ridge(same, Y, ss.rep("2V"), ss.rep("V"), [], (same, Y))
    np.testing.assert_allclose(model(same[:2]), np.tile(Y.mean(0), (2, 1)), atol=1e-6)
    with pytest.raises(InputError, match="no kernel can be fitted"):
        soft_kernel_ridge(same, Y, ss.rep("2V"), ss.rep("V"), [], (same, Y * np.nan))
    level = soft_kernel_ridge(X[:20], 0 * Y, ss.rep("2V"), ss.rep("V"), [ss.O(3)], (X[20:40], 0 * Y))
    assert (level(X[:3]) == 0).all()
