"""Tasks: what all of them promise, and random streams."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch

from softsym.datasets import task
from softsym.datasets.builtin import OBSERVED, Synthetic, stream
from softsym.errors import InputError
from softsym.groups import group
from softsym.reps import rep
from softsym.training.splits import Sizes, Splits

NAMES = ["inertia:Oz(2)", "inertia:soft", "cossim:soft", "golfball:wind=y"]


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
        task("inertia:Oz(2)").with_file("a.npz")


AXIS, ALL, NONE = group("O(2)@z"), group("O(3)"), group("SO(3)")


@dataclass(frozen=True)
class Doubled(Synthetic):
    """y = 2 x, in float64."""

    name: ClassVar[str] = "doubled"
    rep_in: ClassVar = rep("V")
    rep_out: ClassVar = rep("V")
    groups: ClassVar = (AXIS, ALL, NONE)
    largest: ClassVar = ALL
    breaking: ClassVar = {AXIS: 0.0, ALL: 0.1, NONE: 0.3}

    def inputs(self, n, generator):
        return torch.randn(n, 3, generator=generator, dtype=torch.float64)

    def truth(self, x):
        return 2 * x


@pytest.fixture
def doubled():
    return Doubled()


def test_outputs_are_the_truth_of_inputs_before_rounding(doubled):
    x, y = doubled.sample(20, seed=3)
    assert torch.equal(y, 2 * x)
    assert x.dtype == y.dtype == torch.float32
    assert doubled.target is not None


def test_words_for_how_much_is_broken(doubled):
    assert doubled.expected == {AXIS: "exact", ALL: "soft", NONE: "absent"}


def test_every_part_has_its_own_stream(doubled):
    splits = doubled.splits(0, (10, 10, 10))
    parts = [splits.train[0], splits.val[0], splits.test[0], doubled.sample(10, 0)[0]]
    assert len({tuple(part[0].tolist()) for part in parts}) == 4
    longer = doubled.splits(0, (50, 10, 10))
    assert torch.equal(longer.val[0], splits.val[0])


def test_a_formula_can_be_observed_as_often_as_wanted(doubled):
    x, y = doubled.observations(seed=2)
    assert (len(x), len(y)) == (OBSERVED, OBSERVED)
    assert torch.equal(x, doubled.sample(OBSERVED, 2)[0])


def test_sizes_and_origin(doubled):
    assert doubled.sizes == (1000, 1000, 1000)
    assert doubled.origin == "computed from a formula"
    assert doubled.error.name == "MSE"


def test_every_name_has_a_stream_of_its_own():
    first = {
        (seed, name): torch.rand(3, generator=stream(seed, name)).tolist()
        for seed in (0, 1)
        for name in ("train", "test", "trains", "")
    }
    assert len({tuple(values) for values in first.values()}) == len(first)
    assert torch.rand(3, generator=stream(1, "test")).tolist() == first[1, "test"]


def test_streams_are_the_same_everywhere_and_always():
    """Stored results depend on them."""
    assert stream(0, "train").initial_seed() == 2572246051367745262


@pytest.mark.parametrize(("seed", "error"), [(-1, InputError), (0.5, TypeError), ("0", TypeError)])
def test_seeds_are_whole_numbers(seed, error):
    with pytest.raises(error):
        stream(seed, "train")
