"""Splitting rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softsym.data.split import duplicate_groups, split_rows
from softsym.errors import InputError


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


SIDES = ("train", "val", "test")


def sides(parts, labels):
    return [set(labels[getattr(parts, name)].tolist()) for name in SIDES]


@given(st.integers(0, 9), st.integers(40, 300), st.integers(12, 40), st.floats(0.1, 0.25))
def test_no_label_stands_on_two_sides(seed, n, count, fraction):
    row_groups = np.random.default_rng(seed).integers(count, size=n)
    row_groups = np.unique(row_groups, return_inverse=True)[1]
    parts = split_rows(np.arange(float(n))[:, None], fraction, seed, row_groups=row_groups)
    assert sorted(np.concatenate([parts.train, parts.val, parts.test])) == list(range(n))
    assert sum(map(len, sides(parts, row_groups))) == row_groups.max() + 1
    largest = np.bincount(row_groups).max()
    for part in (parts.val, parts.test):
        assert abs(len(part) - fraction * n) <= largest + 1


def test_labels_of_very_different_size_make_parts_of_the_right_size():
    rng = np.random.default_rng(0)
    row_groups = np.repeat(np.arange(200), rng.geometric(0.05, size=200))
    n = len(row_groups)
    for seed in range(20):
        parts = split_rows(np.arange(float(n))[:, None], 0.15, seed, row_groups=row_groups)
        assert abs(len(parts.val) - 0.15 * n) < 0.02 * n
        assert abs(len(parts.test) - 0.15 * n) < 0.02 * n


def test_large_labels_are_held_out_as_often_as_small_ones():
    row_groups = np.repeat(np.arange(60), np.where(np.arange(60) < 30, 2, 6))
    held = np.zeros(60)
    for seed in range(300):
        parts = split_rows(np.arange(240.0)[:, None], 0.2, seed, row_groups=row_groups)
        held[list(set.union(*sides(parts, row_groups)[1:]))] += 1
    small, large = held[:30].mean() / 300, held[30:].mean() / 300
    assert abs(small - 0.4) < 0.05
    assert abs(large - 0.4) < 0.05


def test_rows_in_one_label_each_are_split_as_rows():
    parts = split_rows(np.arange(200.0)[:, None], 0.15, seed=1, row_groups=np.arange(200))
    assert [len(getattr(parts, name)) for name in SIDES] == [140, 30, 30]


def test_equal_inputs_join_labels():
    X = np.arange(120.0)
    X[7] = X[110]  # a row of recording 0 has the inputs of one of recording 11
    row_groups = np.arange(120) // 10
    for seed in range(20):
        parts = split_rows(X[:, None], 0.2, seed, row_groups=row_groups)
        where = [{0, 11} & side for side in sides(parts, row_groups)]
        assert sorted(map(len, where)) == [0, 0, 2]


def test_one_label_with_most_rows_is_trained_on():
    row_groups = np.r_[np.zeros(400, dtype=np.int64), 1 + np.arange(100) // 20]
    parts = split_rows(np.arange(500.0)[:, None], 0.15, seed=0, row_groups=row_groups)
    assert 0 in sides(parts, row_groups)[0]
    assert min(len(parts.val), len(parts.test)) >= 20


def test_three_labels_are_enough():
    parts = split_rows(np.arange(60.0)[:, None], 0.15, seed=0, row_groups=np.arange(60) // 20)
    assert [len(getattr(parts, name)) for name in SIDES] == [20, 20, 20]


def refused(message, row_groups, X=None):
    X = np.arange(float(len(row_groups))) if X is None else X
    with pytest.raises(InputError, match=message) as caught:
        split_rows(X[:, None], 0.15, seed=0, row_groups=row_groups)
    assert "\n" not in str(caught.value)


def test_row_groups_that_make_no_three_parts():
    refused("there are 2 row groups; at least 3 are needed", np.arange(100) // 50)
    joined = np.arange(100.0) % 25
    refused("there are 4 row groups, which equal inputs join to 1; at least 3", np.arange(100) // 25, joined)
    nearly_all = np.r_[np.zeros(970, dtype=np.int64), 1 + np.arange(30)]
    refused(
        "970 of 1,000 rows are in one row group; the others do not make a validation and a test part of at least 20",
        nearly_all,
    )
