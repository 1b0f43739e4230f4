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
from softsym.discovery.symmetries import Symmetries, Symmetry
from softsym.inference import ABSENT_ABOVE, TOLERANCE, EvidenceTable
from softsym.metrics import relative_error
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.discovery.models import Curves

MINUS = "\N{MINUS SIGN}"
ABSENT = "\N{EM DASH}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
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


def number(value: float, digits: int = 2) -> str:
    """A number as people write it.

    Example:
        >>> number(0.00213), number(1234.6), number(1.7e-6), number(float("nan"))
        ('0.0021', '1235', '1.7 × 10⁻⁶', '—')
    """
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
    """Both ends of an interval, or a dash if it is not known.

    Example:
        >>> interval((0.001, 0.003))
        '0.0010 to 0.0030'
    """
    if not all(map(math.isfinite, bounds)):
        return ABSENT
    return f"{number(bounds[0])} to {number(bounds[1])}"


def cell(value: str | float | tuple[float, float]) -> str:
    """What stands in a table: a text as it is, a number or an interval as people write it.

    Example:
        >>> cell("exact"), cell(0.00213), cell((0.001, 0.003))
        ('exact', '0.0021', '0.0010 to 0.0030')
    """
    if isinstance(value, str):
        return value
    return interval(value) if isinstance(value, tuple) else number(value)


def percent(share: float) -> str:
    """A share as a percentage; near 0 and 100 % with more digits.

    Example:
        >>> percent(0.5), percent(0.987), percent(0.99987), percent(0.0031)
        ('50 %', '98.7 %', '99.99 %', '0.31 %')
    """
    if not math.isfinite(share):
        return ABSENT
    if abs(share) < 0.1:
        return f"{number(100 * share)} %"
    gap = abs(1 - share)
    places = 0 if gap > 0.1 else 1 if gap > 0.005 else 2
    return f"{100 * share:.{places}f} %".replace("-", MINUS)


def label(text: str, longest: int = 20) -> str:
    """Anybody's text as a chart label: one line, shortened in the middle, and without a meaning in plotly's markup.

    Example:
        >>> label("<b>mass</b>"), label("a_rather_long_name_of_a_column")
        ('&lt;b&gt;mass&lt;/b&gt;', 'a_rather_long…column')
    """
    line = re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()
    if len(line) > longest:
        tail = (longest - 1) // 3
        line = line[: longest - 1 - tail] + ELLIPSIS + line[-tail:]
    return html.escape(line, quote=False)


def labels(names: Sequence[str]) -> list[str]:
    """One label for each name; numbered if some became the same when they were shortened."""
    short = [label(name) for name in names]
    if len(set(short)) == len(short):
        return short
    return [f"{place}. {label(name, 16)}" for place, name in enumerate(names, start=1)]


def numbers(values: Any, digits: int = 5) -> list[float | None]:
    """Numbers for JSON: rounded, and None where one is not finite."""
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
    """A layout as wide as the page, with the legend above the chart where a phone has room for it."""
    return {
        **({} if height is None else {"height": height}),
        "margin": {"l": 8, "r": 20, "t": 12, "b": 8},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom"},
        **more,
    }


DEEPEST = -12.0
"""Log likelihood below the highest at which curves end."""
LEAST_SHARE = 1e-3
"""Violations are drawn from here on a logarithmic axis, zero included."""
BINS = 30


def violations(symmetries: Symmetries) -> Figure | None:
    """The interval of every candidate's violation, with the tolerance and the level from which a symmetry is absent."""
    rows = [row for row in symmetries if math.isfinite(row.violation)]
    if not rows:
        return None
    traces = []
    for verdict, mark in VERDICT_MARKS.items():
        chosen = [(place, row) for place, row in enumerate(rows) if row.verdict == verdict]
        if chosen:
            traces.append(_intervals(verdict, mark, chosen))
    names = labels([row.name for row in rows])
    ticks = [f"{name} {VERDICT_MARKS[row.verdict]}" for name, row in zip(names, rows, strict=True)]
    ends = [_shown(end) for row in rows for end in (*row.interval, row.violation)]
    across = log_axis("relative violation", [*ends, LEAST_SHARE, 1.0])
    upright = [
        {
            "type": "line",
            "xref": "x",
            "yref": "paper",
            "x0": level,
            "x1": level,
            "y0": 0,
            "y1": 1,
            "line": {"width": 1.5, "dash": dash},
        }
        for level, dash in ((TOLERANCE, "dash"), (ABSENT_ABOVE, "dot"))
    ]
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


