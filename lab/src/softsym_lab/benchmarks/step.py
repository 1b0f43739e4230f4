"""One training step (forward, backward, Adam) of every network of the paper on the Inertia representations.

For width 384 with batch 500 and width 128 with batch 200: medians of median_seconds steps, the ratios that matter, peak memory of each
network in a process of its own, and the growth of the regularizer's cost with width.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from softsym.nn import EMLP, MLP, RPP, MixedEMLP, Network, SoftMLP, count_parameters
from softsym.regularize import EquivarianceRegularizer
from softsym_lab.benchmarks.timing import median_seconds, ratio, time_rounds

IN, OUT = "5S + 5V", "T(2)"
AXES = ["O(2)@x", "O(2)@y", "O(2)@z"]
EIGHT = [*AXES, "SO(2)@x", "SO(2)@y", "SO(2)@z", "O(3)", "SO(3)"]
SETTINGS = ((384, 500, 40), (128, 200, 150))
PENALTIES = {"soft_per1": AXES[:1], "soft_per3": AXES, "soft_per8": EIGHT}
NETWORKS: dict[str, Callable[[int], nn.Module]] = {
    "mlp": lambda width: MLP(IN, OUT, "O(3)", width),
    "emlp": lambda width: EMLP(IN, OUT, "O(3)", width),
    "rpp": lambda width: RPP(IN, OUT, "O(3)", width),
    "mixed": lambda width: MixedEMLP(IN, OUT, exact=["O(2)@z"], soft=["O(2)@x"], width=width),
    **dict.fromkeys(("soft", *PENALTIES), lambda width: SoftMLP(IN, OUT, AXES, width, largest="O(3)")),
}


def run() -> dict[str, Any]:
    """All measurements."""
    sizes = {f"width_{width}_batch_{batch}": compare(width, batch, rounds) for width, batch, rounds in SETTINGS}
    return {**sizes, "regularizer_growth": growth()}


def compare(width: int, batch: int, rounds: int) -> dict[str, Any]:
    """Times of all networks at one width, side by side."""
    steps: dict[str, Callable[[], object]] = {name: make_step(name, width, batch) for name in NETWORKS}
    steps["emlp_free"] = training_step(_without_constraints(EMLP(IN, OUT, "O(3)", width)), None, batch)
    seconds = time_rounds(steps, rounds)
    return {
        "milliseconds": {name: 1e3 * statistics.median(values) for name, values in seconds.items()},
        "parameters": {name: count_parameters(build(name, width)) for name in NETWORKS if name not in PENALTIES},
        "ratios": {
            "regularizer_on_off_1_group": ratio(seconds["soft_per1"], seconds["soft"]),
            "regularizer_on_off_3_groups": ratio(seconds["soft_per3"], seconds["soft"]),
            "regularizer_on_off_8_groups": ratio(seconds["soft_per8"], seconds["soft"]),
            "regularizer_8_groups_over_3": ratio(seconds["soft_per8"], seconds["soft_per3"]),
            "soft_over_mlp": ratio(seconds["soft"], seconds["mlp"]),
            "emlp_over_unconstrained": ratio(seconds["emlp"], seconds["emlp_free"]),
            "rpp_over_mlp": ratio(seconds["rpp"], seconds["mlp"]),
            "mixed_over_mlp": ratio(seconds["mixed"], seconds["mlp"]),
        },
        "peak_megabytes": {name: peak_memory(name, width, batch) for name in ("mlp", "emlp", "soft", "soft_per3")},
    }


def build(name: str, width: int) -> nn.Module:
    """A network by name."""
    return NETWORKS[name](width)


def make_step(name: str, width: int, batch: int) -> Callable[[], None]:
    """A training step of a network by name; soft_perK has a regularizer of K groups."""
    net = build(name, width)
    groups = PENALTIES.get(name)
    return training_step(net, None if groups is None else EquivarianceRegularizer(net, groups), batch)


def training_step(net: nn.Module, per: EquivarianceRegularizer | None, batch: int) -> Callable[[], None]:
    """Forward, backward and Adam on one fixed batch."""
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(batch, 20, generator=generator), torch.randn(batch, 9, generator=generator)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, fused=True)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        loss = (net(x) - y).square().mean()
        if per is not None:
            loss = loss + per()
        loss.backward()
        optimizer.step()

    return step


def growth(widths: tuple[int, ...] = (128, 256, 512, 1024, 2048)) -> dict[str, Any]:
    """Seconds of value and gradient of the regularizer of three groups against the number of weights."""
    rows = []
    for width in widths:
        net = SoftMLP(IN, OUT, AXES, width, largest="O(3)")
        per = EquivarianceRegularizer(net, AXES)
        found = median_seconds({"per": lambda: per().backward()}, 7, max(1, 256 // width))  # noqa: B023
        rows.append({"width": width, "weights": per.stacked.size, "milliseconds": 1e3 * found["per"]})
    slope = np.polyfit([math.log(row["weights"]) for row in rows], [math.log(row["milliseconds"]) for row in rows], 1)
    return {"rows": rows, "exponent": float(slope[0])}


def peak_memory(name: str, width: int, batch: int) -> float:
    """Megabytes that three steps add to a process of their own, on top of the model (Linux; elsewhere an upper bound)."""
    code = (
        "from softsym_lab.benchmarks.step import make_step\n"
        "from softsym_lab.benchmarks.timing import forget_peak, peak_megabytes\n"
        f"step = make_step({name!r}, {width}, {batch})\n"
        "forget_peak()\n"
        "before = peak_megabytes()\n"
        "for _ in range(3): step()\n"
        "print(peak_megabytes() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def _without_constraints(net: EMLP) -> Network:
    """The same shape without constraints: what an EMLP of ordinary linear layers would cost."""
    return net.bake().requires_grad_(True)
