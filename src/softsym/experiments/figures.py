"""The figures' common look. They are drawn without a display and without touching matplotlib's global state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softsym.experiments.summary import Summary

OURS, PUBLISHED = "#0b6e99", "#b0b7bd"
AXES = {"O(2)@x": "#d1495b", "O(2)@y": "#edae49", "O(2)@z": "#0b6e99"}
"""Colours of the axis groups."""


def new_figure(
    rows: int = 1, columns: int = 1, width: float = 6.0, height: float = 4.0, **options: Any
) -> Any:
    """A figure and its axes, an array (rows, columns)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes


def bars(title: str, unit: str, summaries: Sequence[Summary], log: bool = True) -> Any:
    """Our means as bars with deviations, a panel for each row, and the published means as grey marks."""
    rows = list(dict.fromkeys((s.row.section, s.row.label) for s in summaries))
    across = min(5, len(rows))
    down = -(-len(rows) // across)
    figure, axes = new_figure(down, across, width=2.4 * across, height=2.9 * down)
    for axis, key in zip(axes.flat, rows, strict=False):
        mine = [s for s in summaries if (s.row.section, s.row.label) == key]
        places = np.arange(len(mine))
        means = [np.nan if s.mean is None else s.mean for s in mine]
        axis.bar(places, means, yerr=[s.std or 0.0 for s in mine], color=OURS, capsize=2, label="ours")
        published = [np.nan if s.published is None else s.published.mean for s in mine]
        axis.plot(
            places, published, "D", color=PUBLISHED, markeredgecolor="black", markersize=5, label="published"
        )
        axis.set_xticks(places, [s.column.label for s in mine], rotation=60, ha="right", fontsize=7)
        axis.set_title(" ".join(part for part in key if part), fontsize=9)
        if log and np.isfinite([*means, *published]).any():
            axis.set_yscale("log")
    for axis in axes.flat[len(rows) :]:
        axis.set_visible(False)
    axes[0, 0].set_ylabel(unit)
    axes[0, 0].legend(fontsize=7, frameon=False)
    figure.suptitle(title, fontsize=10)
    return figure
