"""How matrices act on a table, and what every matrix respects."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.propose.columns import Columns, prepare

RNG = np.random.default_rng(0)


def read(X, Y, rep_in, rep_out):
    return Columns.read(X, Y, ss.rep(rep_in), ss.rep(rep_out))


@pytest.mark.parametrize(
    ("rep_in", "D", "rep_out", "q", "d"),
    [("2V", 6, "V", 3, 3), ("S + V", 5, "S", 1, 4), ("V", 2, "T(2)", 4, 2), ("2P", 6, "V", 3, 3)],
)
def test_the_dimension_follows_from_the_columns(rep_in, D, rep_out, q, d):
    assert read(np.ones((4, D)), np.ones((4, q)), rep_in, rep_out).dim == d


@pytest.mark.parametrize(
    ("rep_in", "rep_out", "message"),
    [
        ("2V", "V", "are not 2V and V of any space"),
        ("3S", "S", "have only scalars"),
        ("V*P", "S", "a point is no factor"),
    ],
)
def test_refusals(rep_in, rep_out, message):
    with pytest.raises(InputError, match=message):
        read(np.ones((4, 3)), np.ones((4, 1)), rep_in, rep_out)


def test_centred_points_do_not_see_translations():
    X, Y = RNG.standard_normal((20, 8)), RNG.standard_normal((20, 4))
    columns = read(X, Y, "2P + 2V", "P + V")
    assert columns.points_in.tolist() == 4 * [True] + 4 * [False]
    by = np.array([1.0, -2.0])
    there = columns.centre(X + np.array([*by, *by, 0, 0, 0, 0]), Y + np.array([*by, 0, 0]))
    for first, second in zip(columns.centre(X, Y), there, strict=True):
        assert np.allclose(first, second)


def test_what_every_matrix_respects_is_subtracted():
    X = RNG.standard_normal((200, 6))
    rest = np.cross(X[:, :3], X[:, 3:])
    rows = prepare(X, 5 * X[:, :3] - X[:, 3:] + 0.01 * rest, read(X, rest, "2V", "V"), np.arange(200))
    assert rows.left < 1e-3
    assert np.corrcoef(rows.Y.ravel(), rest.ravel())[0, 1] > 0.999
    assert np.mean(rows.Y**2) == pytest.approx(1.0)
    exact = prepare(X, 5 * X[:, :3], read(X, rest, "2V", "V"), np.arange(200))
    assert not exact.Y.any()


def test_a_little_noise_is_added_where_outputs_are_not_zero():
    X = RNG.standard_normal((50, 2))
    Y = np.stack([X[:, 0] * X[:, 1], np.zeros(50)], axis=1)
    rows = prepare(X, Y, read(X, Y, "V", "2S"), np.arange(50)).blur(0)
    assert not rows.Y[:, 1].any()
    assert 0 < np.abs(rows.Y[:, 0] - prepare(X, Y, rows.columns, np.arange(50)).Y[:, 0]).max() < 0.01
