"""The result of a run, with the equivariance errors of the model and of the true target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from softsym.datasets import Task
from softsym.groups import Group
from softsym.metrics import act, data_error, equivariance_error, transforms
from softsym.nn import count_parameters
from softsym.regularize import EquivarianceRegularizer
from softsym.training import Fitted, Pair, Splits
from softsym_lab.runs.spec import RunSpec
from softsym_lab.zoo.kernel_models import ClosedForm

LATER = ("scores", "transformed_mse", "seconds_to_best", "steps", "peak_bytes", "chosen", "verdicts")
"""Fields that the first results do not have."""
TRANSFORMED_ROWS, TRANSFORMS_PER_ROW = 200, 8
"""Test rows and group elements over which the error on transformed inputs is averaged."""
PROBES, TRANSFORMS = 200, 64
"""Samples and group elements over which the equivariance errors of a result are averaged."""


@dataclass(frozen=True)
class RunResult:
    """The result of a run; errors are means over samples and group elements, normalised by the sum of norms."""

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
    scores: dict[str, float] = field(default_factory=dict)
    """What else the task reports on the test."""
    transformed_mse: dict[str, float] = field(default_factory=dict)
    """Test MSE by candidate group on transformed inputs and outputs: meaningful where the group holds."""
    seconds_to_best: float | None = None
    steps: int | None = None
    """Steps of the optimizer; none where nothing is trained."""
    peak_bytes: int | None = None
    """Most memory that the process held, whatever it did before."""
    chosen: str = ""
    """What a closed form chose."""
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    """What the data say about each symmetry, where the model asked them."""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON; what older results do not have is left out where it is empty."""
        fields = {"schema": 1, **asdict(self)}
        return {name: value for name, value in fields.items() if name not in LATER or value not in ({}, [], None, "")}

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> RunResult:
        """Reads :meth:`to_dict`."""
        return RunResult(**{name: value for name, value in fields.items() if name != "schema"})


def draw_probes(task: Task, seed: int) -> Tensor:
    """Inputs (n, inputs) at which errors are measured: as the data's.

    Off them, a network that fits the data perfectly may break their symmetry in any way.
    """
    return task.sample(PROBES, seed=seed)[0].double()


def model_errors(
    model: nn.Module, task: Task, probes: Tensor, n_transforms: int = TRANSFORMS, groups: Sequence[Group] | None = None
) -> dict[str, float]:
    """Equivariance errors of a model under the candidate groups, the task's by default."""
    first = next(model.parameters(), None)
    x = probes.double() if first is None else probes.to(first)
    return {
        group.name: equivariance_error(model, x, task.rep_in, task.rep_out, group, n_transforms=n_transforms)
        for group in groups or task.groups
    }


def data_errors(
    task: Task, probes: Tensor, n_transforms: int = TRANSFORMS, groups: Sequence[Group] | None = None
) -> dict[str, float]:
    """Equivariance errors of the true target under the candidate groups; empty where it is not known."""
    if task.target is None:
        return {}
    return {
        group.name: data_error(task.target, probes, task.rep_in, task.rep_out, group, n_transforms=n_transforms)
        for group in groups or task.groups
    }


def transformed_errors(model: nn.Module, task: Task, test: Pair, groups: Sequence[Group]) -> dict[str, float]:
    """Mean squared errors by group on transformed inputs; outputs are transformed too, or computed where known."""
    x, y = (values[:TRANSFORMED_ROWS].double() for values in test)
    dtype = next((one.dtype for one in model.parameters()), torch.float64)
    errors = {}
    for group in groups:
        elements = transforms(group, TRANSFORMS_PER_ROW)
        inputs, outputs = (
            act(rep, group, elements, values).flatten(0, 1) for rep, values in ((task.rep_in, x), (task.rep_out, y))
        )
        truth = outputs if task.target is None else task.target(inputs)
        with torch.no_grad():
            errors[group.name] = float(nn.functional.mse_loss(model(inputs.to(dtype)).double(), truth))
    return errors


def make_result(
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
        task=spec.task,
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
        scores={} if data.scores is None else data.scores(prediction, y),
        transformed_mse=transformed_errors(fitted.model, task, data.test, groups),
        seconds_to_best=next((row["seconds"] for row in fitted.history if row["epoch"] == fitted.best_epoch), None),
        steps=None
        if isinstance(fitted.model, ClosedForm)
        else fitted.epochs * -(-len(data.train[0]) // spec.settings.batch),
        peak_bytes=peak_bytes(),
        chosen=fitted.model.chosen if isinstance(fitted.model, ClosedForm) else "",
        verdicts=fitted.model.verdicts() if isinstance(fitted.model, ClosedForm) else [],
    )


def peak_bytes() -> int | None:
    """Most memory that this process has held so far; None where the system does not say."""
    try:
        import resource
    except ImportError:  # not on every system
        return None
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else 1024 * peak)
