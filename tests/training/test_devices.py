"""Where a training computes; Fabric is asked only for what it offers."""

import subprocess
import sys

import pytest
import torch

from softsym.errors import InputError
from softsym.training import Settings
from softsym.training.devices import Alone, ByFabric, is_first_process, make_devices
from tests.training.small import train, weights

NUMBERS = {"epochs": 2, "batch": 4, "lr": 0.1}


def test_alone_unless_something_is_asked_for(monkeypatch):
    for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert isinstance(make_devices(Settings(**NUMBERS)), Alone)
    assert isinstance(make_devices(Settings(**NUMBERS, precision="64-true")), ByFabric)


def test_a_run_of_one_process_does_not_import_fabric():
    code = (
        "import sys; from tests.training.small import train; train(epochs=1)\n"
        "print('lightning_fabric' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_alone_and_fabric_go_to_the_same_bits(monkeypatch):
    alone = train("per", epochs=6)
    monkeypatch.setattr("softsym.training.loop.make_devices", lambda settings: ByFabric(settings, 1, False))
    by_fabric = train("per", epochs=6)
    assert torch.equal(weights(alone.model), weights(by_fabric.model))
    assert [row["loss"] for row in alone.history] == [row["loss"] for row in by_fabric.history]


def test_other_precisions_train():
    rows = train("mlp", epochs=6, precision="64-true").history
    assert rows[-1]["loss"] < rows[0]["loss"]


def test_a_batch_must_be_shared_evenly(monkeypatch):
    class Three(Alone):
        processes = 3

    monkeypatch.setattr("softsym.training.devices.Alone", Three)
    with pytest.raises(InputError, match="the batch of 4 must be a multiple of the 3 processes"):
        make_devices(Settings(**NUMBERS))


@pytest.mark.parametrize(
    ("variables", "is_first"),
    [
        ({}, True),
        ({"RANK": "0"}, True),
        ({"RANK": "1", "LOCAL_RANK": "0"}, False),
        ({"LOCAL_RANK": "1"}, False),
    ],
)
def test_the_first_process_is_known_by_its_number(monkeypatch, variables, is_first):
    for name in ("RANK", "LOCAL_RANK", "NODE_RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_first_process() is is_first
