"""``softsym check``: does the normalisation keep the symmetry, how much of its orbits do inputs cover, and do outputs refute it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import typer

from softsym.cli.common import check_texts, one_line_warnings, write_json
from softsym.data.formats import suffixes
from softsym.datasets.source import read_data
from softsym.errors import InputError
from softsym.progress import track

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from softsym.data.table import Table as Data
    from softsym.groups import Group
    from softsym.inference import EvidenceTable
    from softsym.metrics.normalisation import Break, Normalisation
    from softsym.metrics.overlap import OrbitOverlap
    from softsym.reps import Rep

UNEVEN = 0.1
"""A column with less than this share of the largest standard deviation is hard to learn from."""


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
        help="Representation of the outputs; with it, outputs are evidence_table too. A task knows its own.",
    ),
    groups: list[str] | None = typer.Option(
        None, "--groups", help="One or more groups, such as 'O(3)' 'O(2)@z'. A task knows its own."
    ),
    x_columns: str | None = typer.Option(
        None, "--x-columns", help="Columns of the inputs, such as 'm1..m5,pos_*'; all by default."
    ),
    y_columns: str | None = typer.Option(None, "--y-columns", help="Columns of the outputs, with --out."),
    row_groups: str | None = typer.Option(
        None,
        "--row-groups",
        metavar="COLUMN",
        help="Column whose equal entries mark a row group, such as the windows of one recording.",
    ),
    normalisation: str | None = typer.Option(
        None,
        "--normalisation",
        help="Check one only: none, per-axis, common-scale, scale-aware, symmetry-aware or symmetry-scale-aware.",
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of everything that is drawn."),
    json_file: str | None = typer.Option(
        None, "--json", help="Write the result as JSON to a file, or to - (stdout)."
    ),
    quiet: bool = typer.Option(False, "--quiet", help="No progress."),
) -> None:
    """Checks data before training: which normalisation keeps which symmetry, how much of each orbit inputs cover, what outputs say.

    Example: softsym check measured.csv --x-columns "x1..z6" --in "6V" --groups "O(3)" "O(2)@z"
    """
    check_texts([rep_in, rep_out], groups or [])
    if y_columns is not None and rep_out is None:
        raise InputError("--y-columns are outputs: pass how they transform too, as in --out 'T(2)'")
    with one_line_warnings():
        table, task = read_data(
            data, x_columns, y_columns, need_y=rep_out is not None, row_groups=row_groups, seed=seed
        )
        rep = rep_in or (task.rep_in if task else None)
        candidates = groups or (task.groups if task else None)
        if rep is None or not candidates:
            raise InputError(
                f"pass how the columns of {data} transform, as in --in '5S + 5V' --groups 'O(3)'"
            )
        result = check_data(table, rep, candidates, normalisation=normalisation, seed=seed, quiet=quiet)
        outputs = rep_out or (str(task.rep_out) if task and normalisation is None else None)
        evidence_table = _evidence(table, str(rep), outputs, [str(group) for group in candidates], seed)
    if json_file is not None:
        write_json(
            result.to_dict() | ({} if evidence_table is None else {"evidence": evidence_table.to_dicts()}),
            json_file,
        )
    if json_file != "-":
        from rich.console import Console

        console = Console()
        console.print(one_table(result) if normalisation else breaks_table(result))
        console.print(overlap_table(result))
        if evidence_table is not None:
            console.print(evidence_table)
        console.print(_text(f"Recommended: {result.recommended}, because {result.reason}."))


def _evidence(
    table: Data, rep_in: str, rep_out: str | None, groups: list[str], seed: int
) -> EvidenceTable | None:
    """Evidence of the outputs for each candidate; None without outputs."""
    if table.Y is None or rep_out is None:
        return None
    from softsym.inference import evidence

    return evidence(table.X, table.Y, rep_in, rep_out, groups, sources=table.row_groups, seed=seed)


def breaks_table(result: DataCheck) -> Table:
    """One row for each normalisation, one column for each group."""
    title = f"{result.source}: {result.rows:,} rows of {result.rep_in}, {result.repeated:,} of them repeated"
    table = _table(
        title,
        "how much a normalisation breaks a group, 0 to 1; evenness: smallest over largest standard deviation",
    )
    groups = [overlap.group for overlap in result.coverage]
    for column in ("normalisation", *groups, "evenness"):
        table.add_column(_text(column), justify="left" if column == "normalisation" else "right")
    for check in result.normalisations:
        cells = ["keeps" if entry.is_kept else f"{entry.error:.2g}" for entry in check.breaks]
        table.add_row(check.name, *cells, f"{check.evenness:.2g}")
    return table


def one_table(result: DataCheck) -> Table:
    """One row for each group, for one normalisation."""
    (check,) = result.normalisations
    caption = "map and shift: distance from what keeps the group, exactly; error: mean equivariance error of the normalisation, 0 to 1"
    table = _table(f"{result.source}: {check.name} normalisation, evenness {check.evenness:.2g}", caption)
    for column in ("group", "keeps", "map", "shift", "error"):
        table.add_column(column, justify="left" if column in ("group", "keeps") else "right")
    for entry in check.breaks:
        numbers = [f"{value:.2g}" if value > 1e-9 else "0" for value in (entry.map, entry.shift, entry.error)]
        table.add_row(_text(entry.group), "yes" if entry.is_kept else "no", *numbers)
    return table


def overlap_table(result: DataCheck) -> Table:
    """One row for each group: its orbit overlap and what that means."""
    table = _table("Orbit overlap: how well the data cover the orbits of each group", "")
    for column in ("group", "orbit overlap", "meaning"):
        table.add_column(column, justify="right" if column == "orbit overlap" else "left")
    for overlap in result.coverage:
        table.add_row(_text(overlap.group), f"{overlap.value:.2f} {overlap.grade}", overlap.meaning)
    return table


def _table(title: str, caption: str) -> Table:
    from rich.table import Table

    return Table(title=_text(title), caption=_text(caption), title_justify="left", caption_justify="left")


def _text(text: str) -> Text:
    """Text in which square brackets are no markup."""
    from rich.text import Text

    return Text(text)


@dataclass(frozen=True)
class NormalisationCheck:
    """Effect of one normalisation on the data.

    Args:
        name: The normalisation.
        breaks: How much it breaks each group.
        evenness: Smallest standard deviation of a normalised column over the largest.
        smallest: The column with the smallest standard deviation.
    """

    name: str
    breaks: tuple[Break, ...]
    evenness: float
    smallest: str

    @property
    def keeps_all(self) -> bool:
        """Whether every symmetry survives."""
        return all(entry.is_kept for entry in self.breaks)


@dataclass(frozen=True)
class DataCheck:
    """The result of :func:`check_data`.

    Args:
        source: Where the data come from.
        rep_in: How the inputs transform.
        rows: Number of examples.
        repeated: How many of them repeat the inputs of another.
        normalisations: The effect of each.
        coverage: Orbit overlap of each group.
        recommended: A normalisation to use.
        reason: Why.
    """

    source: str
    rep_in: str
    rows: int
    repeated: int
    normalisations: tuple[NormalisationCheck, ...]
    coverage: tuple[OrbitOverlap, ...]
    recommended: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return {
            "schema": 1,
            **asdict(self),
            "normalisations": [
                {
                    "name": check.name,
                    "evenness": check.evenness,
                    "smallest": check.smallest,
                    "groups": [{**asdict(entry), "keeps": entry.is_kept} for entry in check.breaks],
                }
                for check in self.normalisations
            ],
            "coverage": [
                {"group": entry.group, "value": entry.value, "grade": entry.grade, "meaning": entry.meaning}
                for entry in self.coverage
            ],
        }


def check_data(
    table: Data,
    rep_in: Rep | str,
    groups: Sequence[Group | str],
    *,
    normalisation: str | None = None,
    seed: int = 0,
    quiet: bool = True,
) -> DataCheck:
    """Checks inputs before anything is trained on them: the effect of normalisations, and the orbit overlap of each group.

    Args:
        table: The inputs; outputs are ignored.
        rep_in: How the inputs transform.
        groups: The candidate groups.
        normalisation: Check this one only.
        seed: Seed of everything that is drawn.
        quiet: Show no progress.

    Example:
        >>> import numpy as np
        >>> from softsym.data import Table
        >>> X = np.random.default_rng(0).standard_normal((300, 3)) * [1.23, 1.34, 0.05]
        >>> checked = check_data(Table(X, None, ("x", "y", "z"), (), "flat"), "V", ["O(2)@z"])
        >>> checked.recommended, checked.coverage[0].grade
        ('common-scale', 'well')
    """
    from softsym.data.table import Table, check_fit
    from softsym.groups import join_groups, read_groups
    from softsym.metrics.normalisation import applicable, fit_normalisation, measure_break
    from softsym.metrics.overlap import orbit_overlap
    from softsym.reps import rep as read_rep

    rep, candidates = read_rep(rep_in), read_groups(groups)
    inputs = Table(table.X, None, table.x_names, (), table.source)
    repeated = check_fit(inputs, rep, None, candidates)
    names = (
        applicable(rep, join_groups(dict.fromkeys(candidates))) if normalisation is None else [normalisation]
    )
    fitted = [fit_normalisation(name, table.X, rep, candidates) for name in names]
    breaks: list[list[Break]] = []
    overlaps: list[OrbitOverlap] = []
    for group in track(candidates, "checking", quiet=quiet):
        breaks.append([measure_break(each, table.X, rep, group, seed=seed) for each in fitted])
        overlaps.append(orbit_overlap(table.X, rep, group, seed))
    checks = tuple(
        _check(each, table, tuple(column))
        for each, column in zip(fitted, zip(*breaks, strict=True), strict=True)
    )
    recommended, reason = recommend(checks)
    return DataCheck(
        table.source, str(rep), len(table.X), repeated, checks, tuple(overlaps), recommended, reason
    )


def _check(normalisation: Normalisation, table: Data, breaks: tuple[Break, ...]) -> NormalisationCheck:
    stds = normalisation.apply(table.X).std(axis=0)
    stds[table.X.min(axis=0) == table.X.max(axis=0)] = float("inf")  # constant columns do not count
    smallest = table.x_names[int(stds.argmin())]
    return NormalisationCheck(normalisation.name, breaks, normalisation.evenness(table.X), smallest)


def recommend(checks: Sequence[NormalisationCheck]) -> tuple[str, str]:
    """A normalisation that keeps every candidate symmetry, and why.

    Normalisations of trajectories forget where they lie, so they are recommended only if asked about. Among the others ``per-axis``
    is better if it happens to keep every symmetry; ``common-scale`` keeps them by construction.
    """
    by_name = {check.name: check for check in checks}
    common, each = by_name.get("common-scale"), by_name.get("per-axis")
    if len(checks) == 1:
        return _judge(checks[0])
    if each is not None and each.keeps_all and (common is None or each.evenness > 1.01 * common.evenness):
        return "per-axis", f"it keeps {_all(each)} exactly and makes every column equally large"
    reason = "it keeps every candidate symmetry by construction"
    if common is not None:
        reason = f"it keeps {_all(common)} exactly" + _price(each) + _caveat(common, each)
    return "common-scale", reason


def _judge(check: NormalisationCheck) -> tuple[str, str]:
    if check.keeps_all:
        return check.name, f"it keeps {_all(check)} exactly" + _caveat(check, None)
    return "common-scale", f"it keeps every candidate symmetry by construction{_price(check)}"


def _all(check: NormalisationCheck) -> str:
    names = [entry.group for entry in check.breaks]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _price(check: NormalisationCheck | None) -> str:
    """What a normalisation that breaks symmetries would cost."""
    broken = [] if check is None else [entry for entry in check.breaks if not entry.is_kept]
    if check is None or not broken:
        return ""
    worst = ", ".join(f"{entry.group} by {entry.error:.2g}" for entry in broken)
    return f"; {check.name} breaks {worst}"


def _caveat(chosen: NormalisationCheck, each: NormalisationCheck | None) -> str:
    if chosen.evenness >= UNEVEN:
        return ""
    text = (
        f". But column {chosen.smallest!r} is left with {chosen.evenness:.2g} of the largest standard deviation "
        "and is hard to learn from"
    )
    broken = [] if each is None else [entry for entry in each.breaks if not entry.is_kept]
    if not broken:
        return text
    mildest = min(broken, key=lambda entry: entry.error)
    return f"{text}; if the outputs depend on it, per-axis is the lesser evil for {mildest.group} (broken by {mildest.error:.2g})"
