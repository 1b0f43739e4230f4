"""What each column of a table is: model, preset, seeds, optimizer, schedule and inputs, from the specs of its runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from softsym_lab.experiments.render.markdown import EMPTY, markdown_table
from softsym_lab.experiments.summary import Summary
from softsym_lab.runs.spec import RunSpec
from softsym_lab.zoo import MODELS

HEADER = [
    "column",
    "model",
    "preset",
    "seeds",
    "optimizer",
    "epochs x batch",
    "average",
    "start",
    "penalties",
    "inputs",
]


def column_table(summaries: Sequence[Summary]) -> str:
    """A line for each column; where rows differ, all that there is."""
    labels = list(dict.fromkeys(s.column.label for s in summaries))
    return markdown_table(HEADER, [_line([s for s in summaries if s.column.label == label]) for label in labels])


def _line(cells: Sequence[Summary]) -> list[str]:
    runs = [s.runs[0] for s in cells]
    seeds = sorted({len(s.values) for s in cells})

    def each(read: Callable[[RunSpec], str]) -> str:
        return " / ".join(dict.fromkeys(read(run) for run in runs))

    return [
        cells[0].column.label,
        each(_model),
        each(lambda run: run.preset.name),
        f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}",
        each(_optimizer),
        each(lambda run: _trained(run, f"{run.settings.epochs} x {run.settings.batch}")),
        each(lambda run: _trained(run, f"{run.settings.average:g}" if run.settings.average else "none")),
        each(lambda run: run.preset.init if MODELS[run.model].is_regularized else EMPTY),
        each(_penalties),
        each(lambda run: "at one size" if run.canonicalises_inputs() else "as they are"),
    ]


def _model(run: RunSpec) -> str:
    return f"{run.model}, {run.group}" if run.group else run.model


def _optimizer(run: RunSpec) -> str:
    settings = run.settings
    return _trained(run, f"{settings.optimizer.capitalize()} {settings.lr:g}")


def _penalties(run: RunSpec) -> str:
    preset = run.preset
    if not MODELS[run.model].is_regularized:
        return EMPTY
    if not preset.lambda0:
        return "none"
    where = "in the loss" if preset.form == "loss" else "proximal"
    return f"{where}, {preset.lambda0:g}, {preset.strengths}"


def _trained(run: RunSpec, text: str) -> str:
    return EMPTY if MODELS[run.model].is_solved else text
