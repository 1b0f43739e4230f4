"""The charts of the report: plain dictionaries in plotly's JSON form; and how numbers and names are written.

Names of groups and columns come from anybody's files. The page escapes them as HTML; chart labels need :func:`label`,
because plotly reads tags such as ``<a href>`` in any text that it draws.

A figure names no colour of text, grid or background: the page fills those in for a light or a dark screen, and on a dark one
it swaps the two blues. The palette is that of Okabe and Ito, which people with any kind of colour vision tell apart, without
yellow and black, which vanish on one of the screens.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softsym.discovery.report.content import Orbit, ReportData
from softsym.discovery.symmetries import Symmetries
from softsym.inference import ABSENT_ABOVE, TOLERANCE, EvidenceTable
from softsym.metrics import relative_error
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.discovery.models import Curves

MINUS, ABSENT, ELLIPSIS = "\N{MINUS SIGN}", "\N{EM DASH}", "\N{HORIZONTAL ELLIPSIS}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Figure = dict[str, Any]
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
DASHES = ("solid", "dash", "dot", "dashdot")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star")
"""Marks of groups, so that they differ without colour."""
VERDICT_COLORS: Mapping[str, str] = {"exact": "#0072B2", "soft": "#E69F00", "absent": "#8A8F98", "undecided": "#8A8F98"}
VERDICT_MARKS: Mapping[str, str] = {"exact": "●", "soft": "◐", "absent": "○", "undecided": "?"}
MOST_POINTS = 200  # points of one curve: more than a screen of that size shows
MOST_OUTPUTS, MOST_MARKS = 90, 20_000
"""Outputs that are drawn, and points of all their panels together: a field of thousands would make a page that no browser opens."""
MOST_VECTORS = 12  # input vectors that are drawn; more cannot be distinguished
DEEPEST = -12.0  # log likelihood below the highest at which curves end
LEAST_SHARE, LEAST_DISTANCE = 1e-3, 1e-4
"""Violations are drawn from here on a logarithmic axis, zero included; colours of distances end where float32 training does."""
ROTATION_TICKS = [0, 90, 180, 270, 360]
PREDICTED, TRANSFORMED = "prediction f(gx)", "transformed prediction g f(x)"
WIDTHS = {PREDICTED: 14, TRANSFORMED: 5}
"""The transformed prediction is drawn thin inside the prediction, so that both are seen where they agree."""


def number(value: float, digits: int = 2) -> str:
    """A number as people write it."""
    if not math.isfinite(value):
        return ABSENT
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e5:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}".replace("-", MINUS)
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}".replace("-", MINUS)


def interval(bounds: tuple[float, float]) -> str:
    """Both ends of an interval, or a dash if it is not known."""
    if not all(map(math.isfinite, bounds)):
        return ABSENT
    return f"{number(bounds[0])} to {number(bounds[1])}"


def cell(value: str | float | tuple[float, float]) -> str:
    """What stands in a table: a text as it is, a number or an interval as people write it."""
    if isinstance(value, str):
        return value
    return interval(value) if isinstance(value, tuple) else number(value)


def percent(share: float) -> str:
    """A share as a percentage; near 0 and 100 % with more digits, and 100 % only where it is."""
    if not math.isfinite(share):
        return ABSENT
    if abs(share) < 0.1:
        return f"{number(100 * share)} %"
    gap = abs(1 - share)
    if 0.99995 <= share < 1:
        return "> 99.99 %"
    places = 0 if gap > 0.1 else 1 if gap > 0.005 else 2
    return f"{100 * share:.{places}f} %".replace("-", MINUS)


def label(text: str, longest: int = 20) -> str:
    """Anybody's text as a chart label: one line, shortened in the middle, and without a meaning in plotly's markup."""
    line = re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()
    if len(line) > longest:
        tail = (longest - 1) // 3
        line = line[: longest - 1 - tail] + ELLIPSIS + line[-tail:]
    return html.escape(line, quote=False)


def labels(names: Sequence[str]) -> list[str]:
    """One label for each name; numbered if some became the same when they were shortened."""
    short = [label(name) for name in names]
    numbered = [f"{place}. {label(name, 16)}" for place, name in enumerate(names, start=1)]
    return short if len(set(short)) == len(short) else numbered


def numbers(values: Any, digits: int = 5) -> list[float | None]:
    """Numbers for JSON: rounded, and None where one is not finite."""
    flat = np.asarray(values, dtype=np.float64).ravel()
    return [float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in flat]


def thin_indices(length: int, most: int = MOST_POINTS) -> NDArray[np.intp]:
    """Indices of at most ``most`` equally spaced entries, the first and the last among them."""
    return np.unique(np.linspace(0, length - 1, min(length, most)).round().astype(np.intp))


def style(index: int) -> dict[str, Any]:
    """Colour and dash of the group at this place, the same in every chart; neighbours differ in both."""
    cycle = index + index // (2 * len(PALETTE))  # colours and dashes meet again after twice as many
    return {"color": PALETTE[index % len(PALETTE)], "dash": DASHES[cycle % len(DASHES)]}


def scatter(x: Any, y: Any, mode: str = "lines", hover: str = "", **more: Any) -> dict[str, Any]:
    """Lines or points; those without a text to show react to no pointer."""
    reacts = {"hovertemplate": hover} if hover else {"hoverinfo": "skip"}
    return {"type": "scatter", "mode": mode, "x": numbers(x), "y": numbers(y), **reacts, **more}


def rule(axis: str, at: float, **line: Any) -> dict[str, Any]:
    """A straight line across the whole chart, at a value of one axis."""
    other = "y" if axis == "x" else "x"
    ends = {f"{axis}0": at, f"{axis}1": at, f"{other}0": 0, f"{other}1": 1}
    return {"type": "line", f"{axis}ref": axis, f"{other}ref": "paper", **ends, "line": line}


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


def figure(traces: list[dict[str, Any]], height: int | None, **layout: Any) -> Figure:
    """A figure as wide as the page, with the legend above the chart where a phone has room for it."""
    usual = {
        "margin": {"l": 8, "r": 20, "t": 12, "b": 8},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"},
    }
    return {"data": traces, "layout": usual | ({} if height is None else {"height": height}) | layout}


def violations(symmetries: Symmetries) -> Figure | None:
    """The interval of every candidate's violation, with the tolerance and the level from which a symmetry is absent."""
    rows = [row for row in symmetries if math.isfinite(row.violation)]
    if not rows:
        return None
    ends = zip(*((row.interval[0], row.violation, row.interval[1]) for row in rows), strict=True)
    low, middle, high = (np.maximum(values, LEAST_SHARE) for values in ends)
    traces = []
    for verdict, mark in VERDICT_MARKS.items():
        places = [place for place, row in enumerate(rows) if row.verdict == verdict]
        if places:
            bars = {
                "array": numbers(np.maximum(high - middle, 0.0)[places]),
                "arrayminus": numbers(np.maximum(middle - low, 0.0)[places]),
            }
            trace = scatter(
                middle[places],
                places,
                "markers",
                "%{customdata}: %{x:.3g}<extra></extra>",
                name=f"{mark} {verdict}",
                error_x={"type": "data", "symmetric": False, "thickness": 2.5, "width": 7, **bars},
                marker={"color": VERDICT_COLORS[verdict], "size": 10},
                customdata=[label(rows[place].name, 60) for place in places],
            )
            traces.append(trace)
    names = labels([row.name for row in rows])
    ticks = [f"{name} {VERDICT_MARKS[row.verdict]}" for name, row in zip(names, rows, strict=True)]
    levels = [rule("x", TOLERANCE, width=1.5, dash="dash"), rule("x", ABSENT_ABOVE, width=1.5, dash="dot")]
    return figure(
        traces,
        110 + 44 * len(rows),
        xaxis=log_axis("relative violation", [*low, *middle, *high, LEAST_SHARE, 1.0]),
        yaxis=_ticks(ticks) | {"autorange": "reversed"},
        shapes=levels,
        showlegend=True,
    )


