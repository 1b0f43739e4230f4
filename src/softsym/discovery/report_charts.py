"""Charts of what was found: how exactly each group holds, and where in the network it is broken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softsym.discovery.report_plots import VERDICT_COLORS, VERDICT_MARKS, Figure, axis, layout, numbers
from softsym.discovery.report_text import label, number
from softsym.discovery.symmetries import Symmetries, Symmetry

LEAST_DISTANCE = 1e-4
"""Where the colours of the heat map end: float32 training does not come closer to a space."""


def errors(symmetries: Symmetries) -> Figure | None:
    """Error of every group as a horizontal bar with its interval; None without groups."""
    if not len(symmetries):
        return None
    traces = [_bars(symmetries, verdict) for verdict in VERDICT_MARKS]
    ticks = [f"{label(row.name)} {VERDICT_MARKS[row.verdict]}" for row in symmetries]
    return {
        "data": [trace for trace in traces if trace["x"]],
        "layout": layout(
            90 + 44 * len(symmetries),
            xaxis=axis("equivariance error", rangemode="tozero"),
            yaxis=axis(
                "", tickvals=list(range(len(ticks))), ticktext=ticks, autorange="reversed", showgrid=False
            ),
            bargap=0.45,
            showlegend=True,
        ),
    }


def _bars(symmetries: Symmetries, verdict: str) -> dict[str, Any]:
    chosen = [(place, row) for place, row in enumerate(symmetries) if row.verdict == verdict]
    rows = [row for _, row in chosen]
    above, below = [np.asarray(side) for side in ([_reach(row)[k] for row in rows] for k in (1, 0))]
    return {
        "type": "bar",
        "orientation": "h",
        "name": f"{VERDICT_MARKS[verdict]} {verdict}",
        "y": [place for place, _ in chosen],
        "x": numbers([row.error for row in rows]),
        "error_x": {
            "type": "data", "symmetric": False, "array": numbers(above), "arrayminus": numbers(below), "thickness": 1.5, "width": 5,
        },
        "marker": {"color": VERDICT_COLORS[verdict]},
        "customdata": [label(row.name) for row in rows],
        "hovertemplate": "%{customdata}: %{x:.3g}<extra></extra>",
    }  # fmt: skip


def _reach(row: Symmetry) -> tuple[float, float]:
    low, high = row.error_interval
    below, above = row.error - low, high - row.error
    return (max(below, 0.0), max(above, 0.0)) if np.isfinite([below, above]).all() else (0.0, 0.0)


def distances(symmetries: Symmetries) -> Figure | None:
    """Layer by group, how far the weights are from the group's space; None if no layer was measured."""
    layers = list(dict.fromkeys(layer for row in symmetries for layer in row.layers))
    if not layers:
        return None
    values = np.array([[row.layers.get(layer, np.nan) for row in symmetries] for layer in layers])
    colors = np.log10(np.clip(values, LEAST_DISTANCE, 1))
    ticks = [-4, -3, -2, -1, 0]
    trace = {
        "type": "heatmap",
        "z": [numbers(line) for line in colors],
        "zmin": ticks[0],
        "zmax": ticks[-1],
        "colorscale": "Cividis",
        "text": [[number(value) for value in line] for line in values],
        "texttemplate": "%{text}" if len(symmetries) <= 12 else "",
        "customdata": [[[label(layer, 60), label(row.name, 60)] for row in symmetries] for layer in layers],
        "hovertemplate": "%{customdata[0]}, %{customdata[1]}: %{text}<extra></extra>",
        "xgap": 2,
        "ygap": 2,
        "colorbar": {
            "orientation": "h", "thickness": 12, "y": 1, "yanchor": "bottom", "tickvals": ticks,
            "ticktext": ["≤ 0.0001", "0.001", "0.01", "0.1", "1"], "outlinewidth": 0,
        },
    }  # fmt: skip
    return {
        "data": [trace],
        "layout": layout(
            130 + 34 * len(layers),
            xaxis=_named([row.name for row in symmetries], 20),
            yaxis=_named(layers, 20) | {"autorange": "reversed"},
        ),
    }


def _named(names: Sequence[str], longest: int) -> dict[str, Any]:
    ticks = [label(name, longest) for name in names]
    return axis("", tickvals=list(range(len(names))), ticktext=ticks, showgrid=False, zeroline=False)
