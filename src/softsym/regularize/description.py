"""A table of regularised parameters: what each one is and how large its equivariant space is under each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from softsym.groups import Group
from softsym.regularize.stacked import Stacked


@dataclass(frozen=True)
class Row:
    """One parameter."""

    parameter: str
    shape: tuple[int, ...]
    representation: str
    dimensions: dict[str, int]


@dataclass(frozen=True)
class Description:
    """All regularised parameters; prints as a table."""

    rows: tuple[Row, ...]

    def __str__(self) -> str:
        groups = list(self.rows[0].dimensions) if self.rows else []
        lines = [["parameter", "shape", "representation", *groups]]
        for row in self.rows:
            shape = " x ".join(map(str, row.shape))
            lines.append(
                [row.parameter, shape, row.representation, *(str(row.dimensions[g]) for g in groups)]
            )
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        return "\n".join(
            "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def __repr__(self) -> str:
        return str(self)


def describe(stacked: Stacked, groups: Sequence[Group]) -> Description:
    """The table of a model's regularised parameters."""
    spaces = {group.name: stacked.spaces(group) for group in groups}
    rows = []
    for k, (name, parameter, one) in enumerate(
        zip(stacked.names, stacked.parameters, stacked.maps, strict=True)
    ):
        dimensions = {group: known[k].dim for group, known in spaces.items()}
        rows.append(Row(name, tuple(parameter.shape), str(one), dimensions))
    return Description(tuple(rows))