def _ticks(ticks: Sequence[str]) -> dict[str, Any]:
    return axis("", tickvals=list(range(len(ticks))), ticktext=ticks, showgrid=False, zeroline=False)


def likelihoods(table: EvidenceTable) -> Figure | None:
    """The log likelihood of every candidate along the violation, its highest value at zero."""
    traces = []
    for place, (row, shown) in enumerate(zip(table, labels([row.name for row in table]), strict=True)):
        detail = table.details.get(row.name)
        if detail is not None and len(detail.shares) > 1:
            line = scatter(
                np.maximum(detail.shares, LEAST_SHARE),
                np.maximum(detail.log_likelihoods, DEEPEST),
                "lines+markers",
                "share %{x:.2g}: %{y:.1f}<extra>%{fullData.name}</extra>",
                name=shown,
                line={**style(place), "width": 2},
                marker={"size": 7, "symbol": SYMBOLS[place % len(SYMBOLS)]},
            )
            traces.append(line)
    if not traces:
        return None
    return figure(
        traces,
        360 + 20 * max(0, len(traces) - 4),
        xaxis=log_axis("prior size of a violation", [LEAST_SHARE, 100.0]),
        yaxis=axis("log likelihood", range=[DEEPEST, 0.8]),
        shapes=[rule("y", -1.92, width=1, dash="dash")],
        showlegend=True,
    )


