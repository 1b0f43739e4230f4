"""Extraction: from files of records to the windows worth learning from.

Files are read in sorted order and one record at a time; only the windows kept stay in memory. The result is cached on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from softsym.progress import progress as shown
from softsym_lab.tasks.motion.waymo import cache as store
from softsym_lab.tasks.motion.waymo.files import PathLike, SourceFile, find_files
from softsym_lab.tasks.motion.waymo.reader import Flavour, read_scenes
from softsym_lab.tasks.motion.waymo.scene import Tracks
from softsym_lab.tasks.motion.waymo.windows import HONEST, ExtractSettings, select


def extract(
    sources: PathLike | Sequence[PathLike],
    settings: ExtractSettings = HONEST,
    *,
    flavour: Flavour = "auto",
    cache: bool | PathLike = True,
    progress: bool = True,
) -> Tracks:
    """Reads motion records and keeps the windows that pass the selection.

    Args:
        sources: A folder of TFRecord files of the Waymo Open Motion Dataset, a file, or several of them.
        settings: What to take from each track: :data:`HONEST`, :data:`CODE` or your own.
        flavour: ``"example"`` or ``"scenario"``; by default each file's own.
        cache: The folder for results, True for the platform's cache folder, False for none.
        progress: Whether to show progress.

    Raises:
        InputError: A file is missing, damaged or of the wrong kind; the message names it and the byte.
    """
    files = find_files(sources)
    if cache is False:
        return _extract(files, settings, flavour, progress)
    folder = store.default_folder() if cache is True else Path(cache)
    entry = folder / store.entry_name(files, settings, flavour)
    tracks = store.read(entry, settings)
    if tracks is None:
        tracks = _extract(files, settings, flavour, progress)
        store.write(entry, tracks)
    return tracks


def _extract(files: Sequence[SourceFile], settings: ExtractSettings, flavour: Flavour, progress: bool) -> Tracks:
    points = [np.empty((0, settings.past + settings.future, 3))]
    scenario_ids: list[str] = []
    track_ids: list[str] = []
    done = 0
    total = sum(file.size for file in files)
    with shown("reading motion records", total, quiet=not progress, unit="bytes") as show:
        for file in files:
            for end, scene in read_scenes(file.path, flavour, settings.steps):
                rows, windows = select(scene, settings)
                points.append(windows)
                scenario_ids += [scene.scenario_id] * len(rows)
                track_ids += [str(number) for number in scene.track_ids[rows]]
                show(done + end)
            done += file.size
    past, future = np.split(np.concatenate(points), [settings.past], axis=1)
    return Tracks(
        past=np.ascontiguousarray(past),
        future=np.ascontiguousarray(future),
        scenario_ids=np.array(scenario_ids, dtype=np.str_),
        track_ids=np.array(track_ids, dtype=np.str_),
    )
