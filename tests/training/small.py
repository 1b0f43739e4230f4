"""A small training of one or two seconds."""

import torch

from softsym.datasets import task
from softsym.nn import MLP, SoftMLP
from softsym.regularize import EquivarianceRegularizer
from softsym.regularize.strengths import OneShot
from softsym.training import TrainingConfig, fit

TASK = "inertia:Oz(2)"


def build(model="per", seed=0, width=20):
    """A network for the task, and its regularizer: none for ``mlp``."""
    inertia = task(TASK)
    reps = inertia.rep_in, inertia.rep_out
    if model == "mlp":
        return MLP(*reps, inertia.largest, width, 4, seed=seed), None
    net = SoftMLP(*reps, inertia.groups, width, 4, largest=inertia.largest, seed=seed)
    return net, EquivarianceRegularizer(net, inertia.groups, strength=100.0)


def train(
    model="per",
    epochs=12,
    seed=0,
    folder=None,
    resume=False,
    on_epoch=None,
    controller=None,
    violations=None,
    strength=None,
    **settings,
):
    net, regularizer = build(model, seed)
    if strength is not None:
        regularizer.strengths = dict.fromkeys(regularizer.strengths, strength)
    data = task(TASK).splits(seed, (60, 40, 40))
    numbers = {"batch": 20, "lr": 1e-2, "checkpoint_every": 3, "stop_after": 4, "seed": seed, **settings}
    return fit(
        net,
        data,
        TrainingConfig(epochs=epochs, **numbers),
        regularizer=regularizer,
        controller=controller or OneShot(3, window=2),
        violations=violations,
        folder=folder,
        resume=resume,
        on_epoch=on_epoch,
    )


def weights(model):
    return torch.cat([p.detach().reshape(-1) for p in model.parameters()])
