"""A table of regularised parameters: shape, representation and dimension of each group's space; then remarks on the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from softsym.groups import Group
from softsym.maps import Proposal
from softsym.regularize.operator import StackedParameters

LONGEST = 60
"""Characters of a representation in the table."""


@dataclass(frozen=True)
class Row:
    """One parameter: name, shape, representation, and the dimension of its equivariant space by group."""

    parameter: str
    shape: tuple[int, ...]
    representation: str
    dimensions: dict[str, int]


@dataclass(frozen=True)
class Description:
    """All regularised parameters; prints as a table."""

    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        groups = list(self.rows[0].dimensions) if self.rows else []
        lines = [["parameter", "shape", "representation", *groups]]
        for row in self.rows:
            shape = " x ".join(map(str, row.shape))
            text = shorten(row.representation)
            lines.append([row.parameter, shape, text, *(str(row.dimensions[g]) for g in groups)])
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        table = [
            "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines
        ]
        return "\n".join([*table, *self.remarks])

    def __repr__(self) -> str:
        return str(self)


def shorten(text: str) -> str:
    """A long text without its middle.

    Example:
        >>> shorten("Points([[1.0, 2.0]])"), len(shorten("V + S + " * 30))
        ('Points([[1.0, 2.0]])', 63)
    """
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 + 2 :]}"


def describe(
    stacked: StackedParameters, groups: Sequence[Group], proposal: Proposal | None = None
) -> Description:
    """The table of a model's regularised parameters, with remarks on the others."""
    rows = []
    remarks = [] if proposal is None else proposal.remarks()
    for name, parameter, tensor_map in zip(stacked.names, stacked.parameters, stacked.maps, strict=True):
        dimensions = {group.name: tensor_map.space(group).dim for group in groups}
        rows.append(Row(name, tuple(parameter.shape), str(tensor_map), dimensions))
        empty = [group for group, dim in dimensions.items() if dim == 0]
        if empty and parameter.dim() > 1:
            remarks.append(
                f"only zero is equivariant to {', '.join(empty)}: {name}; give its layer's representations with `reps`"
            )
    return Description(tuple(rows), tuple(remarks))