def distances(symmetries: Symmetries) -> Figure | None:
    """Layer by group, how far the weights are from the group's space; None if no layer was measured."""
    layers = list(dict.fromkeys(layer for row in symmetries for layer in row.layers))
    if not layers:
        return None
    groups = [row.name for row in symmetries]
    values = np.array([[row.layers.get(layer, np.nan) for row in symmetries] for layer in layers])
    # Whichever are more run down the page: a phone has length, not width.
    is_tall = len(layers) >= len(groups)
    down, across, cells = (layers, groups, values) if is_tall else (groups, layers, values.T)
    heat = {
        "type": "heatmap",
        "z": [numbers(line) for line in np.log10(np.clip(cells, LEAST_DISTANCE, 1))],
        "zmin": math.log10(LEAST_DISTANCE),
        "zmax": 0,
        "colorscale": "Cividis",
        "showscale": False,
        "text": [[number(value) for value in line] for line in cells],
        "texttemplate": "%{text}" if len(across) <= 12 else "",
        "customdata": [[[label(line, 60), label(column, 60)] for column in across] for line in down],
        "hovertemplate": "%{customdata[0]}, %{customdata[1]}: %{text}<extra></extra>",
        "xgap": 2,
        "ygap": 2,
    }
    reversed_ticks = _ticks(labels(down)) | {"autorange": "reversed"}
    return figure([heat], 60 + 34 * len(down), xaxis=_ticks(labels(across)), yaxis=reversed_ticks)


def progress(symmetries: Symmetries, curves: Sequence[Curves]) -> Figure | None:
    """Residuals above, strengths below, over epochs: each seed thin, their geometric mean thick; None if nothing was read."""
    names = [row.name for row in symmetries]
    residuals = _courses(names, [(seed.epochs, seed.residuals) for seed in curves])
    strengths = _courses(names, [(seed.epochs, seed.strengths) for seed in curves])
    if not residuals + strengths:
        return None
    for trace in strengths:
        # A strength stays what it is until it is adjusted, and its group has its entry in the legend already.
        trace.update(yaxis="y2", showlegend=False, line=trace["line"] | {"shape": "hv"})
    above, below = ([value for trace in traces for value in trace["y"]] for traces in (residuals, strengths))
    return figure(
        residuals + strengths,
        560 + 20 * max(0, len(names) - 4),  # a phone writes the legend's entries below each other
        xaxis=axis("epoch", anchor="y2"),
        yaxis=log_axis("residual", above, domain=[0.54, 1]),
        yaxis2=log_axis("strength", below, domain=[0, 0.46]),
        hovermode="closest",
    )


