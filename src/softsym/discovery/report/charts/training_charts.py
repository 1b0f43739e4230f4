"""Charts of the training: how each group's residual and strength came to be what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from softsym.discovery.fit.training_curves import Curves
from softsym.discovery.judge.symmetries import Symmetries
from softsym.discovery.report.charts.plots import (
    Figure,
    axis,
    layout,
    log_axis,
    numbers,
    positive,
    style,
    thin_indices,
)
from softsym.discovery.report.wording import labels
from softsym.typing import Array


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
