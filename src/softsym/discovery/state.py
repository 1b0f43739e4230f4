"""Fitted estimators on disk: safetensors for numbers, JSON for the rest, checksums for both, no pickle.

A model's folder holds ``model.json`` and ``tensors.safetensors``. It is written to a temporary name and renamed: whole or not there. Equal
arrays are stored once. Reading takes no pipes or devices, nothing larger than memory, and no numbers that are none.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softsym import discovery
from softsym.discovery.fit_data import Rows, Shape, Target
from softsym.discovery.models import Model, Stack, pack_parts, unpack_part
from softsym.discovery.select import Baseline, Baselines, Fit
from softsym.discovery.symmetries import Symmetries, Symmetry
from softsym.errors import InputError, in_one_line
from softsym.inference import EvidenceDetail, EvidenceRow, EvidenceTable
from softsym.io import check_replaceable, digest, load_json, put_folder, read_regular
from softsym.limits import free_memory
from softsym.typing import Arrays

if TYPE_CHECKING:
    from softsym.discovery import SoftEquivariantClassifier, SoftEquivariantRegressor
    from softsym.gp import SoftEquivariantGP

FORMAT = 2
TEXT, TENSORS = "model.json", "tensors.safetensors"
MOST_TEXT, MOST_TENSORS = 10**8, 10**11  # bytes of a description, and of its numbers where memory allows
ATTRIBUTES = (
    *("n_features_in_", "feature_names_in_", "output_names_", "n_outputs_", "classes_", "n_iter_"),
    *("space_", "is_centred_"),
)
"""Fitted attributes besides the fit itself, which a saved model keeps."""
FIT_VALUES = ("n_train", "seconds", "exact_groups", "better_without", "compiled", "seed", "why")
"""Fields of a fit that are plain values."""
ESTIMATORS = ("SoftEquivariantRegressor", "SoftEquivariantClassifier")
DAMAGED = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError),
    *(RuntimeError, TypeError, ValueError),
)
"""What reading a damaged description can raise."""
Files = dict[str, bytes]
Fitted = tuple[Fit, Symmetries, EvidenceTable]


def save(estimator: Any, folder: Path, *, force: bool = False) -> Path:
    """Writes an estimator into a new folder, whole or not at all."""
    if folder.exists() and not force:
        raise InputError(f"{folder} exists already; pass another folder, or force=True to replace it")
    check_replaceable(folder)
    files = to_files(estimator)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        put_folder(folder, lambda path: [(path / name).write_bytes(data) for name, data in files.items()])
    except OSError as error:
        raise InputError(f"cannot write the model to {folder}: {error.strerror}") from error
    return folder


def load(folder: str | Path) -> SoftEquivariantRegressor | SoftEquivariantClassifier | SoftEquivariantGP:
    """Reads a fitted estimator or Gaussian process from a folder that its method ``save`` wrote; runs no code of the files.

    Raises:
        InputError: There is no model, it is damaged, or another version wrote it.
    """
    folder = Path(folder)
    is_gp = (folder / "gp.json").exists()
    try:
        text = read_regular(folder / ("gp.json" if is_gp else TEXT), MOST_TEXT)
        tensors = read_regular(folder / TENSORS, int(min(MOST_TENSORS, free_memory() / 3)))
    except OSError as error:
        raise InputError(
            f"{folder} holds no softsym model ({error.strerror}: {Path(error.filename).name}); "
            "pass a folder written by est.save or softsym discover"
        ) from error
    try:
        if not is_gp:
            return restore_estimator({TEXT: text, TENSORS: tensors})
        from softsym.gp.soft_gp import load_gp

        gp = load_gp(folder)
        _check_numbers(gp.to_state()[1])
        return gp
    except InputError as error:
        raise InputError(str(error) if str(folder) in str(error) else f"{folder}: {error}") from error
    except DAMAGED as error:
        raise InputError(f"{folder} is damaged ({in_one_line(error)}); save the model again") from error


def restore_estimator(files: Files) -> Any:
    """The estimator of two files, once it has predicted: a file can be complete and still describe a model that cannot."""
    content, fitted = from_files(files)
    name, attributes = content["class"], content["attributes"]
    if name not in ESTIMATORS:
        raise InputError(f"{TEXT} names an unknown class {name!r:.60}")
    try:
        estimator = getattr(discovery, name).from_parameters(content["parameters"])
        for key in ATTRIBUTES:
            if key in attributes:
                setattr(estimator, key, _from_plain(attributes[key]))
        estimator.fit_, estimator.symmetries_, estimator.evidence_ = fitted
        fit, symmetries, evidence = fitted
        columns = estimator.n_features_in_
        if isinstance(columns, bool) or not isinstance(columns, int) or not 0 < columns < 1e6:
            raise TypeError(f"n_features_in_ is {columns!r}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # names of columns are not given
            estimator.predict(np.ones((1, columns)))
            if not np.isfinite(fit.predict(fit.test.X[:1])).all():
                raise ValueError("its predictions are no numbers")
        for table in (symmetries, evidence, fit.baselines):
            str(table)
    except DAMAGED as error:
        raise InputError(
            f"{TEXT} does not describe a model that predicts ({in_one_line(error)}); save it again"
        ) from error
    return estimator


def to_files(estimator: Any) -> Files:
    """The two files of a fitted estimator."""
    from safetensors.numpy import save as encode

    about, arrays = _pack_fit(estimator.fit_)
    arrays, same = _drop_equal(arrays)
    tensors = encode(arrays)
    evidence: EvidenceTable = estimator.evidence_
    content = {
        "format": FORMAT,
        "class": type(estimator).__name__,
        "parameters": {name: plain(value) for name, value in estimator.storable_parameters().items()},
        "attributes": {name: _to_plain(getattr(estimator, name)) for name in ATTRIBUTES if hasattr(estimator, name)},
        "symmetries": estimator.symmetries_.to_dicts(),
        "evidence": {
            "rows": evidence.to_dicts(),
            "details": {name: detail.to_dict() for name, detail in evidence.details.items()},
            "seconds": evidence.seconds,
        },
        "fit": about,
        "same": same,
        "tensors": digest(tensors),
    }
    text = json.dumps({"digest": digest(canonical(content)), **content}, indent=1)
    return {TEXT: text.encode(), TENSORS: tensors}


def from_files(files: Files) -> tuple[dict[str, Any], Fitted]:
    """The description in two files, and what an estimator was fitted to; runs no code of theirs."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as decode

    content = _content(files[TEXT])
    if digest(files[TENSORS]) != content.get("tensors"):
        raise InputError(f"{TENSORS} is damaged or was changed: its checksum does not match; save the model again")
    try:
        arrays = decode(files[TENSORS])
        arrays |= {name: arrays[first] for name, first in content["same"].items()}
        _check_numbers(arrays)
        evidence = content["evidence"]
        details = {name: EvidenceDetail.from_dict(one) for name, one in evidence["details"].items()}
        rows = [EvidenceRow.from_dict(row) for row in evidence["rows"]]
        fitted = (
            _unpack_fit(content["fit"], arrays),
            Symmetries([Symmetry.from_dict(row) for row in content["symmetries"]]),
            EvidenceTable(rows, details, evidence["seconds"]),
        )
        return content | {key: dict(content[key]) for key in ("parameters", "attributes")}, fitted
    except (*DAMAGED, SafetensorError) as error:
        raise InputError(
            f"{TEXT} does not describe a model of this version ({in_one_line(error)}); save it again"
        ) from error


