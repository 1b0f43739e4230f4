"""Models as plain values and arrays for files, in double precision, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.models.gp_model import GaussianProcess
from softsym.discovery.models.kernel_ridge import KernelRidge
from softsym.discovery.models.perceptron import Perceptron
from softsym.discovery.models.protocol import GP, Model
from softsym.discovery.models.simple import Affine
from softsym.groups import group as read_group
from softsym.inference import Kernel, SoftEquivariantGP, gp_state
from softsym.reps import rep as read_rep
from softsym.typing import Arrays

About = dict[str, Any]


def pack_model(model: Model) -> tuple[About, Arrays]:
    """The description of a model, and its arrays by name.

    Raises:
        TypeError: It is no model of this package, such as networks, which are stored separately.
    """
    for word, (kind, pack, _) in KINDS.items():
        if isinstance(model, kind):
            about, arrays = pack(model)
            return {"kind": word, "has": list(model.exact_groups), **about}, arrays
    raise TypeError(f"{type(model).__name__} is not stored here")


def unpack_model(about: About, arrays: Arrays) -> Model:
    """The inverse of :func:`pack_model`.

    Raises:
        ValueError: It is of a kind that this version does not know.
    """
    if about["kind"] not in KINDS:
        raise ValueError(f"a model of unknown kind {about['kind']!r}")
    model: Model = KINDS[about["kind"]][2](about, arrays)
    return model


def _pack_affine(model: Affine) -> tuple[About, Arrays]:
    about = {
        "rep_in": str(model.rep_in), "rep_out": str(model.rep_out), "groups": [str(group) for group in model.groups],
        "ridge": model.ridge, "strengths": model.strengths,
    }  # fmt: skip
    return about, {"weight": model.weight, "bias": model.bias, "noise": model.noise}


def _unpack_affine(about: About, arrays: Arrays) -> Affine:
    return Affine(
        arrays["weight"], arrays["bias"], arrays["noise"], read_rep(about["rep_in"]), read_rep(about["rep_out"]),
        tuple(map(read_group, about["groups"])), about["ridge"], about["strengths"], tuple(about["has"]),
    )  # fmt: skip


def _pack_process(model: GaussianProcess) -> tuple[About, Arrays]:
    files = gp_state.to_bytes(model.gp)
    arrays = {f"file/{name}": np.frombuffer(data, dtype=np.uint8) for name, data in files.items()}
    return {"rep_in": str(model.rep_in), "rep_out": str(model.rep_out), "title": model.title}, arrays


def _unpack_process(about: About, arrays: Arrays) -> GaussianProcess:
    files = {name.removeprefix("file/"): array.tobytes() for name, array in arrays.items()}
    gp = gp_state.from_bytes(files, SoftEquivariantGP)
    reps = read_rep(about["rep_in"]), read_rep(about["rep_out"])
    return GaussianProcess(gp, *reps, tuple(about["has"]), about.get("title", GP))


def _pack_kernel(model: KernelRidge) -> tuple[About, Arrays]:
    about = {"kernel": [model.kernel.family, model.kernel.parameter], "penalty": model.penalty}
    return about, {
        "shift": model.scale.shift, "scale": model.scale.scale, "rows": model.rows, "dual": model.dual, "center": model.center,
        "noise": model.noise,
    }  # fmt: skip


def _unpack_kernel(about: About, arrays: Arrays) -> KernelRidge:
    scale = SymmetricScaler(arrays["shift"], arrays["scale"])
    return KernelRidge(
        Kernel(*about["kernel"]), about["penalty"], scale, arrays["rows"], arrays["dual"], arrays["center"], arrays["noise"],
    )  # fmt: skip


def _pack_perceptron(model: Perceptron) -> tuple[About, Arrays]:
    arrays = {"noise": model.noise}
    for name, scaler in (("in", model.scale_in), ("out", model.scale_out)):
        arrays |= {f"{name}/shift": scaler.shift, f"{name}/scale": scaler.scale}
    for k, (weight, bias) in enumerate(zip(model.weights, model.biases, strict=True)):
        arrays |= {f"weight/{k}": weight, f"bias/{k}": bias}
    return {"layers": len(model.weights)}, arrays


def _unpack_perceptron(about: About, arrays: Arrays) -> Perceptron:
    layers = range(about["layers"])
    inputs, outputs = (
        SymmetricScaler(arrays[f"{name}/shift"], arrays[f"{name}/scale"]) for name in ("in", "out")
    )
    weights, biases = (tuple(arrays[f"{what}/{k}"] for k in layers) for what in ("weight", "bias"))
    return Perceptron(weights, biases, inputs, outputs, arrays["noise"])


KINDS: dict[str, tuple[type, Callable[[Any], tuple[About, Arrays]], Callable[[About, Arrays], Model]]] = {
    "affine": (Affine, _pack_affine, _unpack_affine),
    "process": (GaussianProcess, _pack_process, _unpack_process),
    "kernel ridge": (KernelRidge, _pack_kernel, _unpack_kernel),
    "perceptron": (Perceptron, _pack_perceptron, _unpack_perceptron),
}
"""The name of each kind in files, with functions to pack and unpack it."""
