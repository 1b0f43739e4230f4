"""Solutions on disk, so that the next process need not solve again.

One file per solution in the platform's cache folder, named by a digest of what was asked: generators, tensor type, tolerance, solver
and format version. A file holds a checksum and a safetensors block, is written to a temporary name and renamed, so concurrent
writers and crashes leave whole files or none; whatever fails its checksum is computed again, never trusted.
"""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
import os
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from softsym.errors import CacheWarning
from softsym.groups import Group
from softsym.reps import TensorType
from softsym.spaces.solution import DenseBasis, OrbitBasis, Solution

FORMAT = 1
_DIGEST_BYTES = 32
_METHODS = ("orbits", "reynolds", "weights", "dense", "iterative")


def default_folder() -> Path:
    """The platform's cache folder for softsym."""
    from platformdirs import user_cache_path

    return user_cache_path("softsym", appauthor=False) / "spaces"


_folder: contextvars.ContextVar[Path | str | None] = contextvars.ContextVar(
    "softsym_cache", default="default"
)


@contextlib.contextmanager
def cache_folder(path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Keeps solutions in another folder inside a ``with`` block, or nowhere if it is None.

    Example:
        >>> import softsym as ss
        >>> with ss.spaces.cache_folder(None):
        ...     ss.equivariant_maps("V", "V", "O(3)").dim
        1
    """
    token = _folder.set(None if path is None else Path(path))
    try:
        yield
    finally:
        _folder.reset(token)


def current_folder() -> Path | None:
    """Where solutions are kept now; None if nowhere."""
    folder = _folder.get()
    return default_folder() if isinstance(folder, str) else folder


def file_of(group: Group, kind: TensorType, tol: float | None, solver: str) -> Path | None:
    """The file that would hold a solution; None if the cache is off."""
    folder = current_folder()
    if folder is None:
        return None
    asked = repr((FORMAT, group.key, str(kind), tol, solver)).encode()
    return folder / f"{hashlib.blake2b(asked, digest_size=20).hexdigest()}.basis"


def read(path: Path, reason: str) -> Solution | None:
    """The solution in a file, or None if there is none that can be trusted."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        warnings.warn(f"cannot read {path}: {error}; solving again", CacheWarning, stacklevel=2)
        return None
    digest, payload = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if hashlib.blake2b(payload, digest_size=_DIGEST_BYTES).digest() != digest:
        warnings.warn(f"cache entry {path} is damaged; solving again", CacheWarning, stacklevel=2)
        return None
    return _decode(payload, reason)


def write(path: Path, solution: Solution) -> None:
    """Stores a solution; a folder that cannot be written costs a warning, not the result."""
    payload = _encode(solution)
    digest = hashlib.blake2b(payload, digest_size=_DIGEST_BYTES).digest()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(digest + payload)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        warnings.warn(f"cannot write the cache entry {path}: {error}", CacheWarning, stacklevel=2)


def _encode(solution: Solution) -> bytes:
    from safetensors.numpy import save

    numbers = [solution.residual, solution.below, solution.above, _METHODS.index(solution.method)]
    arrays = {"report": np.array(numbers)}
    if isinstance(solution.basis, OrbitBasis):
        arrays["labels"] = solution.basis.labels
    else:
        arrays["Q"] = np.ascontiguousarray(solution.basis.Q)
    return bytes(save(arrays))


def _decode(payload: bytes, reason: str) -> Solution:
    from safetensors.numpy import load

    arrays = load(payload)
    residual, below, above, method = arrays["report"].tolist()
    basis = OrbitBasis(arrays["labels"]) if "labels" in arrays else DenseBasis(arrays["Q"])
    return Solution(basis, residual, below, above, _METHODS[int(method)], reason)
