"""How time and memory grow with rows, columns and candidate groups: the evidence from a Parquet file, and an epoch of batches from it.

Every case is a process of its own, so that its peak of memory is its own. Exponents are slopes of logarithms between the smallest and
the largest case: one means linear. Times on a busy machine are processor seconds, which others hardly change.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
COLUMNS = (20, 60, 150, 300)
GROUPS = (1, 5, 20, 50)
USED = 250_000
"""Rows that are used of a larger file, as ``softsym discover`` does."""
CHUNK = 500_000


@dataclass(frozen=True)
class Case:
    """One size.

    Args:
        rows: Of the file.
        columns: Inputs: a fifth of them scalars, the others vectors.
        groups: How many candidates.
        outputs: Three times as many vectors.
        lean: What scalars add to each vector along z, which leaves ``O(2)@z``; nothing in the series.
    """

    rows: int
    columns: int = 20
    groups: int = 1
    outputs: int = 3
    lean: float = 0.0


def run(rows: Sequence[int] = ROWS, columns: Sequence[int] = COLUMNS, groups: Sequence[int] = GROUPS) -> dict[str, Any]:
    """Measures each series, the others at their smallest, with the exponents."""
    series = {
        "rows": [Case(n) for n in rows],
        "columns": [Case(rows[0], columns=n) for n in columns],
        "groups": [Case(rows[0], groups=n) for n in groups],
    }
    return {name: _measure_series(name, cases) for name, cases in series.items()}


def _measure_series(name: str, cases: list[Case]) -> dict[str, Any]:
    measured = [{**asdict(case), **measure(case)} for case in cases]
    sizes = [getattr(case, name) for case in cases]
    keys = [key for key in measured[0] if key.endswith(("seconds", "megabytes"))]
    return {"cases": measured, "exponents": {key: exponent(sizes, [one[key] for one in measured]) for key in keys}}


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of the logarithms, by least squares over the larger half, where what is constant no longer hides it.

    Example:
        >>> exponent([1, 10, 100], [3.0, 30.0, 300.0])
        1.0
    """
    half = len(sizes) // 2 if len(sizes) > 2 else 0
    x, y = ([math.log(value) for value in all_values[half:]] for all_values in (sizes, values))
    if len(x) < 2:
        return math.nan
    middle = sum(x) / len(x)
    slope = sum((a - middle) * b for a, b in zip(x, y, strict=True)) / sum((a - middle) ** 2 for a in x)
    return round(slope, 2)


