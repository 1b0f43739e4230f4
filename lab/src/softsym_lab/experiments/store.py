"""The store of finished runs: a Parquet ledger for each preset, a row for each run.

``PRESET.parquet`` holds what was run, its result, under which versions, and a thinned history: JSON texts with a checksum, after
the columns by which one searches (:data:`COLUMNS`). A run that has just finished is ``pending/NAME.json`` until it is added to its
ledger. ``work/NAME`` is what a run needs while it is under way (checkpoints, weights); it is not worth keeping with the results.

Every file is written whole or not at all, pending runs are read as those of the ledgers are, and one that is both pending and in a
ledger counts once. A process may therefore be killed at any moment, and several may share a store.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import polars as pl

from softsym.errors import InputError, in_one_line
from softsym.io import digest, dump_with_checksum, load_with_checksum, put_file, put_text, sweep
from softsym_lab.runs.record import RunResult
from softsym_lab.runs.spec import PresetName, RunSpec

SCHEMA = 1
TEXTS = ("spec", "result", "environment", "weights", "history")
"""Columns of JSON, which together are the run."""
COLUMNS: dict[str, type[pl.DataType]] = {
    "name": pl.String,
    "key": pl.String,
    "task": pl.String,
    "group": pl.String,
    "model": pl.String,
    "preset": pl.String,
    "seed": pl.Int64,
    "test_error": pl.Float64,
    **dict.fromkeys(TEXTS, pl.String),
    "checksum": pl.String,
}
Environment = dict[str, Any]
HistoryRows = list[dict[str, Any]]
WeightRows = list[dict[str, Any]]
Row = dict[str, Any]


@dataclass(frozen=True)
class RunRecord:
    """A finished run.

    Args:
        spec: What was run.
        result: What came out.
        environment: Versions and threads, which the last bits depend on.
        history: Some epochs of its history.
        weights: Where its weights lie, a row for each layer; empty where this was not measured.
    """

    spec: RunSpec
    result: RunResult
    environment: Environment = field(default_factory=dict)
    history: HistoryRows = field(default_factory=list)
    weights: WeightRows = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings."""
        return {
            "schema": SCHEMA,
            "key": key(self.spec),
            "spec": self.spec.to_dict(),
            "result": self.result.to_dict(),
            "environment": self.environment,
            "weights": self.weights,
            "history": self.history,
        }

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> RunRecord:
        """Reads :meth:`to_dict`."""
        spec, result = RunSpec.from_dict(fields["spec"]), RunResult.from_dict(fields["result"])
        return RunRecord(spec, result, fields["environment"], fields["history"], fields["weights"])


