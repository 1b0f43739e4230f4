"""Where the weights of a finished run lie: the parts of every layer (:func:`softsym.metrics.weight_parts`), as rows to keep."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from softsym_lab.runs.spec import RunSpec
from softsym_lab.zoo import MODELS

FILE = "model.safetensors"
WeightRows = list[dict[str, Any]]


def weight_rows(spec: RunSpec, folder: Path) -> WeightRows:
    """The parts of every layer of a finished run, from the weights that it left; empty where there is nothing to tell.

    Args:
        spec: The run.
        folder: Where it worked.

    Raises:
        InputError: The weights are damaged.
    """
    if not MODELS[spec.model].is_free or not (folder / FILE).exists():
        return []
    from softsym.metrics import weight_parts
    from softsym_lab.runs.run_folder import RunFolder

    RunFolder(folder).result()  # refuses weights that are not those of the result
    rows = [asdict(parts) for parts in weight_parts(trained(spec, folder / FILE))]
    return [row | {name: _rounded(row[name]) for name in ("inside", "outside", "confined")} for row in rows]


def _rounded(value: float | None) -> float | None:
    """Six digits are enough for a figure."""
    return None if value is None else float(f"{value:.6g}")


def trained(spec: RunSpec, path: Path) -> Any:
    """The network of a finished run, from its file of weights."""
    from safetensors.torch import load_file

    from softsym.datasets import task as read_task

    model = spec.build(read_task(spec.task)).model
    model.load_state_dict(load_file(path))
    return model
