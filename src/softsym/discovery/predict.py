"""Predictions for a file, written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softsym.data.columns import quote
from softsym.data.formats import format_of, suffixes
from softsym.data.table import Table, open_file
from softsym.datasets.parse import is_task
from softsym.errors import InputError
from softsym.io import put_file
from softsym.typing import Array


def predict_file(
    model: Path,
    data: str,
    output: Path,
    *,
    x_columns: str | None = None,
    seed: int = 0,
    force: bool = False,
) -> int:
    """Predicts for every row of a file; returns their number.

    Args:
        model: The model's folder.
        data: A file, or a task.
        output: A file of one of the formats :data:`softsym.data.formats.FORMATS`.
        x_columns: Columns of the inputs; by default those with the names the model was trained on.
        seed: Seed of a task's data.
        force: Replace an existing file.
    """
    if output.suffix.lower() not in suffixes():
        raise InputError(f"{output} must end in {', '.join(suffixes())}")
    if output.exists() and not force:
        raise InputError(f"{output} exists already; pass another -o, or --force to replace it")
    if not (model / "model.json").is_file():
        raise InputError(
            f"{model} holds no softsym model; pass a folder written by est.save or softsym discover"
        )
    if not is_task(data):
        open_file(Path(data))
    from softsym.discovery.load_model import load  # with torch, which is not needed to refuse anything above

    est: Any = load(model)
    names = list(getattr(est, "feature_names_in_", []))
    table = _table(data, x_columns, names, seed)
    if table.X.shape[1] != est.n_features_in_:
        raise InputError(
            f"{table.source} gives {table.X.shape[1]} columns, the model has {est.n_features_in_} inputs "
            f"({est.fit_.shape.rep_in}); pass them as --x-columns"
        )
    if hasattr(est, "predict_proba"):
        mean, std = est.fit_.predict(table.X)
    else:
        mean, std = (part.reshape(len(table.X), -1) for part in est.predict(table.X, return_std=True))
    outputs = [str(name) for name in getattr(est, "output_names_", [f"y{k}" for k in range(mean.shape[1])])]
    _write(output, outputs, mean, std if np.any(std) else None)
    return len(mean)


def _table(data: str, x_columns: str | None, names: list[str], seed: int) -> Table:
    if x_columns is None and names and not is_task(data) and not format_of(Path(data)).knows_inputs:
        x_columns = quote(names)
    from softsym.datasets.parse import read_data

    return read_data(data, x_columns, need_y=False, seed=seed)[0]


def _write(output: Path, names: list[str], mean: Array, std: Array | None) -> None:
    """Writes predictions and, if there are several members, their standard deviation."""
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        put_file(output, lambda path: format_of(output).write(path, names, mean, std))
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror}") from error
