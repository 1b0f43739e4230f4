"""Reading arrays of a ``.npz`` file, with errors in one line."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.typing import Array

Arrays = dict[str, NDArray[np.generic]]


def read_arrays(path: Path, needed: Sequence[str], what: str) -> Arrays:
    """All arrays of a file; those that are numbers with a fraction are finite.

    Args:
        path: The file.
        needed: Names that must be there.
        what: What the file should be, for messages.

    Raises:
        InputError: There is no such file, it is no archive of plain arrays, or one is missing.
    """
    try:
        with path.open("rb") as stored, np.load(stored, allow_pickle=False) as file:
            arrays: Arrays = {name: file[name] for name in file.files}
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}; pass {what}") from error
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, TypeError, AttributeError) as error:
        raise InputError(f"cannot read {path} as an archive of plain arrays; pass {what}") from error
    for name in needed:
        if name not in arrays:
            raise InputError(f"{path} has no array `{name}`; it needs {', '.join(needed)}")
    for name, values in arrays.items():
        if values.dtype.kind not in "fiu":
            raise InputError(f"{path}: `{name}` must be numbers, got {values.dtype}")
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise InputError(f"{path}: `{name}` contains NaN or infinity")
    return arrays


def check_shape(path: Path, arrays: Arrays, name: str, shape: tuple[int | None, ...]) -> Array:
    """An array as float64, if it has the shape; None stands for any size."""
    values = arrays[name]
    if len(values.shape) != len(shape) or any(
        want not in (None, have) for want, have in zip(shape, values.shape, strict=True)
    ):
        wanted = ", ".join("n" if size is None else str(size) for size in shape)
        raise InputError(f"{path}: `{name}` must have shape ({wanted}), got {values.shape}")
    return values.astype(np.float64)
