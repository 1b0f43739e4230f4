"""Arrays on disk, so that the next process need not solve again.

One file per answer in the platform's cache folder, named by a digest of what was asked: generators, representation, tolerance,
solver and format version. A file holds a checksum and a safetensors block and is written whole or not at all; whatever fails its
checksum is computed again, never trusted.
"""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
import os
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softsym.errors import CacheWarning
from softsym.files import digest, put_bytes
from softsym.groups import Group

FORMAT = 2
_DIGEST_BYTES = 32


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


def file_of(
    group: Group, asked: object, tol: float | None, solver: str, suffix: str = "basis"
) -> Path | None:
    """The file that would hold an answer; None if the cache is off.

    Args:
        group: The group.
        asked: What was asked of it; its text must tell it from everything else.
        tol: The tolerance.
        solver: The solver.
        suffix: What kind of answer it is.
    """
    folder = current_folder()
    if folder is None:
        return None
    question = repr((FORMAT, group.key, str(asked), tol, solver)).encode()
    return folder / f"{hashlib.blake2b(question, digest_size=20).hexdigest()}.{suffix}"


def read(path: Path) -> dict[str, NDArray[Any]] | None:
    """The arrays in a file, or None if there are none that can be trusted."""
    try:
        data = memoryview(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        warnings.warn(f"cannot read {path}: {error}; solving again", CacheWarning, stacklevel=2)
        return None
    stored, payload = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if stored.hex() != digest(payload):
        warnings.warn(f"cache entry {path} is damaged; solving again", CacheWarning, stacklevel=2)
        return None
    from safetensors.numpy import load

    return load(bytes(payload))


def write(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Stores arrays; a folder that cannot be written costs a warning, not the result."""
    from safetensors.numpy import save

    payload = save({name: np.ascontiguousarray(values) for name, values in arrays.items()})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        put_bytes(path, bytes.fromhex(digest(payload)) + payload)
    except OSError as error:
        warnings.warn(f"cannot write the cache entry {path}: {error}", CacheWarning, stacklevel=2)
