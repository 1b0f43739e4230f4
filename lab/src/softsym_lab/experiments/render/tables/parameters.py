"""How RPP and PER hold a weight near the equivariant space: two matrices and a prior, or one matrix and a regularizer."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from softsym_lab.experiments.render.figures import new_figure
from softsym_lab.experiments.render.files import Rendered, head, notes
from softsym_lab.experiments.render.markdown import EMPTY, markdown_table, number, plus_minus, seeds
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec

COLOURS = ("#2e4057", "#d1495b", "#edae49", "#0b6e99", "#66a182")
"""Of the data sets."""


@dataclass(frozen=True)
class LayerWeight:
    """One layer of one model on one data set: parts of its weight relative to the whole, means over seeds.

    Args:
        place: Its place, from 1.
        inside: |P W| / |W|.
        outside: |W - P W| / |W|.
        confined: |P W_1| / |W| of an RPP.
    """

    place: int
    inside: float
    outside: float
    confined: float | None


def layers(summary: Summary) -> list[LayerWeight]:
    """The layers of a cell; none where no run says where its weights lie."""
    known = [record.weights for record in summary.records if record.weights]
    return [_layer(rows) for rows in zip(*known, strict=True)]


def render(table_spec: TableSpec, preset: str, summaries: list[Summary]) -> Rendered:
    """How far every layer is from equivariant, and a picture of the last ones."""
    measured = [(summary, layers(summary)) for summary in summaries]
    depth = max((len(each) for _, each in measured), default=0)
    lines = [_line(summary, each, depth) for summary, each in measured]
    places = [f"layer {place}" for place in range(1, depth + 1)]
    header = ["data", "model", "seeds", *places, table_spec.unit, "trainable numbers"]
    text = [
        head(table_spec, preset, summaries),
        "Distance of every layer's weight from the O(3)-equivariant space, |W - P W| / |W|, means over seeds:",
        markdown_table(header, lines),
        notes(table_spec),
    ]
    rows = [
        {
            "row": s.row.label,
            "column": s.column.label,
            "layer": layer.place,
            "inside": layer.inside,
            "outside": layer.outside,
            "confined": layer.confined,
            "seeds": _known(s),
        }
        for s, each in measured
        for layer in each
    ]
    figures = {"": lambda: draw(measured)}
    return Rendered("\n\n".join(text), rows or [{"row": EMPTY}], figures)


def draw(measured: Sequence[tuple[Summary, Sequence[LayerWeight]]]) -> Any:
    """The last layer's weight as arrows, for each model; and the distances of all layers."""
    labels = list(dict.fromkeys(s.row.label for s, _ in measured))
    models = list(dict.fromkeys(s.column.label for s, _ in measured))
    colours = dict(zip(labels, COLOURS, strict=False))
    known = [(s, each) for s, each in measured if each]
    figure, axes = new_figure(1, len(models) + 1, width=4 * (len(models) + 1), height=3.6)
    top = max((each[-1].outside for _, each in known), default=1.0)
    for axis, model in zip(axes.flat, models, strict=False):
        for s, each in known:
            if s.column.label == model:
                _arrows(axis, each[-1], colours.get(s.row.label, "black"), s.row.label)
        axis.set(title=f"{model}, last layer", xlabel="in the equivariant space, |P W| / |W|")
        axis.set(ylabel="outside, |W - P W| / |W|", xlim=(0, 1.08), ylim=(-0.03 * top, 1.15 * top))
        axis.axhline(0, color="#b0b7bd", linewidth=0.8)
    last = axes[0, -1]
    for s, each in known:
        style = {"marker": "s", "linestyle": ":"} if s.column.label == models[0] else {"marker": "o"}
        label = f"{s.row.label}, {s.column.label}"
        colour = colours.get(s.row.label, "black")
        last.plot([k.place for k in each], [k.outside for k in each], color=colour, label=label, **style)
    last.set(title="all layers", xlabel="layer", ylabel="|W - P W| / |W|", yscale="log")
    last.set_xticks(range(1, max((len(each) for _, each in known), default=1) + 1))
    if known:
        last.legend(fontsize=6, frameon=False, ncols=2)
    if any(s.column.label == models[0] for s, _ in known):
        axes[0, 0].legend(fontsize=7, frameon=False, loc="upper left")
    return figure


def _arrows(axis: Any, layer: LayerWeight, colour: str, label: str) -> None:
    """One arrow to the weight; for an RPP one along the space, and its residual from there."""
    style = {"arrowprops": {"arrowstyle": "->", "color": colour, "shrinkA": 0, "shrinkB": 0}}
    tip, start = (layer.inside, layer.outside), (layer.confined or 0.0, 0.0)
    axis.plot(*tip, ".", color=colour, label=label)
    axis.annotate("", tip, start, **style)
    if layer.confined is not None:
        axis.annotate("", start, (0, 0), **style)


def _layer(rows: Sequence[dict[str, Any]]) -> LayerWeight:
    """Means over the seeds of one layer."""
    wholes = [(row["inside"] ** 2 + row["outside"] ** 2) ** 0.5 or 1.0 for row in rows]

    def mean(name: str) -> float | None:
        if any(row[name] is None for row in rows):
            return None
        return statistics.fmean(row[name] / whole for row, whole in zip(rows, wholes, strict=True))

    return LayerWeight(rows[0]["layer"], mean("inside") or 0.0, mean("outside") or 0.0, mean("confined"))


def _known(summary: Summary) -> int:
    return sum(bool(record.weights) for record in summary.records)


def _line(summary: Summary, each: Sequence[LayerWeight], depth: int) -> list[str]:
    distances = [number(layer.outside) for layer in each] or depth * [EMPTY]
    count = EMPTY if summary.parameters is None else f"{summary.parameters:,}"
    return [
        summary.row.label,
        summary.column.label,
        seeds(_known(summary), summary.wanted),
        *distances,
        plus_minus(summary.mean, summary.std),
        count,
    ]
