r"""Windows: six past and six future points of a track.

The first 24 steps of a track, every second one kept, are 12 points, and all must be valid. Kept are tracks that stay near and yet
ascend or descend within one half of the window: with :math:`d` the last point of that half minus its first,

.. math:: |d_x| < 5, \quad |d_y| < 5, \quad |d_z| > 0.05 \text{ metres} .

The paper says it measures the future; its code measures the past and keeps pedestrians and cyclists. Choosing tracks by what is to be
predicted is not open to who predicts, so :data:`HONEST` measures the past, of vehicles only.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.typing import Array
from softsym_lab.tasks.motion.waymo.scene import OBJECT_TYPES, STEPS, Scene


@dataclass(frozen=True)
class ExtractSettings:
    """What to take from each track.

    Args:
        steps: How many of the 91 steps the window spans, from the first.
        keep_every: Of these, every how many-th is kept; ``steps / keep_every``, rounded up, must be ``past + future``.
        past: Points given.
        future: Points to predict.
        filter_on: The half of the window that the selection measures.
        max_shift: Bound on the shift along x and along y, in metres, exclusive.
        min_ascent: Bound on the shift along z, in metres, exclusive.
        object_types: Kinds of objects kept, of ``vehicle``, ``pedestrian``, ``cyclist``, ``other``.
    """

    steps: int = 24
    keep_every: int = 2
    past: int = 6
    future: int = 6
    filter_on: Literal["past", "future"] = "past"
    max_shift: float = 5.0
    min_ascent: float = 0.05
    object_types: tuple[str, ...] = ("vehicle",)

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= STEPS or self.keep_every < 1:
            raise InputError(
                f"`steps` must be 1..{STEPS} and `keep_every` at least 1, got {self.steps} and {self.keep_every}"
            )
        points = -(-self.steps // self.keep_every)
        if self.past < 1 or self.future < 1 or self.past + self.future != points:
            raise InputError(
                f"{self.steps} steps with every {self.keep_every}. kept are {points} points, "
                f"got past={self.past} and future={self.future}; they must be positive and add up to it"
            )
        if self.filter_on not in ("past", "future"):
            raise InputError(f"`filter_on` must be 'past' or 'future', got {self.filter_on!r}")
        if not (self.max_shift > 0 and self.min_ascent >= 0):
            raise InputError(
                f"`max_shift` must be positive and `min_ascent` not negative, got {self.max_shift} and {self.min_ascent}"
            )
        self._check_types()

    def _check_types(self) -> None:
        names = self.object_types
        if not isinstance(names, tuple) or not names or any(name not in OBJECT_TYPES for name in names):
            raise InputError(f"`object_types` must be a tuple of names out of {', '.join(OBJECT_TYPES)}, got {names!r}")


HONEST = ExtractSettings()
"""Vehicles, selected by their past."""

CODE = ExtractSettings(object_types=("vehicle", "pedestrian", "cyclist"))
"""As the paper's code: vehicles, pedestrians and cyclists, selected by their past."""


def select(scene: Scene, settings: ExtractSettings) -> tuple[NDArray[np.intp], Array]:
    """The windows to keep of a scene.

    Args:
        scene: A scene of at least ``settings.steps`` steps.
        settings: What to keep.

    Returns:
        The rows of the tracks kept, shape (k,), and their points, shape (k, past + future, 3).
    """
    window = slice(None, settings.steps, settings.keep_every)
    points = scene.positions[:, window]
    kinds = [OBJECT_TYPES[name] for name in settings.object_types]
    rows = np.flatnonzero(np.isin(scene.types, kinds) & scene.valid[:, window].all(axis=1))
    first = 0 if settings.filter_on == "past" else settings.past
    last = settings.past - 1 if settings.filter_on == "past" else -1
    shift = np.abs(points[rows, last] - points[rows, first])
    near = (shift[:, 0] < settings.max_shift) & (shift[:, 1] < settings.max_shift)
    rows = rows[near & (shift[:, 2] > settings.min_ascent)]
    return rows, points[rows]
