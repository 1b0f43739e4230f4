r"""Charts of an orbit: one input transformed along a subgroup, and the predictions for it.

A model is equivariant where :math:`f(g x)` and :math:`g f(x)` are equal; a slider in the page changes :math:`g`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softsym.discovery.report.charts.plots import PALETTE, Figure, axis, layout, numbers
from softsym.discovery.report.charts.prediction_charts import MOST_OUTPUTS, output_name
from softsym.discovery.report.orbit_data import Orbit
from softsym.discovery.report.report_data import ReportData
from softsym.discovery.report.wording import number
from softsym.metrics.equivariance import relative_error
from softsym.typing import Array

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