def key(spec: RunSpec) -> str:
    """The hash of everything that decides a result, 16 hexadecimal digits."""
    text = json.dumps(spec.to_dict(), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def name(spec: RunSpec) -> str:
    """The name of a run: readable first, then the hash."""
    words = [spec.task, spec.group or "", spec.model, spec.preset.name, f"s{spec.seed}"]
    readable = "-".join(re.sub(r"[^A-Za-z0-9.+]+", "_", word).strip("_") for word in words if word)
    return f"{readable[:80]}-{key(spec)}"


def to_row(record: RunRecord) -> Row:
    """The row of a ledger that holds a run."""
    spec, fields = record.spec, record.to_dict()
    texts = {column: json.dumps(fields[column]) for column in TEXTS}
    return {
        "name": name(spec),
        "key": fields["key"],
        "task": spec.task,
        "group": spec.group,
        "model": spec.model,
        "preset": spec.preset.name,
        "seed": spec.seed,
        "test_error": record.result.test_error,
        **texts,
        "checksum": checksum(texts),
    }


def from_row(row: Row) -> RunRecord:
    """The run that a row of a ledger holds; a ``ValueError`` if its texts are not those that were written."""
    if checksum(row) != row["checksum"]:
        raise ValueError(f"the checksum of the run {row['name']} does not match")
    return RunRecord.from_dict({column: json.loads(row[column]) for column in TEXTS})


def checksum(row: Row) -> str:
    """Of all texts of a row."""
    return digest("\n".join(row[column] for column in TEXTS).encode())


def read_ledger(path: Path) -> list[Row]:
    """The rows of a ledger; none where there is no file."""
    try:
        # Read as a whole first: the file may be replaced while polars reads its parts.
        return pl.read_parquet(path.read_bytes(), columns=list(COLUMNS)).rows(named=True) if path.exists() else []
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unreadable(path, error) from error


def write_ledger(path: Path, rows: Sequence[Row]) -> None:
    """Writes a ledger, whole or not at all; its bytes do not depend on the order of the rows."""
    table = pl.DataFrame(rows, schema=COLUMNS).sort("name")
    put_file(path, lambda temporary: table.write_parquet(temporary, compression="zstd", compression_level=19))


class Store:
    """The finished runs in a folder.

    Args:
        folder: The folder; it is made when something is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pending: dict[str, RunRecord] | None = None
        self._ledgers: dict[str, dict[str, RunRecord]] = {}

    def work(self, spec: RunSpec) -> Path:
        """Where a run works."""
        return self.folder / "work" / name(spec)

    def record(self, spec: RunSpec) -> RunRecord | None:
        """A finished run; None if it is not done."""
        return self._records(spec.preset.name).get(key(spec))

    def records(self) -> list[RunRecord]:
        """All finished runs."""
        return [record for preset in self.presets() for record in self._records(preset).values()]

    def presets(self) -> list[PresetName]:
        """The presets that have finished runs."""
        pending = {record.spec.preset.name for record in self._read_pending().values()}
        read = {preset for preset, records in self._ledgers.items() if records}
        return [preset for preset in get_args(PresetName) if preset in pending | read or self._ledger(preset).exists()]

    def save(self, record: RunRecord) -> None:
        """Keeps a finished run, outside its ledger until :meth:`fold` is called."""
        self._records(record.spec.preset.name)[key(record.spec)] = record
        with self._lock():
            put_text(self._pending_folder / f"{name(record.spec)}.json", dump_with_checksum(record.to_dict()))
        (self.work(record.spec) / "error.json").unlink(missing_ok=True)

    def fail(self, spec: RunSpec, message: str) -> None:
        """Notes the error of a run that failed where it worked; it will be tried again when it is asked for again."""
        self.work(spec).mkdir(parents=True, exist_ok=True)
        put_text(self.work(spec) / "error.json", json.dumps({"spec": spec.to_dict(), "error": message}))

    def fold(self) -> None:
        """Adds the runs that are pending to their ledgers."""
        if not self._pending_files():
            return
        with self._lock():
            sweep(self._pending_folder)
            files = self._pending_files()
            pending = [_read_pending(path) for path in files]
            for preset in {record.spec.preset.name for record in pending}:
                added = {key(each.spec): to_row(each) for each in pending if each.spec.preset.name == preset}
                # By the key of today's spec, which has fields that the stored one may lack.
                kept = [
                    row
                    for row in read_ledger(self._ledger(preset))
                    if key(RunSpec.from_dict(json.loads(row["spec"]))) not in added
                ]
                sweep(self.folder, preset)
                write_ledger(self._ledger(preset), [*kept, *added.values()])
            for path in files:
                path.unlink()

    def prepare(self) -> None:
        """Makes the folder of runs under way; refuses a store that cannot be written."""
        self._make(self.folder / "work")

    @property
    def _pending_folder(self) -> Path:
        return self.folder / "pending"

    def _ledger(self, preset: str) -> Path:
        return self.folder / f"{preset}.parquet"

    def _pending_files(self) -> list[Path]:
        """Without those that are half-written, whose names begin with a dot."""
        return sorted(self._pending_folder.glob("[!.]*.json"))

    def _make(self, folder: Path) -> None:
        """Makes a folder that keeps itself out of version control."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            put_text(folder / ".gitignore", "*\n")
        except OSError as error:
            raise InputError(f"cannot write to {self.folder}: {error.strerror}; pass another --out-dir") from error

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """One process at a time changes what is pending; the lock goes with the process that holds it."""
        from filelock import FileLock

        if not self._pending_folder.exists():
            self._make(self._pending_folder)
        with FileLock(self._pending_folder / ".lock"):
            yield

    def _records(self, preset: str) -> dict[str, RunRecord]:
        """Runs of a preset by the key of today's spec, so that they stay found when specs get new fields with defaults."""
        if preset not in self._ledgers:
            pending, path = self._read_pending(), self._ledger(preset)  # pending first: see below
            try:
                stored = [from_row(row) for row in read_ledger(path)]
            except (ValueError, KeyError, TypeError) as error:
                raise _unreadable(path, error) from error
            self._ledgers[preset] = {key(record.spec): record for record in stored} | {
                each: record for each, record in pending.items() if record.spec.preset.name == preset
            }
        return self._ledgers[preset]

    def _read_pending(self) -> dict[str, RunRecord]:
        """Read once, and before any ledger: a file that is gone by then was added to one."""
        if self._pending is None:
            self._pending = {}
            for path in self._pending_files():
                with suppress(FileNotFoundError):
                    record = _read_pending(path)
                    self._pending[key(record.spec)] = record
        return self._pending


def _read_pending(path: Path) -> RunRecord:
    try:
        return RunRecord.from_dict(load_with_checksum(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"cannot read {path}: {in_one_line(error)}; remove it to run it again") from error


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(f"cannot read {path}: {in_one_line(error)}; restore it from version control")
