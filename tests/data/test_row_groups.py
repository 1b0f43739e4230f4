"""Row groups from labels of any type."""

import datetime

import numpy as np
import pandas
import polars
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from softsym.arrays import encode_labels, encode_row_groups, merge_row_groups
from softsym.errors import InputError

LABELS = st.lists(st.integers(0, 6), min_size=1, max_size=40)


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "b"],
        ("b", "a", "b"),
        [(1, "x"), frozenset({2}), (1, "x")],
        [datetime.date(2024, 1, 1), 3, datetime.date(2024, 1, 1)],
        np.array(["b", "a", "b"]),
        np.array([2.5, 1, 2.5]),
        np.array(["b", 7, "b"], dtype=object),
        np.array(["2024-01", "2023-01", "2024-01"], dtype="M8[M]"),
        polars.Series(["b", "a", "b"]),
        torch.tensor([5, 3, 5]),
        iter("bab"),
    ],
    ids=range(11),
)
def test_labels_of_any_type(labels):
    numbers = encode_row_groups(labels, 3)
    assert numbers.dtype == np.int64
    assert numbers.tolist() == [0, 1, 0]


def test_no_labels():
    assert encode_row_groups(None, 3) is None


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["O(3)"], r"`groups` has 1 labels for 4 rows; pass one for every row \(candidate symmetry groups"),
        ("O(3)@z", "`groups` has 6 labels for 4 rows"),
        (3, "`groups` must hold a label for every row, got 3"),
        (np.array(3), "`groups` must hold a label for every row"),
        (["a", None, "b", "b"], "`groups` has no label in row 1, counted from 0; every row needs one"),
        (np.array([1.0, 2, np.nan, 2]), "`groups` has no label in row 2"),
        ([[1], [1], [2], [2]], "`groups` holds a list in row 0, counted from 0; pass one text or number"),
        (np.ones((4, 2)), "`groups` holds a list in row 0"),
    ],
    ids=repr,
)
def test_what_cannot_be_labels(labels, message):
    with pytest.raises(InputError, match=message):
        encode_row_groups(labels, 4)


def test_missing_values_of_data_frames():
    for labels in (["a", None, "a"], ["a", pandas.NA, "a"], pandas.array([1, None, 1], dtype="Int64")):
        with pytest.raises(InputError, match="`groups` has no label in row 1"):
            encode_row_groups(pandas.Series(labels), 3)
    assert encode_labels(pandas.Series(["b", "a", "b"], index=[7, 8, 9]).tolist(), "day").tolist() == [0, 1, 0]


@given(st.data(), LABELS)
def test_components_are_the_transitive_closure(data, first):
    second = data.draw(st.lists(st.integers(0, 6), min_size=len(first), max_size=len(first)))
    one, two = (np.unique(labels, return_inverse=True)[1].astype(np.int64) for labels in (first, second))
    linked = (one[:, None] == one) | (two[:, None] == two)
    for _ in range(len(first)):
        linked = (linked.astype(int) @ linked.astype(int)) > 0
    found = merge_row_groups(one, two)
    np.testing.assert_array_equal(found[:, None] == found, linked)
    assert set(found.tolist()) == set(range(found.max() + 1))
