import numpy as np
import pytest

from softsym.inference.row_order import spread_order


@pytest.mark.parametrize("sources", [None, np.array([3, 3, 3, 3, 0, 0, 1, 5])])
def test_is_a_seeded_permutation(sources):
    order = spread_order(8, sources, 1)
    assert sorted(order) == list(range(8))
    assert np.array_equal(order, spread_order(8, sources, 1))
    assert not np.array_equal(order, spread_order(8, sources, 2))


def test_every_beginning_holds_as_many_sources_as_possible():
    sources = np.repeat(np.arange(5), [9, 1, 4, 2, 4])
    taken = sources[spread_order(20, sources, 0)]
    assert sorted(taken[:5]) == [0, 1, 2, 3, 4]
    assert sorted(taken[5:9]) == [0, 2, 3, 4]
    assert set(taken[-5:]) == {0}
