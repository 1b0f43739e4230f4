"""A proposal: generators, groups, the table of both, and a figure: eigenvalues with the gap, axes in space, the lattice of groups."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softsym.errors import InputError
from softsym.groups import Group
from softsym.io import put_file, put_text
from softsym.tables import CandidateTable, Column
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.inference.verdict import Verdict

COLOURS = {"exact": "#0b6e99", "soft": "#edae49", "undecided": "#999999", "rest": "#cccccc"}
SUFFIXES = (".html", ".svg", ".png")


@dataclass(frozen=True)
class ProposalRow:
    """One generator, discrete element or group.

    Args:
        name: In words, such as "rotation about z".
        verdict: exact, soft, absent or undecided.
        kind: "generator", "discrete" or "group".
        generator: Its matrix, as nested tuples; of a group, none.
        eigenvalue: Of the Lie derivative of the unconstrained fit; NaN for discrete elements and groups.
        p_value: Of the group that was judged, if that holds.
        violation: Relative violation of the group that was judged.
        interval: Its 95 % confidence interval.
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
        return {key: _plain(value) for key, value in vars(self).items()}

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        fields = self.to_dict()
        low, high = fields.pop("interval")
        return {**fields, "generator": str(fields["generator"]), "low": low, "high": high}


def _plain(value: Any) -> Any:
    """The value with lists for tuples and None for what is no number."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float) -> str:
    if math.isnan(value):
        return ""
    return "0" if value == 0 else f"{value:.1e}" if abs(value) < 1e-3 else f"{value:.2g}"


def _interval(ends: tuple[float, float]) -> str:
    return " to ".join(map(_number, ends))


class ProposalTable(CandidateTable[ProposalRow]):
    """One row for each generator and discrete element, and for each group that came close: iterable, indexed by place or by name."""

    title = "Proposed symmetries"
    what = "symmetry"
    columns = (
        Column("symmetry", "Symmetry", lambda row: row.name),
        Column("verdict", "Verdict", lambda row: row.verdict),
        Column("violation", "Violation", lambda row: row.violation, _number, is_figure=True),
        Column("interval", "Interval", lambda row: row.interval, _interval, is_figure=True),
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
        groups: Groups that hold exactly, the largest first, then its parts.
        table: One row for each generator and discrete element, and for each group that came close.
        nearly: The rows of groups that came close: not accepted, but not far from it.
        eigenvalues: Of the unconstrained fit's Lie derivative, smallest first, without what the fit's error explains.
        explained: R² of the best fit of the selection rows.
        lattice: Pairs of places in ``groups``: the second lies inside the first.
        note: Why nothing is proposed, or what to know.
        seconds: How long it took.
    """

    generators: Array
    algebra: str
    is_compact: bool
    groups: tuple[Group, ...]
    table: ProposalTable
    nearly: tuple[ProposalRow, ...]
    eigenvalues: Array
    explained: float
    lattice: tuple[tuple[int, int], ...] = ()
    note: str = ""
    seconds: float = field(default=0.0, compare=False)

    def words(self) -> str:
        """What was found, in a few sentences."""
        k = len(self.generators)
        sentences = []
        if k:
            size = f"{k} dimension{'s' * (k > 1)}, {'compact' if self.is_compact else 'not compact'}"
            sentences.append(f"Exact continuous symmetry: {self.algebra} ({size}).")
        elif self.groups:
            sentences.append("No continuous symmetry is exact.")
        if self.groups:
            sentences.append(f"Groups to go on with: {', '.join(group.name for group in self.groups)}.")
        close = ", ".join(f"{row.name} ({row.verdict}, violation {_number(row.violation)})" for row in self.nearly)
        if not self.groups:
            sentences.append(f"Nothing sure; nearly found: {close or 'nothing'}.")
        elif close:
            sentences.append(f"Nearly: {close}.")
        if self.note:
            sentences.append(f"{self.note[0].upper()}{self.note[1:]}.")
        return " ".join(sentences)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return {
            "schema": 1,
            "algebra": self.algebra,
            "dimension": len(self.generators),
            "is_compact": self.is_compact,
            "generators": self.generators.tolist(),
            "groups": [{"name": G.name, "text": G.text, "verdict": "exact"} for G in self.groups],
            "nearly": [row.to_dict() for row in self.nearly],
            "lattice": [list(pair) for pair in self.lattice],
            "table": self.table.to_dicts(),
            "eigenvalues": self.eigenvalues.tolist(),
            "explained": self.explained,
            "note": self.note,
            "seconds": self.seconds,
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """A plotly figure of eigenvalues, axes and groups; written to a file .html, .svg or .png if a path is given."""
        if path is None:
            return _figure(self)
        path = Path(path)
        if path.suffix.lower() not in SUFFIXES:
            raise InputError(f"a figure is a file {', '.join(SUFFIXES)}, got {path.name}")
        if path.suffix.lower() == ".html":
            put_text(path, _figure(self).to_html(include_plotlyjs=True))
            return None
        try:
            put_file(path, _figure(self).write_image)  # needs plotly's kaleido
        except (ImportError, ValueError, RuntimeError) as error:
            raise InputError(f"cannot draw {path.name}: kaleido is not installed; pass a file .html") from error

    def __str__(self) -> str:
        return f"{self.table}\n{self.words()}"

    def __rich__(self) -> Any:
        from rich.console import Group as Together
        from rich.text import Text

        return Together(self.table, Text(self.words()))

    def _repr_html_(self) -> str:
        import html

        return f"{self.table._repr_html_()}<p>{html.escape(self.words())}</p>"


def _figure(proposal: Proposal) -> Any:
    """The plotly figure: three panels side by side."""
    from plotly.graph_objects import Bar
    from plotly.subplots import make_subplots

    kinds = [[{"type": "xy"}, {"type": "scene"}, {"type": "xy"}]]
    titles = ("Eigenvalues of the Lie derivative", "Axes and normals", "Groups, larger above")
    drawn = make_subplots(rows=1, cols=3, specs=kinds, subplot_titles=titles)
    values, k = np.maximum(proposal.eigenvalues, 1e-16).tolist(), len(proposal.generators)
    colours = [COLOURS["exact"] if i < k else COLOURS["rest"] for i in range(len(values))]
    drawn.add_trace(Bar(x=list(range(1, len(values) + 1)), y=values, marker_color=colours), row=1, col=1)
    drawn.update_yaxes(type="log", row=1, col=1)
    for trace in _axes(proposal):
        drawn.add_trace(trace, row=1, col=2)
    for trace in _lattice(proposal):
        drawn.add_trace(trace, row=1, col=3)
    drawn.update_xaxes(visible=False, row=1, col=3)
    drawn.update_yaxes(visible=False, row=1, col=3)
    drawn.update_layout(showlegend=False, template="plotly_white", title=proposal.words())
    return drawn


def _axes(proposal: Proposal) -> list[Any]:
    """Axes of rotations and normals of mirrors, in space only."""
    from plotly.graph_objects import Scatter3d

    traces = []
    for row in proposal.table:
        A = np.array(row.generator)
        if A.shape != (3, 3):
            continue
        if row.kind == "generator":
            direction = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
        else:
            values, vectors = np.linalg.eigh((A + A.T) / 2)
            direction = vectors[:, 0] if abs(values[0] + 1) < 1e-6 and abs(values[1] - 1) < 1e-6 else np.zeros(3)
        if np.linalg.norm(direction) > 1e-3:
            ends = np.stack([-direction, direction]) / np.linalg.norm(direction)
            x, y, z = ends.T.tolist()
            dash = "solid" if row.kind == "generator" else "dash"
            line = {"width": 6, "color": COLOURS[row.verdict], "dash": dash}
            traces.append(Scatter3d(x=x, y=y, z=z, mode="lines", line=line, text=row.name, hoverinfo="text"))
    return traces


def _lattice(proposal: Proposal) -> list[Any]:
    """Nodes by depth, edges from larger to smaller."""
    from plotly.graph_objects import Scatter

    depth = [0] * len(proposal.groups)
    for _ in depth:
        for big, small in proposal.lattice:
            depth[small] = max(depth[small], depth[big] + 1)
    x = [depth[:node].count(level) + 0.5 * (level % 2) for node, level in enumerate(depth)]
    y = [-level for level in depth]
    line, marker = {"color": "#aaaaaa"}, {"size": 14, "color": COLOURS["exact"]}
    edges = [Scatter(x=[x[i], x[j]], y=[y[i], y[j]], mode="lines", line=line) for i, j in proposal.lattice]
    names = [G.name for G in proposal.groups]
    nodes = Scatter(x=x, y=y, mode="markers+text", text=names, textposition="top center", marker=marker)
    return [*edges, nodes]
