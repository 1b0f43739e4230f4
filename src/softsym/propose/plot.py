"""A proposal as a figure: eigenvalues with the gap, axes in space, and the lattice of groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softsym.errors import InputError
from softsym.propose.proposal import Proposal

COLOURS = {"exact": "#0b6e99", "soft": "#edae49", "undecided": "#999999", "rest": "#cccccc"}
SUFFIXES = (".html", ".svg", ".png")


def write_figure(proposal: Proposal, path: str | Path) -> None:
    """Writes an HTML page; SVG and PNG need plotly's kaleido."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"a figure is a file {', '.join(SUFFIXES)}, got {path.name}")
    drawn = figure(proposal)
    if path.suffix.lower() == ".html":
        path.write_text(drawn.to_html(include_plotlyjs=True), encoding="utf-8")
        return
    try:
        drawn.write_image(path)
    except (ImportError, ValueError, RuntimeError) as error:
        raise InputError(f"cannot draw {path.name}: kaleido is not installed; pass a file .html") from error


def figure(proposal: Proposal) -> Any:
    """The plotly figure: three panels side by side."""
    from plotly.subplots import make_subplots

    drawn = make_subplots(
        rows=1,
        cols=3,
        specs=[[{"type": "xy"}, {"type": "scene"}, {"type": "xy"}]],
        subplot_titles=("Eigenvalues of the Lie derivative", "Axes and normals", "Groups, larger above"),
    )
    drawn.add_trace(_eigenvalues(proposal), row=1, col=1)
    drawn.update_yaxes(type="log", row=1, col=1)
    for trace in _axes(proposal):
        drawn.add_trace(trace, row=1, col=2)
    for trace in _lattice(proposal):
        drawn.add_trace(trace, row=1, col=3)
    drawn.update_xaxes(visible=False, row=1, col=3)
    drawn.update_yaxes(visible=False, row=1, col=3)
    drawn.update_layout(showlegend=False, template="plotly_white", title=proposal.words())
    return drawn


def _eigenvalues(proposal: Proposal) -> Any:
    from plotly.graph_objects import Bar

    k = len(proposal.generators)
    values = np.maximum(proposal.eigenvalues, 1e-16)
    colours = [COLOURS["exact"] if i < k else COLOURS["rest"] for i in range(len(values))]
    return Bar(x=list(range(1, len(values) + 1)), y=values.tolist(), marker_color=colours)


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

    count = len(proposal.groups)
    depth = [0] * count
    for _ in range(count):
        for big, small in proposal.lattice:
            depth[small] = max(depth[small], depth[big] + 1)
    level: dict[int, int] = {}
    places = []
    for node in range(count):
        place = level.get(depth[node], 0)
        level[depth[node]] = place + 1
        places.append((place + 0.5 * (depth[node] % 2), -depth[node]))
    edges = [
        Scatter(x=[places[i][0], places[j][0]], y=[places[i][1], places[j][1]], mode="lines", line={"color": "#aaaaaa"})
        for i, j in proposal.lattice
    ]
    nodes = Scatter(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        mode="markers+text",
        text=[G.name for G in proposal.groups],
        textposition="top center",
        marker={"size": 14, "color": COLOURS["exact"]},
    )
    return [*edges, nodes]
