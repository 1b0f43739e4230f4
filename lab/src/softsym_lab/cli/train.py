"""``softsym train``: one run of one model on one task."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from softsym.cli import Interrupted, check_texts, write_json
from softsym.regularize.strengths import CONTROLLERS
from softsym.training import DEVICES, check_device_name
from softsym_lab.zoo import MODELS

if TYPE_CHECKING:
    from rich.table import Table

    from softsym_lab.runs.record import RunResult


def command(
    task: str = typer.Argument(..., help="A task such as 'inertia:Oz(2)', 'cossim:SO(3)' or 'golfball:wind=y'."),
    model: str = typer.Option("per", "--model", help=f"One of {', '.join(MODELS)}."),
    preset: str = typer.Option("quick", "--preset", help="paper, code or quick."),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of data, initial weights and batches."),
    group: str | None = typer.Option(
        None, "--group", help="Group of a model that has a single one; the task's largest by default."
    ),
    strengths: str | None = typer.Option(
        None, "--strengths", help=f"How strengths change, instead of the preset's: {', '.join(CONTROLLERS)}."
    ),
    epochs: int | None = typer.Option(None, "--epochs", min=1, help="Maximum epochs, instead of the preset's."),
    width: int | None = typer.Option(None, "--width", min=1, help="Width, instead of the preset's."),
    devices: int = typer.Option(1, "--devices", min=1, help="Processes that share each batch."),
    device: str = typer.Option("cpu", "--device", help=f"What to compute on: {', '.join(DEVICES)}."),
    resume: bool = typer.Option(False, "--resume", help="Go on with a run that was stopped."),
    out_dir: str | None = typer.Option(
        None, "--out-dir", help="Folder of the run; runs/TASK-MODEL-PRESET-SEED by default."
    ),
    json_file: str | None = typer.Option(None, "--json", help="Write the result as JSON to a file, or to - (stdout)."),
    track: bool = typer.Option(False, "--track", help="Also write the history for TensorBoard (the [track] extra)."),
    quiet: bool = typer.Option(False, "--quiet", help="No progress."),
) -> None:
    """Trains a model on a task and prints test error, strengths and equivariance errors.

    Example: softsym train "inertia:Oz(2)" --model per --preset quick
    """
    from softsym.datasets import check_task_name

    check_task_name(task)
    check_texts(groups=[group])
    MODELS.check(model)
    check_device_name(device)
    if strengths is not None:
        CONTROLLERS.check(strengths)
    from softsym_lab.experiments.presets import chosen_preset
    from softsym_lab.runs.runner import run
    from softsym_lab.runs.spec import RunSpec

    numbers = chosen_preset(task, preset, epochs=epochs, width=width, strengths=strengths)
    spec = RunSpec(numbers.task, model, numbers, seed, group, devices, device=device)
    slug = re.sub(r"[^\w.=+-]+", "_", f"{numbers.task}-{model}-{preset}-{seed}")
    folder = Path(out_dir) if out_dir is not None else Path("runs") / slug
    try:
        result = run(spec, folder, resume=resume, quiet=quiet, track=track)
    except (KeyboardInterrupt, Interrupted):
        kept = "nothing had been learned yet"
        if (folder / "spec.json").exists():
            kept = f"what has been learned is in {folder}; add --resume to the same command to go on"
        typer.echo(f"softsym: interrupted; {kept}", err=True)
        raise typer.Exit(130) from None
    if json_file is not None:
        write_json(result.to_dict(), json_file)
    if json_file != "-":
        from rich.console import Console

        Console().print(table(result))
        typer.echo(f"run folder: {folder}")


def table(result: RunResult) -> Table:
    from rich.table import Table
    from rich.text import Text

    unit = f" {result.unit}" if result.unit else ""
    title = (
        f"{result.task}, {result.model}, {result.preset} preset, seed {result.seed}: "
        f"test {result.metric} {result.test_error:.4g}{unit}"
    )
    caption = (
        f"{result.epochs} epochs in {result.seconds:.1f} s, {result.parameters:,} parameters, data {result.origin}"
    )
    found = Table(title=Text(title), caption=Text(caption), title_justify="left", caption_justify="left")
    for column in ("group", "strength", "residual", "model error", "data error"):
        found.add_column(column, justify="left" if column == "group" else "right")
    for group, error in result.model_errors.items():
        strength, residual = result.strengths.get(group), result.residuals.get(group)
        data = result.data_errors.get(group)
        found.add_row(
            Text(group),
            "" if strength is None else f"{strength:.3g}",
            "" if residual is None else f"{residual:.2e}",
            f"{error:.4f}",
            "" if data is None else f"{data:.4f}",
        )
    return found
