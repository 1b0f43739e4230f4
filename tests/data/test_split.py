"""Splitting rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from softsym.data.split import duplicate_groups, split_rows


@given(st.integers(6, 80), st.floats(0.05, 0.45), st.integers(0, 5))
def test_every_row_once(n, fraction, seed):
    parts = split_rows(np.arange(float(n))[:, None], fraction, seed)
    held = min(round(fraction * n), (n - 1) // 2)
    if held:
        assert sorted(np.concatenate([parts.train, parts.val, parts.test])) == list(range(n))
        assert len(parts.val) == len(parts.test) == held


def test_equal_rows_stay_together():
    X = np.repeat(np.random.default_rng(0).standard_normal((30, 2)), 3, axis=0)
    parts = split_rows(X, 0.2, seed=0)
    sides = [{tuple(row) for row in X[part]} for part in (parts.train, parts.val, parts.test)]
    assert sum(map(len, sides)) == len(set.union(*sides))
    assert len(parts.test) == 18


def test_test_rows_come_from_everywhere_in_a_sorted_file():
    parts = split_rows(np.arange(10_000.0)[:, None], 0.2, seed=0)
    assert abs(parts.test[:400].mean() - 5_000) < 500


def test_the_seed_decides():
    X = np.arange(40.0)[:, None]
    a, b, c = (split_rows(X, 0.2, seed).test for seed in (0, 0, 1))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_too_few_rows_serve_twice():
    parts = split_rows(np.arange(2.0)[:, None], 0.15, seed=0)
    assert np.array_equal(parts.train, parts.test)


def test_labels_that_are_known_are_not_computed_again(monkeypatch):
    X = np.repeat(np.arange(40.0), 2)[:, None]
    labels = duplicate_groups(X)
    expected = split_rows(X, 0.2, seed=3)
    monkeypatch.setattr("softsym.data.split.duplicate_groups", None)
    parts = split_rows(X, 0.2, seed=3, duplicates=labels)
    for name in ("train", "val", "test"):
        assert np.array_equal(getattr(parts, name), getattr(expected, name))


def test_duplicate_groups():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [-0.0, 1.0], [2.0, 4.0], [2.0, 3.0]])
    labels = duplicate_groups(X)
    assert labels.dtype == np.int64
    same = labels[:, None] == labels[None, :]
    np.testing.assert_array_equal(same, (X[:, None] == X[None, :]).all(-1))
    assert duplicate_groups(np.zeros((3, 0))).tolist() == [0, 0, 0]