def _check_numbers(arrays: Arrays) -> None:
    """Refuses NaN, except in the course of a training."""
    for name, values in arrays.items():
        if values.dtype.kind == "f" and "curves/" not in name and np.isnan(values).any():
            raise ValueError(f"{name} contains NaN")


def plain(value: Any) -> Any:
    """Numbers, strings and lists instead of NumPy's."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def _to_plain(value: Any) -> Any:
    """A fitted attribute for JSON; integers and times, which lists do not tell apart, with their type."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iumM" and value.dtype != np.int64:
        numbers = value.astype(np.uint64 if value.dtype.kind == "u" else np.int64)
        return {"dtype": str(value.dtype), "values": numbers.tolist()}
    return plain(value)


def _from_plain(value: Any) -> Any:
    """The inverse of :func:`_to_plain`."""
    if isinstance(value, dict):
        dtype = np.dtype(value["dtype"])
        if dtype.kind not in "iumM":
            raise TypeError(f"an attribute of type {dtype}")
        return np.array(value["values"], dtype)
    return np.array(value) if isinstance(value, list) else value


def canonical(content: dict[str, Any]) -> bytes:
    """The bytes of a description that its checksum is of."""
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _content(text: bytes) -> dict[str, Any]:
    try:
        content: dict[str, Any] = load_json(text)
        checksum = content.pop("digest")
        version = content["format"]
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(f"{TEXT} is damaged: it is not what softsym writes; save the model again") from error
    if version != FORMAT:
        raise InputError(
            f"{TEXT} has format {version!r:.40}, this version of softsym reads {FORMAT}; save the model again with it"
        )
    if checksum != digest(canonical(content)):
        raise InputError(f"{TEXT} is damaged or was changed: its checksum does not match; save the model again")
    return content


