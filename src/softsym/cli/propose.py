"""``softsym propose``: which continuous and discrete symmetries do the data suggest?"""

from __future__ import annotations

import typer

from softsym.cli.common import check_target, check_texts, one_line_warnings, write_json
from softsym.data.formats import suffixes
from softsym.datasets.parse import read_data
from softsym.errors import InputError


def command(
    data: str = typer.Argument(
        ...,
        help=f"A file ({', '.join(suffixes())}) or a task such as 'golfball:wind=y'. An .npz holds X and Y.",
    ),
    rep_in: str | None = typer.Option(
        None, "--in", help="Representation of the inputs, such as '2V'; P for points. A task knows its own."
    ),
    rep_out: str | None = typer.Option(None, "--out", help="Representation of the outputs, such as 'V'."),
    x_columns: str | None = typer.Option(
        None, "--x-columns", help="Columns of the inputs, such as 'x1..z6'."
    ),
    y_columns: str | None = typer.Option(None, "--y-columns", help="Columns of the outputs."),
    tolerance: float = typer.Option(
        0.05, "--tolerance", help="Relative violation up to which a symmetry counts as exact."
    ),
    max_rows: int = typer.Option(2_000, "--max-rows", min=20, help="Of more rows a sample is taken."),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of the sample split."),
    json_file: str | None = typer.Option(
        None, "--json", help="Write the result as JSON to a file, or to - (stdout)."
    ),
    picture: str | None = typer.Option(
        None,
        "--picture",
        help="Draw eigenvalues, axes and groups into a file: .html, or .svg and .png with kaleido.",
    ),
    quiet: bool = typer.Option(False, "--quiet", help="No progress."),
) -> None:
    """Proposes symmetry groups from data alone, without candidates, in seconds.

    Example: softsym propose flights.csv --x-columns "x1..z6" --y-columns "x7..z12" --in "6V" --out "6V" --picture flights.html
    """
    check_texts([rep_in, rep_out], [])
    for target in (json_file, picture):
        if target is not None:
            check_target(target)
    with one_line_warnings():
        table, task = read_data(data, x_columns, y_columns, need_y=True, seed=seed)
        source = rep_in or (task.rep_in if task else None)
        target_rep = rep_out or (task.rep_out if task else None)
        if source is None or target_rep is None or table.Y is None:
            raise InputError(f"pass how the columns of {data} transform, as in --in '2V' --out 'V'")
        from softsym.propose import propose

        proposal = propose(
            table.X, table.Y, source, target_rep, tolerance=tolerance, max_rows=max_rows, seed=seed
        )
    if json_file is not None:
        write_json(proposal.to_dict(), json_file)
    if picture is not None:
        proposal.plot(picture)
    if json_file != "-":
        from rich.console import Console

        console = Console()
        console.print(proposal.table)
        console.print(proposal.words(), markup=False, highlight=False)
