"""The result of ``softsym inspect``: sizes, dimensions and solving time of the equivariant spaces of a network."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from softsym.errors import printable
from softsym.groups import read_groups
from softsym.reps import hidden_rep
from softsym.reps import rep as read_rep
from softsym.spaces import equivariant_maps, invariants
from softsym.spaces.solvers.solver import check_cost, setup_cost

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class MapInspection:
    """The equivariant maps between two representations under one group."""

    maps: str
    size: int
    dim: int
    bias_size: int
    bias_dim: int
    methods: list[str]
    residual: float


@dataclass(frozen=True)
class GroupInspection:
    """All layers under one group."""

    group: str
    size_in: int
    size_out: int
    layers: list[MapInspection]
    seconds: float


@dataclass(frozen=True)
class Inspection:
    """The result of :func:`inspect`."""

    rep_in: str
    rep_out: str
    hidden: str
    width: int
    groups: list[GroupInspection]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return {"schema": 1, **asdict(self)}

    def table(self) -> Table:
        """A table for the terminal."""
        from rich.table import Table
        from rich.text import Text

        sizes = f"sizes {self.groups[0].size_in} -> {self.groups[0].size_out}" if self.groups else ""
        times = ", ".join(f"{each.group} {each.seconds:.3f} s" for each in self.groups)
        title = Text(printable(f"{self.rep_in} -> {self.rep_out} ({sizes}), hidden {self.hidden}"))
        caption = Text(printable(f"solved in {times}"))
        table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
        for column in ("group", "maps", "entries", "equivariant", "share", "biases"):
            table.add_column(column, justify="left" if column in ("group", "maps") else "right", overflow="fold")
        for each in self.groups:
            for k, layer in enumerate(each.layers):
                share = f"{layer.dim / max(layer.size, 1):.1%}"
                biases = f"{layer.bias_dim:,} of {layer.bias_size:,}"
                group = Text("" if k else printable(each.group))
                table.add_row(group, layer.maps, f"{layer.size:,}", f"{layer.dim:,}", share, biases)
            table.add_section()
        return table


def inspect(
    rep_in: str,
    rep_out: str,
    groups: Sequence[str],
    *,
    width: int = 384,
    solver: str = "auto",
    tol: float | None = None,
) -> Inspection:
    """Solves the equivariant spaces in -> out, in -> hidden, hidden -> hidden and hidden -> out under each group."""
    source, target = read_rep(rep_in), read_rep(rep_out)
    parsed = read_groups(groups)
    hidden = hidden_rep(width, parsed[0])
    routes = [
        ("in -> out", source, target),
        ("in -> hidden", source, hidden),
        ("hidden -> hidden", hidden, hidden),
        ("hidden -> out", hidden, target),
    ]
    for group in parsed:  # refuses the largest space before any other is solved
        check_cost(f"{hidden} -> {hidden} under {group.name}", setup_cost(group, hidden.size(group) ** 2))
    inspections = []
    for group in parsed:
        start = time.perf_counter()
        layers = []
        for name, a, b in routes:
            maps, biases = equivariant_maps(a, b, group, solver=solver, tol=tol), invariants(b, group, tol=tol)
            methods = sorted({evidence.method for evidence in maps.evidence.values()})
            residual = max(maps.residual_bound, biases.residual_bound)
            layers.append(MapInspection(name, maps.size, maps.dim, biases.size, biases.dim, methods, residual))
        seconds = time.perf_counter() - start
        inspections.append(GroupInspection(group.name, source.size(group), target.size(group), layers, seconds))
    return Inspection(str(source), str(target), str(hidden), width, inspections)
