"""Solutions and whole spaces on disk, so that the next process need not solve again.

One file per solution or space in the platform's cache folder, named by a digest of its question: generators, representation,
tolerance, solver and format version. A file holds a safetensors block and a checksum of that and of the question, so that a damaged file,
and one that answers another question, is computed again. A folder that other people can write to is not used.
A space repeats the small bases of its solutions and adds the positions of the blocks, which take longer to compute than to read.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softsym.errors import CacheWarning, InputError
from softsym.groups import Group
from softsym.io import digest, private_folder, put_bytes, read_regular
from softsym.limits import current_folder
from softsym.spaces.packed import Packed, PackedBlock
from softsym.spaces.solution import Basis, Evidence, OrbitBasis, Solution

FORMAT = 3
FROM_CACHE = "read from the cache"
MAX_POSITIONS = 4_000_000  # larger spaces are not stored: computing their positions is no slower than reading them
MAX_BYTES = 1_000_000_000  # larger files are no entries
Arrays = Mapping[str, NDArray[Any]]
_DIGEST_BYTES = 32


def entry_path(group: Group, question: object, tol: float | None, solver: str, suffix: str = "basis") -> Path | None:
    """The file that would hold an answer to a question, by the question's text; None if the cache is off."""
    folder = current_folder()
    if folder is None:
        return None
    key = repr((FORMAT, group.key, str(question), tol, solver)).encode()
    return folder / f"{hashlib.blake2b(key, digest_size=20).hexdigest()}.{suffix}"


def read(path: Path | None) -> Arrays | None:
    """The arrays in a file, or None if there are none that can be trusted."""
    if path is None:
        return None
    try:
        if not path.exists():
            return None
        data = memoryview(read_regular(private_folder(path.parent) / path.name, MAX_BYTES))
    except (OSError, InputError) as error:
        warnings.warn(f"cannot read {path}: {error}; solving again", CacheWarning, stacklevel=2)
        return None
    checksum, payload = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if _checksum(path, payload) != checksum:
        message = f"cache entry {path} is damaged or answers another question; solving again"
        warnings.warn(message, CacheWarning, stacklevel=2)
        return None
    from safetensors.numpy import load

    return load(bytes(payload))


def write(path: Path | None, arrays: Arrays) -> None:
    """Stores arrays; warns if the folder cannot be written."""
    if path is None:
        return
    from safetensors.numpy import save

    payload = save({name: np.ascontiguousarray(values) for name, values in arrays.items()})
    try:
        # Not forced to disk: the checksum reveals a file that was cut off.
        put_bytes(private_folder(path.parent) / path.name, _checksum(path, payload) + payload, to_disk=False)
    except (OSError, InputError) as error:
        warnings.warn(f"cannot write the cache entry {path}: {error}", CacheWarning, stacklevel=2)


def solution_to_arrays(solution: Solution) -> Arrays:
    """A solution as arrays, without the reason for the choice of its solver."""
    about = _to_text(_numbers(solution.evidence))
    if isinstance(solution.basis, OrbitBasis):
        return {"about": about, "labels": solution.basis.labels}
    return {"about": about, "Q": solution.basis}


def solution_from_arrays(arrays: Arrays) -> Solution:
    """The inverse of :func:`solution_to_arrays`."""
    basis = OrbitBasis(arrays["labels"]) if "labels" in arrays else arrays["Q"]
    residual, below, above, method = _from_text(arrays["about"])
    return Solution(residual, below, above, method, FROM_CACHE, basis=basis)


def space_to_arrays(packed: Packed, evidence: Mapping[str, Evidence]) -> Arrays:
    """The blocks of a space and the evidence for them; positions as 32-bit numbers, all blocks one after the other."""
    orbits = [block.factor.labels for block in packed.blocks if isinstance(block.factor, OrbitBasis)]
    dense = [block.factor.ravel() for block in packed.blocks if not isinstance(block.factor, OrbitBasis)]
    about = {
        "size": packed.size,
        "blocks": [(*block.index.shape, block.rank, isinstance(block.factor, OrbitBasis)) for block in packed.blocks],
        "evidence": {name: _numbers(each) for name, each in evidence.items()},
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
        factor: Basis
        if orbits:
            factor, labels = OrbitBasis(labels[:size]), labels[size:]
        else:
            factor, factors = factors[: size * rank].reshape(size, rank), factors[size * rank :]
        blocks.append(PackedBlock(index.reshape(copies, size), factor))
    evidence = {
        name: Evidence(residual, below, above, method, FROM_CACHE)
        for name, (residual, below, above, method) in about["evidence"].items()
    }
    return Packed(about["size"], tuple(blocks)), evidence


def _numbers(evidence: Evidence) -> tuple[Any, ...]:
    """Everything but the reason."""
    return astuple(evidence)[:-1]


def _to_text(values: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)


def _from_text(values: NDArray[np.uint8]) -> Any:
    return json.loads(values.tobytes())


def _checksum(path: Path, payload: bytes | memoryview) -> bytes:
    """Of an answer and of its question, whose digest is the name of the file."""
    return bytes.fromhex(digest(path.name.encode() + payload))
