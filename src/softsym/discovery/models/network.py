"""Networks as a model: an ensemble that is regularised towards the candidate symmetries (PER), or unconstrained."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from softsym.data import SymmetricScaler
from softsym.discovery.config import Hyperparameters
from softsym.discovery.fit_data import Rows, Shape, Target
from softsym.discovery.models.base import About, Model, State, take_part
from softsym.discovery.module import Members, Scaled
from softsym.groups import Group
from softsym.nn import MLP, ScaleCanonical, SoftMLP, soft_network
from softsym.nn.gate import Gated
from softsym.nn.network import check_memory
from softsym.regularize import EquivarianceRegularizer
from softsym.reps.scaling import is_scaling
from softsym.typing import Array, Arrays


@dataclass(frozen=True, eq=False)
class Member:
    """One trained network, in double precision, with what is known of its training."""

    seed: int
    model: nn.Module
    strengths: dict[str, float]
    history: list[dict[str, Any]]
    is_finished: bool = True


@dataclass(frozen=True, eq=False)
class Curves:
    """The course of one training, by group, at the epochs (n,) at which residuals were read."""

    epochs: Array
    residuals: Mapping[str, Array]  # the unweighted squared distance of all weights, shape (n,)
    strengths: Mapping[str, Array]  # the strength of the penalty, shape (n,)

    @classmethod
    def of(cls, member: Member) -> Curves:
        """The history of a member."""
        rows = [row for row in member.history if "residuals" in row]
        epochs = np.array([row["epoch"] for row in rows], dtype=np.float64)
        residuals, strengths = (
            {name: np.array([row[what][name] for row in rows]) for name in member.strengths}
            for what in ("residuals", "strengths")
        )
        return cls(epochs, residuals, strengths)


def make_network(shape: Shape, hyperparameters: Hyperparameters, seed: int) -> nn.Module:
    """The PER network of the candidates, or an unconstrained one if there are none."""
    reps, sizes = (shape.rep_in, shape.rep_out), (hyperparameters.width, hyperparameters.layers)
    if not shape.groups:
        return MLP(*reps, shape.largest, *sizes, seed=seed)
    make = soft_network if hyperparameters.framing else SoftMLP
    return make(*reps, shape.groups, *sizes, largest=shape.largest, init=hyperparameters.init, seed=seed)


def make_regularizer(
    model: nn.Module, shape: Shape, strength: float | Mapping[str, float] = 0.0, *, dimensionless: bool = False
) -> EquivarianceRegularizer | None:
    """The penalties of all candidates; in a loss they are dimensionless, so that one strength suits all tasks."""
    if not shape.groups:
        return None
    return EquivarianceRegularizer(model, shape.groups, strength=strength, dimensionless=dimensionless)


@torch.no_grad()
def predict_members(members: Sequence[Member], x: Tensor, chunk: int = 16_384) -> Tensor:
    """Predictions of all members, shape (members, n, outputs)."""
    return torch.stack([torch.cat([member.model(part) for part in x.split(chunk)]) for member in members])


@torch.no_grad()
def project_member(member: Member, shape: Shape, exact: Iterable[str]) -> Member:
    """A copy of a member, projected onto the weights that are equivariant to all exact groups, to rounding in double precision."""
    names = set(exact)
    model = copy.deepcopy(member.model)
    per = make_regularizer(model, shape.restrict_to({*member.strengths, *names}))
    if per is None or not names:
        return member
    per.strengths = {name: float(name in names) for name in per.strengths}
    for _ in range(2):  # what a step of this length leaves outside, a second one leaves of that
        per.prox_(1e9)
    for module in model.modules():
        if isinstance(module, Gated) and module.soft is not None:
            module.soft.zero_()  # the soft path of the gates breaks every group
    return replace(member, model=model)


@dataclass(frozen=True, eq=False)
class Networks(Model):
    """Trained networks as one model: the mean of the members."""

    title: str  # which networks they are
    members: tuple[Member, ...]  # the trained networks
    shape: Shape  # what they map, with the candidates that they were trained with
    hyperparameters: Hyperparameters  # how they were trained
    scale_in: SymmetricScaler  # scaling of the inputs
    scale_out: SymmetricScaler  # scaling of the outputs; the identity for classes
    target: Target = Target.NUMBERS  # what the outputs are: numbers, or probabilities of classes
    exact: tuple[str, ...] = ()  # names of the groups to which they are exactly equivariant
    curves: tuple[Curves, ...] = field(default=())  # learning curves of each training
    kind = "networks"

    def outputs(self, X: Array) -> Array:
        """Outputs of all members (members, n, outputs); probabilities for classes."""
        raw = predict_members(self.members, torch.from_numpy(self.scale_in.transform(X)))
        if self.target is Target.CLASSES:
            return raw.softmax(-1).numpy()
        return self.scale_out.inverse(raw.numpy().reshape(-1, raw.shape[-1])).reshape(tuple(raw.shape))

    def predict(self, X: Array) -> Array:
        return np.asarray(self.outputs(X).mean(0))

    def std(self, X: Array) -> Array:
        """Standard deviations over members."""
        return np.asarray(self.outputs(X).std(0))

    def fit(self, rows: Rows) -> Networks:
        """The same networks: they are not trained again, which would take too long."""
        return self

    def project(self, groups: Sequence[Group]) -> Networks | None:
        """The networks with weights projected onto the equivariant ones; None if these are constant, as for scalings of plain layers."""
        names = tuple(group.name for group in groups)
        if set(names) <= set(self.exact):
            return self
        known = {name for member in self.members for name in member.strengths}
        canonical = all(isinstance(member.model, ScaleCanonical) for member in self.members)
        if not set(names) <= known or (any(map(is_scaling, groups)) and not canonical):
            return None
        members = tuple(project_member(member, self.shape, names) for member in self.members)
        return replace(self, members=members, exact=names)

    def distance(self, other: Networks) -> float:
        """Distance of the weights from those of projected networks, as a share of their norm, averaged over members."""
        shares = []
        for before, after in zip(self.members, other.members, strict=True):
            old, new = (nn.utils.parameters_to_vector(one.model.parameters()).detach() for one in (before, after))
            shares.append(float((old - new).norm() / old.norm().clamp_min(1e-300)))
        return sum(shares) / len(shares)

    def to_state(self) -> State:
        about = {
            "title": self.title,
            "shape": self.shape.to_dict(),
            "hyperparameters": self.hyperparameters.model_dump(),
            "members": [{"seed": m.seed, "strengths": m.strengths} for m in self.members],
            "target": self.target.value,
            "exact": list(self.exact),
            "curves": len(self.curves),
        }
        arrays: Arrays = {}
        for name, scaler in (("in", self.scale_in), ("out", self.scale_out)):
            arrays |= {f"scale/{name}/shift": scaler.shift, f"scale/{name}/scale": scaler.scale}
        for k, member in enumerate(self.members):
            arrays |= {f"member/{k}/{name}": _short(v.numpy()) for name, v in member.model.state_dict().items()}
        for k, curves in enumerate(self.curves):
            arrays[f"curves/{k}/epochs"] = curves.epochs
            for g, group in enumerate(curves.residuals):
                arrays[f"curves/{k}/residuals/{g}"] = curves.residuals[group]
                arrays[f"curves/{k}/strengths/{g}"] = curves.strengths[group]
        return about, arrays

    @classmethod
    def from_state(cls, about: About, arrays: Arrays) -> Networks:
        shape = Shape.from_dict(about["shape"])
        hyperparameters = Hyperparameters.model_validate(about["hyperparameters"])
        scale_in, scale_out = (SymmetricScaler(**take_part(f"scale/{name}", arrays)) for name in ("in", "out"))
        described = about["members"]
        members = tuple(
            _restore_member(shape, hyperparameters, one, take_part(f"member/{k}", arrays))
            for k, one in enumerate(described)
        )
        curves = tuple(_restore_curves(described[k], take_part(f"curves/{k}", arrays)) for k in range(about["curves"]))
        target, exact = Target(about["target"]), tuple(about["exact"])
        return cls(about["title"], members, shape, hyperparameters, scale_in, scale_out, target, exact, curves)

    def module(self) -> nn.Module:
        body = Members([member.model for member in self.members], is_classes=self.target is Target.CLASSES)
        return Scaled(body, self.scale_in, self.scale_out)


def weight_distances(networks: Networks, group: Group) -> tuple[float, dict[str, float]]:
    """How far weights are from a group's space: the share of their squared norm outside, and each layer's relative distance."""
    shares, layers = [], []
    for member in networks.members:
        per = make_regularizer(member.model, networks.shape.restrict_to(member.strengths))
        if per is None:
            return 0.0, {}
        outside = per.residuals()[group.name]
        squares = per.stacked.sum_by_layer([float(p.detach().double().square().sum()) for p in per.stacked.parameters])
        shares.append(2 * sum(outside.values()) / sum(squares.values()))
        layers.append([np.sqrt(2 * outside[name] / max(squares[name], 1e-300)) for name in squares])
    named = {f"layer {k + 1}": float(value) for k, value in enumerate(np.mean(layers, axis=0))}
    return float(np.mean(shares)), named


def _short(values: NDArray[Any]) -> NDArray[Any]:
    """Converts to single precision where that is lossless: trained weights, not those projected in double precision."""
    single = values.astype(np.float32) if values.dtype == np.float64 else values
    return single if np.array_equal(single, values) else values


def _restore_member(shape: Shape, hyperparameters: Hyperparameters, described: About, weights: Arrays) -> Member:
    own = shape.restrict_to(described["strengths"])
    check_memory(hyperparameters.width, hyperparameters.layers)
    model = make_network(own, hyperparameters, described["seed"]).double()
    state = {name: torch.from_numpy(value.copy()) for name, value in weights.items()}
    try:
        model.load_state_dict(state)
    except RuntimeError as error:
        raise ValueError("its weights do not fit its network") from error
    return Member(described["seed"], model.eval(), dict(described["strengths"]), [])


def _restore_curves(described: About, arrays: Arrays) -> Curves:
    residuals, strengths = (
        {name: arrays[f"{what}/{g}"] for g, name in enumerate(described["strengths"])}
        for what in ("residuals", "strengths")
    )
    return Curves(arrays["epochs"], residuals, strengths)
