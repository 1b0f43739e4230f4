"""The classes of estimators by name, and models read back as one of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softsym.discovery import storage
from softsym.discovery.classifier import SoftEquivariantClassifier
from softsym.discovery.estimator import ATTRIBUTES, SoftEquivariantEstimator
from softsym.discovery.regressor import SoftEquivariantRegressor
from softsym.errors import InputError

ESTIMATORS: dict[str, type[SoftEquivariantEstimator]] = {
    each.__name__: each for each in (SoftEquivariantRegressor, SoftEquivariantClassifier)
}


def load(folder: str | Path) -> SoftEquivariantEstimator:
    """Reads a fitted estimator that :meth:`save` wrote; runs no code of the file's.

    Args:
        folder: The model's folder.

    Raises:
        InputError: There is no model, it is damaged, or a newer version wrote it.
    """
    folder = Path(folder)
    files = storage.read_files(folder)
    try:
        return restored(storage.from_files(files))
    except InputError as error:
        raise InputError(f"{folder}: {error}") from error


def restored(model: storage.SavedModel) -> SoftEquivariantEstimator:
    """The estimator of a saved model."""
    if model.class_name not in ESTIMATORS:
        raise InputError(f"{storage.TEXT} names an unknown class {model.class_name!r}")
    try:
        estimator = ESTIMATORS[model.class_name](**model.parameters)
    except TypeError as error:
        raise InputError(
            f"{storage.TEXT} does not describe a model of this version ({error}); save it again"
        ) from error
    for name in ATTRIBUTES:
        if name in model.attributes:
            value = model.attributes[name]
            setattr(estimator, name, np.array(value) if isinstance(value, list) else value)
    estimator.fit_, estimator.symmetries_, estimator.evidence_ = model.fit, model.symmetries, model.evidence
    return estimator
