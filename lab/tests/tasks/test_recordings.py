import numpy as np
import pytest
import torch

from softsym.errors import InputError
from softsym.training.splits import Sizes
from softsym_lab.tasks.recordings import ade, scaled_ade, split_by_group

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


def test_ade_by_hand():
    # Six points, off by 5 m at the first, by 1 m at the last and right between: (5 + 1) / 6.
    prediction = torch.zeros(1, 18)
    prediction[0, :3] = torch.tensor([3.0, 4.0, 0.0])
    prediction[0, 17] = -1.0
    assert ade(prediction, torch.zeros(1, 18)).item() == 1.0


def test_scaled_ade_is_in_metres():
    error = scaled_ade(torch.tensor([3.0, 2.0, 1.0]))
    assert error(torch.tensor([[1.0, 2.0, 0.0]]), torch.zeros(1, 3)).item() == 5.0
    assert (error.name, error.unit) == ("ADE", "m")
