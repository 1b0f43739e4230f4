"""Fitted Gaussian processes on disk: safetensors for numbers, JSON for the rest, checksums for both, no pickle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from softsym.data.scaler import SymmetricScaler
from softsym.errors import InputError, in_one_line
from softsym.groups import group as read_group
from softsym.inference.detail import EvidenceDetail
from softsym.inference.evidence_table import EvidenceRow, EvidenceTable
from softsym.inference.kernels import Kernel, UnconstrainedKernel, equivariant_kernel
from softsym.inference.likelihood.gaussian_process import Component, ConditionedGP, blocks_of
from softsym.io import digest, put_folder
from softsym.reps import Rep
from softsym.reps import rep as read_rep

FORMAT = 2
TEXT, TENSORS = "gp.json", "tensors.safetensors"


def save(gp: Any, folder: Path, *, force: bool = False) -> Path:
    """Writes a fitted Gaussian process into a new folder, whole or not at all."""
    if folder.exists() and not force:
        raise InputError(f"{folder} exists already; pass another folder, or force=True to replace it")
    if folder.exists() and not (folder / TEXT).exists():
        raise InputError(f"{folder} exists and is not a softsym Gaussian process; it is left alone")
    stored = to_bytes(gp)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        put_folder(folder, lambda path: [(path / name).write_bytes(data) for name, data in stored.items()])
    except OSError as error:
        raise InputError(f"cannot write the model to {folder}: {error.strerror}") from error
    return folder


def read(folder: Path, make: Callable[..., Any]) -> Any:
    """Reads what :func:`save` wrote; runs no code of the file's.

    Args:
        folder: The model's folder.
        make: Makes an estimator from its parameters, to be filled with what was fitted.
    """
    try:
        stored = {name: (folder / name).read_bytes() for name in (TEXT, TENSORS)}
    except OSError as error:
        raise InputError(f"{folder} holds no softsym Gaussian process ({error.strerror})") from error
    try:
        return from_bytes(stored, make)
    except InputError as error:
        raise InputError(f"{folder}: {error}") from error


def to_bytes(gp: Any) -> dict[str, bytes]:
    """The two files of a fitted Gaussian process."""
    from safetensors.numpy import save as encode

    process = gp.process_
    arrays = {"X": process.X, "Y": process.Y}
    if process.weights is not None:
        arrays["row_weights"] = process.weights
    for name, scaler in (("in", gp.scale_in_), ("out", gp.scale_out_)):
        arrays |= {f"scale/{name}/shift": scaler.shift, f"scale/{name}/scale": scaler.scale}
    tensors = encode({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    rep_in, rep_out, groups = gp._shape
    content: dict[str, Any] = {
        "format": FORMAT,
        "tensors": digest(tensors),
        "given": {"rep_in": gp.rep_in is not None, "rep_out": gp.rep_out is not None},
        "rep_in": str(rep_in),
        "rep_out": str(rep_out),
        "groups": [str(group) for group in groups],
        "kernel": [gp.kernel_.family, gp.kernel_.parameter],
        "max_size": gp.max_size,
        "n_outputs": gp.n_outputs_,
        "n_rows": gp.n_rows_,
        "names": [str(name) for name in getattr(gp, "feature_names_in_", [])],
        "noises": process.noises,
        "components": [_component(c) for c in process.components],
        "weights": gp.weights_,
        "symmetries": gp.symmetries_.to_dicts(),
        "details": {name: detail.to_dict() for name, detail in gp.symmetries_.details.items()},
        "alone": {
            name: [_component(single), unconstrained] for name, (single, unconstrained) in gp.alone_.items()
        },
        "rows": gp.rows_.tolist(),
        "sources": None if process.row_groups is None else process.row_groups.tolist(),
        "n_given": gp._n_given,
    }
    text = json.dumps({"digest": digest(_canonical(content)), **content}, indent=1)
    return {TEXT: text.encode(), TENSORS: tensors}


def from_bytes(stored: dict[str, bytes], make: Callable[..., Any]) -> Any:
    """A fitted Gaussian process from its two files."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as decode

    try:
        content = json.loads(stored[TEXT])
        expected, version = content.pop("digest"), content["format"]
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(f"{TEXT} is damaged: it is not what softsym writes; save the model again") from error
    if version != FORMAT:
        raise InputError(
            f"{TEXT} has format {version!r:.40}, this version of softsym reads {FORMAT}; save the model again with it"
        )
    if expected != digest(_canonical(content)) or content["tensors"] != digest(stored[TENSORS]):
        raise InputError(
            f"{TEXT} or {TENSORS} is damaged or was changed: a checksum does not match; save the model again"
        )
    try:
        return _restored(content, decode(stored[TENSORS]), make)
    except (KeyError, TypeError, ValueError, SafetensorError) as error:
        raise InputError(
            f"{TEXT} does not describe a model of this version ({in_one_line(error)}); save it again"
        ) from error