def _intervals(verdict: str, mark: str, chosen: list[tuple[int, Symmetry]]) -> dict[str, Any]:
    middles = [_shown(row.violation) for _, row in chosen]
    low, high = ([_shown(row.interval[side]) for _, row in chosen] for side in (0, 1))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"{mark} {verdict}",
        "x": numbers(middles),
        "y": [place for place, _ in chosen],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "thickness": 2.5,
            "width": 7,
            "array": numbers(np.maximum(np.subtract(high, middles), 0.0)),
            "arrayminus": numbers(np.maximum(np.subtract(middles, low), 0.0)),
        },
        "marker": {"color": VERDICT_COLORS[verdict], "size": 10},
        "customdata": [label(row.name, 60) for _, row in chosen],
        "hovertemplate": "%{customdata}: %{x:.3g}<extra></extra>",
    }


def likelihoods(table: EvidenceTable) -> Figure | None:
    """The log likelihood of every candidate along the violation, its highest value at zero."""
    traces: list[dict[str, Any]] = []
    for place, (row, shown) in enumerate(zip(table, labels([row.name for row in table]), strict=True)):
        detail = table.details.get(row.name)
        if detail is None or len(detail.shares) < 2:
            continue
        shares = np.maximum(detail.shares, LEAST_SHARE)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": shown,
                "x": numbers(shares),
                "y": numbers(np.maximum(detail.log_likelihoods, DEEPEST)),
                "line": {**style(place), "width": 2},
                "marker": {"size": 7, "symbol": SYMBOLS[place % len(SYMBOLS)]},
                "hovertemplate": "share %{x:.2g}: %{y:.1f}<extra>%{fullData.name}</extra>",
            }
        )
    if not traces:
        return None
    across = log_axis("prior size of a violation", [LEAST_SHARE, 100.0])
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
        traces.append(
            {
                "type": "bar",
                "x": numbers((edges[1:] + edges[:-1]) / 2),
                "y": heights.tolist(),
                "width": numbers(np.diff(edges)),
                "marker": {"color": style(place)["color"]},
                "xaxis": f"x{suffix}",
                "yaxis": f"y{suffix}",
                "showlegend": False,
                "hovertemplate": "%{x:.3g} times the loss of the rows themselves: %{y} draws<extra></extra>",
            }
        )
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [1.0, 1.0],
                "y": [0, int(heights.max())],
                "xaxis": f"x{suffix}",
                "yaxis": f"y{suffix}",
                "line": {"color": "#D55E00", "width": 3},
                "name": "rows as they are",
                "showlegend": k == 0,
                "hoverinfo": "skip",
            }
        )
        top = 1.0 - k * height
        is_last = k == len(tested) - 1
        axes[f"xaxis{suffix}"] = axis(
            "loss of transformed rows, relative" if is_last else "", anchor=f"y{suffix}", nticks=5
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


LEAST_DISTANCE = 1e-4
"""Where the colours of the heat map end: float32 training does not come closer to a space."""


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
        "layout": layout(
            100 + 34 * len(down),
            xaxis=_ticks(labels(across)),
            yaxis=_ticks(labels(down)) | {"autorange": "reversed"},
        ),
    }


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
            "orientation": "h",
            "thickness": 12,
            "y": 1,
            "yanchor": "bottom",
            "outlinewidth": 0,
            "ypad": 6,
            "tickvals": [least, least / 2, 0],
            "ticktext": ["10⁻⁴", "0.01", "1"],
            "tickangle": 0,
            "ticklabelposition": "outside top",
        },
    }


def _ticks(ticks: Sequence[str]) -> dict[str, Any]:
    return axis("", tickvals=list(range(len(ticks))), ticktext=ticks, showgrid=False, zeroline=False)


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
    return {
        "data": residuals + strengths,
        "layout": layout(
            # A phone writes the legend's entries below each other.
            560 + 20 * max(0, len(names) - 4),
            xaxis=axis("epoch", anchor="y2"),
            yaxis=log_axis("residual", _heights(residuals), domain=[0.54, 1]),
            yaxis2=log_axis("strength", _heights(strengths), domain=[0, 0.46]),
            hovermode="closest",
        ),
    }


