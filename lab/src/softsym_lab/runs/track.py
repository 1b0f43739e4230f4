"""Following a run in TensorBoard (the ``[track]`` extra)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from softsym.errors import InputError


def tensorboard(folder: Path) -> Callable[[Mapping[str, Any]], None]:
    """A function that writes every number of a history row to TensorBoard files in a folder."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise InputError(
            "tracking needs TensorBoard: pip install 'softsym[track]', or leave out --track"
        ) from error
    writer = SummaryWriter(str(folder))

    def note(row: Mapping[str, Any]) -> None:
        for name, value in flat(row).items():
            writer.add_scalar(name, value, row["epoch"])
        writer.flush()

    return note


def flat(row: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a history row, those of groups under names of their own.

    Example:
        >>> flat({"epoch": 3, "loss": 0.5, "strengths": {"O(3)": 2.0}})
        {'loss': 0.5, 'strengths/O(3)': 2.0}
    """
    found: dict[str, float] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            found |= {f"{name}/{group}": float(number) for group, number in value.items()}
        elif name != "epoch" and value is not None:
            found[name] = float(value)
    return found
