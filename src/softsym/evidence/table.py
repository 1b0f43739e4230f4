"""What data say about each candidate symmetry: a table that people read and programs iterate over."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from scipy.stats import chi2

from softsym.errors import InputError
from softsym.evidence.look import Look
from softsym.evidence.profile import Profile
from softsym.evidence.verdict import TOLERANCE, Grounds, Verdict, judge
from softsym.groups import Group

if TYPE_CHECKING:
    import pandas
    import polars
    from rich.console import Group as RichGroup

HEADS = ("group", "verdict", "violation", "interval", "p", "log evidence", "coverage", "seconds", "note")


@dataclass(frozen=True)
class EvidenceRow:
    """What data say about one candidate group.

    Args:
        name: The group's name.
        verdict: ``exact``, ``soft``, ``absent`` or ``undecided``.
        p_value: Of the randomization test, or of the likelihood ratio where there is none (``method`` says which); NaN if neither.
        log_evidence: Log marginal likelihood of exact symmetry minus that of none.
        asymmetry: Relative violation |t_perp| / |t|.
        interval: Where it lies with 95 % certainty.
        tolerance: The smallest tolerance at which the data support exactness: the upper end of the interval.
        coverage: How much moved data look like data, 0 to 1.
        errors: Leave-one-out error as a share of the variance: with the symmetry exactly, as far as it holds, not at all.
        rows: How many rows the likelihood saw.
        seconds: How long it took.
        method: How the kernel was made equivariant and where the p-value comes from.
        note: What would decide it, or why to be careful; empty if there is nothing to say.
    """

    name: str
    verdict: Verdict
    p_value: float = math.nan
    log_evidence: float = math.nan
    asymmetry: float = math.nan
    interval: tuple[float, float] = (0.0, 1.0)
    tolerance: float = 1.0
    coverage: float = math.nan
    errors: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    rows: int = 0
    seconds: float = 0.0
    method: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON; what is not known is None."""
        fields = asdict(self)
        plain = {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in fields.items()}
        errors = [None if math.isnan(error) else error for error in self.errors]
        return {**plain, "interval": list(self.interval), "errors": errors}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> EvidenceRow:
        """The inverse of :meth:`to_dict`."""
        known: dict[str, Any] = {key: math.nan if value is None else value for key, value in fields.items()}
        low, high = fields["interval"]
        exact, soft, none = (math.nan if error is None else float(error) for error in fields["errors"])
        return cls(**{**known, "interval": (float(low), float(high)), "errors": (exact, soft, none)})


class EvidenceTable(Sequence[EvidenceRow]):
    """The table of all candidates: iterable, indexed by place or by the group's name.

    Example:
        >>> table = EvidenceTable([EvidenceRow("O(2)@z", "exact", 0.62, 665.0, 0.0, (0.0, 0.01), 0.01, 0.95)])
        >>> table["O(2)@z"].verdict
        'exact'
        >>> print(table)
        group   verdict  violation  interval    p     log evidence  coverage  seconds  note
        O(2)@z  exact    0          0 to 0.010  0.62  665           0.95      0.0
    """

    def __init__(self, rows: Sequence[EvidenceRow] = ()) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[EvidenceRow]:
        return iter(self._rows)

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._rows[which]
        for row in self._rows:
            if row.name == which:
                return row
        known = ", ".join(row.name for row in self._rows) or "none"
        raise InputError(f"no candidate group {which!r}; the candidates were {known}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EvidenceTable) and self.to_dicts() == other.to_dicts()

    def __hash__(self) -> int:
        return hash(tuple(row.name for row in self._rows))

    def to_polars(self) -> polars.DataFrame:
        """One row per group."""
        import polars

        return polars.DataFrame([_flat(row) for row in self._rows])

    def to_pandas(self) -> pandas.DataFrame:
        """One row per group."""
        import pandas

        return pandas.DataFrame([_flat(row) for row in self._rows])

    def to_dicts(self) -> list[dict[str, Any]]:
        """Plain numbers and strings, for JSON."""
        return [row.to_dict() for row in self._rows]

    def __rich__(self) -> RichGroup:
        from rich.console import Group as RichGroup
        from rich.markup import escape
        from rich.table import Table
        from rich.text import Text

        table = Table(title="Evidence")
        for head in HEADS[:-1]:
            table.add_column(head, justify="left" if head in ("group", "verdict") else "right")
        for row in self._rows:
            table.add_row(*map(escape, _cells(row)[:-1]))
        notes = [Text(f"{row.name}: {row.note}") for row in self._rows if row.note]
        return RichGroup(table, *notes)  # below, where a narrow window does not squeeze them

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{head}</th>" for head in HEADS)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(row)) + "</tr>"
            for row in self._rows
        )
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"

    def __str__(self) -> str:
        lines = [list(HEADS), *(_cells(row) for row in self._rows)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(HEADS))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )

    def __repr__(self) -> str:
        return f"EvidenceTable({', '.join(f'{row.name}: {row.verdict}' for row in self._rows)})"


