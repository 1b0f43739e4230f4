"""Solutions and whole spaces as arrays, the form in which the cache keeps them.

A space repeats what its solutions say (small bases) and adds where the blocks lie, which takes longer to lay out than to read back.
Positions are kept as 32-bit numbers, all blocks one after the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softsym.spaces.packed import Packed, PackedBlock
from softsym.spaces.solution import DenseBasis, Evidence, OrbitBasis, Solution

Arrays = Mapping[str, NDArray[Any]]
FROM_CACHE = "read from the cache"
LARGEST_SPACE = (
    4_000_000  # positions; beyond, laying out is no slower than reading and the disk would fill up
)


def solution_to_arrays(solution: Solution) -> Arrays:
    """A solution as arrays; the reason for the choice of its solver is not kept."""
    about = _to_text(_numbers(solution.evidence))
    if isinstance(solution.basis, OrbitBasis):
        return {"about": about, "labels": solution.basis.labels}
    return {"about": about, "Q": solution.basis.Q}


def solution_from_arrays(arrays: Arrays) -> Solution:
    """The inverse of :func:`solution_to_arrays`."""
    basis = OrbitBasis(arrays["labels"]) if "labels" in arrays else DenseBasis(arrays["Q"])
    residual, below, above, method = _from_text(arrays["about"])
    return Solution(residual, below, above, method, FROM_CACHE, basis=basis)


def space_to_arrays(packed: Packed, evidence: Mapping[str, Evidence]) -> Arrays:
    """The blocks of a space and the evidence for them, as arrays."""
    orbits = [block.factor.labels for block in packed.blocks if isinstance(block.factor, OrbitBasis)]
    dense = [block.factor.ravel() for block in packed.blocks if not isinstance(block.factor, OrbitBasis)]
    about = {
        "size": packed.size,
        "blocks": [
            (*block.index.shape, block.rank, isinstance(block.factor, OrbitBasis)) for block in packed.blocks
        ],
        "evidence": {kind: _numbers(found) for kind, found in evidence.items()},
    }
    return {
        "about": _to_text(about),
        "positions": packed.index.astype(np.int32),
        "labels": np.concatenate([*orbits, np.zeros(0, dtype=np.int64)]),
        "factors": np.concatenate([*dense, np.zeros(0)]),
    }


def space_from_arrays(arrays: Arrays) -> tuple[Packed, dict[str, Evidence]]:
    """The inverse of :func:`space_to_arrays`."""
    about = _from_text(arrays["about"])
    positions, labels, factors = arrays["positions"].astype(np.int64), arrays["labels"], arrays["factors"]
    blocks = []
    for copies, size, rank, orbits in about["blocks"]:
        index, positions = positions[: copies * size], positions[copies * size :]
        factor: NDArray[np.float64] | OrbitBasis
        if orbits:
            factor, labels = OrbitBasis(labels[:size]), labels[size:]
        else:
            factor, factors = factors[: size * rank].reshape(size, rank), factors[size * rank :]
        blocks.append(PackedBlock(index.reshape(copies, size), factor))
    evidence = {
        kind: Evidence(residual, below, above, method, FROM_CACHE)
        for kind, (residual, below, above, method) in about["evidence"].items()
    }
    return Packed(about["size"], tuple(blocks)), evidence


def _numbers(evidence: Evidence) -> tuple[Any, ...]:
    return astuple(evidence)[:-1]


def _to_text(values: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)


def _from_text(values: NDArray[np.uint8]) -> Any:
    return json.loads(values.tobytes())
