import re

import numpy as np
import pytest

import softsym as ss
from softsym.data.requirements import MINIMUM_ROWS, check_fit
from softsym.data.table import Table
from softsym.errors import InputError


def random_table(n=100, p=20, q=9):
    rng = np.random.default_rng(0)
    names = [tuple(f"{letter}{k}" for k in range(size)) for letter, size in (("x", p), ("y", q))]
    return Table(rng.normal(size=(n, p)), rng.normal(size=(n, q)), *names, "data.csv")


def test_good():
    assert check_fit(random_table(), "5S + 5V", "T(2)", ["O(3)", "O(2)@z"]) == 0
    assert check_fit(random_table(), None, None, ()) == 0


@pytest.mark.parametrize(
    ("reps", "message"),
    [
        (
            ("6V", "T(2)"),
            "6V under O(3) has size 18, X has 20 columns; pass another representation as --in or other --x-columns",
        ),
        (
            ("5S + 5V", "V"),
            "V under O(3) has size 3, Y has 9 columns; pass another representation as --out",
        ),
    ],
)
def test_sizes_come_first(reps, message):
    with pytest.raises(InputError, match=re.escape(message)):
        check_fit(random_table(n=3), *reps, ["O(3)"])


def test_constant_outputs():
    table = random_table()
    table.Y[:] = 2.5
    with pytest.raises(InputError, match=r"every output of data.csv is constant \(y0 = 2.5, y1 = 2.5, y2"):
        check_fit(table, "5S + 5V", "T(2)", ["O(3)"])
    table.Y[3, 4] = 1.0
    check_fit(table, "5S + 5V", "T(2)", ["O(3)"])


def test_few_rows():
    with pytest.raises(InputError, match=r"data.csv has 49 rows; at least 50 are needed"):
        check_fit(random_table(MINIMUM_ROWS - 1), "5S + 5V", "T(2)", ["O(3)"])
    check_fit(random_table(MINIMUM_ROWS), "5S + 5V", "T(2)", ["O(3)"])


def test_repeated_rows():
    some, many = random_table(), random_table()
    some.X[10:20] = some.X[0]
    assert check_fit(some, "5S + 5V", "T(2)", ["O(3)"]) == 10
    many.X[:60] = many.X[0]
    with pytest.raises(InputError, match="has 100 rows but only 41 different inputs; at least 50"):
        check_fit(many, "5S + 5V", "T(2)", ["O(3)"])


def test_without_outputs():
    table = random_table()
    inputs = Table(table.X, None, table.x_names, (), "data.csv")
    assert check_fit(inputs, "5S + 5V", None, ["O(3)"]) == 0


def test_vectors_beside_points_have_their_size():
    table = Table(
        np.random.default_rng(0).standard_normal((60, 6)),
        np.random.default_rng(1).standard_normal((60, 3)),
        (),
        (),
        "pairs",
    )
    assert check_fit(table, "2P", "V", ["SE(3)"]) == 0
    with pytest.raises(InputError, match="points P need groups in homogeneous coordinates"):
        check_fit(table, "2P", "V", ["O(3)"])


@pytest.mark.parametrize(("size", "word"), [(1e155, "large"), (1e-155, "small")])
def test_numbers_whose_squares_are_none_are_refused(size, word):
    X = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.raises(
        InputError, match=f"an output of it is as {word} as .*; squares of that cannot be computed with"
    ):
        check_fit(Table(X, size * X, ("x", "y", "z"), ("u", "v", "w"), "it"), "V", "V", ["O(3)"])
    with pytest.raises(InputError, match="a value of `y` is as"):
        ss.SoftEquivariantRegressor("V", "V", ["O(3)"]).fit(X, size * X)
    with pytest.raises(InputError, match="a value of `Y` is as"):
        ss.evidence(X, size * X, "V", "V", ["O(3)"])
    with pytest.raises(InputError, match="a value of `X` is as"):
        ss.SoftEquivariantGP("V", "V", ["O(3)"]).fit(size * X, X)
