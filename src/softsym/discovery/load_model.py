"""Loading of fitted models: estimators and Gaussian processes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from softsym.discovery import storage
from softsym.discovery.classifier import SoftEquivariantClassifier
from softsym.discovery.estimator import ATTRIBUTES, SoftEquivariantEstimator
from softsym.discovery.regressor import SoftEquivariantRegressor
from softsym.errors import InputError, in_one_line

if TYPE_CHECKING:
    from softsym.inference import SoftEquivariantGP

ESTIMATORS: dict[str, type[SoftEquivariantEstimator]] = {
    each.__name__: each for each in (SoftEquivariantRegressor, SoftEquivariantClassifier)
}


def load(folder: str | Path) -> SoftEquivariantEstimator | SoftEquivariantGP:
    """Reads a fitted estimator or Gaussian process that its method ``save`` wrote; runs no code of the file's.

    Args:
        folder: The model's folder.

    Raises:
        InputError: There is no model, it is damaged, or a newer version wrote it.
    """
    folder = Path(folder)
    if (folder / "gp.json").exists():
        from softsym.inference import SoftEquivariantGP
        from softsym.inference.gp_state import read

        gp: SoftEquivariantGP = read(folder, SoftEquivariantGP)
        return gp
    files = storage.read_files(folder)
    try:
        estimator = restore_estimator(storage.from_files(files))
        _check_that_it_predicts(estimator)
        return estimator
    except InputError as error:
        raise InputError(f"{folder}: {error}") from error


def _check_that_it_predicts(estimator: SoftEquivariantEstimator) -> None:
    """Predicts once: a model file can be complete and still describe a model that cannot predict."""
    try:
        columns = estimator.n_features_in_
        if isinstance(columns, bool) or not isinstance(columns, int):
            raise TypeError(f"n_features_in_ is {columns!r}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # names of columns are not given
            estimator.predict(np.ones((1, columns)))
    except (
        ArithmeticError,
        AttributeError,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
        RuntimeError,
    ) as error:
        raise InputError(
            f"{storage.TEXT} does not describe a model that predicts ({in_one_line(error)}); save it again"
        ) from error


def restore_estimator(model: storage.SavedModel) -> SoftEquivariantEstimator:
    """The estimator of a saved model."""
    if not isinstance(model.class_name, str) or model.class_name not in ESTIMATORS:
        raise InputError(f"{storage.TEXT} names an unknown class {model.class_name!r:.60}")
    try:
        estimator = ESTIMATORS[model.class_name].from_parameters(model.parameters)
    except TypeError as error:
        raise InputError(
            f"{storage.TEXT} does not describe a model of this version ({in_one_line(error)}); save it again"
        ) from error
    for name in ATTRIBUTES:
        if name in model.attributes:
            value = model.attributes[name]
            setattr(estimator, name, np.array(value) if isinstance(value, list) else value)
    estimator.fit_, estimator.symmetries_, estimator.evidence_ = model.fit, model.symmetries, model.evidence
    return estimator
