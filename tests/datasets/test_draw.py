import numpy as np
import pytest
import torch

from softsym.datasets.draw import split_by_group, stream
from softsym.errors import InputError
from softsym.training.splits import Sizes

LABELS = np.repeat(np.arange(40), np.random.default_rng(0).integers(5, 30, 40))


def split(sizes, seed=0, exact=True, labels=LABELS):
    generator = torch.Generator().manual_seed(seed)
    return split_by_group(labels, Sizes(*sizes), generator, exact=exact, what="flight")


def test_no_recording_in_two_splits():
    for seed in range(5):
        parts = split((200, 50, 50), seed)
        assert [len(rows) for rows in parts] == [200, 50, 50]
        seen = [set(LABELS[rows]) for rows in parts]
        assert not seen[0] & seen[1]
        assert not seen[0] & seen[2]
        assert not seen[1] & seen[2]
        assert len(set(np.concatenate(parts))) == 300


def test_a_small_sample_comes_from_many_recordings():
    assert len(set(LABELS[split((40, 10, 10))[0]])) > 10


def test_parts_may_be_empty():
    assert [len(rows) for rows in split((10, 0, 0))] == [10, 0, 0]


def test_too_few():
    with pytest.raises(
        InputError, match=r"the train split should have 900 examples.*in 40 flights only \d+ fall to it"
    ):
        split((900, 200, 200))
    parts = split((900, 200, 200), exact=False)
    assert len(parts[0]) > 300
    with pytest.raises(InputError, match=r"the (train|val|test) split should have"):
        split((9, 1, 1), labels=np.zeros(50, int), exact=False)


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
