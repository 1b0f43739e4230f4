"""The published correlations come out of the published table."""

import csv
from pathlib import Path

import numpy as np
import pytest
import torch

from softsym.errors import InputError
from softsym_lab.correlation import correlation

TABLE = Path(__file__).parents[2] / "tests" / "reference" / "paper_correlation.csv"


def columns(kind):
    with TABLE.open() as file:
        rows = list(csv.DictReader(file))
    return [[float(row[f"{kind}_O{axis}"]) for axis in "zxy"] for row in rows]


@pytest.mark.parametrize(("kind", "published"), [("model", 0.989), ("reg", 0.615), ("lambda", -0.486)])
def test_published_correlations(kind, published):
    assert correlation(columns("data"), columns(kind)) == pytest.approx(published, abs=5e-4)


def test_pooling_and_bounds():
    a = np.random.default_rng(0).standard_normal((3, 4))
    assert correlation(a, 2 * a + 1) == pytest.approx(1)
    assert correlation([a[0], a[1:]], -a) == pytest.approx(-1)
    assert correlation(torch.tensor(a), list(torch.tensor(a))) == pytest.approx(1)
    b = np.random.default_rng(1).standard_normal((3, 4))
    assert correlation(a, b) == pytest.approx(np.corrcoef(a.ravel(), b.ravel())[0, 1])


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 2, 3], [1, 2], "`a` has 3 numbers and `b` has 2; pass as many of each"),
        ([1, 2, 3], [0.1, 0.1, 0.1], r"`b` is constant \(0.1\)"),
        ([1, np.nan], [1, 2], "`a` contains NaN or infinity"),
        ([1], [2], "at least 2 pairs, got 1"),
        ([], [], "at least 2 pairs, got 0"),
        (None, [1, 2], "`a` must hold numbers, got NoneType"),
    ],
)
def test_refuses(a, b, message):
    with pytest.raises(InputError, match=message):
        correlation(a, b)