def losses(curves: Sequence[Curves]) -> Figure | None:
    """Training and validation loss of every seed over epochs; None if nothing was read."""
    training = [_loss(0, "training", seed, seed.loss) for seed in curves]
    validation = [_loss(1, "validation", seed, seed.validation) for seed in curves]
    known = [[trace for trace in traces if trace["x"]] for traces in (training, validation)]
    for traces in known:
        for trace in traces[1:]:
            trace["showlegend"] = False
    shown = known[0] + known[1]
    loss = log_axis("loss", _heights(shown))
    figure = layout(340, xaxis=axis("epoch"), yaxis=loss, showlegend=True)
    return {"data": shown, "layout": figure} if shown else None


def _heights(traces: Sequence[dict[str, Any]]) -> list[float | None]:
    return [value for trace in traces for value in trace["y"]]


def _courses(
    names: Sequence[str], seeds: Sequence[tuple[Array, Mapping[str, Array]]]
) -> list[dict[str, Any]]:
    traces = []
    for place, (name, shown) in enumerate(zip(names, labels(names), strict=True)):
        read = [(epochs, positive(values[name])) for epochs, values in seeds if len(values.get(name, ()))]
        if len(read) > 1:
            thin = {"opacity": 0.4, "showlegend": False, "hoverinfo": "skip"}
            traces += [_line(place, shown, *seed, width=1) | thin for seed in read]
        if read:
            traces.append(_line(place, shown, *_geometric_mean(read), width=2.5))
    return traces


def _line(place: int, name: str, epochs: Array, values: Array, width: float) -> dict[str, Any]:
    kept = thin_indices(len(epochs))
    return {
        "type": "scatter",
        "mode": "lines" if len(kept) > 1 else "markers",
        "x": numbers(epochs[kept]),
        "y": numbers(values[kept]),
        "name": name,
        "legendgroup": str(place),
        "line": {**style(place), "width": width},
        "hovertemplate": "epoch %{x}: %{y:.3g}<extra>%{fullData.name}</extra>",
    }


def _geometric_mean(seeds: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    # Seeds may stop early; a mean over fewer and fewer of them would jump where one ends.
    common = reduce(np.intersect1d, [epochs for epochs, _ in seeds])
    logs = [np.log(values[np.searchsorted(epochs, common)]) for epochs, values in seeds]
    return common, np.exp(np.mean(logs, axis=0))


def _loss(place: int, name: str, seed: Curves, values: Array) -> dict[str, Any]:
    # Validation may be rare: without its gaps it is a line of few points.
    known = np.flatnonzero(np.isfinite(positive(values)))
    return {
        **_line(place, name, seed.loss_epochs[known], values[known], width=1.5),
        "opacity": 0.75,
        "hovertemplate": f"seed {int(seed.seed)}, epoch %{{x}}: %{{y:.3g}}<extra>{name}</extra>",
    }


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
            "type": "data",
            "array": numbers(std),
            "color": PALETTE[0],
            "thickness": 1,
            "width": 0,
        }
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


MOST_VECTORS = 12
"""Input vectors that are drawn; more cannot be distinguished."""
ROTATION_TICKS = [0, 90, 180, 270, 360]
PREDICTED, TRANSFORMED = "prediction f(gx)", "transformed prediction g f(x)"
WIDTHS = {PREDICTED: 14, TRANSFORMED: 5}
"""The transformed prediction is drawn thin inside the prediction, so that both are seen where they agree."""


def orbits(report: ReportData) -> list[dict[str, Any]]:
    """What the page needs for each orbit: a label and an error for each angle, and the figures.

    In a 3D figure the trace of each path is followed, after all paths, by the trace of its arrow, which the page animates.
    """
    return [_view(report, orbit) for orbit in report.orbits if len(orbit.angles)]


def _view(report: ReportData, orbit: Orbit) -> dict[str, Any]:
    whole = is_rotation(orbit.angles)
    values = np.degrees(orbit.angles) if whole else orbit.angles
    outputs = range(min(orbit.predicted.shape[1], MOST_OUTPUTS))
    return {
        "group": orbit.group,
        "values": numbers(values),
        "labels": [f"{value:.0f}°" if whole else f"parameter {number(value)}" for value in values],
        "errors": [number(error) for error in relative_error(orbit.predicted, orbit.transformed)],
        "inputs": _scene([(f"vector {k + 1}", path) for k, path in enumerate(orbit.inputs[:MOST_VECTORS])]),
        "vector": _vector(orbit),
        "outputs": [
            {"name": output_name(report, place), "figure": _component(orbit, values, whole, place)}
            for place in outputs
        ],
        "first": _liveliest(orbit.transformed[:, : len(outputs)]),
    }


