"""``softsym predict``: predictions of a discovered model for new data."""

from __future__ import annotations

from pathlib import Path

import typer

from softsym.cli.common import one_line_warnings
from softsym.data.formats import suffixes


def command(
    model: Path = typer.Argument(..., help="A model's folder, as softsym discover writes it (DIR/model)."),
    data: str = typer.Argument(..., help=f"A file ({', '.join(suffixes())}) or a task."),
    output: Path = typer.Option(..., "-o", "--output", help=f"Where predictions go: a file ({', '.join(suffixes())})."),
    x_columns: str | None = typer.Option(
        None, "--x-columns", help="Columns of the inputs; by default those with the names the model knows."
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of a task's data."),
    force: bool = typer.Option(False, "--force", help="Replace an existing file."),
    quiet: bool = typer.Option(False, "--quiet", help="Print nothing."),
) -> None:
    """Predicts outputs for new inputs, with their standard deviations.

    Example: softsym predict softsym-flights/model new.csv -o predictions.csv
    """
    from softsym.discovery.discover import predict_file

    with one_line_warnings():
        rows = predict_file(model, data, output, x_columns=x_columns, seed=seed, force=force)
    if not quiet:
        typer.echo(f"{rows} predictions in {output}")
