"""The style that all figures share. They are drawn without a display and without touching matplotlib's global state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from softsym_lab.experiments.summary import Summary

OURS, PUBLISHED = "#0b6e99", "#b0b7bd"
AXES = {"O(2)@x": "#d1495b", "O(2)@y": "#edae49", "O(2)@z": "#0b6e99"}
"""Colours of the axis groups."""


def new_figure(rows: int = 1, columns: int = 1, width: float = 6.0, height: float = 4.0, **options: Any) -> Any:
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
    """Our means with deviations and the published ones, a panel for each row, all panels on one scale."""
    rows = list(dict.fromkeys((s.row.section, s.row.label) for s in summaries))
    across = min(5, len(rows))
    down = -(-len(rows) // across)
    figure, axes = new_figure(down, across, width=2.2 * across + 0.6, height=2.9 * down, sharey=True)
    for axis, key in zip(axes.flat, rows, strict=False):
        mine = [s for s in summaries if (s.row.section, s.row.label) == key]
        for shift, numbers, colour, mark, label in (
            (-0.12, [(s.mean, s.std) for s in mine], OURS, "o", "ours"),
            (
                0.12,
                [(s.published.mean, s.published.std) if s.published else (None, None) for s in mine],
                PUBLISHED,
                "D",
                "published",
            ),
        ):
            _points(axis, shift, numbers, colour, mark, label)
        axis.set_xticks(range(len(mine)), [s.column.label for s in mine], rotation=60, ha="right", fontsize=7)
        axis.set_xlim(-0.5, len(mine) - 0.5)
        axis.set_title("\n".join(part for part in key if part), fontsize=7 if key[0] else 9)
        if log:
            axis.set_yscale("log")
    for axis in axes.flat[len(rows) :]:
        axis.set_visible(False)
    axes[0, 0].set_ylabel(unit)
    axes[0, 0].legend(fontsize=7, frameon=False)
    figure.suptitle(title, fontsize=10)
    return figure


def _points(
    axis: Any, shift: float, numbers: Sequence[tuple[float | None, float | None]], colour: str, mark: str, label: str
) -> None:
    found = [(k + shift, mean, std or 0.0) for k, (mean, std) in enumerate(numbers) if mean is not None]
    places, means, stds = zip(*found, strict=True) if found else ((), (), ())
    # On a logarithmic scale a deviation as large as the mean would reach down to nothing.
    down = [min(std, 0.9 * mean) for mean, std in zip(means, stds, strict=True)]
    axis.errorbar(places, means, yerr=[down, list(stds)], fmt=mark, color=colour, markersize=4, capsize=2, label=label)
