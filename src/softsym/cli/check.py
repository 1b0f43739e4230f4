"""``softsym check``: does the normalisation keep the symmetry, how much of it is in the data, and do outputs refute it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from softsym.cli.early import check_texts
from softsym.cli.notices import one_line_warnings
from softsym.cli.output import write_json
from softsym.data.formats import suffixes
from softsym.datasets.source import read_data
from softsym.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from softsym.data.check import DataCheck
    from softsym.data.table import Table as Data
    from softsym.inference import EvidenceTable


def command(
    data: str = typer.Argument(
        ...,
        help=f"A file ({', '.join(suffixes())}) or a task such as 'inertia:Oz(2)'. An .npz holds X.",
    ),
    rep_in: str | None = typer.Option(
        None, "--in", help="Representation of the inputs, such as '5S + 5V'. A task knows its own."
    ),
    rep_out: str | None = typer.Option(
        None,
        "--out",
        help="Representation of the outputs; with it, outputs are tested too. A task knows its own.",
    ),
    groups: list[str] | None = typer.Option(
        None, "--groups", help="One or more groups, such as 'O(3)' 'O(2)@z'. A task knows its own."
    ),
    x_columns: str | None = typer.Option(
        None, "--x-columns", help="Columns of the inputs, such as 'm1..m5,pos_*'; all by default."
    ),
    y_columns: str | None = typer.Option(None, "--y-columns", help="Columns of the outputs, with --out."),
    rows_together: str | None = typer.Option(
        None,
        "--rows-together",
        metavar="COLUMN",
        help="Column whose equal entries mark rows that belong together.",
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
    """Looks at data before training: which normalisation keeps which symmetry, how much of each the inputs show, what outputs say.

    Example: softsym check measured.csv --x-columns "x1..z6" --in "6V" --groups "O(3)" "O(2)@z"
    """
    check_texts([rep_in, rep_out], groups or [])
    if y_columns is not None and rep_out is None:
        raise InputError("--y-columns are outputs: pass how they transform too, as in --out 'T(2)'")
    with one_line_warnings():
        table, task = read_data(
            data, x_columns, y_columns, need_y=rep_out is not None, together=rows_together, seed=seed
        )
        rep = rep_in or (task.rep_in if task else None)
        candidates = groups or (task.groups if task else None)
        if rep is None or not candidates:
            raise InputError(
                f"pass how the columns of {data} transform, as in --in '5S + 5V' --groups 'O(3)'"
            )
        from softsym.data.check import check_data  # all before did without torch

        result = check_data(table, rep, candidates, normalisation=normalisation, seed=seed, quiet=quiet)
        outputs = rep_out or (str(task.rep_out) if task and normalisation is None else None)
        tested = _tested(table, str(rep), outputs, [str(group) for group in candidates], seed)
    if json_file is not None:
        write_json(result.to_dict() | ({} if tested is None else {"evidence": tested.to_dicts()}), json_file)
    if json_file != "-":
        from rich.console import Console

        console = Console()
        console.print(one_table(result) if normalisation else breaks_table(result))
        console.print(coverage_table(result))
        if tested is not None:
            console.print(tested)
        console.print(_text(f"Recommended: {result.recommended}, because {result.reason}."))


def _tested(
    table: Data, rep_in: str, rep_out: str | None, groups: list[str], seed: int
) -> EvidenceTable | None:
    """What the outputs say about each candidate; None if there are none."""
    if table.Y is None or rep_out is None:
        return None
    from softsym.inference import evidence

    return evidence(table.X, table.Y, rep_in, rep_out, groups, sources=table.together, seed=seed)


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
