"""The history of a run: one JSON line per epoch, written as it goes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from softsym.files import put_text


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
                file.write(json.dumps(row) + "\n")

    def restart(self, epoch: int) -> None:
        """Drops what was written after an epoch: a resumed run writes it again."""
        if self._path is None:
            return
        rows = read(self._path) if self._path.exists() else []
        self.rows = [row for row in rows if row["epoch"] <= epoch]
        put_text(self._path, "".join(json.dumps(row) + "\n" for row in self.rows))


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a history file; a last line cut off by a crash is left out."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows
