"""``softsym propose``: which continuous and discrete symmetries do the data suggest?"""

from __future__ import annotations

from typing import Any

import typer

from softsym.cli import common
from softsym.datasets.parse import read_data
from softsym.errors import InputError


def command(
    data: str = common.DATA,
    rep_in: str | None = common.REP_IN,
    rep_out: str | None = common.REP_OUT,
    x_columns: str | None = common.X_COLUMNS,
    y_columns: str | None = common.Y_COLUMNS,
    row_groups: str | None = common.ROW_GROUPS,
    tolerance: float = typer.Option(
        0.05, "--tolerance", help="Relative violation up to which a symmetry counts as exact."
    ),
    max_rows: int = typer.Option(2_000, "--max-rows", min=20, help="Of more rows a sample is taken."),
    drop_missing: bool = common.DROP_MISSING,
    seed: int = common.SEED,
    json_file: str | None = common.JSON_FILE,
    picture: str | None = typer.Option(
        None, "--picture", help="Draw eigenvalues, axes and groups into a file: .html, or .svg and .png with kaleido."
    ),
    quiet: bool = common.QUIET,
) -> None:
    """Proposes symmetry groups from data alone, without candidates, in seconds.

    Example: softsym propose flights.csv --x-columns "x1..z6" --y-columns "x7..z12" --in "6V" --out "6V" --picture flights.html
    """
    common.check_texts([rep_in, rep_out], [])
    for target in (json_file, picture):
        common.check_target(target, data)
    with common.one_line_warnings():
        rows: dict[str, Any] = {"row_groups": row_groups, "most_rows": max_rows, "drop_missing": drop_missing}
        table, task = read_data(data, x_columns, y_columns, seed=seed, **rows)
        source = rep_in or (task.rep_in if task else None)
        target_rep = rep_out or (task.rep_out if task else None)
        if source is None or target_rep is None or table.Y is None:
            raise InputError(f"pass how the columns of {data} transform, as in --in '2V' --out 'V'")
        from softsym.propose import propose

        options = {"tolerance": tolerance, "max_rows": max_rows, "seed": seed}
        proposal = propose(table.X, table.Y, source, target_rep, row_groups=table.row_groups, **options)  # type: ignore[arg-type]
    if json_file is not None:
        common.write_json(proposal.to_dict(), json_file)
    if picture is not None:
        proposal.plot(picture)
    if json_file != "-":
        from rich.console import Console

        Console().print(proposal)
