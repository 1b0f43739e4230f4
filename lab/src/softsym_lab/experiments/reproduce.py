"""Reproducing a table: plan its runs, run what is missing, and render what the store holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from softsym.datasets import task as read_task
from softsym.errors import InputError
from softsym_lab.experiments.claims import all_claims
from softsym_lab.experiments.claims.claim import markdown
from softsym_lab.experiments.engines.engine import Engine, Job
from softsym_lab.experiments.engines.estimate import Estimate
from softsym_lab.experiments.engines.run_missing import Tally, missing, run_missing
from softsym_lab.experiments.grid import Cell, cells, check
from softsym_lab.experiments.grid import runs as runs_of
from softsym_lab.experiments.render.files import Rendered, write
from softsym_lab.experiments.render.tables import RENDER
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import Summary, summarise
from softsym_lab.experiments.table_spec import ALL, BENCHMARKS, CLAIMS, ORDER, TableSpec, check_preset_name, load_spec
from softsym_lab.runs.spec import PresetName, RunSpec


@dataclass(frozen=True)
class RunPlan:
    """What one or several tables need.

    Args:
        parts: Each table with all its cells, whichever of them are to be run.
        preset: The preset of all runs.
        runs: All runs, each once, in the order in which they are to be run.
        records: The file that benchmarks read, if it was named.
    """

    parts: tuple[tuple[TableSpec, tuple[Cell, ...]], ...]
    preset: PresetName
    runs: tuple[RunSpec, ...]
    records: str | None = None

    def estimate(self, store: Store) -> Estimate:
        """Times of the runs, from finished ones or from what the tables expect."""
        minutes = {
            run: part.minutes[self.preset][run.model]
            for part, found in self.parts
            for cell in found
            for run in cell.runs
            if run.model in part.minutes.get(self.preset, {})
        }
        return Estimate(minutes, store.records())

    def missing(self, store: Store) -> list[Job]:
        """The runs that are not done."""
        return missing(self.runs, store, self.records)

    def check(self, store: Store) -> None:
        """Refuses runs that are missing and could not be run; those that are done are not checked."""
        left = {job.spec for job in self.missing(store)}
        for part, found in self.parts:
            check(part, [cell for cell in found if left.intersection(cell.runs)])

    def check_records(self, store: Store) -> None:
        """Refuses to begin what needs a file that was not named, or one that cannot be read."""
        left = {job.spec for job in self.missing(store)}
        for part, found in self.parts:
            wanted = [run for cell in found for run in cell.runs if run in left]
            if part.records is None or not wanted:
                continue
            if self.records is None:
                raise InputError(f"{part.name} reads {part.records}; pass its path with --records")
            read_task(wanted[0].task).with_file(self.records).splits(0)


@dataclass(frozen=True)
class Output:
    """A rendered table and its files."""

    name: str
    preset: str
    rendered: Rendered
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        files = [str(path) for path in self.files]
        return {
            "name": self.name,
            "preset": self.preset,
            "rows": self.rendered.rows,
            **self.rendered.numbers,
            "files": files,
        }


def plan(
    name: str,
    preset: str,
    seeds: int | None = None,
    records: str | None = None,
    folder: Path | None = None,
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
) -> RunPlan:
    """Plans a table, or all of them.

    Args:
        name: The table's name, or ``all`` that say how many seeds they want at this preset.
        preset: ``paper``, ``code``, ``quick`` or ``fast``.
        seeds: How many seeds; what each table asks for by default.
        records: Folder of recorded tracks for motion tasks, or the file of a benchmark.
        folder: Where the tables' files are.
        columns: Run only these columns; all by default.
        rows: Run only these rows; all by default.
    """
    chosen = check_preset_name(preset)
    parts, wanted = [], []
    for one in (*ORDER, *BENCHMARKS) if name == ALL else (name,):
        spec = load_spec(one, folder)
        if name == ALL and chosen not in spec.seeds:
            continue
        found = cells(spec, chosen, seeds, records)
        parts.append((spec, tuple(found)))
        if name != ALL or spec.records is None:  # of all, benchmarks are only shown: each reads a file of its own
            wanted += runs_of(_only(spec, found, columns, rows))
    return RunPlan(tuple(parts), chosen, tuple(dict.fromkeys(wanted)), records)


def reproduce(plan: RunPlan, store: Store, engine: Engine, *, quiet: bool = False) -> Tally:
    """Runs what is missing of a plan."""
    plan.check(store)
    plan.check_records(store)
    return run_missing(plan.runs, store, engine, plan.estimate(store), records=plan.records, quiet=quiet)


def render(plan: RunPlan, store: Store) -> list[Output]:
    """Renders every table of a plan from the store; of several, those that have runs."""
    outputs = []
    for part, found in plan.parts:
        summaries = summarise(part, found, store)
        if len(plan.parts) > 1 and not any(summary.records for summary in summaries):
            continue
        rendered = RENDER[part.kind](part, plan.preset, summaries)
        files = write(rendered, store.folder / plan.preset, part.name)
        outputs.append(Output(part.name, plan.preset, rendered, tuple(files)))
    return outputs


def claims(store: Store, preset: str = "code", seeds: int | None = None, folder: Path | None = None) -> Output:
    """Tests the claims of the paper on the store; at ``fast`` also what that preset is for."""

    def summaries(name: str, preset: str = preset, seeds: int | None = seeds) -> list[Summary]:
        ((part, found),) = plan(name, preset, seeds, folder=folder).parts
        return summarise(part, found, store)

    fast = preset == "fast"
    found = all_claims(summaries, partial(summaries, preset="code", seeds=None) if fast else None)
    text = markdown(found, preset)
    rows = [claim.to_dict() for claim in found]
    rendered = Rendered(text, rows)
    return Output(CLAIMS, preset, rendered, tuple(write(rendered, store.folder / preset, CLAIMS)))


def _only(spec: TableSpec, found: Sequence[Cell], columns: Sequence[str], rows: Sequence[str]) -> list[Cell]:
    known = {"column": [column.label for column in spec.columns], "row": [row.label for row in spec.rows]}
    for what, labels in (("column", columns), ("row", rows)):
        for label in labels:
            if label not in known[what]:
                raise InputError(f"{spec.name} has no {what} {label!r}; it has {', '.join(dict.fromkeys(known[what]))}")
    return [
        cell for cell in found if (not columns or cell.column.label in columns) and (not rows or cell.row.label in rows)
    ]
