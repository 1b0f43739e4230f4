"""Charts of the evidence: where each violation lies, how the likelihood falls along it, and the randomization test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softsym.discovery.report.charts.plots import (
    SYMBOLS,
    VERDICT_COLORS,
    VERDICT_MARKS,
    Figure,
    axis,
    layout,
    log_axis,
    numbers,
    style,
)
from softsym.discovery.report.wording import label, labels
from softsym.inference import EvidenceTable
from softsym.inference.verdict import ABSENT_ABOVE, TOLERANCE

DEEPEST = -12.0
"""Log likelihood below the highest at which curves end."""
LEAST_SHARE = 1e-3
"""Violations are drawn from here on a logarithmic axis, zero included."""
BINS = 30


def violations(table: EvidenceTable) -> Figure | None:
    """The interval of every candidate's violation, with the tolerance and the level from which a symmetry is absent."""
    rows = [row for row in table if row.rows]
    if not rows:
        return None
    traces = []
    for verdict, mark in VERDICT_MARKS.items():
        chosen = [(place, row) for place, row in enumerate(rows) if row.verdict == verdict]
        if chosen:
            traces.append(_intervals(verdict, mark, chosen))
    names = labels([row.name for row in rows])
    ticks = [f"{name} {VERDICT_MARKS[row.verdict]}" for name, row in zip(names, rows, strict=True)]
    ends = [_shown(end) for row in rows for end in (*row.interval, row.asymmetry)]
    across = log_axis("relative violation", [*ends, LEAST_SHARE, 1.0])
    upright = [
        {"type": "line", "xref": "x", "yref": "paper", "x0": level, "x1": level, "y0": 0, "y1": 1, "line": {"width": 1.5, "dash": dash}}
        for level, dash in ((TOLERANCE, "dash"), (ABSENT_ABOVE, "dot"))
    ]  # fmt: skip
    down = axis(
        "",
        tickvals=list(range(len(rows))),
        ticktext=ticks,
        showgrid=False,
        zeroline=False,
        autorange="reversed",
    )
    return {
        "data": traces,
        "layout": layout(110 + 44 * len(rows), xaxis=across, yaxis=down, shapes=upright, showlegend=True),
    }


def _intervals(verdict: str, mark: str, chosen: list[tuple[int, Any]]) -> dict[str, Any]:
    middles = [_shown(row.asymmetry) for _, row in chosen]
    low, high = ([_shown(row.interval[side]) for _, row in chosen] for side in (0, 1))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"{mark} {verdict}",
        "x": numbers(middles),
        "y": [place for place, _ in chosen],
        "error_x": {
            "type": "data", "symmetric": False, "thickness": 2.5, "width": 7,
            "array": numbers(np.maximum(np.subtract(high, middles), 0.0)),
            "arrayminus": numbers(np.maximum(np.subtract(middles, low), 0.0)),
        },
        "marker": {"color": VERDICT_COLORS[verdict], "size": 10},
        "customdata": [label(row.name, 60) for _, row in chosen],
        "hovertemplate": "%{customdata}: %{x:.3g}<extra></extra>",
    }  # fmt: skip


def likelihoods(table: EvidenceTable) -> Figure | None:
    """The log likelihood of every candidate along the violation, its highest value at zero."""
    traces: list[dict[str, Any]] = []
    for place, (row, shown) in enumerate(zip(table, labels([row.name for row in table]), strict=True)):
        detail = table.details.get(row.name)
        if detail is None or len(detail.shares) < 2:
            continue
        shares = np.maximum(detail.shares, LEAST_SHARE)
        traces.append({
            "type": "scatter", "mode": "lines+markers", "name": shown, "x": numbers(shares),
            "y": numbers(np.maximum(detail.log_likelihoods, DEEPEST)), "line": {**style(place), "width": 2},
            "marker": {"size": 7, "symbol": SYMBOLS[place % len(SYMBOLS)]},
            "hovertemplate": "share %{x:.2g}: %{y:.1f}<extra>%{fullData.name}</extra>",
        })  # fmt: skip
    if not traces:
        return None
    across = log_axis("share of the prior without the symmetry", [LEAST_SHARE, 1.0])
    down = axis("log likelihood", range=[DEEPEST, 0.8])
    floor = {
        "type": "line",
        "xref": "paper",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": -1.92,
        "y1": -1.92,
        "line": {"width": 1, "dash": "dash"},
    }
    return {
        "data": traces,
        "layout": layout(
            360 + 20 * max(0, len(traces) - 4), xaxis=across, yaxis=down, shapes=[floor], showlegend=True
        ),
    }


def randomizations(table: EvidenceTable) -> Figure | None:
    """For every candidate the losses of transformed rows as a histogram, and that of the rows themselves as a line."""
    names = labels([row.name for row in table])
    tested = [
        (place, row, table.details[row.name])
        for place, row in enumerate(table)
        if row.name in table.details
        and len(table.details[row.name].draws)
        and math.isfinite(table.details[row.name].observed)
    ]
    if not tested:
        return None
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    height, gap = 1.0 / len(tested), 0.3 / len(tested)
    for k, (place, _, detail) in enumerate(tested):
        suffix = "" if k == 0 else str(k + 1)
        # Relative to the loss of the rows themselves: one scale for all, whatever the outputs' unit.
        unit = detail.observed or 1.0
        heights, edges = np.histogram(detail.draws / unit, BINS)
        traces.append({
            "type": "bar", "x": numbers((edges[1:] + edges[:-1]) / 2), "y": heights.tolist(), "width": numbers(np.diff(edges)),
            "marker": {"color": style(place)["color"]}, "xaxis": f"x{suffix}", "yaxis": f"y{suffix}", "showlegend": False,
            "hovertemplate": "%{x:.3g} times the loss of the rows themselves: %{y} draws<extra></extra>",
        })  # fmt: skip
        traces.append({
            "type": "scatter", "mode": "lines", "x": [1.0, 1.0], "y": [0, int(heights.max())], "xaxis": f"x{suffix}", "yaxis": f"y{suffix}",
            "line": {"color": "#D55E00", "width": 3}, "name": "rows as they are", "showlegend": k == 0, "hoverinfo": "skip",
        })  # fmt: skip
        top = 1.0 - k * height
        is_last = k == len(tested) - 1
        axes[f"xaxis{suffix}"] = axis(
            "loss of transformed rows, relative" if is_last else "",
            anchor=f"y{suffix}",
            nticks=5,
        )
        axes[f"yaxis{suffix}"] = axis(
            names[place],
            domain=[top - height + gap, top],
            showticklabels=False,
            showgrid=False,
            anchor=f"x{suffix}",
        )
    return {"data": traces, "layout": layout(90 + 130 * len(tested), bargap=0, showlegend=True, **axes)}


def _shown(value: float) -> float:
    return max(value, LEAST_SHARE) if math.isfinite(value) else math.nan
