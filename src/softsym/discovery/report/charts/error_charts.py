"""Charts of what was found: how exactly each group holds, and where in the network it is broken."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.discovery.report.charts.plots import (
    VERDICT_COLORS,
    VERDICT_MARKS,
    Figure,
    axis,
    layout,
    log_axis,
    numbers,
    positive,
)
from softsym.discovery.report.wording import label, labels, number
from softsym.typing import Array

LEAST_DISTANCE = 1e-4
"""Where the colours of the heat map end: float32 training does not come closer to a space."""


def errors(symmetries: Symmetries) -> Figure | None:
    """Error of every group as a horizontal bar with its interval, and a logarithmic axis as an option; None without groups."""
    if not len(symmetries):
        return None
    traces = [_bars(symmetries, verdict) for verdict in VERDICT_MARKS]
    names = labels([row.name for row in symmetries])
    ticks = [f"{name} {VERDICT_MARKS[row.verdict]}" for name, row in zip(names, symmetries, strict=True)]
    ends = positive([(row.error, *row.error_interval) for row in symmetries])
    return {
        "data": [trace for trace in traces if trace["x"]],
        "logarithmic": log_axis("equivariance error", numbers(ends)),
        "layout": layout(
            90 + 44 * len(symmetries),
            xaxis=axis("equivariance error", rangemode="tozero", nticks=5, exponentformat="power"),
            yaxis=_ticks(ticks) | {"autorange": "reversed"},
            bargap=0.45,
            showlegend=True,
        ),
    }


def _bars(symmetries: Symmetries, verdict: str) -> dict[str, Any]:
    chosen = [(place, row) for place, row in enumerate(symmetries) if row.verdict == verdict]
    rows = [row for _, row in chosen]
    below, above = ([_reach(row)[side] for row in rows] for side in (0, 1))
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
        "customdata": [label(row.name, 60) for row in rows],
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
    groups = [row.name for row in symmetries]
    values = np.array([[row.layers.get(layer, np.nan) for row in symmetries] for layer in layers])
    # Whichever are more run down the page: a phone has length, not width.
    down, across, cells = (
        (layers, groups, values) if len(layers) >= len(groups) else (groups, layers, values.T)
    )
    return {
        "data": [_heat(down, across, cells)],
        "layout": layout(100 + 34 * len(down), xaxis=_ticks(labels(across)), yaxis=_ticks(labels(down)) | {"autorange": "reversed"}),
    }  # fmt: skip


def _heat(down: Sequence[str], across: Sequence[str], cells: Array) -> dict[str, Any]:
    least = math.log10(LEAST_DISTANCE)
    return {
        "type": "heatmap",
        "z": [numbers(line) for line in np.log10(np.clip(cells, LEAST_DISTANCE, 1))],
        "zmin": least,
        "zmax": 0,
        "colorscale": "Cividis",
        "text": [[number(value) for value in line] for line in cells],
        "texttemplate": "%{text}" if len(across) <= 12 else "",
        "customdata": [[[label(line, 60), label(column, 60)] for column in across] for line in down],
        "hovertemplate": "%{customdata[0]}, %{customdata[1]}: %{text}<extra></extra>",
        "xgap": 2,
        "ygap": 2,
        "colorbar": {
            "orientation": "h", "thickness": 12, "y": 1, "yanchor": "bottom", "outlinewidth": 0, "ypad": 6,
            "tickvals": [least, least / 2, 0], "ticktext": ["10⁻⁴", "0.01", "1"], "tickangle": 0,
            "ticklabelposition": "outside top",
        },
    }  # fmt: skip


def _ticks(ticks: Sequence[str]) -> dict[str, Any]:
    return axis("", tickvals=list(range(len(ticks))), ticktext=ticks, showgrid=False, zeroline=False)
