"""``softsym bench``: ratios measured side by side in one run."""

from __future__ import annotations

from pathlib import Path

import typer

from softsym.cli import write_json


def command(
    suite: str | None = typer.Argument(
        None,
        help="Which suite: spaces, step, loop, native, or one of those that take long and are left out by default: learning, "
        "evidence, calibration-evidence, models, modules, propose, baselines, recordings, many-rows, molecules, scale, load.",
    ),
    folder: Path | None = typer.Option(
        None,
        "--folder",
        help="Folder in which learning, calibration-evidence, models, propose, baselines, recordings or many-rows keeps what is "
        "done, so that a stopped run goes on; by default bench-propose, runs/calibration, runs/recordings and runs/many-rows for these, "
        "none for the others.",
    ),
    flights: str | None = typer.Option(
        None, "--flights", help="File of recorded flights (.npz), on which models, modules and baselines then run too."
    ),
    part: str | None = typer.Option(
        None,
        "--part",
        help="Part of the list of calibration-evidence: development, second, third, frozen, adjusted or recorded.",
    ),
    strata: str | None = typer.Option(
        None, "--strata", help="Strata of calibration-evidence, comma between them: smooth,kinked; all by default."
    ),
    data: Path | None = typer.Option(
        None, "--data", help="Folder of recorded data, on which recordings then runs too, and molecules alone."
    ),
    json_file: str = typer.Option("-", "--json", help="Where the JSON goes: a file, or - (stdout)."),
) -> None:
    """Measures speed as ratios, side by side in one run, and prints JSON.

    Example: softsym bench spaces
    """
    from softsym_lab.benchmarks import run

    write_json(run(suite, folder, flights, part, strata, data), json_file)