def _drop_equal(arrays: Arrays) -> tuple[Arrays, dict[str, str]]:
    """Arrays without those that equal another, and for these the name of the other."""
    first: dict[tuple[str, str, str], str] = {}
    same: dict[str, str] = {}
    kept: Arrays = {}
    for name, value in arrays.items():
        value = np.ascontiguousarray(value)
        key = (str(value.dtype), str(value.shape), digest(value.tobytes()))
        if key in first:
            same[name] = first[key]
        else:
            first[key] = name
            kept[name] = value
    return kept, same


def _pack_fit(fit: Fit) -> tuple[dict[str, Any], Arrays]:
    """A fit as plain values for JSON, and arrays by name."""
    models: dict[str, Model] = {"train": fit.train_model, "full": fit.full_model}
    models |= {name: one for name, one in (("networks", fit.networks), ("gp", fit.gp)) if one is not None}
    abouts, arrays = pack_parts(models)
    about = {
        "models": abouts,
        "target": fit.target.value,
        "shape": fit.shape.to_dict(),
        "is_separate": fit.test.is_separate,
        "baselines": fit.baselines.to_dicts(),
        **{name: getattr(fit, name) for name in FIT_VALUES},
    }
    arrays |= {"test/X": fit.test.X, "test/Y": fit.test.Y}
    if fit.test.weights is not None:
        arrays["test/weights"] = fit.test.weights
    return about, arrays


def _unpack_fit(about: dict[str, Any], arrays: Arrays) -> Fit:
    """The inverse of :func:`_pack_fit`."""
    abouts = about["models"]
    train, full = (unpack_part(name, abouts, arrays) for name in ("train", "full"))
    if not isinstance(train, Stack) or not isinstance(full, Stack):
        raise ValueError("its models are no ensembles")
    networks, gp = (unpack_part(name, abouts, arrays) if name in abouts else None for name in ("networks", "gp"))
    options = {"target": Target(about["target"]), "is_separate": about["is_separate"]}
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value := about[name], list) else value for name in FIT_VALUES
    }
    return Fit(
        shape=Shape.from_dict(about["shape"]),
        train_model=train,
        full_model=full,
        test=Rows(arrays["test/X"], arrays["test/Y"], arrays.get("test/weights"), **options),
        networks=networks,  # type: ignore[arg-type]
        gp=gp,
        baselines=Baselines([Baseline.from_dict(fields) for fields in about["baselines"]]),
        **values,
    )
