"""``softsym discover``: which symmetries data have, how exactly, and a model that uses each just as much as it holds."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from softsym.cli import common
from softsym.cluster import check_engine
from softsym.data.columns import explain_missing_options
from softsym.data.formats import PACKED, suffixes
from softsym.datasets.parse import is_task, read_data, task_parameters
from softsym.errors import InputError
from softsym.progress import say
from softsym.regularize.strengths import CONTROLLERS
from softsym.training.devices import DEVICES, check_device_name

if TYPE_CHECKING:
    from softsym.discovery import SoftEquivariantRegressor
    from softsym.inference import EvidenceTable

DEFAULT_DATA = "inertia:Oz(2)"
AUTO = "auto"
MODELS = ("auto", "linear", "gp", "network")


def command(
    data: str = typer.Argument(DEFAULT_DATA, help=common.DATA_HELP),
    rep_in: str | None = common.REP_IN,
    rep_out: str | None = common.REP_OUT,
    groups: list[str] | None = typer.Option(
        None,
        "--groups",
        help="Candidate groups, such as 'O(2)@x' 'O(2)@z', or auto: those that the data propose. A task knows its own.",
    ),
    model: str = typer.Option(
        "auto", "--model", help="Model to fit: linear, gp (Gaussian process), network, or auto for the best of all."
    ),
    largest: str | None = typer.Option(
        None, "--largest", help="Group of gates and bilinear layers; the candidates joined by default."
    ),
    x_columns: str | None = common.X_COLUMNS,
    y_columns: str | None = common.Y_COLUMNS,
    row_groups: str | None = common.ROW_GROUPS,
    max_rows: int = common.MAX_ROWS_OPTION,
    drop_missing: bool = common.DROP_MISSING,
    width: int | None = typer.Option(
        None, "--width", min=1, help="Size of the hidden layers; chosen by short trials by default."
    ),
    layers: int = typer.Option(4, "--layers", min=2, help="Number of linear layers."),
    epochs: int | None = typer.Option(
        None, "--epochs", min=1, help="Passes over the data; chosen from the number of rows by default."
    ),
    budget: float | None = typer.Option(None, "--budget", help="Seconds to spend, instead of --epochs."),
    strength: float | None = typer.Option(
        None, "--strength", min=0, help="Initial strength of the penalties; chosen by short trials by default."
    ),
    strengths: str = typer.Option("by-data", "--strengths", help=f"How strengths change: {', '.join(CONTROLLERS)}."),
    seeds: int = typer.Option(2, "--seeds", min=1, help="Number of networks in the ensemble."),
    seed: int = common.SEED,
    jobs: int | None = typer.Option(
        None,
        "--jobs",
        min=1,
        help="Networks that are trained in parallel; by default as many as cores are free. The result is the same.",
    ),
    engine: str = typer.Option(
        "local", "--engine", help="Where networks are trained: local, or ray (a cluster; the [ray] extra)."
    ),
    address: str | None = typer.Option(None, "--address", help="A Ray cluster; one is started here by default."),
    device: str = typer.Option("cpu", "--device", help=f"What networks are trained on: {', '.join(DEVICES)}."),
    out_dir: Path | None = typer.Option(
        None,
        "--out-dir",
        help="Where results go; by default a folder named after the data, as softsym-flights for flights.csv.",
    ),
    force: bool = typer.Option(False, "--force", help="Replace results that are there."),
    resume: bool = typer.Option(False, "--resume", help="Go on with a discovery that was stopped."),
    json_file: str | None = common.JSON_FILE,
    quiet: bool = common.QUIET,
) -> None:
    """Finds which of the candidate symmetries data have and how exactly; writes a report, a table and a model.

    First it shows the evidence of the data, in seconds; then it fits models, simplest first, and a network where that helps.

    Example: softsym discover flights.csv --x-columns "px1..pz6" --y-columns "fx1..fz6" --in "6V" --out "6V" --groups "O(2)@x" "O(2)@z"
    """
    from softsym.data.table import check_fit
    from softsym.discovery.discover import Workspace, discover, summarize

    line = shlex.join(["softsym", *sys.argv[1:]])
    common.check_target(json_file, data)
    out_dir = out_dir or default_folder(data)
    workspace = Workspace(out_dir.resolve() if out_dir.name in ("", "..") else out_dir, force=force, resume=resume)
    workspace.check()
    common.check_texts([rep_in, rep_out], [largest, *(text for text in groups or [] if text != AUTO)])
    CONTROLLERS.check(strengths)
    check_device_name(device)
    check_engine(engine, address)
    if model not in MODELS:
        raise InputError(f"unknown model {model!r}; pass one of {', '.join(MODELS)}")
    with common.one_line_warnings():
        _check_columns(data, rep_in, rep_out, x_columns, y_columns)
        rows: dict[str, Any] = {"row_groups": row_groups, "most_rows": max_rows or None, "seed": seed}
        table, task = read_data(data, x_columns, y_columns, drop_missing=drop_missing, **rows)
        if not quiet:
            common.note_sample(table, data)
        options = {"rep_in": rep_in, "rep_out": rep_out, "groups": groups, "largest": largest, "strength": strength}
        chosen = {} if task is None else task_parameters(task)
        chosen |= {key: value for key, value in options.items() if value is not None}
        _check_reps(chosen, data)
        if chosen.get("groups", [AUTO]) == [AUTO]:
            chosen["groups"] = AUTO
        given = [] if chosen["groups"] == AUTO else chosen["groups"]
        repeated = check_fit(table, chosen["rep_in"], chosen["rep_out"], given)
        if repeated and not quiet:
            common.show_note(f"{repeated} rows repeat earlier inputs; equal rows stay in one part")
        if table.row_groups is not None and not quiet:
            common.show_note(f"there are {table.row_groups.max() + 1} row groups; each stays in one part")
        if not quiet:  # what is imported now takes seconds
            say(f"{len(table.X):,} rows, {len(given) or 'proposed'} candidate group{'s' * (len(given) != 1)}")
        from softsym.discovery.on_ray import on_cluster
        from softsym.native import free_cores

        chosen |= {"model": model, "random_state": seed, "verbose": not quiet}
        chosen |= {"width": width, "layers": layers, "epochs": epochs, "budget": budget}
        chosen |= {"strengths": strengths, "seeds": seeds, "n_jobs": jobs or max(1, min(free_cores(), seeds))}
        try:
            with nullcontext() if engine == "local" else on_cluster(address, jobs) as executor:
                est = discover(
                    table,
                    chosen,
                    workspace,
                    title=Path(data).stem if task is None else data,
                    device=device,
                    executor=executor,
                    on_evidence=None if json_file == "-" else _show_evidence,
                    on_note=None if quiet else common.show_note,
                    command=line,
                )
        except (KeyboardInterrupt, common.Interrupted):
            kept = "nothing had been learned yet"
            if workspace.partial.exists():
                kept = f"what has been learned is in {workspace.partial}; add --resume to the same command to go on"
            typer.echo(f"softsym: interrupted; {kept}", err=True)
            raise typer.Exit(130) from None
    if json_file is not None:
        common.write_json(summarize(est, line), json_file)
    if json_file != "-":
        _show(est, out_dir)


def default_folder(data: str) -> Path:
    """The default folder of results, named after the data."""
    is_file = Path(data).name.lower().endswith((*suffixes(), PACKED))
    name = Path(data).name.partition(".")[0] if is_file else data
    words = re.findall(r"\w+", name)
    return Path("-".join(["softsym", *words]) if words else "softsym-discovery")


def _check_reps(chosen: dict[str, Any], data: str) -> None:
    """Refuses data whose representations are not given."""
    flags = {"rep_in": "--in", "rep_out": "--out"}
    missing = [flag for key, flag in flags.items() if not chosen.get(key)]
    if missing:
        raise InputError(
            f"{data} does not say how its columns transform: pass {', '.join(missing)}, "
            "as in --in '5S + 5V' --out 'T(2)', and --groups 'O(3)' 'O(2)@z' if you have candidates"
        )


def _check_columns(data: str, *given: str | None) -> None:
    """Refuses a file where neither columns nor representations are given, and suggests some."""
    if is_task(data) or any(text is not None for text in given):
        return
    from softsym.data.table import open_file

    file = open_file(Path(data))
    if not file.knows_inputs:
        raise InputError(explain_missing_options(data, file.names, file.text_columns()))


def _show_evidence(table: EvidenceTable) -> None:
    """Prints the evidence as soon as it is computed."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    console.print(Text(f"Evidence, {table.seconds:.1f} s"))
    console.print(table)


def _show(est: SoftEquivariantRegressor, out_dir: Path) -> None:
    """Prints the symmetries, the selected model and the baselines."""
    from rich.console import Console
    from rich.text import Text

    from softsym.discovery.report import percent

    console, fit = Console(), est.fit_
    console.print(est.symmetries_)
    explained, error = percent(fit.explained()), f"{fit.test_error():.4g}"
    summary = f"{' '.join(fit.why)} The model explains {explained} of held-out data (mean squared error {error})."
    console.print(Text(summary))
    console.print(est.baselines_)
    console.print(Text(f"Report: {out_dir / 'report.html'}   model: {out_dir / 'model'}"))
