"""The history of a run: one JSON line per epoch with its checksum, written as it goes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from softsym.io import dump_with_checksum, load_with_checksum, put_text


class History:
    """Rows of numbers, kept in memory and appended to a file.

    Args:
        path: The file; None to keep the history in memory only.
    """

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
        """Waits until all rows are on the disk: a checkpoint is worth nothing without those before it."""
        if self._path is not None and self._path.exists():
            with self._path.open("rb") as file:
                os.fsync(file.fileno())

    def restart(self, epoch: int) -> None:
        """Drops what was written after an epoch: a resumed run writes it again."""
        if self._path is None:
            return
        rows = read(self._path) if self._path.exists() else []
        self.rows = [row for row in rows if row["epoch"] <= epoch]
        put_text(self._path, "".join(dump_with_checksum(row) + "\n" for row in self.rows))


def read(path: Path) -> list[dict[str, Any]]:
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
    """The last epoch that a history file tells of; 0 if there is none."""
    return len(read(path)) if path.exists() else 0
