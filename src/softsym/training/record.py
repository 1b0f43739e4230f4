"""The record of a run: what came out, with the equivariance errors of the model and of the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from softsym.groups import Group
from softsym.measure import data_error, equivariance_error
from softsym.nn import count_parameters
from softsym.regularize import EquivarianceRegularizer
from softsym.tasks.task import Splits, Task
from softsym.training.loop import Fitted
from softsym.training.spec import RunSpec

PROBES, TRANSFORMS = 200, 64
"""Samples and group elements over which the equivariance errors of a result are averaged."""


@dataclass(frozen=True)
class RunResult:
    """What came out of a run; errors are means over samples and group elements, normalised by the sum of norms."""

    task: str
    origin: str
    model: str
    preset: str
    seed: int
    metric: str
    unit: str
    test_error: float
    validation_mse: float | None
    epochs: int
    best_epoch: int
    parameters: int
    seconds: float
    strengths: dict[str, float]
    residuals: dict[str, float]
    model_errors: dict[str, float]
    data_errors: dict[str, float]
    test_mse: float | None = None
    """Of normalised outputs, as the loss has them; equal to the test error unless that is in the task's own units."""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return {"schema": 1, **asdict(self)}

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> RunResult:
        """Reads :meth:`to_dict`."""
        return RunResult(**{name: value for name, value in fields.items() if name != "schema"})


def probes_of(task: Task, seed: int) -> Tensor:
    """Inputs (n, inputs) at which errors are measured: as the data's.

    Off them, a network that fits the data perfectly may break their symmetry in any way.
    """
    return task.sample(PROBES, seed=seed)[0].double()


def model_errors(
    model: nn.Module,
    task: Task,
    probes: Tensor,
    n_transforms: int = TRANSFORMS,
    groups: Sequence[Group] | None = None,
) -> dict[str, float]:
    """Equivariance errors of a model under the candidate groups, the task's by default."""
    x = probes.to(next(model.parameters()).dtype)
    return {
        group.name: equivariance_error(model, x, task.rep_in, task.rep_out, group, n_transforms=n_transforms)
        for group in groups or task.groups
    }


def data_errors(
    task: Task, probes: Tensor, n_transforms: int = TRANSFORMS, groups: Sequence[Group] | None = None
) -> dict[str, float]:
    """Equivariance errors of the true target under the candidate groups; empty where nobody knows it."""
    if task.target is None:
        return {}
    return {
        group.name: data_error(
            task.target, probes, task.rep_in, task.rep_out, group, n_transforms=n_transforms
        )
        for group in groups or task.groups
    }


def result_of(
    spec: RunSpec,
    task: Task,
    fitted: Fitted,
    data: Splits,
    seconds: float,
    probes: Tensor,
    regularizer: EquivarianceRegularizer | None,
) -> RunResult:
    """The result of a run: the trained model, measured."""
    x, y = data.test
    groups = spec.candidates(task)
    fitted.model.eval()
    with torch.no_grad():
        prediction = fitted.model(x)
        test_error, test_mse = float(data.error(prediction, y)), float(nn.functional.mse_loss(prediction, y))
    return RunResult(
        task=task.name,
        origin=task.origin,
        model=spec.model,
        preset=spec.preset.name,
        seed=spec.seed,
        metric=data.error.name,
        unit=data.error.unit,
        test_error=test_error,
        validation_mse=fitted.best_validation,
        epochs=fitted.epochs,
        best_epoch=fitted.best_epoch,
        parameters=count_parameters(fitted.model),
        seconds=seconds,
        strengths=fitted.strengths,
        residuals={} if regularizer is None else regularizer.totals(),
        model_errors=model_errors(fitted.model, task, probes, groups=groups),
        data_errors=data_errors(task, probes, groups=groups),
        test_mse=test_mse,
    )
