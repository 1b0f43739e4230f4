"""What all charts of a report share: plain dictionaries in plotly's JSON form.

A figure names no colour of text, grid or background: the page fills those in for a light or a dark screen, and on a dark one
it swaps the two blues. The palette is that of Okabe and Ito, which people with any kind of colour vision tell apart, without
yellow and black, which vanish on one of the screens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Figure = dict[str, Any]
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
DASHES = ("solid", "dash", "dot", "dashdot")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star")
"""Marks of groups, so that they differ without colour."""
VERDICT_COLORS: Mapping[str, str] = {
    "exact": "#0072B2",
    "soft": "#E69F00",
    "absent": "#8A8F98",
    "undecided": "#8A8F98",
}
VERDICT_MARKS: Mapping[str, str] = {"exact": "●", "soft": "◐", "absent": "○", "undecided": "?"}
MOST_POINTS = 200
"""Points of one curve: more than a screen of that size shows."""


def numbers(values: Any, digits: int = 5) -> list[float | None]:
    """Numbers for JSON: rounded, and None where one is not finite.

    Args:
        values: Array-like, shape (n,).
        digits: Significant digits; five are finer than a pixel.
    """
    flat = np.asarray(values, dtype=np.float64).ravel()
    return [float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in flat]


def positive(values: Any) -> NDArray[np.float64]:
    """Values for a logarithmic axis: NaN, hence a gap, where there is no logarithm."""
    array = np.asarray(values, dtype=np.float64)
    return np.where(array > 0, array, np.nan)


def thin_indices(length: int, most: int = MOST_POINTS) -> NDArray[np.intp]:
    """Indices of at most ``most`` equally spaced entries, the first and the last among them."""
    return np.unique(np.linspace(0, length - 1, min(length, most)).round().astype(np.intp))


def style(index: int) -> dict[str, Any]:
    """Colour and dash of the group at this place, the same in every chart; neighbours differ in both."""
    cycle = index + index // (2 * len(PALETTE))  # colours and dashes meet again after twice as many
    return {"color": PALETTE[index % len(PALETTE)], "dash": DASHES[cycle % len(DASHES)]}


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with a title, if it is to have one, and room for its labels."""
    heading = {"title": {"text": title, "font": {"size": 13}, "standoff": 14}} if title else {}
    return {**heading, "automargin": True, **more}


def log_axis(title: str, values: Any, **more: Any) -> dict[str, Any]:
    """A logarithmic axis for these values: at least two ticks and at most about six, whether they span much or little."""
    finite = np.asarray([value for value in values if value is not None], dtype=np.float64)
    decades = float(np.ptp(np.log10(finite))) if len(finite) else 0.0
    if len(finite) and decades < 0.25:
        # No power of ten, nor twice or five times one, need lie inside: numbers are spaced evenly.
        return axis(title, nticks=5, tickformat="~g", **more)
    narrow = {"dtick": "D2", "tickformat": "~g"}
    wide = {"dtick": math.ceil(decades / 5), "exponentformat": "power", "tickfont": {"size": 11}}
    return axis(title, type="log", **(narrow if decades < 2.2 else wide), **more)


def layout(height: int | None, **more: Any) -> dict[str, Any]:
    """A layout as wide as the page, with the legend above the chart where a phone has room for it.

    Args:
        height: Pixels; None leaves it to the page's style.
        more: Further entries.
    """
    return {
        **({} if height is None else {"height": height}),
        "margin": {"l": 8, "r": 20, "t": 12, "b": 8},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"},
        **more,
    }
