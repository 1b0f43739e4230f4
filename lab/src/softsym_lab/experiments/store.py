"""The run store: a folder per run, named by what was run.

``runs/NAME/result.json`` is the ledger: what was asked, what came out, and under which versions; ``runs/NAME/history.json`` a thinned
history. ``work/NAME`` is what a run needs while it is under way (checkpoints, weights) and is not worth keeping with the results. A
file is written whole or not at all, and a run counts as done when its result is there.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from softsym.errors import InputError, in_one_line
from softsym.io import digest, dump_with_checksum, load_with_checksum, put_text
from softsym_lab.experiments.weights import WeightRows
from softsym_lab.runs.record import RunResult
from softsym_lab.runs.spec import RunSpec

SCHEMA = 1
HISTORY = "history"
"""The field of a stored result that holds the checksum of the history beside it."""
Environment = dict[str, Any]
HistoryRows = list[dict[str, Any]]


@dataclass(frozen=True)
class RunRecord:
    """A finished run.

    Args:
        spec: What was run.
        result: What came out.
        environment: Versions and threads, which the last bits depend on.
        history: Some epochs of its history.
        weights: Where its weights lie, a row for each layer; empty where nobody looked.
    """

    spec: RunSpec
    result: RunResult
    environment: Environment = field(default_factory=dict)
    history: HistoryRows = field(default_factory=list)
    weights: WeightRows = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, without the history."""
        return {
            "schema": SCHEMA,
            "key": key(self.spec),
            "spec": self.spec.to_dict(),
            "result": self.result.to_dict(),
            "environment": self.environment,
            **({"weights": self.weights} if self.weights else {}),
        }

    @staticmethod
    def from_dict(fields: dict[str, Any], history: HistoryRows) -> RunRecord:
        """Reads :meth:`to_dict`."""
        spec, result = RunSpec.from_dict(fields["spec"]), RunResult.from_dict(fields["result"])
        return RunRecord(spec, result, fields["environment"], history, fields.get("weights", []))


def key(spec: RunSpec) -> str:
    """The hash of everything that decides a result, 16 hexadecimal digits."""
    text = json.dumps(spec.to_dict(), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def name(spec: RunSpec) -> str:
    """The name of a run's folder: readable first, then the hash."""
    words = [spec.task, spec.group or "", spec.model, spec.preset.name, f"s{spec.seed}"]
    readable = "-".join(re.sub(r"[^A-Za-z0-9.+]+", "_", word).strip("_") for word in words if word)
    return f"{readable[:80]}-{key(spec)}"


class Store:
    """Runs in a folder.

    Args:
        folder: The folder; it is made when something is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._found: dict[str, RunRecord] | None = None

    def work(self, spec: RunSpec) -> Path:
        """Where a run works."""
        return self.folder / "work" / name(spec)

    def record(self, spec: RunSpec) -> RunRecord | None:
        """A finished run; None if it is not done."""
        return self._records().get(key(spec))

    def records(self) -> list[RunRecord]:
        """All finished runs."""
        return list(self._records().values())

    def save(self, record: RunRecord) -> None:
        """Keeps a finished run."""
        folder = self.folder / "runs" / name(record.spec)
        folder.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(row) for row in record.history]
        history = "[\n" + ",\n".join(lines) + "\n]\n"
        put_text(folder / "history.json", history)
        fields = {**record.to_dict(), HISTORY: digest(history.encode())}
        put_text(folder / "result.json", dump_with_checksum(fields, indent=1) + "\n")
        (folder / "error.json").unlink(missing_ok=True)
        self._records()[key(record.spec)] = record

    def fail(self, spec: RunSpec, message: str) -> None:
        """Keeps the error of a run that failed; it will be tried again when it is asked for again."""
        folder = self.folder / "runs" / name(spec)
        folder.mkdir(parents=True, exist_ok=True)
        fields = {"schema": SCHEMA, "key": key(spec), "spec": spec.to_dict(), "error": message}
        put_text(folder / "error.json", dump_with_checksum(fields, indent=1) + "\n")

    def prepare(self) -> None:
        """Makes the folder of runs under way, which keeps itself out of version control."""
        work = self.folder / "work"
        try:
            work.mkdir(parents=True, exist_ok=True)
            put_text(work / ".gitignore", "*\n")
        except OSError as error:
            raise InputError(
                f"cannot write to {self.folder}: {error.strerror}; pass another --out-dir"
            ) from error

    def _records(self) -> dict[str, RunRecord]:
        """Read once. The key is that of the stored spec, so results stay found when specs get new fields with defaults."""
        if self._found is None:
            read = [_read(path) for path in sorted(self.folder.glob("runs/*/result.json"))]
            self._found = {key(record.spec): record for record in read}
        return self._found


def _read(path: Path) -> RunRecord:
    try:
        fields = load_with_checksum(path.read_text(encoding="utf-8"), required=False)
        history, expected = path.with_name("history.json"), fields.pop(HISTORY, None)
        text = history.read_text(encoding="utf-8") if history.exists() else "[]"
        if expected is not None and digest(text.encode()) != expected:
            raise ValueError("the checksum of the history beside it does not match")
        return RunRecord.from_dict(fields, json.loads(text))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"cannot read {path}: {in_one_line(error)}; remove its folder to run it again"
        ) from error
