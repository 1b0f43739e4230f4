"""Fitted estimators on disk: safetensors for numbers, JSON for the rest, checksums for both, no pickle.

A model's folder holds ``model.json`` and ``tensors.safetensors``. It is written to a temporary name and renamed: whole or not there.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softsym.discovery import packing
from softsym.discovery.fit.fit import Fit
from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.errors import InputError
from softsym.files import put_folder

if TYPE_CHECKING:
    from softsym.discovery.estimator import SoftEquivariantEstimator

FORMAT = 1
TEXT, TENSORS = "model.json", "tensors.safetensors"
ATTRIBUTES = ("n_features_in_", "feature_names_in_", "output_names_", "n_outputs_", "classes_", "n_iter_")
Stored = dict[str, bytes]


def save(estimator: SoftEquivariantEstimator, folder: Path, *, force: bool = False) -> Path:
    """Writes a fitted estimator into a new folder, whole or not at all."""
    if folder.exists() and not force:
        raise InputError(f"{folder} exists already; pass another folder, or force=True to replace it")
    if folder.exists() and not (folder / TEXT).exists():
        raise InputError(f"{folder} exists and is not a softsym model; it is left alone")
    stored = to_bytes(estimator)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        put_folder(folder, lambda path: _write(path, stored))
    except OSError as error:
        raise InputError(f"cannot write the model to {folder}: {error.strerror}") from error
    return folder


def _write(folder: Path, stored: Stored) -> None:
    for name, data in stored.items():
        (folder / name).write_bytes(data)


def load(folder: str | Path) -> SoftEquivariantEstimator:
    """Reads a fitted estimator that :meth:`save` wrote; runs no code of the file's.

    Args:
        folder: The model's folder.

    Raises:
        InputError: There is no model, it is damaged, or a newer version wrote it.
    """
    folder = Path(folder)
    try:
        stored = {name: (folder / name).read_bytes() for name in (TEXT, TENSORS)}
    except OSError as error:
        raise InputError(
            f"{folder} holds no softsym model ({error.strerror}: {Path(error.filename).name}); "
            "pass a folder written by est.save or softsym discover"
        ) from error
    try:
        described = _described(stored)
        estimator = _empty(described)
        estimator.fit_, estimator.symmetries_ = from_bytes(stored)
    except InputError as error:
        raise InputError(f"{folder}: {error}") from error
    return estimator


def duplicate(estimator: Any) -> Any:
    """A copy with the same parameters and attributes, sharing what is fitted."""
    new = object.__new__(type(estimator))
    new.__dict__.update(estimator.__dict__)
    return new


def to_bytes(estimator: SoftEquivariantEstimator) -> Stored:
    """The two files of a fitted estimator."""
    from safetensors.numpy import save as encode

    about, arrays = packing.pack(estimator.fit_)
    tensors = encode(arrays)
    content = {
        "format": FORMAT,
        "class": type(estimator).__name__,
        "parameters": _parameters(estimator),
        "attributes": _attributes(estimator),
        "symmetries": estimator.symmetries_.to_dicts(),
        "fit": about,
        "tensors": _digest(tensors),
    }
    text = json.dumps({"digest": _digest(_canonical(content)), **content}, indent=1)
    return {TEXT: text.encode(), TENSORS: tensors}


def from_bytes(stored: Stored) -> tuple[Fit, Symmetries]:
    """What was fitted, from the two files."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as decode

    described = _described(stored)
    if _digest(stored[TENSORS]) != described["tensors"]:
        raise InputError(
            f"{TENSORS} is damaged or was changed: its checksum does not match; save the model again"
        )
    try:
        fit = packing.unpack(described["fit"], decode(stored[TENSORS]))
        rows = [Symmetry.from_dict(row) for row in described["symmetries"]]
    except (KeyError, TypeError, ValueError, SafetensorError) as error:
        raise InputError(
            f"{TEXT} does not describe a model of this version ({error}); save it again"
        ) from error
    return fit, Symmetries(rows)


def _described(stored: Stored) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(stored[TEXT])
        digest = content.pop("digest")
        version = content["format"]
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(f"{TEXT} is damaged: it is not what softsym writes; save the model again") from error
    if version != FORMAT:
        raise InputError(
            f"{TEXT} has format {version}, this version of softsym reads {FORMAT}; save the model again with it"
        )
    if digest != _digest(_canonical(content)):
        raise InputError(
            f"{TEXT} is damaged or was changed: its checksum does not match; save the model again"
        )
    return content


def _empty(described: dict[str, Any]) -> Any:
    from softsym.discovery.classifier import SoftEquivariantClassifier
    from softsym.discovery.regressor import SoftEquivariantRegressor

    kinds = {kind.__name__: kind for kind in (SoftEquivariantRegressor, SoftEquivariantClassifier)}
    if described.get("class") not in kinds:
        raise InputError(f"{TEXT} names an unknown class {described.get('class')!r}")
    try:
        estimator = kinds[described["class"]](**described["parameters"])
        attributes = {
            name: described["attributes"][name] for name in ATTRIBUTES if name in described["attributes"]
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{TEXT} does not describe a model of this version ({error}); save it again"
        ) from error
    for name, value in attributes.items():
        setattr(estimator, name, np.array(value) if isinstance(value, list) else value)
    return estimator


def _parameters(estimator: SoftEquivariantEstimator) -> dict[str, Any]:
    found = estimator.get_params(deep=False)
    found["groups"] = [str(group) for group in estimator.fit_.shape.groups]
    if not isinstance(found["random_state"], int | np.integer | None):
        found["random_state"] = estimator.fit_.members[0].seed  # what a generator gave
    for name in ("rep_in", "rep_out", "largest"):
        found[name] = None if found[name] is None else str(found[name])
    return {name: packing.plain(value) for name, value in found.items()}


def _attributes(estimator: SoftEquivariantEstimator) -> dict[str, Any]:
    return {name: packing.plain(getattr(estimator, name)) for name in ATTRIBUTES if hasattr(estimator, name)}


def _canonical(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=32).hexdigest()
