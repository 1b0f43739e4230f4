import numpy as np
import pytest
import torch

from softsym.errors import InputError
from softsym.tasks.grouped import split_by_group
from softsym.tasks.task import Sizes

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
