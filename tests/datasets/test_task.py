"""Laws of every task."""

import pytest
import torch

from softsym.datasets import task
from softsym.errors import InputError
from softsym.training.splits import Sizes, Splits

NAMES = [
    "inertia:Oz(2)",
    "inertia:soft",
    "cossim:soft",
    "golfball:wind=y",
]


@pytest.fixture(params=NAMES)
def each(request):
    return task(request.param)


def same(one, two):
    return one.shape == two.shape and torch.equal(one, two)


def test_shapes_and_types(each):
    splits = each.splits(0, (40, 7, 9))
    assert isinstance(splits, Splits)
    assert splits.sizes == Sizes(40, 7, 9)
    for x, y in (splits.train, splits.val, splits.test, each.sample(5, 0)):
        assert x.dtype == y.dtype == torch.float32
        assert x.shape[1] == each.rep_in.size(each.largest)
        assert y.shape[1] == each.rep_out.size(each.largest)
        assert x.isfinite().all()
        assert y.isfinite().all()


def test_same_seed_same_data(each):
    one, two = each.splits(3, (20, 5, 5)), each.splits(3, (20, 5, 5))
    assert same(one.train[0], two.train[0])
    assert same(one.test[1], two.test[1])
    assert same(each.sample(5, 3)[0], each.sample(5, 3)[0])


def test_other_seeds_other_data(each):
    assert not same(each.splits(0, (20, 5, 5)).train[0], each.splits(1, (20, 5, 5)).train[0])
    assert not same(each.sample(5, 0)[0], each.sample(5, 1)[0])


def test_data_can_be_fixed(each):
    one, two = (each.splits(seed, (20, 5, 5), fixed_data=True) for seed in (1, 2))
    assert same(one.train[0], two.train[0])
    assert same(one.val[1], two.val[1])


def test_parts_share_no_example(each):
    splits = each.splits(0, (30, 9, 9))
    rows = torch.cat([splits.train[1], splits.val[1], splits.test[1]])
    assert len(rows.unique(dim=0)) == 48


def test_the_global_generator_is_left_alone(each):
    state = torch.get_rng_state()
    each.splits(0, (5, 5, 5))
    assert torch.equal(torch.get_rng_state(), state)


def test_target_gives_the_outputs_in_any_type_and_shape(each):
    if each.target is None:
        return
    x, y = each.sample(6, 0)
    torch.testing.assert_close(each.target(x), y, rtol=1e-3, atol=1e-3)
    assert each.target(x.double()).dtype == torch.float64
    assert each.target(x[0]).shape == y[0].shape
    torch.testing.assert_close(each.target(x.reshape(2, 3, -1)).flatten(0, 1), each.target(x))


def test_the_truth_has_no_error(each):
    splits = each.splits(0, (10, 5, 5))
    assert splits.error(splits.test[1], splits.test[1]).item() == 0
    assert splits.error.name == each.error.name
    assert each.error.name == ("ADE" if each.name.startswith(("motion", "table")) else "MSE")


def test_parts_do_not_depend_on_each_other():
    short, long = (task("inertia").splits(0, (n, 5, 5)) for n in (10, 20))
    assert same(short.val[0], long.val[0])


def test_variants_share_their_inputs():
    assert same(task("inertia:O(3)").sample(5, 0)[0], task("inertia:soft").sample(5, 0)[0])


@pytest.mark.parametrize("sizes", [(0, 1, 1), (1, -1, 1), (1, 2)])
def test_bad_sizes(each, sizes):
    with pytest.raises(InputError, match="`sizes` must be numbers of"):
        each.splits(0, sizes)


def test_negative_seed(each):
    with pytest.raises(InputError, match="`seed` must not be negative, got -1"):
        each.splits(-1, (1, 1, 1))


def test_a_task_that_reads_no_file_refuses_one():
    with pytest.raises(InputError, match="inertia:Oz\\(2\\) reads no file of records; leave it out"):
        task("inertia:Oz(2)").at("a.npz")
