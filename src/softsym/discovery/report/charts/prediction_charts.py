"""Predicted against true: one small panel for each output, which a narrow screen stacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from softsym.discovery.report.charts.plots import PALETTE, Figure, axis, layout, numbers, thin_indices
from softsym.discovery.report.report_data import ReportData
from softsym.discovery.report.wording import percent
from softsym.typing import Array

MOST_OUTPUTS = 90
"""Outputs that are drawn; a field of thousands would make a page that no browser opens."""
MOST_MARKS = 20_000
"""Points of all panels together, for the same reason."""


def panels(report: ReportData) -> list[dict[str, Any]]:
    """One panel for each of the first outputs: its name, what it explains, and its figure."""
    if not report.true.size:
        return []
    outputs = min(report.true.shape[1], MOST_OUTPUTS)
    rows = thin_indices(len(report.true), most=int(np.clip(MOST_MARKS // outputs, 50, 400)))
    return [
        {
            "name": output_name(report, place),
            "explained": _explained(report.true[:, place], report.predicted[:, place]),
            "figure": _panel(*(array[rows, place] for array in (report.true, report.predicted, report.std))),
        }
        for place in range(outputs)
    ]


def output_name(report: ReportData, place: int) -> str:
    """Name of one output's column; its place if it has none."""
    return report.output_names[place] if place < len(report.output_names) else f"output {place + 1}"


def _explained(true: Array, predicted: Array) -> str:
    total = np.square(true - true.mean()).sum()
    return percent(float(1 - np.square(true - predicted).sum() / total)) if total > 0 else ""


def _panel(true: Array, predicted: Array, std: Array) -> Figure:
    low, high = _range(np.concatenate([true, predicted]))
    points: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": numbers(true),
        "y": numbers(predicted),
        "marker": {"color": PALETTE[0], "size": 5, "opacity": 0.7},
        "hovertemplate": "true %{x:.3g}, predicted %{y:.3g}<extra></extra>",
    }
    if np.nan_to_num(std).any():
        # The standard deviation of a single model is zero: bars of no length would suggest certainty.
        points["error_y"] = {
            "type": "data", "array": numbers(std), "color": PALETTE[0], "thickness": 1, "width": 0,
        }  # fmt: skip
    ideal = {
        "type": "scatter",
        "mode": "lines",
        "x": [low, high],
        "y": [low, high],
        "line": {"color": "#8A8F98", "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
    }
    still = {"range": [low, high], "fixedrange": True, "nticks": 5, "tickangle": 0, "zeroline": False}
    square = layout(None, xaxis=axis("", **still), yaxis=axis("", **still), showlegend=False)
    return {"data": [ideal, points], "layout": square}


def _range(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    room = 0.06 * (high - low) or 0.5 * abs(high) or 0.5
    return low - room, high + room
