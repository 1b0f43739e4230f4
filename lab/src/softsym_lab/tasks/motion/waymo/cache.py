"""Extracted tracks on disk, so that gigabytes of records are read once.

One ``.npz`` file per extraction, named by a digest of what was asked: the files' names, sizes and times of change, the settings and
the format version. It is written whole or not at all; what fails a check is extracted again, never trusted. Nothing is pickled.
"""

from __future__ import annotations

import dataclasses
import hashlib
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from softsym.errors import CacheWarning
from softsym.io import put_file
from softsym_lab.tasks.motion.waymo.files import SourceFile
from softsym_lab.tasks.motion.waymo.scene import Tracks
from softsym_lab.tasks.motion.waymo.windows import ExtractSettings

FORMAT = 1


def default_folder() -> Path:
    """The platform's cache folder for extracted tracks."""
    from platformdirs import user_cache_path

    return user_cache_path("softsym", appauthor=False) / "motion"


def entry_name(files: Sequence[SourceFile], settings: ExtractSettings, flavour: str) -> str:
    """The name of the entry for an extraction."""
    asked = (FORMAT, [file.key for file in files], dataclasses.astuple(settings), flavour)
    return hashlib.blake2b(repr(asked).encode(), digest_size=20).hexdigest() + ".npz"


def read(path: Path, settings: ExtractSettings) -> Tracks | None:
    """The tracks in an entry, or None if there is none that can be trusted."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            damaged = archive.zip.testzip()
            tracks = Tracks(*(archive[field.name] for field in dataclasses.fields(Tracks)))
        if damaged is not None or not _fits(tracks, settings):
            raise ValueError("its content is not what was written")
    except FileNotFoundError:
        return None
    except Exception as error:  # a damaged archive fails in more ways than can be listed
        warnings.warn(f"cannot use the cache entry {path} ({error}); extracting again", CacheWarning, stacklevel=3)
        return None
    return tracks


def write(path: Path, tracks: Tracks) -> None:
    """Stores tracks; a folder that cannot be written costs a warning, not the result."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        put_file(path, lambda file: np.savez(file, **vars(tracks)))
    except OSError as error:
        warnings.warn(f"cannot write the cache entry {path}: {error}", CacheWarning, stacklevel=3)


def _fits(tracks: Tracks, settings: ExtractSettings) -> bool:
    n = len(tracks.scenario_ids)
    return (
        tracks.past.shape == (n, settings.past, 3)
        and tracks.future.shape == (n, settings.future, 3)
        and tracks.track_ids.shape == tracks.scenario_ids.shape == (n,)
        and tracks.past.dtype == tracks.future.dtype == np.float64
        and tracks.track_ids.dtype.kind == tracks.scenario_ids.dtype.kind == "U"
    )
