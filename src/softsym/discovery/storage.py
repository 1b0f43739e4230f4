"""Fitted estimators on disk: safetensors for numbers, JSON for the rest, checksums for both, no pickle.

A model's folder holds ``model.json`` and ``tensors.safetensors``. It is written to a temporary name and renamed: whole or not there.
A stored model is a plain value, :class:`SavedModel`; :mod:`softsym.discovery.load_model` knows the classes of estimators.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.fit.baselines import Baseline, Baselines
from softsym.discovery.fit.fitted import BaselineModels, FittedEnsemble, HeldOut, Predictor, Target
from softsym.discovery.fit.member import Member, Shape, make_network
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.scale_frame import ScaleFrame
from softsym.discovery.fit.training_curves import Curves
from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.discovery.selection.selection_state import pack_models, unpack_models
from softsym.errors import InputError, in_one_line
from softsym.groups import group as read_group
from softsym.inference import EvidenceDetail, EvidenceRow, EvidenceTable
from softsym.io import digest, put_folder
from softsym.reps import rep as read_rep
from softsym.typing import Arrays

FORMAT = 1
TEXT, TENSORS = "model.json", "tensors.safetensors"
BASELINE_ERRORS = "rivals/errors"  # what model files have
LISTS = ("epochs", "loss_epochs", "loss", "validation")
Files = dict[str, bytes]


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted estimator as values.

    Args:
        class_name: Name of the estimator's class.
        parameters: Of its constructor, as numbers, texts and lists.
        attributes: Its fitted attributes about columns, likewise.
        fit: Members, scaling and held-out rows.
        symmetries: The verdicts.
        evidence: The evidence of the data.
    """

    class_name: str
    parameters: dict[str, Any]
    attributes: dict[str, Any]
    fit: FittedEnsemble
    symmetries: Symmetries
    evidence: EvidenceTable


def save(model: SavedModel, folder: Path, *, force: bool = False) -> Path:
    """Writes a model into a new folder, whole or not at all."""
    if folder.exists() and not force:
        raise InputError(f"{folder} exists already; pass another folder, or force=True to replace it")
    if folder.exists() and not (folder / TEXT).exists():
        raise InputError(f"{folder} exists and is not a softsym model; it is left alone")
    files = to_files(model)

    def write(temporary: Path) -> None:
        for name, data in files.items():
            (temporary / name).write_bytes(data)

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        put_folder(folder, write)
    except OSError as error:
        raise InputError(f"cannot write the model to {folder}: {error.strerror}") from error
    return folder


def read_files(folder: Path) -> Files:
    """The two files of a model's folder.

    Raises:
        InputError: There is no model.
    """
    try:
        return {name: (folder / name).read_bytes() for name in (TEXT, TENSORS)}
    except OSError as error:
        raise InputError(
            f"{folder} holds no softsym model ({error.strerror}: {Path(error.filename).name}); "
            "pass a folder written by est.save or softsym discover"
        ) from error


def to_files(model: SavedModel) -> Files:
    """The two files of a model."""
    from safetensors.numpy import save as encode

    about, arrays = _pack_fit(model.fit)
    tensors = encode(arrays)
    content = {
        "format": FORMAT,
        "class": model.class_name,
        "parameters": {name: plain(value) for name, value in model.parameters.items()},
        "attributes": {name: plain(value) for name, value in model.attributes.items()},
        "symmetries": model.symmetries.to_dicts(),
        "evidence": _pack_evidence(model.evidence),
        "fit": about,
        "tensors": digest(tensors),
    }
    text = json.dumps({"digest": digest(_canonical(content)), **content}, indent=1)
    return {TEXT: text.encode(), TENSORS: tensors}


