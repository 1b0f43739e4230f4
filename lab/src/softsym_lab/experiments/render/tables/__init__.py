"""How each kind of table or figure is made from stored runs: one file per kind, pure functions of the store."""

from __future__ import annotations

from collections.abc import Callable

from softsym_lab.experiments.render.files import Rendered
from softsym_lab.experiments.render.tables import (
    baselines,
    benchmark,
    correlation,
    errors,
    motion,
    parameters,
    progress,
    unknown_symmetry,
)
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import Kind, TableSpec

Render = Callable[[TableSpec, str, list[Summary]], Rendered]
RENDER: dict[Kind, Render] = {
    "table": errors.render,
    "correlation": correlation.render,
    "progress": progress.render,
    "parameters": parameters.render,
    "motion": motion.render,
    "unknown-symmetry": unknown_symmetry.render,
    "benchmark": benchmark.render,
    "baselines": baselines.render,
    "ablation": errors.render,
}
