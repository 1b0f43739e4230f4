"""``softsym inspect``: sizes and dimensions of equivariant spaces."""

from __future__ import annotations

import contextlib

import typer

from softsym.cli.common import JSON_FILE, check_target, check_texts, write_json


def command(
    rep_in: str = typer.Option(..., "--in", help="Representation of the input, such as '5S + 5V'."),
    rep_out: str = typer.Option(..., "--out", help="Representation of the output, such as 'T(2)'."),
    groups: list[str] = typer.Option(..., "--groups", help="Groups, such as 'O(3)' 'O(2)@z' 'SO(3) | Scaling(3)'."),
    width: int = typer.Option(384, "--width", min=1, help="Width of the hidden representation."),
    solver: str = typer.Option("auto", "--solver", help="auto, orbits, reynolds, signs, weights, dense or iterative."),
    tol: float | None = typer.Option(None, "--tol", help="Singular values up to this are zero (noisy generators)."),
    max_gb: float = typer.Option(4.0, "--max-gb", help="Memory that solving may take; more is refused at once."),
    cache: bool = typer.Option(True, "--cache/--no-cache", help="Keep solutions in the platform's cache folder."),
    json_file: str | None = JSON_FILE,
) -> None:
    """Sizes and dimensions of the equivariant spaces between two representations.

    Example: softsym inspect --in "5S + 5V" --out "T(2)" --groups "O(3)" "O(2)@z"
    """
    check_texts([rep_in, rep_out], groups)
    check_target(json_file)
    from softsym.spaces import at_most, cache_folder
    from softsym.spaces.inspection import inspect

    with at_most(gigabytes=max_gb), contextlib.nullcontext() if cache else cache_folder(None):
        result = inspect(rep_in, rep_out, groups, width=width, solver=solver, tol=tol)
    if json_file is not None:
        write_json(result.to_dict(), json_file)
    if json_file != "-":
        from rich.console import Console

        Console().print(result.table())
