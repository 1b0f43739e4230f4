"""A proposal: generators, groups and the table of both."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from softsym.groups import Group
from softsym.inference.verdict import Verdict
from softsym.tables import CandidateTable, Column
from softsym.typing import Array


@dataclass(frozen=True)
class ProposalRow:
    """One generator or one discrete element.

    Args:
        name: In words, such as "rotation about z".
        verdict: exact, soft or undecided.
        kind: "generator" or "discrete".
        generator: Its matrix, as nested tuples.
        eigenvalue: Of the Lie derivative; NaN for discrete elements.
        p_value: Chance of such a defect if it holds exactly.
        violation: Relative violation, without what the fit's error explains.
        interval: Bounds of the relative violation, each at one percent.
        group: Text of the group it generates.
        note: What to know about it.
    """

    name: str
    verdict: Verdict
    kind: str
    generator: tuple[tuple[float, ...], ...]
    eigenvalue: float
    p_value: float
    violation: float
    interval: tuple[float, float]
    group: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON; what is not known is None."""
        fields = {key: getattr(self, key) for key in self.__dataclass_fields__}
        plain = {key: _plain(value) for key, value in fields.items()}
        return {
            **plain,
            "generator": [list(row) for row in self.generator],
            "interval": [_plain(end) for end in self.interval],
        }

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        fields = self.to_dict()
        low, high = fields.pop("interval")
        return {**fields, "generator": str(fields["generator"]), "low": low, "high": high}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float) -> str:
    return (
        "" if math.isnan(value) else "0" if value == 0 else f"{value:.1e}" if value < 1e-3 else f"{value:.2g}"
    )


class ProposalTable(CandidateTable[ProposalRow]):
    """One row for each generator and discrete element: iterable, indexed by place or by name."""

    title = "Proposed symmetries"
    what = "symmetry"
    columns = (
        Column("symmetry", "Symmetry", lambda row: row.name),
        Column("verdict", "Verdict", lambda row: row.verdict),
        Column("violation", "Violation", lambda row: row.violation, _number, is_figure=True),
        Column(
            "interval",
            "Interval",
            lambda row: row.interval,
            lambda ends: " to ".join(map(_number, ends)),
            is_figure=True,
        ),
        Column("p", "p-value", lambda row: row.p_value, _number, is_figure=True),
        Column("eigenvalue", "Eigenvalue", lambda row: row.eigenvalue, _number, is_figure=True),
        Column("note", "Note", lambda row: row.note, is_prose=True),
    )


@dataclass(frozen=True, eq=False)
class Proposal:
    """The outcome of :func:`softsym.propose`.

    Args:
        generators: Of what holds exactly, (k, d, d), orthonormal; (k, d + 1, d + 1), homogeneous, with points.
        algebra: Its name: "so(3)", "unnamed, dimension 2", or "none".
        is_compact: Whether the exact algebra is that of a compact group.
        groups: Groups to go on with, the largest exact one first, then its parts, then soft ones.
        verdicts: exact or soft, for each of these.
        table: One row for each generator and discrete element.
        eigenvalues: Of the unconstrained fit's Lie derivative, smallest first.
        distance: Degrees between the exact algebra and the span of the eigenvectors it came from.
        explained: Leave-one-out R² of the unconstrained fit.
        lattice: Pairs of places in ``groups``: the second lies inside the first.
        note: Why nothing is proposed, or what to know.
        seconds: How long it took.
    """

    generators: Array
    algebra: str
    is_compact: bool
    groups: tuple[Group, ...]
    verdicts: tuple[Verdict, ...]
    table: ProposalTable
    eigenvalues: Array
    distance: float
    explained: float
    lattice: tuple[tuple[int, int], ...] = ()
    note: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def exact_groups(self) -> tuple[Group, ...]:
        """Those that hold exactly."""
        return tuple(
            group for group, verdict in zip(self.groups, self.verdicts, strict=True) if verdict == "exact"
        )

    def words(self) -> str:
        """What was found, in a few sentences."""
        k = len(self.generators)
        if k:
            size = f"{k} dimension{'s' * (k > 1)}, {'compact' if self.is_compact else 'not compact'}"
            sentences = [f"Exact continuous symmetry: {self.algebra} ({size})."]
        else:
            sentences = ["No continuous symmetry is exact."]
        if self.groups:
            listed = ", ".join(
                f"{G.name} ({word})" for G, word in zip(self.groups, self.verdicts, strict=True)
            )
            sentences.append(f"Groups to go on with: {listed}.")
        if self.note:
            sentences.append(f"{self.note[0].upper()}{self.note[1:]}.")
        return " ".join(sentences)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        groups = [
            {"name": G.name, "text": G.text, "verdict": word}
            for G, word in zip(self.groups, self.verdicts, strict=True)
        ]
        return {
            "schema": 1, "algebra": self.algebra, "dimension": len(self.generators), "is_compact": self.is_compact,
            "generators": self.generators.tolist(), "groups": groups, "lattice": [list(pair) for pair in self.lattice],
            "table": self.table.to_dicts(), "eigenvalues": self.eigenvalues.tolist(), "distance_degrees": self.distance,
            "explained": self.explained, "note": self.note, "seconds": self.seconds,
        }  # fmt: skip

    def __str__(self) -> str:
        return f"{self.table}\n{self.words()}"
