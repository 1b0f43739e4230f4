"""The registry of models, and how a new one is added."""

from dataclasses import replace

import pytest
import torch
from lab.tests.runs.small import TASK, preset, spec, weights
from torch import nn

from softsym.datasets import task
from softsym.errors import InputError
from softsym.regularize.strengths import CONTROLLERS, Fixed
from softsym_lab.runs.runner import run
from softsym_lab.zoo import MODELS, Blueprint, Built, Model, build
from softsym_lab.zoo.kernel_models import ClosedForm


@pytest.mark.parametrize("name", [name for name in MODELS if name != "velocity"])  # which is for trajectories
def test_every_model_maps_the_inputs_of_its_task_to_the_outputs(name):
    assert MODELS[name].name == name
    built = build(name, task(TASK), preset(), seed=0)
    x = torch.ones(3, 20)
    if isinstance(built.model, ClosedForm):
        built.model.solve_(task(TASK).splits(0, (60, 40, 0)))
        assert built.model(x).shape == (3, 9)
        return
    assert built.model(x).shape == (3, 9)
    again, other = (build(name, task(TASK), preset(), seed=seed).model for seed in (0, 1))
    assert torch.equal(weights(built.model), weights(again))
    assert not torch.equal(weights(built.model), weights(other))


def test_which_groups_each_model_takes():
    assert [name for name in MODELS if MODELS[name].takes_group] == [
        "emlp",
        "rpp",
        "mixed",
        "fa",
        "augment",
        "sample",
        "balanced",
        "jacobian",
    ]
    assert [name for name in MODELS if MODELS[name].takes_candidates] == ["mixed", "per", "gp", "soft-kernel"]
    assert [name for name in MODELS if MODELS[name].is_free] == ["rpp", "per"]


def test_the_group_is_the_given_one_or_the_largest():
    inertia = task(TASK)
    plan = Blueprint(inertia, preset(), 8, 0, None, inertia.groups)
    assert plan.group == inertia.largest
    assert replace(plan, given=inertia.groups[0]).group == inertia.groups[0]


def mean_of_inputs(plan):
    """A toy baseline: one linear layer, trained on batches without noise in sign."""
    net = nn.Linear(20, 9)
    with torch.no_grad():
        net.weight.fill_(0.1 * (plan.seed + 1))
    return Built(net, on_loss=lambda model, x, prediction, step: 1e-3 * prediction.square().mean())


@pytest.fixture
def _toys():
    """What a new file and one line in a table would add."""
    MODELS.register("toy", Model("toy", mean_of_inputs, batch=lambda preset: preset.batch // 2))

    class Halving(Fixed):
        def on_epoch_end(self, residuals, epoch):
            return dict.fromkeys(residuals, 0.5**epoch)

        def wants_residuals(self, epoch):
            return True

    CONTROLLERS.register("halving", Halving)
    yield
    MODELS.forget("toy")
    CONTROLLERS.forget("halving")


@pytest.mark.usefixtures("_toys")
def test_a_toy_baseline_is_trained_like_every_other_model(tmp_path):
    chosen = spec("toy")
    assert chosen.settings.batch == 10
    found = run(chosen, tmp_path / "run", quiet=True)
    assert (found.model, found.parameters) == ("toy", 20 * 9 + 9)
    assert run(chosen, tmp_path / "run", resume=True) == found
    with pytest.raises(InputError, match="toy takes no group"):
        run(replace(chosen, group="O(3)"), tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.usefixtures("_toys")
def test_a_toy_controller_is_named_in_the_spec(tmp_path):
    chosen = spec("per")
    chosen = replace(chosen, preset=chosen.preset.model_copy(update={"strengths": "halving"}))
    found = run(chosen, tmp_path, quiet=True)
    assert set(found.strengths.values()) == {0.5**found.epochs}
