"""``softsym check``: does the normalisation keep the symmetry, and how much of the symmetry is in the data?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from softsym.cli.early import check_texts, read_source
from softsym.cli.notices import one_line_warnings
from softsym.cli.output import write_json
from softsym.data.formats import suffixes
from softsym.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from softsym.data.check import DataCheck


def command(
    data: str = typer.Argument(
        ...,
        help=f"A file ({', '.join(suffixes())}) or a task such as 'inertia:Oz(2)'. An .npz holds X.",
    ),
    rep_in: str | None = typer.Option(
        None, "--in", help="Representation of the inputs, such as '5S + 5V'. A task knows its own."
    ),
    groups: list[str] | None = typer.Option(
        None, "--groups", help="One or more groups, such as 'O(3)' 'O(2)@z'. A task knows its own."
    ),
    x_columns: str | None = typer.Option(
        None, "--x-columns", help="Columns of the inputs, such as 'm1..m5,pos_*'; all by default."
    ),
    normalisation: str | None = typer.Option(
        None,
        "--normalisation",
        help="Look at one only: none, per-axis, common-scale, scale-aware, symmetry-aware or symmetry-scale-aware.",
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of everything that is drawn."),
    json_file: str | None = typer.Option(
        None, "--json", help="Write the result as JSON to a file, or to - (stdout)."
    ),
    quiet: bool = typer.Option(False, "--quiet", help="No progress."),
) -> None:
    """Looks at inputs before training: which normalisation keeps which symmetry, and how much of each symmetry the data show.

    Example: softsym check measured.csv --x-columns "x1..z6" --in "6V" --groups "O(3)" "O(2)@z"
    """
    check_texts([rep_in], groups or [])
    with one_line_warnings():
        table, task = read_source(data, x_columns, need_y=False, seed=seed)
        rep = rep_in or (task.rep_in if task else None)
        candidates = groups or (task.groups if task else None)
        if rep is None or not candidates:
            raise InputError(
                f"pass how the columns of {data} transform, as in --in '5S + 5V' --groups 'O(3)'"
            )
        from softsym.data.check import check_data  # all before did without torch

        result = check_data(table, rep, candidates, normalisation=normalisation, seed=seed, quiet=quiet)
    if json_file is not None:
        write_json(result.to_dict(), json_file)
    if json_file != "-":
        from rich.console import Console

        console = Console()
        console.print(one_table(result) if normalisation else breaks_table(result))
        console.print(coverage_table(result))
        console.print(_text(f"Recommended: {result.recommended}, because {result.reason}."))


def breaks_table(result: DataCheck) -> Table:
    """One row for each normalisation, one column for each group."""
    title = f"{result.source}: {result.rows:,} rows of {result.rep_in}, {result.repeated:,} of them repeated"
    table = _table(
        title, "how much a normalisation breaks a group, 0 to 1; evenness: smallest over largest deviation"
    )
    groups = [covered.group for covered in result.coverage]
    for column in ("normalisation", *groups, "evenness"):
        table.add_column(_text(column), justify="left" if column == "normalisation" else "right")
    for check in result.normalisations:
        cells = ["keeps" if entry.is_kept else f"{entry.error:.2g}" for entry in check.breaks]
        table.add_row(check.name, *cells, f"{check.evenness:.2g}")
    return table


def one_table(result: DataCheck) -> Table:
    """One row for each group, for one normalisation."""
    (check,) = result.normalisations
    caption = "map and shift: distance from what keeps the group, exactly; error: how far it moves data apart, 0 to 1"
    table = _table(f"{result.source}: {check.name} normalisation, evenness {check.evenness:.2g}", caption)
    for column in ("group", "keeps", "map", "shift", "error"):
        table.add_column(column, justify="left" if column in ("group", "keeps") else "right")
    for entry in check.breaks:
        numbers = [f"{value:.2g}" if value > 1e-9 else "0" for value in (entry.map, entry.shift, entry.error)]
        table.add_row(_text(entry.group), "yes" if entry.is_kept else "no", *numbers)
    return table


def coverage_table(result: DataCheck) -> Table:
    """One row for each group: how much of its orbits the data show."""
    table = _table("How well the data cover the orbits of each group", "")
    for column in ("group", "coverage", "meaning"):
        table.add_column(column, justify="right" if column == "coverage" else "left")
    for covered in result.coverage:
        table.add_row(_text(covered.group), f"{covered.value:.2f} {covered.grade}", covered.meaning)
    return table


def _table(title: str, caption: str) -> Table:
    from rich.table import Table

    return Table(title=_text(title), caption=_text(caption), title_justify="left", caption_justify="left")


def _text(text: str) -> Text:
    """Text in which square brackets are no markup."""
    from rich.text import Text

    return Text(text)
