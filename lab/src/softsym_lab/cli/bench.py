"""``softsym bench``: ratios measured side by side in one run."""

from __future__ import annotations

import typer

from softsym.cli import write_json


def command(
    suite: str | None = typer.Argument(
        None,
        help="Which suite: spaces, step, loop, native, or one of those that take long and are left out by default: learning, "
        "evidence, calibration, calibration-evidence, models, modules, propose, baselines, scale.",
    ),
    json_file: str = typer.Option("-", "--json", help="Where the JSON goes: a file, or - (stdout)."),
) -> None:
    """Measures speed as ratios, side by side in one run, and prints JSON.

    Example: softsym bench spaces
    """
    from softsym_lab.benchmarks import run

    write_json(run(suite), json_file)
