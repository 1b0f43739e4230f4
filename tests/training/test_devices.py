"""Where a training computes; Fabric is asked only for what it offers."""

import subprocess
import sys

import pytest
import torch
from lightning_fabric import Fabric

from softsym.datasets import task
from softsym.errors import InputError
from softsym.regularize import EquivarianceRegularizer
from softsym.training import TrainingConfig
from softsym.training.devices import Devices, check_device, is_first_process, make_devices, make_fabric
from softsym.training.loop import Objective, train_epoch
from softsym.training.optim import WeightAverage, make_optimizer
from tests.training.small import TASK, build, train, weights

NUMBERS = {"epochs": 2, "batch": 4, "lr": 0.1}


def test_alone_unless_something_is_asked_for(monkeypatch):
    for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert type(make_devices(TrainingConfig(**NUMBERS))) is Devices
    assert isinstance(make_devices(TrainingConfig(**NUMBERS, precision="64-true")), Fabric)


def test_a_run_of_one_process_does_not_import_fabric():
    code = (
        "import sys; from tests.training.small import train; train(epochs=1)\nprint('lightning_fabric' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_alone_and_fabric_go_to_the_same_bits(monkeypatch):
    alone = train("per", epochs=6)
    monkeypatch.setattr("softsym.training.loop.make_devices", lambda settings: make_fabric(settings, 1, False))
    by_fabric = train("per", epochs=6)
    assert torch.equal(weights(alone.model), weights(by_fabric.model))
    assert [row["loss"] for row in alone.history] == [row["loss"] for row in by_fabric.history]


def test_other_precisions_train():
    rows = train("mlp", epochs=6, precision="64-true").history
    assert rows[-1]["loss"] < rows[0]["loss"]


def test_a_batch_must_be_shared_evenly(monkeypatch):
    class Three(Devices):
        world_size = 3

    monkeypatch.setattr("softsym.training.devices.Devices", Three)
    with pytest.raises(InputError, match="the batch of 4 must be a multiple of the 3 processes"):
        make_devices(TrainingConfig(**NUMBERS))


@pytest.mark.parametrize(
    ("variables", "is_first"),
    [({}, True), ({"RANK": "0"}, True), ({"RANK": "1", "LOCAL_RANK": "0"}, False), ({"LOCAL_RANK": "1"}, False)],
)
def test_the_first_process_is_known_by_its_number(monkeypatch, variables, is_first):
    for name in ("RANK", "LOCAL_RANK", "NODE_RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_first_process() is is_first


def test_what_is_not_there_is_said_in_one_line():
    for name in ("cuda", "mps"):
        if not (torch.cuda if name == "cuda" else torch.backends.mps).is_available():
            with pytest.raises(InputError, match=f"finds no device '{name}' here; pass one that is there: cpu"):
                check_device(name)
            with pytest.raises(InputError, match=f"finds no device '{name}'"):
                make_devices(TrainingConfig(**NUMBERS, accelerator=name))
    check_device("cpu")
    with pytest.raises(InputError, match="unknown device 'tpu'; pass one of cpu, cuda, mps"):
        check_device("tpu")


class Elsewhere(Devices):
    """A device on which nothing can be read, and an operation with a tensor of the CPU fails."""

    def setup(self, model, optimizer):
        return model.to("meta"), optimizer

    def to_device(self, values):
        return values.to("meta")

    def all_reduce(self, value, *, reduce_op):
        assert reduce_op == "mean"
        assert value.device.type == "meta"
        return torch.ones(())


@pytest.mark.parametrize("form", ["loss", "proximal"])
@pytest.mark.parametrize("model", ["per", "mlp"])
def test_an_epoch_runs_where_the_model_is(model, form):
    """Steps, hooks, penalties, averages: nothing chooses a device of its own."""
    chosen = task(TASK)
    net, regularizer = build(model)
    devices = Elsewhere()
    settings = TrainingConfig(epochs=2, batch=20, lr=0.01, form=form, optimizer="muon", average=0.9, clip=1.0)
    wrapped, _ = devices.setup(net, None)
    # Moving to ``meta``, unlike to a device with memory, makes new parameters: what knows the old ones comes after.
    per = None if regularizer is None else EquivarianceRegularizer(wrapped, chosen.groups, strength=1.0)
    stepped = make_optimizer(wrapped, per, settings)
    x, y = (devices.to_device(values) for values in chosen.splits(0, (60, 40, 40)).train)
    objective = Objective(wrapped, per, penalises=form == "loss")
    average = WeightAverage(net, settings.average)
    loss, _ = train_epoch(devices, wrapped, stepped, (x, y), settings, 1, objective, average)
    assert loss == 1 / 60
    assert {p.device.type for p in net.parameters()} == {"meta"}


def test_a_model_comes_back_to_where_it_was(monkeypatch):
    moved = []

    class Away(Devices):
        def setup(self, model, optimizer):
            monkeypatch.setattr(model, "to", lambda place: moved.append(place) or model)
            return model, optimizer

    monkeypatch.setattr("softsym.training.loop.make_devices", lambda settings: Away())
    train("mlp", epochs=1)
    assert moved == [torch.device("cpu")]