def _restored(content: dict[str, Any], arrays: dict[str, Any], make: Callable[..., Any]) -> Any:
    given = content["given"]
    gp = make(
        content["rep_in"] if given["rep_in"] else None, content["rep_out"] if given["rep_out"] else None,
        content["groups"], max_size=content["max_size"],
    )  # fmt: skip
    X, Y = arrays["X"], arrays["Y"]
    gp.n_features_in_, gp.n_outputs_, gp.n_rows_ = X.shape[1], content["n_outputs"], content["n_rows"]
    if content["names"]:
        gp.feature_names_in_ = np.array(content["names"], dtype=object)
    gp.scale_in_, gp.scale_out_ = (
        SymmetricScaler(arrays[f"scale/{name}/shift"], arrays[f"scale/{name}/scale"])
        for name in ("in", "out")
    )
    gp.kernel_ = Kernel(*content["kernel"])
    gp.weights_ = content["weights"]
    gp.symmetries_ = EvidenceTable(
        [EvidenceRow.from_dict(row) for row in content["symmetries"]],
        {name: EvidenceDetail.from_dict(detail) for name, detail in content["details"].items()},
    )
    gp.rows_, gp._n_given = np.array(content["rows"], dtype=np.intp), content["n_given"]
    rep_in, rep_out = read_rep(content["rep_in"]), read_rep(content["rep_out"])
    components = [_read_component(described, rep_in, rep_out) for described in content["components"]]
    gp.alone_ = {
        name: (_read_component(described, rep_in, rep_out), unconstrained)
        for name, (described, unconstrained) in content["alone"].items()
    }
    row_groups = None if content["sources"] is None else np.array(content["sources"], dtype=np.int64)
    blocks = blocks_of(components, rep_out, Y)
    gp.process_ = ConditionedGP.restored(
        components, blocks, X, Y, content["noises"], row_groups, arrays.get("row_weights")
    )
    return gp


def _read_component(described: dict[str, Any], rep_in: Rep, rep_out: Rep) -> Component:
    group, kernel = read_group(described["group"]), Kernel(*described["kernel"])
    stretch = None if described["stretch"] is None else np.array(described["stretch"])
    candidate = (
        UnconstrainedKernel(group, rep_in, stretch)
        if described["plain"]
        else equivariant_kernel(group, rep_in, rep_out)
    )
    return Component(candidate, kernel, described["weight"], tuple(described["has"]))


def _component(component: Component) -> dict[str, Any]:
    stretch = getattr(component.candidate, "stretch", None)
    return {
        "stretch": None if stretch is None else stretch.tolist(),
        "group": str(component.candidate.group),
        "plain": isinstance(component.candidate, UnconstrainedKernel),
        "kernel": [component.kernel.family, component.kernel.parameter],
        "weight": component.weight,
        "has": list(component.has),
    }


def _canonical(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
