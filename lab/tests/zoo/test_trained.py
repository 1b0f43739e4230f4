"""Every model that is trained learns something, wherever it is computed."""

import pytest
from lab.tests.runs.small import TASK, preset, train

from softsym.datasets import task
from softsym.regularize import EquivarianceRegularizer
from softsym.training import Objective, TrainingConfig, WeightAverage, make_optimizer, train_epoch
from softsym_lab.zoo import MODELS, build, kernel_models
from tests.training.test_devices import Elsewhere

SOLVED = [value for value in vars(kernel_models).values() if isinstance(value, type(MODELS["gp"]))]
TRAINED = [name for name in MODELS if MODELS[name] not in SOLVED]


@pytest.mark.slow
@pytest.mark.parametrize("model", TRAINED)
def test_every_trained_model_learns_something(model):
    fitted = train(model, epochs=15)
    assert fitted.history[-1]["loss"] < fitted.history[0]["loss"]


@pytest.mark.parametrize("form", ["loss", "proximal"])
@pytest.mark.parametrize("model", TRAINED)
def test_an_epoch_runs_where_the_model_is(model, form):
    """Steps, hooks, penalties, averages: nothing chooses a device of its own."""
    chosen = task(TASK)
    built = build(model, chosen, preset(), 0)
    devices = Elsewhere()
    settings = TrainingConfig(epochs=2, batch=20, lr=0.01, form=form, optimizer="muon", average=0.9, clip=1.0)
    wrapped, _ = devices.setup(built.model, None)
    # Moving to ``meta``, unlike to a device with memory, makes new parameters: what knows the old ones comes after.
    per = None if built.regularizer is None else EquivarianceRegularizer(wrapped, chosen.groups, strength=1.0)
    stepped = make_optimizer(wrapped, per, settings)
    x, y = (devices.to_device(values) for values in chosen.splits(0, (60, 40, 40)).train)
    objective = Objective(
        wrapped, per, on_batch=built.on_batch, on_loss=built.on_loss, penalises=form == "loss", balanced=built.balanced
    )
    average = WeightAverage(built.model, settings.average)
    loss, _ = train_epoch(devices, wrapped, stepped, (x, y), settings, 1, objective, average)
    assert loss == 1 / 60
    assert {p.device.type for p in built.model.parameters()} == {"meta"}
