"""``softsym reproduce``: the paper's tables and figures, from our own runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from softsym.cli import Interrupted, write_json
from softsym.cluster import check_engine
from softsym.errors import InputError

if TYPE_CHECKING:
    from softsym_lab.experiments.engines.engine import Engine
    from softsym_lab.experiments.engines.run_missing import Tally
    from softsym_lab.experiments.reproduce import Output, RunPlan
    from softsym_lab.experiments.store import Store


def command(
    name: str = typer.Argument(
        ...,
        metavar="ARTIFACT",
        help="table1, table2, correlation, progress, parameters, robustness, frame-averaging, unknown-symmetry, motion, "
        "baselines (methods and their costs), ablation (PER with one thing changed, baselines trained alike), centring "
        "(motion with and without the future in its inputs), "
        "all of these, flights, mocap or duct (on a file that --records names), or claims "
        "(tests the paper's claims on the runs that are done).",
    ),
    seeds: int | None = typer.Option(None, "--seeds", min=1, help="Seeds; as many as the table asks for by default."),
    preset: str | None = typer.Option(
        None, "--preset", help="paper, code, fast or quick (default; with --from-results, all that have runs)."
    ),
    columns: list[str] = typer.Option([], "--column", help="Run only this column; may be given several times."),
    rows: list[str] = typer.Option([], "--row", help="Run only this row; may be given several times."),
    engine: str = typer.Option("local", "--engine", help="local, or ray (the [ray] extra)."),
    workers: int | None = typer.Option(None, "--workers", min=1, help="Runs at a time; the cores by default."),
    address: str | None = typer.Option(None, "--address", help="A Ray cluster; one is started here by default."),
    records: str | None = typer.Option(
        None,
        "--records",
        help="Folder of Waymo records for motion (simulated vehicles by default), or the file that flights, mocap or duct read.",
    ),
    out_dir: str | None = typer.Option(
        None, "--out-dir", help="Folder of the results; paper/results of a checkout by default."
    ),
    dry_run: bool = typer.Option(False, "--dry-run", help="Only list the runs and how long they will take."),
    from_results: bool = typer.Option(False, "--from-results", help="Run nothing; render what is there."),
    json_file: str | None = typer.Option(None, "--json", help="Write the result as JSON to a file, or to - (stdout)."),
    quiet: bool = typer.Option(False, "--quiet", help="No progress."),
) -> None:
    """Runs what a table or figure of the paper needs, and renders it with the published numbers.

    Finished runs are kept and never repeated; stopped with Ctrl-C, the same command goes on.

    Example: softsym reproduce correlation --preset quick
    """
    _check_names(name, preset)
    check_engine(engine, address)
    from softsym_lab.experiments.reproduce import claims, plan, render, reproduce
    from softsym_lab.experiments.store import Store
    from softsym_lab.experiments.table_spec import CLAIMS, default_results

    store = Store(Path(out_dir) if out_dir is not None else default_results())
    store.fold()  # what a killed process has finished
    if name == CLAIMS:
        return _show([claims(store, preset or "code", seeds)], None, json_file)
    if from_results:
        presets = [preset] if preset is not None else store.presets()
        if not presets:
            raise InputError(f"{store.folder} holds no results; leave out --from-results, or pass another --out-dir")
        plans = [plan(name, stored, seeds, records, columns=columns, rows=rows) for stored in presets]
        return _show([output for one in plans for output in render(one, store)], None, json_file)
    chosen = plan(name, preset or "quick", seeds, records, columns=columns, rows=rows)
    runner = _engine(engine, workers, address)
    if dry_run:
        chosen.check(store)
        return _list_runs(chosen, store, runner, json_file)
    try:
        tally = reproduce(chosen, store, runner, quiet=quiet)
    except (KeyboardInterrupt, Interrupted):
        left = f"{len(chosen.missing(store))} of {len(chosen.runs)} runs are left"
        typer.echo(f"softsym: interrupted; {left}, the same command goes on with them", err=True)
        raise typer.Exit(130) from None
    _show(render(chosen, store), tally, json_file)
    if tally.failed:
        raise typer.Exit(1)
    return None


def _check_names(name: str, preset: str | None) -> None:
    """Refuses names that nothing has before torch is imported."""
    from softsym_lab.experiments.table_spec import ALL, CLAIMS, check_preset_name, check_spec_name

    if name not in (ALL, CLAIMS):
        check_spec_name(name)
    if preset is not None:
        check_preset_name(preset)


def _engine(name: str, workers: int | None, address: str | None) -> Engine:
    from softsym_lab.experiments.engines.local import Local
    from softsym_lab.experiments.engines.ray import Ray

    return Local(workers) if name == "local" else Ray(workers, address)


def _list_runs(chosen: RunPlan, store: Store, engine: Engine, json_file: str | None) -> None:
    from softsym_lab.experiments.engines.display import describe
    from softsym_lab.experiments.engines.estimate import duration, pace

    estimate, jobs = chosen.estimate(store), chosen.missing(store)
    times = [estimate.left(job.spec, pace(job.folder)) for job in jobs]
    total = estimate.total(jobs, engine.workers)
    if json_file is not None:
        rows = [{"run": job.folder.name, "seconds": time} for job, time in zip(jobs, times, strict=True)]
        write_json(
            {"schema": 1, "runs": len(chosen.runs), "missing": rows, "workers": engine.workers, "seconds": total},
            json_file,
        )
    if json_file != "-":
        for job, time in zip(jobs, times, strict=True):
            typer.echo(f"{describe(job)}, {job.spec.preset.name} preset: about {duration(time)}")
        typer.echo(
            f"{len(jobs)} of {len(chosen.runs)} runs to do, about {duration(total)} with {engine.workers} at a time"
        )


def _show(outputs: list[Output], tally: Tally | None, json_file: str | None) -> None:
    if json_file is not None:
        result: dict[str, Any] = {"schema": 1, "tables": [output.to_dict() for output in outputs]}
        if tally is not None:
            result["runs"] = {"total": tally.total, "done": tally.done, "failed": tally.failed}
        write_json(result, json_file)
    if json_file != "-":
        for output in outputs:
            typer.echo(output.rendered.markdown + "\n")
            typer.echo("files: " + ", ".join(str(path) for path in output.files))
    for run, error in (tally.failed if tally is not None else {}).items():
        typer.echo(f"softsym: {run}: {error}", err=True)