def from_files(files: Files) -> SavedModel:
    """The model of two files; runs no code of theirs.

    Raises:
        InputError: They are damaged, or another version wrote them.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load as decode

    content = _content(files[TEXT])
    if digest(files[TENSORS]) != content.get("tensors"):
        raise InputError(
            f"{TENSORS} is damaged or was changed: its checksum does not match; save the model again"
        )
    try:
        return SavedModel(
            class_name=content["class"],
            parameters=dict(content["parameters"]),
            attributes=dict(content["attributes"]),
            fit=_unpack_fit(content["fit"], decode(files[TENSORS])),
            symmetries=Symmetries([Symmetry.from_dict(row) for row in content["symmetries"]]),
            evidence=_unpack_evidence(content.get("evidence", {})),
        )
    except (
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RuntimeError,
        SafetensorError,
    ) as error:
        raise InputError(
            f"{TEXT} does not describe a model of this version ({in_one_line(error)}); save it again"
        ) from error


def plain(value: Any) -> Any:
    """Numbers, strings and lists instead of NumPy's.

    Example:
        >>> plain(np.arange(2)), plain(np.float64(0.5)), plain("V")
        ([0, 1], 0.5, 'V')
    """
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def _content(text: bytes) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(text)
        checksum = content.pop("digest")
        version = content["format"]
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(f"{TEXT} is damaged: it is not what softsym writes; save the model again") from error
    if version != FORMAT:
        raise InputError(
            f"{TEXT} has format {version!r:.40}, this version of softsym reads {FORMAT}; save the model again with it"
        )
    if checksum != digest(_canonical(content)):
        raise InputError(
            f"{TEXT} is damaged or was changed: its checksum does not match; save the model again"
        )
    return content


def _pack_evidence(evidence: EvidenceTable) -> dict[str, Any]:
    return {
        "rows": evidence.to_dicts(),
        "details": {name: detail.to_dict() for name, detail in evidence.details.items()},
        "seconds": evidence.seconds,
    }


def _unpack_evidence(content: dict[str, Any]) -> EvidenceTable:
    """The inverse of :func:`_pack_evidence`; older models have none."""
    return EvidenceTable(
        [EvidenceRow.from_dict(row) for row in content.get("rows", ())],
        {name: EvidenceDetail.from_dict(detail) for name, detail in content.get("details", {}).items()},
        content.get("seconds", 0.0),
    )


def _canonical(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _pack_fit(fit: FittedEnsemble) -> tuple[dict[str, Any], Arrays]:
    """A fit as plain values for JSON, and arrays by name."""
    shape, predictor = fit.shape, fit.predictor
    about = {
        "kind": predictor.target.value,
        "rep_in": str(shape.rep_in),
        "rep_out": str(shape.rep_out),
        "groups": [str(group) for group in shape.groups],
        "largest": str(shape.largest),
        "recipe": fit.recipe.model_dump(),
        "members": [
            {"seed": m.seed, "strengths": m.strengths, "is_finished": m.is_finished} for m in fit.members
        ],
        "is_separate": fit.held.is_separate,
        "n_train": fit.n_train,
        "seconds": fit.seconds,
        "usual_size": None if predictor.frame is None else predictor.frame.size,
        "compiled": fit.compiled,
        "built_in": list(fit.exact_groups),
        "baselines": fit.baselines.to_dicts(),
        "ordinary": [] if fit.ordinary is None else [m.seed for m in fit.ordinary.members],
        "seed": fit.seed,
        "why": list(fit.why),
    }
    arrays: Arrays = {"held/X": fit.held.X, "held/Y": fit.held.Y}
    for name, rows in (("held", fit.held), ("checked", fit.checked)):
        if rows is not None and rows.weights is not None:
            arrays[f"{name}/weights"] = rows.weights
    if fit.checked is not None:
        arrays |= {"checked/X": fit.checked.X, "checked/Y": fit.checked.Y}
        if fit.checked.row_groups is not None:
            arrays["checked/together"] = fit.checked.row_groups
        about["checked_is_separate"] = fit.checked.is_separate
    if fit.baseline_models is not None:
        arrays[BASELINE_ERRORS] = fit.baseline_models.errors
    for name, scaler in (("in", predictor.scale_in), ("out", predictor.scale_out)):
        arrays |= {f"scale/{name}/shift": scaler.shift, f"scale/{name}/scale": scaler.scale}
    for k, (member, curves) in enumerate(zip(fit.members, fit.curves, strict=True)):
        arrays |= _weights(member, f"member/{k}/")
        arrays |= {f"curves/{k}/{name}": getattr(curves, name) for name in LISTS}
        for g, group in enumerate(curves.residuals):
            arrays[f"curves/{k}/residuals/{g}"] = curves.residuals[group]
            arrays[f"curves/{k}/strengths/{g}"] = curves.strengths[group]
    for k, member in enumerate(() if fit.ordinary is None else fit.ordinary.members):
        arrays |= _weights(member, f"ordinary/{k}/")
    about |= pack_models(fit, arrays)
    return about, {name: np.ascontiguousarray(value) for name, value in arrays.items()}


def _unpack_fit(about: dict[str, Any], arrays: Arrays) -> FittedEnsemble:
    """The inverse of :func:`_pack_fit`."""
    shape = Shape(
        read_rep(about["rep_in"]), read_rep(about["rep_out"]), tuple(map(read_group, about["groups"])),
        read_group(about["largest"]),
    )  # fmt: skip
    recipe = Recipe.model_validate(about["recipe"])
    inputs, outputs = (
        SymmetricScaler(arrays[f"scale/{n}/shift"], arrays[f"scale/{n}/scale"]) for n in ("in", "out")
    )
    members, curves = [], []
    for k, described in enumerate(about["members"]):
        own = shape.restrict_to(described["strengths"])
        members.append(_member(own, recipe, described, arrays, f"member/{k}/"))
        curves.append(_curves(own, described["seed"], arrays, f"curves/{k}/"))
    size = about.get("usual_size")
    frame = None if size is None else ScaleFrame.of(shape, size)
    predictor = Predictor(Target(about["kind"]), tuple(members), inputs, outputs, frame)
    fit = FittedEnsemble(
        shape=shape,
        recipe=recipe,
        predictor=predictor,
        curves=tuple(curves),
        held=HeldOut(
            arrays["held/X"], arrays["held/Y"], about["is_separate"], weights=arrays.get("held/weights")
        ),
        checked=_unpack_validation(about, arrays),
        exact_groups=tuple(about.get("built_in", ())),
        baselines=Baselines([Baseline(**fields) for fields in about.get("baselines", ())]),
        baseline_models=BaselineModels((), arrays[BASELINE_ERRORS]) if BASELINE_ERRORS in arrays else None,
        ordinary=_ordinary(predictor, shape, recipe, about, arrays),
        n_train=about["n_train"],
        seconds=about["seconds"],
        compiled=about.get("compiled"),
        seed=about.get("seed", members[0].seed if members else 0),
        why=tuple(about.get("why", ())),
    )
    return unpack_models(fit, about, arrays)


def _ordinary(
    network: Predictor, shape: Shape, recipe: Recipe, about: dict[str, Any], arrays: Arrays
) -> Predictor | None:
    """The unconstrained networks that were selected instead of the soft ones, if there are any."""
    members = [
        _member(shape.without_groups(), recipe, {"seed": seed, "strengths": {}, "is_finished": True}, arrays, f"ordinary/{k}/")
        for k, seed in enumerate(about.get("ordinary", ()))
    ]  # fmt: skip
    return replace(network, members=tuple(members), frame=None) if members else None


def _weights(member: Member, prefix: str) -> Arrays:
    return {prefix + name: _short(value.numpy()) for name, value in member.model.state_dict().items()}


def _unpack_validation(about: dict[str, Any], arrays: Arrays) -> HeldOut | None:
    """The validation rows; older models have none."""
    if "checked/X" not in arrays:
        return None
    return HeldOut(
        arrays["checked/X"],
        arrays["checked/Y"],
        about["checked_is_separate"],
        arrays.get("checked/together"),
        arrays.get("checked/weights"),
    )


def _short(values: NDArray[Any]) -> NDArray[Any]:
    """Converts to single precision where that is lossless: trained weights, not those projected in double precision."""
    single = values.astype(np.float32) if values.dtype == np.float64 else values
    return single if np.array_equal(single, values) else values


def _member(shape: Shape, recipe: Recipe, described: dict[str, Any], arrays: Arrays, prefix: str) -> Member:
    model = make_network(shape, recipe, described["seed"]).double()
    state = {
        name.removeprefix(prefix): torch.from_numpy(value.copy())
        for name, value in arrays.items()
        if name.startswith(prefix)
    }
    try:
        model.load_state_dict(state)
    except RuntimeError as error:
        raise ValueError("its weights do not fit its network") from error
    return Member(described["seed"], model.eval(), described["strengths"], [], described["is_finished"])


def _curves(shape: Shape, seed: int, arrays: Arrays, prefix: str) -> Curves:
    names = [group.name for group in shape.groups]

    def by_group(what: str) -> dict[str, NDArray[Any]]:
        return {name: arrays[f"{prefix}{what}/{g}"] for g, name in enumerate(names)}

    epochs, loss_epochs, loss, validation = (arrays[prefix + name] for name in LISTS)
    return Curves(seed, epochs, by_group("residuals"), by_group("strengths"), loss_epochs, loss, validation)
