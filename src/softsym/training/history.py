"""What is recorded of every epoch (one JSON line with a checksum, written at once), and early stopping by it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from softsym.io import dump_with_checksum, load_with_checksum, put_text


class History:
    """One row per epoch, kept in memory and appended to a file."""

    def __init__(self, path: Path | None) -> None:
        self.rows: list[dict[str, Any]] = []
        self._path = path

    def append(self, row: dict[str, Any]) -> None:
        """Adds an epoch."""
        self.rows.append(row)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(dump_with_checksum(row) + "\n")

    def to_disk(self) -> None:
        """Waits until all rows are on the disk: a checkpoint is used only if the history reaches its epoch."""
        if self._path is not None and self._path.exists():
            with self._path.open("rb") as file:
                os.fsync(file.fileno())

    def restart(self, epoch: int) -> None:
        """Drops rows after an epoch, which a resumed run writes again."""
        if self._path is None:
            return
        rows = read_history(self._path) if self._path.exists() else []
        self.rows = [row for row in rows if row["epoch"] <= epoch]
        put_text(self._path, "".join(dump_with_checksum(row) + "\n" for row in self.rows))


def read_history(path: Path) -> list[dict[str, Any]]:
    """The rows of a history file up to the first that is damaged, or cut off by a crash."""
    rows: list[dict[str, Any]] = []
    for line in path.read_bytes().splitlines():
        try:
            row = load_with_checksum(line.decode())
            if row["epoch"] != len(rows) + 1:
                break
        except (ValueError, KeyError):
            break
        rows.append(row)
    return rows


def last_epoch(path: Path) -> int:
    """The last epoch of a history file; 0 if there is none."""
    return len(read_history(path)) if path.exists() else 0


class EarlyStopping:
    """Stops when the validation loss has not improved for a number of epochs, and remembers the best epoch."""

    def __init__(self, patience: int, after: int, enabled: bool = True) -> None:
        self.patience, self.after, self.enabled = patience, after, enabled
        self.best, self.best_epoch = math.inf, 0

    def counts(self, epoch: int) -> bool:
        """Whether this epoch's validation counts."""
        return epoch > self.after

    def improves(self, loss: float, epoch: int) -> bool:
        """Records the validation loss of an epoch; true if it is the best so far."""
        if not self.counts(epoch) or not loss < self.best:
            return False
        self.best, self.best_epoch = loss, epoch
        return True

    def is_over(self, epoch: int) -> bool:
        """Whether patience has run out."""
        return self.enabled and self.counts(epoch) and epoch - max(self.best_epoch, self.after) >= self.patience

    def state_dict(self) -> dict[str, Any]:
        """For checkpoints."""
        return {"best": None if math.isinf(self.best) else self.best, "best_epoch": self.best_epoch}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores :meth:`state_dict`."""
        self.best = math.inf if state["best"] is None else float(state["best"])
        self.best_epoch = int(state["best_epoch"])