def _courses(names: Sequence[str], seeds: Sequence[tuple[Array, Mapping[str, Array]]]) -> list[dict[str, Any]]:
    traces = []
    for place, (name, shown) in enumerate(zip(names, labels(names), strict=True)):
        # A logarithmic axis has a gap where there is no logarithm.
        read = [
            (epochs, np.where(values[name] > 0, values[name], np.nan))
            for epochs, values in seeds
            if len(values.get(name, ()))
        ]
        if len(read) > 1:
            thin = {"opacity": 0.4, "showlegend": False, "hoverinfo": "skip"}
            traces += [_course(place, shown, *seed, width=1) | thin for seed in read]
        if read:
            traces.append(_course(place, shown, *_geometric_mean(read), width=2.5))
    return traces


def _course(place: int, name: str, epochs: Array, values: Array, width: float) -> dict[str, Any]:
    kept = thin_indices(len(epochs))
    return scatter(
        epochs[kept],
        values[kept],
        "lines" if len(kept) > 1 else "markers",
        "epoch %{x}: %{y:.3g}<extra>%{fullData.name}</extra>",
        name=name,
        legendgroup=str(place),
        line={**style(place), "width": width},
    )


def _geometric_mean(seeds: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    # Seeds may stop early; a mean over fewer and fewer of them would jump where one ends.
    common = reduce(np.intersect1d, [epochs for epochs, _ in seeds])
    logs = [np.log(values[np.searchsorted(epochs, common)]) for epochs, values in seeds]
    return common, np.exp(np.mean(logs, axis=0))


def panels(report: ReportData) -> list[dict[str, Any]]:
    """One panel for each of the first outputs: its name, what it explains, and its figure."""
    if not report.true.size:
        return []
    outputs = min(report.true.shape[1], MOST_OUTPUTS)
    rows = thin_indices(len(report.true), most=int(np.clip(MOST_MARKS // outputs, 50, 400)))
    return [
        {
            "name": report.output_names[place],
            "explained": _explained(report.true[:, place], report.predicted[:, place]),
            "figure": _panel(*(array[rows, place] for array in (report.true, report.predicted, report.std))),
        }
        for place in range(outputs)
    ]


def _explained(true: Array, predicted: Array) -> str:
    total = np.square(true - true.mean()).sum()
    return percent(float(1 - np.square(true - predicted).sum() / total)) if total > 0 else ""


def _panel(true: Array, predicted: Array, std: Array) -> Figure:
    ends = _range(np.concatenate([true, predicted]))
    ideal = scatter(ends, ends, line={"color": "#8A8F98", "width": 1, "dash": "dot"})
    marker = {"color": PALETTE[0], "size": 5, "opacity": 0.7}
    points = scatter(true, predicted, "markers", "true %{x:.3g}, predicted %{y:.3g}<extra></extra>", marker=marker)
    if np.nan_to_num(std).any():
        # The standard deviation of a single model is zero: bars of no length would suggest certainty.
        points["error_y"] = {"type": "data", "array": numbers(std), "color": PALETTE[0], "thickness": 1, "width": 0}
    still = {"range": ends, "fixedrange": True, "nticks": 5, "tickangle": 0, "zeroline": False}
    return figure([ideal, points], None, xaxis=axis("", **still), yaxis=axis("", **still), showlegend=False)


def _range(values: Array) -> list[float]:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return [0.0, 1.0]
    low, high = float(finite.min()), float(finite.max())
    room = 0.06 * (high - low) or 0.5 * abs(high) or 0.5
    return [low - room, high + room]


def orbits(report: ReportData) -> list[dict[str, Any]]:
    """What the page needs for each orbit: a label and an error for each angle, and the figures.

    In a 3D figure the trace of each path is followed, after all paths, by the trace of its arrow, which the page animates.
    """
    return [_orbit(report, orbit) for orbit in report.orbits]


def _orbit(report: ReportData, orbit: Orbit) -> dict[str, Any]:
    whole = is_rotation(orbit.angles)
    values = np.degrees(orbit.angles) if whole else orbit.angles
    outputs = range(min(orbit.predicted.shape[1], MOST_OUTPUTS))
    vector = None
    if orbit.vector is not None:
        columns = slice(orbit.vector, orbit.vector + 3)
        vector = _scene([(PREDICTED, orbit.predicted[:, columns]), (TRANSFORMED, orbit.transformed[:, columns])])
    # The output that varies most along the orbit comes first; an invariant one is a flat line.
    ranges = np.nan_to_num(np.ptp(orbit.transformed[:, : len(outputs)], axis=0))
    return {
        "group": orbit.group,
        "values": numbers(values),
        "labels": [f"{value:.0f}°" if whole else f"parameter {number(value)}" for value in values],
        "errors": [number(error) for error in relative_error(orbit.predicted, orbit.transformed)],
        "inputs": _scene([(f"vector {k + 1}", path) for k, path in enumerate(orbit.inputs[:MOST_VECTORS])]),
        "vector": vector,
        "outputs": [
            {"name": report.output_names[place], "figure": _component(orbit, values, whole, place)} for place in outputs
        ],
        "first": int(np.argmax(ranges)),
    }


def is_rotation(angles: Array) -> bool:
    """Whether a parameter runs once around the circle, so that it is an angle in radians; a boost's or a scaling's does not."""
    return bool(np.isclose(angles[-1] - angles[0], 2 * np.pi))


def _scene(paths: list[tuple[str, Array]]) -> Figure:
    sizes = [float(np.abs(path[np.isfinite(path)]).max(initial=0.0)) for _, path in paths]
    reach = 1.1 * max(sizes, default=0.0) or 1.0
    still = {"range": [-reach, reach], "nticks": 5, "showspikes": False}
    scene = {
        **{f"{name}axis": {"title": {"text": name}, **still} for name in "xyz"},
        "aspectmode": "cube",
        "camera": {"eye": {"x": 1.55, "y": 1.35, "z": 0.85}, "center": {"x": 0, "y": 0, "z": -0.12}},
    }
    traces, arrows = [], []
    for place, (name, path) in enumerate(paths):
        color, width = PALETTE[place % len(PALETTE)], WIDTHS.get(name, 6)
        common = {"type": "scatter3d", "name": name}
        points = {letter: numbers(path[:, k]) for k, letter in enumerate("xyz")}
        line = {"color": color, "width": width / 2}
        still_path = {"mode": "lines", "opacity": 0.55, "showlegend": False, "hoverinfo": "skip"}
        traces.append({**common, **points, **still_path, "line": line})
        arrow = {
            "mode": "lines+markers",
            "line": {"color": color, "width": width},
            "marker": {"color": color, "size": [0, width + 3]},
            "showlegend": name in WIDTHS,
            "hovertemplate": f"{name}: %{{x:.3g}}, %{{y:.3g}}, %{{z:.3g}}<extra></extra>",
        }
        arrows.append({**common, **{letter: [0.0, *values[:1]] for letter, values in points.items()}, **arrow})
    margin = {"l": 0, "r": 0, "t": 0, "b": 0}
    return figure(traces + arrows, 360, scene=scene, margin=margin, uirevision="still") | {"paths": len(paths)}


def _component(orbit: Orbit, values: Array, whole: bool, place: int) -> Figure:
    both = (
        (PREDICTED, orbit.predicted, {"color": PALETTE[0], "dash": "solid", "width": 3}),
        (TRANSFORMED, orbit.transformed, {"color": PALETTE[1], "dash": "dash", "width": 2}),
    )
    hover = "%{y:.3g}<extra>%{fullData.name}</extra>"
    traces = [scatter(values, path[:, place], "lines", hover, name=name, line=line) for name, path, line in both]
    degrees = {"tickvals": ROTATION_TICKS, "ticktext": [f"{angle}°" for angle in ROTATION_TICKS]}
    across = axis("angle" if whole else "parameter", zeroline=False, **(degrees if whole else {}))
    now = rule("x", float(values[0]), width=1, dash="dot")
    return figure(traces, 360, xaxis=across, yaxis=axis(""), shapes=[now])
