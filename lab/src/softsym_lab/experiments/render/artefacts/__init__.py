"""How each kind of artefact is made from stored runs: one file per kind, pure functions of the store."""

from __future__ import annotations

from collections.abc import Callable

from softsym_lab.experiments.artefact import Artefact, Kind
from softsym_lab.experiments.render.artefacts import (
    benchmark,
    correlation,
    motion,
    parameters,
    progress,
    rivals,
    table,
    unknown,
)
from softsym_lab.experiments.render.files import Rendered
from softsym_lab.experiments.summary import Summary

Render = Callable[[Artefact, str, list[Summary]], Rendered]
RENDER: dict[Kind, Render] = {
    "table": table.render,
    "correlation": correlation.render,
    "progress": progress.render,
    "parameters": parameters.render,
    "motion": motion.render,
    "unknown": unknown.render,
    "benchmark": benchmark.render,
    "rivals": rivals.render,
}
