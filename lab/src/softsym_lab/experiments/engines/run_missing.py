"""Running what is missing of a grid: finished runs are not repeated, half-done ones go on, failed ones are noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from softsym.errors import InputError
from softsym_lab.experiments.engines.display import display
from softsym_lab.experiments.engines.engine import Engine, Job
from softsym_lab.experiments.engines.estimate import Estimate
from softsym_lab.experiments.engines.execute import weight_rows
from softsym_lab.experiments.store import Store
from softsym_lab.runs.spec import RunSpec


@dataclass(frozen=True)
class Tally:
    """How many runs a grid has, how many are done, and those that are not, with the reason."""

    total: int
    done: int
    failed: dict[str, str]


def missing(runs: Sequence[RunSpec], store: Store, records: str | None = None) -> list[Job]:
    """The runs that are not done."""
    return [Job(spec, store.work(spec), records) for spec in runs if store.record(spec) is None]


def run_missing(
    runs: Sequence[RunSpec],
    store: Store,
    engine: Engine,
    estimate: Estimate,
    *,
    records: str | None = None,
    quiet: bool = False,
) -> Tally:
    """Runs what is missing.

    Args:
        runs: The runs, in order.
        store: Where results go.
        engine: What runs them.
        estimate: Of the time it takes; learns from every run.
        records: The file that tasks without a file of their own read.
        quiet: Show no progress.
    """
    _measure_weights(runs, store)
    jobs = missing(runs, store, records)
    failed: dict[str, str] = {}
    if jobs:
        store.prepare()
    try:
        with display(jobs, len(runs), estimate, engine.workers, quiet=quiet) as shown:
            for job, outcome in engine.outcomes(jobs, shown.tick):
                if outcome.record is not None:
                    store.save(outcome.record)
                    estimate.learn(outcome.record)
                else:
                    failed[job.folder.name] = outcome.error or "another process is running it"
                    if outcome.error is not None:
                        store.fail(job.spec, outcome.error)
                shown.ended(job, outcome)
    finally:
        store.fold()
    done = sum(store.record(spec) is not None for spec in runs)
    return Tally(len(runs), done, failed)


def _measure_weights(runs: Sequence[RunSpec], store: Store) -> None:
    """Adds to finished runs where their weights lie, if that is not recorded and the weights are still there and fit."""
    from safetensors import SafetensorError

    for spec in runs:
        record = store.record(spec)
        if record is None or record.weights:
            continue
        try:
            rows = weight_rows(spec, store.work(spec))
        except (
            InputError,
            OSError,
            RuntimeError,
            SafetensorError,
        ):  # cut off, or of networks that were built otherwise
            continue
        if rows:
            store.save(replace(record, weights=rows))
