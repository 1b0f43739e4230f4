"""Which files to read: those of a folder, or those named.

Waymo names its files ``training.tfrecord-00000-of-01000``; a folder's files are those that end so or in ``.tfrecord``, which leaves out
half-finished downloads. A file named outright may be called anything. Files are read in sorted order, whatever order they were given in.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from softsym.errors import InputError

_NAME = re.compile(r"\.tfrecord(-\d+-of-\d+)?$")

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class SourceFile:
    """A file, and what changes when its content does."""

    path: Path
    size: int
    modified: int

    @property
    def key(self) -> tuple[str, int, int]:
        """Full name, size in bytes, time of the last change in nanoseconds."""
        return str(self.path.resolve()), self.size, self.modified


def find_files(sources: PathLike | Sequence[PathLike]) -> list[SourceFile]:
    """The files to read, sorted.

    Args:
        sources: A folder, a file, or several of them.

    Raises:
        InputError: Something is missing, may not be read, is listed twice, or a folder has no record files.
    """
    given = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    if not given:
        raise InputError("no files to read; pass a folder of TFRecord files or a list of them")
    paths = sorted(path for source in given for path in _expand(Path(source)))
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise InputError(f"{path} is listed twice; pass every file once")
        seen.add(path.resolve())
    return [_source_file(path) for path in paths]


def _expand(source: Path) -> list[Path]:
    try:
        if not source.is_dir():
            return [source]
        paths = [path for path in source.iterdir() if _NAME.search(path.name)]
    except OSError as error:
        raise InputError(_cannot_read(source, error)) from error
    if not paths:
        raise InputError(
            f"the folder {source} has no record files; pass one with files named *.tfrecord or *.tfrecord-00000-of-01000"
        )
    return paths


def _source_file(path: Path) -> SourceFile:
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise InputError(f"there is no file or folder {path}; pass the folder that holds the TFRecord files") from error
    except OSError as error:
        raise InputError(_cannot_read(path, error)) from error
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is no ordinary file; pass TFRecord files or a folder of them")
    return SourceFile(path, status.st_size, status.st_mtime_ns)


def _cannot_read(path: Path, error: OSError) -> str:
    return f"cannot read {path}: {error.strerror or error}; pass a file or folder you may read"
