"""Recorded flights under the three normalisations."""

import numpy as np
import pytest
import torch
from lab.tests.tasks.test_table_tennis import write

from softsym.datasets import task
from softsym.errors import InputError
from softsym_lab.tasks.motion import NORMALISATIONS, Flights

SIZES = (60, 18, 18)


@pytest.fixture
def file(tmp_path):
    write(tmp_path / "flights.npz")
    return str(tmp_path / "flights.npz")


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_errors_are_in_metres_and_rows_normalised(file, normalisation):
    flights = task(f"flights:{normalisation},file={file}")
    splits, data = flights.splits(0, SIZES), flights.data(0, SIZES)
    x, y = splits.train
    assert x.shape == y.shape == (60, 18)
    centred = data.normaliser.apply(data.train)
    torch.testing.assert_close(x, centred[:, :6].flatten(1).float())
    still = splits.test[0][:, -3:].repeat(1, 6)
    restored = data.normaliser.restore(still.double().reshape(-1, 6, 3), data.normaliser.centre(data.test))
    by_hand = (restored - data.test[:, 6:]).norm(dim=-1).mean().item()
    assert splits.error(still, splits.test[1]).item() == pytest.approx(by_hand, rel=1e-4)


def test_a_flight_is_in_one_split_only_and_labels_say_which(file):
    flights = Flights("scale-aware", file)
    labels, splits = flights.row_groups(0), flights.splits(0)
    np.testing.assert_array_equal(labels, splits.row_groups)
    assert len(labels) == len(splits.train[0]) == len(flights.observations(0)[0])
    speeds = [set((part[:, 0, 0] - part[:, 1, 0]).numpy().round(6).tolist()) for part in _windows(flights)]
    assert not speeds[0] & speeds[2]  # each flight has a speed of its own along x


def test_what_is_asked_are_the_normalised_rows(file):
    flights = Flights("symmetry-aware", file)
    assert torch.equal(flights.evidence_data(0)[0], flights.splits(0).train[0])
    assert not torch.allclose(flights.evidence_data(0)[0].double(), flights.observations(0)[0])
    assert torch.equal(flights.sample(5, seed=1)[0], flights.sample(5, seed=1)[0])


def test_text_and_errors(file):
    assert task("flights") == Flights("symmetry-aware")
    assert str(task(f"flights:scale-aware,file={file}")) == f"flights:scale-aware,file={file}"
    assert Flights("scale-aware").with_file(file) == Flights("scale-aware", file)
    with pytest.raises(InputError, match=r"name the file of recorded flights, as in flights:file=flights\.npz"):
        Flights().splits(0)
    with pytest.raises(InputError, match="even"):
        task("flights:even")
    with pytest.raises(InputError, match=r"flights has \d+ training windows, 9999 were asked for"):
        Flights("scale-aware", file).sample(9999, seed=0)


def _windows(flights):
    data = flights.data(0)
    return data.train, data.val, data.test
