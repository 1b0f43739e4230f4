import numpy as np
import pytest

from softsym.inference.row_order import stratified_order


@pytest.mark.parametrize("row_groups", [None, np.array([3, 3, 3, 3, 0, 0, 1, 5])])
def test_is_a_seeded_permutation(row_groups):
    order = stratified_order(8, row_groups, 1)
    assert sorted(order) == list(range(8))
    assert np.array_equal(order, stratified_order(8, row_groups, 1))
    assert not np.array_equal(order, stratified_order(8, row_groups, 2))


def test_every_beginning_holds_as_many_row_groups_as_possible():
    row_groups = np.repeat(np.arange(5), [9, 1, 4, 2, 4])
    taken = row_groups[stratified_order(20, row_groups, 0)]
    assert sorted(taken[:5]) == [0, 1, 2, 3, 4]
    assert sorted(taken[5:9]) == [0, 2, 3, 4]
    assert set(taken[-5:]) == {0}
