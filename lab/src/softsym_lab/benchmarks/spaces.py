"""Building and applying equivariant spaces.

(a) all spaces of the paper's Inertia network (width 384, four layers, O(3) and the three axis groups): solved cold, read from the disk
    cache, and by a plain dense SVD of each type's stacked constraints, in the same run;
(b) one projection of a 432 x 384 map under O(2) about z, in passes of ``W.mul_(c)`` over the same matrix;
(c) how (b) grows from width 96 to 4096: nanoseconds per entry, and the exponent of a fit against n_in n_out.
"""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np

from softsym.groups import Group, group
from softsym.reps import Rep, TensorType, hidden_rep, rep
from softsym.spaces import EquivariantSpace, cache_folder, constraints, equivariant_maps, forget, invariants
from softsym_lab.benchmarks.timing import median_seconds, seconds

GROUPS = ("O(3)", "O(2)@x", "O(2)@y", "O(2)@z")


def run() -> dict[str, Any]:
    """All three measurements."""
    return {"build": build(), "project": project(), "growth": growth()}


def build(rounds: int = 5) -> dict[str, Any]:
    """(a): seconds and ratios of building all spaces of the Inertia network."""
    cold, cached, remembered = [], [], []
    build_all()  # imports and first calls are not measured
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder, cache_folder(folder):
            forget()
            cold.append(seconds(build_all))
            forget()
            cached.append(seconds(build_all))
            remembered.append(seconds(build_all))
    reference = seconds(build_by_dense_svd)
    a, b = statistics.median(cold), statistics.median(cached)
    return {
        "cold_seconds": a,
        "cached_seconds": b,
        "same_process_seconds": statistics.median(remembered),
        "dense_svd_seconds": reference,
        "cached_speedup_over_cold": a / b,
        "same_process_speedup_over_cold": a / statistics.median(remembered),
        "cold_speedup_over_dense_svd": reference / a,
        "cached_speedup_over_dense_svd": reference / b,
    }


def layers() -> list[tuple[Rep, Rep]]:
    """(input, output) of each linear layer of the Inertia network, width 384."""
    hidden = hidden_rep(384, "O(3)")
    return [(rep("5S + 5V"), hidden), (hidden, hidden), (hidden, hidden), (hidden, rep("T(2)"))]


def build_all() -> list[EquivariantSpace]:
    """Every weight and bias space under every group."""
    spaces = []
    for name in GROUPS:
        for source, target in layers():
            spaces += [equivariant_maps(source, target, name), invariants(target, name)]
    return spaces


def build_by_dense_svd() -> dict[tuple[Group, TensorType], Any]:
    """The plain way: for each group and distinct type pair, an SVD of the stacked constraints as dense matrices."""
    found = {}
    for name in GROUPS:
        G = group(name)
        for kind in _types(layers()):
            stacked = np.concatenate([C(np.eye(kind.size(G))) for C in constraints(G, kind)])
            _, values, rows = np.linalg.svd(stacked, full_matrices=False)
            found[G, kind] = rows[values < 1e-8]
    return found


def project(rounds: int = 25, calls: int = 20) -> dict[str, Any]:
    """(b): one projection in passes over the matrix."""
    import torch

    source, target = hidden_rep(384, "O(3)"), hidden_rep(384, "O(3)", round_up=True)
    space = equivariant_maps(source, target, "O(2)@z")
    W = torch.randn(space.shape, generator=torch.Generator().manual_seed(0))
    times = median_seconds({"project": lambda: space.project(W), "pass": lambda: W.mul_(1.0)}, rounds, calls)
    return {
        "shape": list(space.shape),
        "project_microseconds": 1e6 * times["project"],
        "pass_microseconds": 1e6 * times["pass"],
        "passes": times["project"] / times["pass"],
    }


def growth(widths: Iterable[int] = (96, 192, 384, 768, 1536, 3072, 4096)) -> dict[str, Any]:
    """(c): time per entry of a projection at growing widths."""
    import torch

    rows = []
    for width in widths:
        hidden = hidden_rep(width, "O(3)")
        space = equivariant_maps(hidden, hidden, "O(2)@z")
        W = torch.randn(space.shape, generator=torch.Generator().manual_seed(0))
        calls = max(1, 400_000 // W.numel())
        times = median_seconds({"project": lambda: space.project(W), "pass": lambda: W.mul_(1.0)}, 7, calls)  # noqa: B023
        stored = space.packed.index.nbytes + sum(block.matrix.nbytes for block in space.packed.blocks)
        rows.append(
            {
                "width": width,
                "entries": W.numel(),
                "nanoseconds_per_entry": 1e9 * times["project"] / W.numel(),
                "passes": times["project"] / times["pass"],
                "stored_bytes_per_entry": stored / W.numel(),
            }
        )
    large = [row for row in rows if row["entries"] >= 384**2]
    slope = np.polyfit(
        [math.log(row["entries"]) for row in large],
        [math.log(row["entries"] * row["nanoseconds_per_entry"]) for row in large],
        1,
    )[0]
    return {"rows": rows, "exponent_from_width_384": float(slope)}


def _types(pairs: list[tuple[Rep, Rep]]) -> set[TensorType]:
    """Distinct types of weight blocks, as the orders of magnitude of a plain implementation: no splitting, duals dropped."""
    orthogonal = [group(name) for name in GROUPS]
    kinds = {(b * a.dual).canonical(orthogonal)[0] for source, target in pairs for _, a in source for _, b in target}
    return {kind for kind in kinds if kind.rank}
