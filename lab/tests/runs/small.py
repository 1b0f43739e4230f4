"""A small run that takes a second or two."""

import json
import subprocess
import sys
from pathlib import Path

import torch

from softsym.datasets import task
from softsym.regularize.strengths import OneShot
from softsym.training import TrainingConfig, fit
from softsym_lab.experiments.presets import chosen_preset
from softsym_lab.runs.spec import RunSpec
from softsym_lab.zoo import build

TASK = "inertia:Oz(2)"


def preset(epochs=24, width=20):
    return chosen_preset(TASK, "quick", epochs=epochs, width=width).model_copy(
        update={"n_train": 60, "n_val": 40, "n_test": 40, "batch": 20}
    )


def spec(model="per", seed=0, **changes):
    numbers = preset(**changes)
    return RunSpec(numbers.task, model, numbers, seed)


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
    numbers = preset(epochs=max(epochs, 12))
    built = build(model, task(TASK), numbers, seed)
    if strength is not None:
        built.regularizer.strengths = dict.fromkeys(built.regularizer.strengths, strength)
    data = task(TASK).splits(seed, (60, 40, 40))
    chosen = TrainingConfig(
        epochs=epochs, **{"batch": 20, "lr": 1e-2, "checkpoint_every": 3, "stop_after": 4, "seed": seed, **settings}
    )
    return fit(
        built.model,
        data,
        chosen,
        regularizer=built.regularizer,
        controller=controller or OneShot(3, window=2),
        on_batch=built.on_batch,
        on_loss=built.on_loss,
        balanced=built.balanced,
        violations=violations,
        folder=folder,
        resume=resume,
        on_epoch=on_epoch,
    )


def weights(model):
    return torch.cat([p.detach().reshape(-1) for p in model.parameters()])


def cli(*arguments, **options):
    command = [sys.executable, "-m", "softsym.cli.main", "train", TASK, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def result(folder):
    return json.loads((Path(folder) / "result.json").read_text())
