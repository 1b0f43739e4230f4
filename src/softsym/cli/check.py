"""``softsym check``: does the normalisation keep the symmetry, how much of its orbits do inputs cover, and do outputs refute it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from softsym.cli import common
from softsym.datasets.parse import read_data
from softsym.errors import InputError, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table
    from rich.text import Text

    from softsym.groups import Group
    from softsym.metrics.normalisation import InputCheck

LEFT = ("normalisation", "group", "keeps", "meaning")  # columns of words; those of numbers are aligned to the right


def command(
    data: str = common.DATA,
    rep_in: str | None = common.REP_IN,
    rep_out: str | None = typer.Option(
        None, "--out", help="Representation of the outputs; with it, outputs are tested too. A task knows its own."
    ),
    groups: list[str] | None = typer.Option(
        None, "--groups", help="One or more groups, such as 'O(3)' 'O(2)@z'. A task knows its own."
    ),
    x_columns: str | None = common.X_COLUMNS,
    y_columns: str | None = common.Y_COLUMNS,
    row_groups: str | None = common.ROW_GROUPS,
    normalisation: str | None = typer.Option(
        None,
        "--normalisation",
        help="Check one only: none, per-axis, common-scale, scale-aware, symmetry-aware or symmetry-scale-aware.",
    ),
    max_rows: int = common.MAX_ROWS_OPTION,
    drop_missing: bool = common.DROP_MISSING,
    seed: int = common.SEED,
    json_file: str | None = common.JSON_FILE,
    quiet: bool = common.QUIET,
) -> None:
    """Checks data before training: which normalisation keeps which symmetry, how much of each orbit inputs cover, what outputs say.

    Example: softsym check measured.csv --x-columns "x1..z6" --in "6V" --groups "O(3)" "O(2)@z"
    """
    common.check_texts([rep_in, rep_out], groups or [])
    common.check_target(json_file, data)
    if y_columns is not None and rep_out is None:
        raise InputError("--y-columns are outputs: pass how they transform too, as in --out 'T(2)'")
    with common.one_line_warnings():
        rows: dict[str, Any] = {"seed": seed, "most_rows": max_rows or None, "drop_missing": drop_missing}
        table, task = read_data(data, x_columns, y_columns, need_y=rep_out is not None, row_groups=row_groups, **rows)
        if not quiet:
            common.note_sample(table, data)
        rep = rep_in or (task.rep_in if task else None)
        candidates = groups or (task.groups if task else None)
        if rep is None or not candidates:
            raise InputError(f"pass how the columns of {data} transform, as in --in '5S + 5V' --groups 'O(3)'")
        from softsym.data.table import Table, check_fit
        from softsym.discovery.points import as_vectors, has_points, read_points
        from softsym.groups import Trivial
        from softsym.groups import group as read_group
        from softsym.metrics.normalisation import check_inputs
        from softsym.reps.particles import has_particles, read_particles

        rep_target = rep_out or (str(task.rep_out) if task and normalisation is None else "0")
        outputs = as_vectors(rep_target)
        repeated = check_fit(Table(table.X, None, table.x_names, (), table.source), rep, None, candidates)
        inputs, vectors = table.X, as_vectors(rep)
        acting: Sequence[Group | str] = candidates
        if has_points(rep):
            points, known = read_points(rep, None, list(map(read_group, candidates)), inputs.shape[1])
            inputs, acting = points.inputs(inputs), known or [Trivial(points.dim)]
        if has_particles(vectors, outputs):
            n_outputs = 0 if table.Y is None or not outputs.terms else table.Y.shape[1]
            vectors, _, acting = read_particles(vectors, outputs, acting, (inputs.shape[1], n_outputs))
        names = table.x_names
        result = check_inputs(inputs, names, vectors, acting, normalisation=normalisation, seed=seed, quiet=quiet)
        judged = None
        if table.Y is not None and outputs.terms:
            from softsym.inference import evidence

            judged = evidence(table.X, table.Y, rep, rep_target, candidates, row_groups=table.row_groups, seed=seed)
    if json_file is not None:
        facts = {"source": table.source, "rep_in": str(rep), "rows": len(table.X), "repeated": repeated}
        tests = {} if judged is None else {"evidence": judged.to_dicts()}
        common.write_json({"schema": 1, **facts, **result.to_dict(), **tests}, json_file)
    if json_file != "-":
        from rich.console import Console

        console = Console()
        title = f"{table.source}: {len(table.X):,} rows of {rep}, {repeated:,} of them repeated"
        console.print(one_table(result, table.source) if normalisation else breaks_table(result, title))
        console.print(overlap_table(result))
        if judged is not None:
            console.print(judged)
        console.print(_text(f"Recommended: {result.recommended}, because {result.reason}."))


def breaks_table(result: InputCheck, title: str) -> Table:
    """One row for each normalisation, one column for each group."""
    caption = "how much a normalisation breaks a group, 0 to 1; evenness: smallest over largest standard deviation"
    table = _table(title, caption, "normalisation", *(overlap.group for overlap in result.overlaps), "evenness")
    for check in result.normalisations:
        cells = ["keeps" if entry.is_kept else f"{entry.error:.2g}" for entry in check.breaks]
        table.add_row(check.name, *cells, f"{check.evenness:.2g}")
    return table


def one_table(result: InputCheck, source: str) -> Table:
    """One row for each group, for one normalisation."""
    (check,) = result.normalisations
    caption = "map and shift: exact distance from what keeps the group; error: mean equivariance error, 0 to 1"
    title = f"{source}: {check.name} normalisation, evenness {check.evenness:.2g}"
    table = _table(title, caption, "group", "keeps", "map", "shift", "error")
    for entry in check.breaks:
        numbers = [f"{value:.2g}" if value > 1e-9 else "0" for value in (entry.map, entry.shift, entry.error)]
        table.add_row(_text(entry.group), "yes" if entry.is_kept else "no", *numbers)
    return table


def overlap_table(result: InputCheck) -> Table:
    """One row for each group: its orbit overlap and what that means."""
    title = "Orbit overlap: how well the data cover the orbits of each group"
    table = _table(title, "", "group", "orbit overlap", "meaning")
    for overlap in result.overlaps:
        table.add_row(_text(overlap.group), f"{overlap.value:.2f} {overlap.grade}", overlap.meaning)
    return table


def _table(title: str, caption: str, *heads: str) -> Table:
    from rich.table import Table

    table = Table(title=_text(title), caption=_text(caption), title_justify="left", caption_justify="left")
    for head in heads:
        table.add_column(_text(head), justify="left" if head in LEFT else "right")
    return table


def _text(text: str) -> Text:
    """Text in which square brackets are no markup, and which commands no terminal."""
    from rich.text import Text

    return Text(printable(text))
