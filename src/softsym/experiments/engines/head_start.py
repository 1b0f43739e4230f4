"""A run over the full schedule begins like the same run with early stopping: it can go on where that one stopped."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from softsym.experiments.store import name
from softsym.files import put_file, put_folder
from softsym.training import RunSpec


def take_head_start(spec: RunSpec, folder: Path) -> bool:
    """Copies the checkpoints of the early stopped twin, if it is finished and this run has not begun.

    Up to the epoch in which the twin stopped, both runs are the same to the last bit, so the outcome does not depend on it.

    Args:
        spec: A run.
        folder: Where it works; that of its twin is beside it.
    """
    twin = folder.parent / name(replace(spec, early_stopping=True))
    if spec.early_stopping or (folder / "history.jsonl").exists() or not (twin / "result.json").exists():
        return False
    put_folder(
        folder / "checkpoints",
        lambda copied: shutil.copytree(twin / "checkpoints", copied, dirs_exist_ok=True),
    )
    # The history is the sign that the run has begun, so it comes last.
    put_file(folder / "history.jsonl", lambda copied: shutil.copy(twin / "history.jsonl", copied))
    return True
