"""A fit as plain values and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.fit.ensemble import Member, Shape, make_network
from softsym.discovery.fit.fit import Fit, HeldOut
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.scale_frame import ScaleFrame
from softsym.discovery.report.story import Curves
from softsym.groups import group as read_group
from softsym.reps import rep as read_rep

Arrays = dict[str, NDArray[Any]]
LISTS = ("epochs", "loss_epochs", "loss", "validation")


def pack(fit: Fit) -> tuple[dict[str, Any], Arrays]:
    """Plain values for JSON, and arrays by name."""
    shape = fit.shape
    about = {
        "kind": fit.kind,
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
        "usual_size": None if fit.frame is None else fit.frame.size,
    }
    arrays: Arrays = {"held/X": fit.held.X, "held/Y": fit.held.Y}
    for name, scaler in (("in", fit.scale_in), ("out", fit.scale_out)):
        arrays |= {f"scale/{name}/shift": scaler.shift, f"scale/{name}/scale": scaler.scale}
    for k, (member, curves) in enumerate(zip(fit.members, fit.curves, strict=True)):
        arrays |= {
            f"member/{k}/{name}": value.float().numpy() if value.is_floating_point() else value.numpy()
            for name, value in member.model.state_dict().items()
        }
        arrays |= {f"curves/{k}/{name}": getattr(curves, name) for name in LISTS}
        for g, group in enumerate(curves.residuals):
            arrays[f"curves/{k}/residuals/{g}"] = curves.residuals[group]
            arrays[f"curves/{k}/strengths/{g}"] = curves.strengths[group]
    return about, {name: np.ascontiguousarray(value) for name, value in arrays.items()}


def unpack(about: dict[str, Any], arrays: Arrays) -> Fit:
    """The inverse of :func:`pack`."""
    shape = Shape(
        read_rep(about["rep_in"]), read_rep(about["rep_out"]), tuple(map(read_group, about["groups"])),
        read_group(about["largest"]),
    )  # fmt: skip
    recipe = Recipe.model_validate(about["recipe"])
    scalers = [SymmetricScaler(arrays[f"scale/{n}/shift"], arrays[f"scale/{n}/scale"]) for n in ("in", "out")]
    members, curves = [], []
    for k, described in enumerate(about["members"]):
        members.append(_member(shape, recipe, described, arrays, f"member/{k}/"))
        curves.append(_curves(shape, described["seed"], arrays, f"curves/{k}/"))
    held = HeldOut(arrays["held/X"], arrays["held/Y"], about["is_separate"])
    size = about.get("usual_size")
    return Fit(
        about["kind"], shape, recipe, scalers[0], scalers[1], tuple(members), tuple(curves), held, about["n_train"],
        about["seconds"], None if size is None else ScaleFrame.of(shape, size),
    )  # fmt: skip


def _member(shape: Shape, recipe: Recipe, described: dict[str, Any], arrays: Arrays, prefix: str) -> Member:
    model = make_network(shape, recipe, described["seed"])
    state = {
        name.removeprefix(prefix): torch.from_numpy(value.copy())
        for name, value in arrays.items()
        if name.startswith(prefix)
    }
    try:
        model.load_state_dict(state)
    except RuntimeError as error:
        raise ValueError("its weights do not fit its network") from error
    return Member(
        described["seed"], model.double().eval(), described["strengths"], [], described["is_finished"]
    )


def _curves(shape: Shape, seed: int, arrays: Arrays, prefix: str) -> Curves:
    names = [group.name for group in shape.groups]

    def by_group(what: str) -> dict[str, NDArray[Any]]:
        return {name: arrays[f"{prefix}{what}/{g}"] for g, name in enumerate(names)}

    epochs, loss_epochs, loss, validation = (arrays[prefix + name] for name in LISTS)
    return Curves(seed, epochs, by_group("residuals"), by_group("strengths"), loss_epochs, loss, validation)


def plain(value: Any) -> Any:
    """Numbers, strings and lists instead of NumPy's."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value