def measure(case: Case) -> dict[str, float]:
    """Seconds and memory of one case, in processes of their own: the evidence, and an epoch from disk."""
    measured: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="softsym-scale-") as folder:
        path = Path(folder) / "rows.parquet"
        write(case, path)
        for part in PARTS:
            command = [sys.executable, "-m", "softsym_lab.benchmarks.scale", part, json.dumps(asdict(case)), str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            measured |= json.loads(done.stdout.splitlines()[-1])
    return measured


def write(case: Case, path: Path) -> None:
    """Writes a target function with noise: outputs are a vector that scalars and vectors of the inputs make. Piece by piece."""
    import numpy as np
    import polars

    scalars, vectors = count_inputs(case)
    pieces = []
    for start in range(0, case.rows, CHUNK):
        n = min(CHUNK, case.rows - start)
        rng = np.random.default_rng([0, start])
        X = rng.standard_normal((n, case.columns), dtype=np.float32)
        V = X[:, scalars:].reshape(n, vectors, 3)
        outputs = [
            X[:, k % scalars, None] * V[:, k % vectors] + V[:, (k + 1) % vectors] for k in range(case.outputs // 3)
        ]
        Y = np.concatenate(outputs, axis=1) + 0.05 * rng.standard_normal((n, case.outputs), dtype=np.float32)
        Y[:, 2::3] += case.lean * X[:, :1]
        columns = {f"x{k}": X[:, k] for k in range(case.columns)} | {f"y{k}": Y[:, k] for k in range(case.outputs)}
        piece = path.with_name(f"piece-{start}.parquet")
        polars.DataFrame(columns).write_parquet(piece)
        pieces.append(piece)
    polars.scan_parquet(pieces).sink_parquet(path)
    for piece in pieces:
        piece.unlink()


def count_inputs(case: Case) -> tuple[int, int]:
    """Numbers of scalars and vectors among the inputs.

    Example:
        >>> count_inputs(Case(100, columns=20))
        (5, 5)
    """
    vectors = (case.columns - case.columns // 5) // 3
    return case.columns - 3 * vectors, vectors


def _evidence(case: Case, path: Path) -> dict[str, float]:
    import time

    from softsym.data import read_table
    from softsym.inference import evidence
    from softsym_lab.benchmarks.timing import peak_megabytes

    scalars, vectors = count_inputs(case)
    start = time.process_time()
    table = read_table(path, f"x0..x{case.columns - 1}", "y0..y2", most_rows=USED)
    assert table.Y is not None
    read = time.process_time()
    axes = [(math.cos(k), math.sin(k), 1.0) for k in range(case.groups)]
    groups = [f"O(2)@({x:.3f},{y:.3f},{z:.3f})" for x, y, z in axes]
    evidence(table.X, table.Y, f"{scalars}S + {vectors}V", "V", groups)
    evidence_done = time.process_time()
    return {
        "read_seconds": read - start,
        "evidence_seconds": evidence_done - read,
        "whole_seconds": evidence_done,  # since the process began, imports included
        "peak_megabytes": peak_megabytes(),
    }


def _stream(case: Case, path: Path) -> dict[str, float]:
    import time

    from softsym.data import ParquetRows
    from softsym_lab.benchmarks.timing import peak_megabytes

    rows = ParquetRows(path, f"x0..x{case.columns - 1}", "y0..y2", batch=1024)
    before, start = peak_megabytes(), time.process_time()
    seen = sum(len(x) for x, _ in rows)
    assert seen == case.rows
    return {
        "stream_seconds": time.process_time() - start,
        "stream_peak_megabytes": peak_megabytes(),
        "stream_import_megabytes": before,
    }


LOAD = {
    "rows": Case(10_000_000, lean=0.5, groups=2),
    "columns": Case(10_000, columns=300, lean=0.5, groups=2),
    "groups": Case(10_000, groups=50, lean=0.5),
    "outputs": Case(10_000, outputs=51, lean=0.5, groups=2),
    "all": Case(1_000_000, columns=60, groups=10, outputs=12, lean=0.5),
}
"""The largest size of every axis, and of all together."""


def load(names: Sequence[str] = tuple(LOAD)) -> dict[str, Any]:
    """``softsym check`` with outputs at the largest sizes: seconds to its first output and in all, peak of memory, verdicts."""
    return {name: {**asdict(LOAD[name]), **check(LOAD[name])} for name in names}


def check(case: Case) -> dict[str, Any]:
    """The evidence as a command; rotations about z hold, those about other axes do not."""
    import os
    import time

    scalars, vectors = count_inputs(case)
    groups = ["O(2)@z", *(f"O(2)@({math.cos(k):.3f},{math.sin(k):.3f},1)" for k in range(1, case.groups))]
    with tempfile.TemporaryDirectory(prefix="softsym-load-") as folder:
        write(case, Path(folder) / "rows.parquet")
        command = [sys.executable, "-m", "softsym", "check", "rows.parquet", "--json", "out.json"]
        command += ["--x-columns", f"x0..x{case.columns - 1}", "--y-columns", f"y0..y{case.outputs - 1}"]
        command += ["--in", f"{scalars}S + {vectors}V", "--out", f"{case.outputs // 3}V", "--groups", *groups]
        began, first = time.monotonic(), None
        with subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            assert process.stdout is not None
            for _ in process.stdout:
                first = first or round(time.monotonic() - began, 1)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        found = {row["name"]: row["verdict"] for row in _rows(Path(folder) / "out.json")}
        wrong = [name for name, verdict in found.items() if (verdict == "exact") != (name == groups[0])]
        undecided = [name for name in wrong if found[name] == "undecided"]
        return {
            "first_output_seconds": first,
            "whole_seconds": round(time.monotonic() - began, 1),
            "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
            "peak_megabytes": round(used.ru_maxrss / 1024, 1),
            "exit_code": process.returncode,
            "verdicts": len(found),
            "undecided": len(undecided),
            "wrong": len(wrong) - len(undecided),
        }


def _rows(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text())["evidence"] if file.exists() else []


PARTS = {"evidence": _evidence, "stream": _stream}


if __name__ == "__main__":
    print(json.dumps(PARTS[sys.argv[1]](Case(**json.loads(sys.argv[2])), Path(sys.argv[3]))))
