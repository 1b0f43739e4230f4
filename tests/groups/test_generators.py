"""Reading generators, and products of them."""

import numpy as np
import pytest

from softsym.errors import InputError
from softsym.groups.generators import batched_kron, frozen, generator_stack


def test_frozen_values_are_copies_with_equal_bytes_for_equal_values():
    values = np.array([[0.0, -0.0], [1, 2]])
    kept = frozen(values)
    assert kept.tobytes() == frozen([[0, 0], [1, 2]]).tobytes()
    values[0, 0] = 5
    assert kept[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        kept[0, 0] = 1


@pytest.mark.parametrize("values", [np.zeros((2, 3, 3)), [np.eye(3), np.eye(3)], [[[0, 1, 0]] * 3] * 2])
def test_stacks_of_any_kind(values):
    stack = generator_stack(values, "discrete")
    assert [matrix.shape for matrix in stack] == [(3, 3), (3, 3)]
    assert all(matrix.dtype == np.float64 for matrix in stack)


def test_no_generators():
    assert generator_stack(None, "discrete") == generator_stack([], "discrete") == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([np.zeros((2, 3))], r"`discrete\[0\]` has shape \(2, 3\); generators must be square"),
        ([np.eye(2), np.zeros(3)], r"`discrete\[1\]` has shape \(3,\)"),
        ([np.zeros((0, 0))], r"`discrete\[0\]` has shape \(0, 0\)"),
        ([[[1, np.nan], [0, 1]]], r"`discrete\[0\]` contains NaN or infinity"),
        (5, r"`discrete` must be a list of square real matrices, shape \(k, d, d\)"),
        ([["a"]], "`discrete` must be a list of square real matrices"),
    ],
)
def test_what_is_not_a_generator(values, message):
    with pytest.raises(InputError, match=message):
        generator_stack(values, "discrete")


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_kronecker_products_of_batches(batch):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((*batch, 2, 2)), rng.standard_normal((*batch, 3, 3))
    products = batched_kron(a, b)
    assert products.shape == (*batch, 6, 6)
    for place in np.ndindex(batch):
        assert np.allclose(products[place], np.kron(a[place], b[place]))