def ratio_p_value(found: Profile) -> float:
    """Of the likelihood ratio against exact symmetry: a half-half mixture of zero and chi^2(1)."""
    return 1.0 if found.against <= 0 else 0.5 * float(chi2.sf(2.0 * found.against, 1))


def row_of(
    group: Group,
    found: Profile | None,
    look: Look,
    *,
    ratio_p: float | None = None,
    p_value: float = math.nan,
    test_p: float = math.nan,
    coverage: float = math.nan,
    refuted_subgroup: str = "",
    tolerance: float = TOLERANCE,
    seconds: float = 0.0,
) -> EvidenceRow:
    """The row of one group, with its verdict.

    Args:
        group: The group.
        found: What the likelihood says; None if nothing.
        look: What was looked at.
        ratio_p: p-value of the likelihood ratio, corrected for several groups; not corrected if None.
        p_value: Of the randomization test; NaN if there is none.
        test_p: The same, corrected.
        coverage: How much moved data look like data.
        refuted_subgroup: A candidate inside the group that is refuted.
        tolerance: Up to which violation a symmetry counts as exact.
        seconds: How long it took.
    """
    if found is None:
        reason = look.notes.get(group.name, "the outputs do not vary")
        return EvidenceRow(group.name, "undecided", p_value, coverage=coverage, seconds=seconds, note=reason)
    rows = look.rows(look.blocks([group]))
    method = look.candidates[group.name].method
    if math.isnan(p_value):
        p_value, method = ratio_p_value(found), f"{method}; p of the likelihood ratio"
    if found.is_trivial:
        verdict: Verdict = "undecided"
        note = "it acts trivially on these data: every map has this symmetry"
    else:
        grounds = Grounds(
            found.interval, 1.0 - found.errors[1], len(look.X), ratio_p_value(found) if ratio_p is None else ratio_p,
            test_p, coverage, refuted_subgroup, tolerance,
        )  # fmt: skip
        verdict, note = judge(grounds)
    return EvidenceRow(
        group.name, verdict, p_value, found.log_evidence, found.asymmetry, found.interval, found.interval[1],
        coverage, found.errors, rows, seconds, method, note,
    )  # fmt: skip


def _cells(row: EvidenceRow) -> list[str]:
    low, high = row.interval
    return [
        row.name, row.verdict, _number(row.asymmetry), f"{_number(low)} to {_number(high)}", _number(row.p_value),
        "" if math.isnan(row.log_evidence) else f"{row.log_evidence:.0f}", _number(row.coverage), f"{row.seconds:.1f}",
        row.note,
    ]  # fmt: skip


def _number(value: float) -> str:
    return "" if math.isnan(value) else "0" if value == 0 else f"{value:#.2g}"


def _flat(row: EvidenceRow) -> dict[str, Any]:
    fields = row.to_dict()
    low, high = fields.pop("interval")
    exact, soft, none = fields.pop("errors")
    fields["group"] = fields.pop("name")
    more = {"low": low, "high": high, "error_exact": exact, "error_soft": soft, "error_none": none}
    return {"group": fields.pop("group"), **fields, **more}
