"""Charts of the training: how each group's residual and strength came to be what they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softsym.discovery.report_plots import PALETTE, Figure, axis, layout, numbers, positive, style, thinned
from softsym.discovery.report_text import label
from softsym.discovery.story import Curves
from softsym.discovery.symmetries import Symmetries


def progress(symmetries: Symmetries, curves: Sequence[Curves]) -> Figure | None:
    """Residuals above, strengths below, over epochs: each seed thin, their geometric mean thick; None if nothing was read."""
    names = [row.name for row in symmetries]
    traces = [
        *_courses(names, curves, lambda seed: seed.residuals, {"yaxis": "y"}),
        *_courses(names, curves, lambda seed: seed.strengths, {"yaxis": "y2", "showlegend": False}),
    ]
    if not traces:
        return None
    log = {"type": "log", "exponentformat": "power", "dtick": 1}
    return {
        "data": traces,
        "layout": layout(
            560,
            xaxis=axis("epoch", anchor="y2"),
            yaxis=axis("residual", domain=[0.54, 1], **log),
            yaxis2=axis("strength", domain=[0, 0.46], **log),
            hovermode="closest",
        ),
    }


def _courses(
    names: Sequence[str],
    curves: Sequence[Curves],
    which: Callable[[Curves], Mapping[str, NDArray[np.float64]]],
    more: dict[str, Any],
) -> list[dict[str, Any]]:
    traces = []
    for place, name in enumerate(names):
        seeds = [
            (seed.epochs, positive(which(seed)[name])) for seed in curves if len(which(seed).get(name, ()))
        ]
        if not seeds:
            continue
        traces += [_line(place, name, *seed, thin=True) | more for seed in seeds if len(seeds) > 1]
        traces.append(_line(place, name, *_geometric_mean(seeds), thin=False) | more)
    return [{**trace, "showlegend": trace["showlegend"] and more.get("showlegend", True)} for trace in traces]


def _line(
    place: int, name: str, epochs: NDArray[np.float64], values: NDArray[np.float64], thin: bool
) -> dict[str, Any]:
    kept = thinned(len(epochs))
    return {
        "type": "scatter",
        "mode": "lines" if len(kept) > 1 else "markers",
        "x": numbers(epochs[kept]),
        "y": numbers(values[kept]),
        "name": label(name),
        "legendgroup": str(place),
        "showlegend": not thin,
        "line": {**style(place), "width": 1 if thin else 2.5},
        "opacity": 0.4 if thin else 1,
        "hoverinfo": "skip" if thin else "x+y+name",
    }


def _geometric_mean(
    seeds: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # Seeds may stop early; a mean over fewer and fewer of them would jump where one ends.
    common = reduce(np.intersect1d, [epochs for epochs, _ in seeds])
    logs = [np.log(values[np.searchsorted(epochs, common)]) for epochs, values in seeds]
    return common, np.exp(np.mean(logs, axis=0))


def losses(curves: Sequence[Curves]) -> Figure | None:
    """Training and validation loss of every seed over epochs; None if nothing was read."""
    traces = []
    for first, seed in enumerate(curves):
        for place, (name, values) in enumerate(
            {"training": seed.loss, "validation": seed.validation}.items()
        ):
            # Validation may be rare: without its gaps it is a line of few points.
            known = np.flatnonzero(np.isfinite(positive(values)))
            if not len(known):
                continue
            kept = known[thinned(len(known))]
            traces.append(
                {
                    **_line(place, name, seed.loss_epochs[kept], values[kept], thin=False),
                    "line": {"color": PALETTE[place], "width": 1.5},
                    "opacity": 0.75,
                    "showlegend": first == 0,
                    "hovertemplate": f"seed {seed.seed}, epoch %{{x}}: %{{y:.3g}}<extra>{name}</extra>",
                }
            )
    log = {"type": "log", "exponentformat": "power"}
    figure = layout(340, xaxis=axis("epoch"), yaxis=axis("loss", **log), showlegend=True)
    return {"data": traces, "layout": figure} if traces else None
