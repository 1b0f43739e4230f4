"""The fit, its derivatives, and the null space of the Lie derivative."""

import numpy as np
import pytest

import softsym as ss
from softsym.gp.features import InducingPoints
from softsym.propose.algebra import angle
from softsym.propose.columns import Columns, prepare
from softsym.propose.lie_derivative import Features, fit_smooth, lie_matrix
from tests.propose.target_functions import TARGETS, rows

RNG = np.random.default_rng(0)
Z = RNG.standard_normal((30, 3))


def prepared(name, n, noise):
    X, Y, rep_in, rep_out, _ = rows(name, n, noise)
    return prepare(X, Y, Columns.read(X, Y, ss.rep(rep_in), ss.rep(rep_out)), np.arange(n))


@pytest.mark.parametrize(
    "features", [Features.up_to(3, Z), Features.up_to(1, Z, inducing=InducingPoints.select(Z, 1.5, 20))]
)
def test_gradients_are_those_of_the_values(features):
    step = 1e-6
    for column in range(3):
        move = step * np.eye(3)[column]
        numerical = (features.values(Z + move) - features.values(Z - move)) / (2 * step)
        assert np.allclose(features.gradients(Z)[:, :, column], numerical, atol=1e-6)


def test_fits_explain_what_they_can():
    X = RNG.standard_normal((200, 2))
    smooth = fit_smooth(X, np.sin(2 * X[:, :1]) * X[:, 1:])
    assert smooth.r2 > 0.95
    assert fit_smooth(X, RNG.standard_normal((200, 1))).r2 < 0.1
    there = RNG.standard_normal((100, 2))
    assert np.mean((smooth.predict(there) - np.sin(2 * there[:, :1]) * there[:, 1:]) ** 2) < 0.05


@pytest.mark.parametrize("name", ["cross product", "four-vectors", "along z"])
def test_the_null_space_is_the_algebra(name):
    part = prepared(name, 400, 0.02)
    lie = lie_matrix(fit_smooth(part.X, part.Y), part)
    truth = {"so(3)": ss.SO(3), "so(1,3)": ss.SO13p(), "so(2)": ss.SO(2).about("z")}[TARGETS[name][4]].lie_algebra
    values, generators = lie.spectrum()
    assert angle(generators[: len(truth)], truth) < 3.0
    assert values[len(truth)] > 0.05
    assert lie.violation(truth) < 0.05 < lie.violation(np.eye(part.columns.dim)[None])


def test_the_error_of_the_fit_is_subtracted():
    """For an exact symmetry the Lie derivative of the fit is that of its error, whose mean square is known."""
    part = prepared("cross product", 150, 0.3)
    lie = lie_matrix(fit_smooth(part.X, part.Y), part)
    A = ss.SO(3).lie_algebra[0] / np.sqrt(2)
    square, expected = (float(A.ravel() @ form @ A.ravel()) for form in (lie.M, lie.error))
    assert 0.3 < square / expected < 3.0
    assert abs(float(lie.spectrum(A[None])[0][0])) < float(A.ravel() @ lie.M @ A.ravel()) / float(
        A.ravel() @ lie.N @ A.ravel()
    )


def test_directions_that_inputs_do_not_show_are_uncertain():
    X = RNG.standard_normal((200, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    Y = X**2 @ [[1.0], [2.0], [3.0]] + np.sin(3 * X[:, :1])
    part = prepare(X, Y, Columns.read(X, Y, ss.rep("V"), ss.rep("S")), np.arange(200)).blur(0)
    lie = lie_matrix(fit_smooth(part.X, part.Y), part)
    assert lie.uncertainty(np.eye(3)[None]) > 3 * lie.uncertainty(ss.SO(3).lie_algebra)