def is_rotation(angles: Array) -> bool:
    """Whether a parameter runs once around the circle, so that it is an angle in radians; a boost's or a scaling's does not."""
    steps = np.diff(angles)
    ends = (float(angles[-1] - angles[0]), float(angles[-1] - angles[0] + steps[-1]) if len(steps) else 0.0)
    return any(np.isclose(end, 2 * np.pi, rtol=1e-3) for end in ends)


def _liveliest(transformed: Array) -> int:
    # The output that varies most along the orbit; an invariant one is a flat line.
    return int(np.argmax(np.nan_to_num(np.ptp(transformed, axis=0)))) if transformed.size else 0


def _vector(orbit: Orbit) -> Figure | None:
    if orbit.vector is None:
        return None
    columns = slice(orbit.vector, orbit.vector + 3)
    return _scene([(PREDICTED, orbit.predicted[:, columns]), (TRANSFORMED, orbit.transformed[:, columns])])


def _scene(paths: list[tuple[str, Array]]) -> Figure:
    reach = 1.1 * max((_size(path) for _, path in paths), default=0.0) or 1.0
    still = {"range": [-reach, reach], "nticks": 5, "showspikes": False}
    scene = {
        **{f"{name}axis": {"title": {"text": name}, **still} for name in "xyz"},
        "aspectmode": "cube",
        "camera": {"eye": {"x": 1.55, "y": 1.35, "z": 0.85}, "center": {"x": 0, "y": 0, "z": -0.12}},
    }
    traces = [_path(place, name, path) for place, (name, path) in enumerate(paths)]
    arrows = [_arrow(place, name, path) for place, (name, path) in enumerate(paths)]
    return {
        "data": traces + arrows,
        "layout": layout(360, scene=scene, margin={"l": 0, "r": 0, "t": 0, "b": 0}, uirevision="still"),
        "paths": len(paths),
    }


def _size(path: Array) -> float:
    return float(np.abs(path[np.isfinite(path)]).max(initial=0.0))


def _path(place: int, name: str, path: Array) -> dict[str, Any]:
    x, y, z = (numbers(path[:, k]) for k in range(3))
    return {
        "type": "scatter3d",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "z": z,
        "line": {"color": PALETTE[place % len(PALETTE)], "width": WIDTHS.get(name, 6) / 2},
        "opacity": 0.55,
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _arrow(place: int, name: str, path: Array) -> dict[str, Any]:
    x, y, z = ([0.0, *numbers(path[:1, k])] for k in range(3))
    color = PALETTE[place % len(PALETTE)]
    return {
        "type": "scatter3d",
        "mode": "lines+markers",
        "name": name,
        "x": x,
        "y": y,
        "z": z,
        "line": {"color": color, "width": WIDTHS.get(name, 6)},
        "marker": {"color": color, "size": [0, WIDTHS.get(name, 6) + 3]},
        "showlegend": name in (PREDICTED, TRANSFORMED),
        "hovertemplate": f"{name}: %{{x:.3g}}, %{{y:.3g}}, %{{z:.3g}}<extra></extra>",
    }


def _component(orbit: Orbit, values: Array, whole: bool, place: int) -> Figure:
    lines = {PREDICTED: (orbit.predicted, "solid", 3), TRANSFORMED: (orbit.transformed, "dash", 2)}
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": numbers(values),
            "y": numbers(outputs[:, place]),
            "line": {"color": PALETTE[k], "dash": dash, "width": width},
            "hovertemplate": "%{y:.3g}<extra>%{fullData.name}</extra>",
        }
        for k, (name, (outputs, dash, width)) in enumerate(lines.items())
    ]
    now = {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"width": 1, "dash": "dot"},
    }
    start = {"x0": float(values[0]), "x1": float(values[0])}
    degrees = (
        {"tickvals": ROTATION_TICKS, "ticktext": [f"{angle}°" for angle in ROTATION_TICKS]} if whole else {}
    )
    title = "angle" if whole else "parameter"
    return {
        "data": traces,
        "layout": layout(
            360, xaxis=axis(title, zeroline=False, **degrees), yaxis=axis(""), shapes=[now | start]
        ),
    }
