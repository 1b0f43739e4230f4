import numpy as np
import pytest

from softsym.arrays import row_weights, seed_of
from softsym.errors import InputError
from softsym.metrics.transform import read_shape


def test_without_groups_every_column_is_a_scalar():
    rep_in, rep_out, groups = read_shape("V", "V", [], np.ones((2, 3)), np.ones((2, 1)))
    assert (str(rep_in), str(rep_out), groups) == ("3S", "S", [])


def test_refusals():
    X = np.ones((2, 3))
    with pytest.raises(InputError, match="`rep_out` is None; with candidate groups pass how the data transform"):
        read_shape("V", None, ["O(3)"], X, X)
    with pytest.raises(InputError, match="2V under O\\(3\\) has size 6, y has 3 columns; pass another `rep_out`"):
        read_shape("V", "2V", ["O(3)"], X, X)


def test_seeds():
    assert seed_of(7) == 7
    assert seed_of(np.random.RandomState(0)) == seed_of(np.random.RandomState(0))
    assert isinstance(seed_of(None), int)


@pytest.mark.parametrize("odd", [-1, 1.5, "a", [1], float("nan"), 2**70, True, np.array([1, 2])])
def test_odd_random_states_are_refused_in_one_line(odd):
    with pytest.raises(
        InputError, match=r"`random_state` must be a whole number from 0 to 2\^63 - 1, .* got "
    ) as refused:
        seed_of(odd)
    assert "\n" not in str(refused.value)
    assert seed_of(np.random.default_rng(0)) == seed_of(np.random.default_rng(0))
    assert seed_of(np.uint64(7)) == 7


def test_weights_have_mean_one_over_rows_that_count():
    assert row_weights([0, 1, 3], 3).tolist() == [0.0, 0.5, 1.5]
    assert row_weights(None, 3) is None
    assert row_weights(2.0, 3) is None  # all count the same
    with pytest.raises(InputError, match="a number for every row"):
        row_weights("abc", 3)
    with pytest.raises(InputError, match="not negative"):
        row_weights([1.0, -1.0, 1.0], 3)
