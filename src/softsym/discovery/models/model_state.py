"""Rungs as plain values and arrays, for files, and back: each with what it takes to predict, in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.models.gp_model import GaussianProcess
from softsym.discovery.models.kernel_ridge import KernelRidge
from softsym.discovery.models.perceptron import Perceptron
from softsym.discovery.models.protocol import PROCESS, Rung
from softsym.discovery.models.simple import Affine
from softsym.groups import group as read_group
from softsym.inference import Kernel, SoftEquivariantGP, gp_state
from softsym.reps import rep as read_rep
from softsym.typing import Arrays

About = dict[str, Any]


def packed(rung: Rung) -> tuple[About, Arrays]:
    """What describes a rung, and its arrays by name.

    Raises:
        TypeError: It is none of the ladder's own, such as networks, which are stored as such.
    """
    for word, (kind, pack, _) in KINDS.items():
        if isinstance(rung, kind):
            about, arrays = pack(rung)
            return {"kind": word, "has": list(rung.has), **about}, arrays
    raise TypeError(f"{type(rung).__name__} is not stored here")


def unpacked(about: About, arrays: Arrays) -> Rung:
    """The inverse of :func:`packed`.

    Raises:
        ValueError: It is of a kind that this version does not know.
    """
    if about["kind"] not in KINDS:
        raise ValueError(f"a model of unknown kind {about['kind']!r}")
    rung: Rung = KINDS[about["kind"]][2](about, arrays)
    return rung


def _pack_affine(rung: Affine) -> tuple[About, Arrays]:
    about = {
        "rep_in": str(rung.rep_in), "rep_out": str(rung.rep_out), "groups": [str(group) for group in rung.groups],
        "ridge": rung.ridge, "strengths": rung.strengths,
    }  # fmt: skip
    return about, {"weight": rung.weight, "bias": rung.bias, "noise": rung.noise}


def _unpack_affine(about: About, arrays: Arrays) -> Affine:
    return Affine(
        arrays["weight"], arrays["bias"], arrays["noise"], read_rep(about["rep_in"]), read_rep(about["rep_out"]),
        tuple(map(read_group, about["groups"])), about["ridge"], about["strengths"], tuple(about["has"]),
    )  # fmt: skip


def _pack_process(rung: GaussianProcess) -> tuple[About, Arrays]:
    files = gp_state.to_bytes(rung.gp)
    arrays = {f"file/{name}": np.frombuffer(data, dtype=np.uint8) for name, data in files.items()}
    return {"rep_in": str(rung.rep_in), "rep_out": str(rung.rep_out), "title": rung.title}, arrays


def _unpack_process(about: About, arrays: Arrays) -> GaussianProcess:
    files = {name.removeprefix("file/"): array.tobytes() for name, array in arrays.items()}
    gp = gp_state.from_bytes(files, SoftEquivariantGP)
    reps = read_rep(about["rep_in"]), read_rep(about["rep_out"])
    return GaussianProcess(gp, *reps, tuple(about["has"]), about.get("title", PROCESS))


def _pack_kernel(rung: KernelRidge) -> tuple[About, Arrays]:
    about = {"kernel": [rung.kernel.family, rung.kernel.parameter], "penalty": rung.penalty}
    return about, {
        "shift": rung.scale.shift, "scale": rung.scale.scale, "rows": rung.rows, "dual": rung.dual, "center": rung.center,
        "noise": rung.noise,
    }  # fmt: skip


def _unpack_kernel(about: About, arrays: Arrays) -> KernelRidge:
    scale = SymmetricScaler(arrays["shift"], arrays["scale"])
    return KernelRidge(
        Kernel(*about["kernel"]), about["penalty"], scale, arrays["rows"], arrays["dual"], arrays["center"], arrays["noise"],
    )  # fmt: skip


def _pack_perceptron(rung: Perceptron) -> tuple[About, Arrays]:
    arrays = {"noise": rung.noise}
    for name, scaler in (("in", rung.scale_in), ("out", rung.scale_out)):
        arrays |= {f"{name}/shift": scaler.shift, f"{name}/scale": scaler.scale}
    for k, (weight, bias) in enumerate(zip(rung.weights, rung.biases, strict=True)):
        arrays |= {f"weight/{k}": weight, f"bias/{k}": bias}
    return {"layers": len(rung.weights)}, arrays


def _unpack_perceptron(about: About, arrays: Arrays) -> Perceptron:
    layers = range(about["layers"])
    inputs, outputs = (
        SymmetricScaler(arrays[f"{name}/shift"], arrays[f"{name}/scale"]) for name in ("in", "out")
    )
    weights, biases = (tuple(arrays[f"{what}/{k}"] for k in layers) for what in ("weight", "bias"))
    return Perceptron(weights, biases, inputs, outputs, arrays["noise"])


KINDS: dict[str, tuple[type, Callable[[Any], tuple[About, Arrays]], Callable[[About, Arrays], Rung]]] = {
    "affine": (Affine, _pack_affine, _unpack_affine),
    "process": (GaussianProcess, _pack_process, _unpack_process),
    "kernel ridge": (KernelRidge, _pack_kernel, _unpack_kernel),
    "perceptron": (Perceptron, _pack_perceptron, _unpack_perceptron),
}
"""The word that files have for each kind, and the way there and back."""
