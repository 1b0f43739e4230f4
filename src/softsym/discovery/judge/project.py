"""Projection of a fitted model onto the equivariant space of a group, and its cost in test error."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import torch

from softsym.discovery.fit.fitted import FittedEnsemble, Networks, Predictor
from softsym.discovery.fit.member import Member, make_regularizer
from softsym.discovery.fit.scale_frame import ScaleFrame
from softsym.discovery.models.ensemble import Blend, Part
from softsym.discovery.selection.select_model import only, without_ordinary
from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.nn import ScaleCanonical
from softsym.nn.gate import Gated
from softsym.reps.scaling import is_scaling

Estimator = TypeVar("Estimator")


@dataclass(frozen=True, eq=False)
class Projected(Generic[Estimator]):
    """A model that was projected onto an equivariant space, and the change of its test error.

    Args:
        group: The group it is equivariant to.
        model: The estimator with exactly equivariant members.
        test_error: Its mean squared error on held-out rows.
        test_error_before: That of the model it came from.
        distance: Distance of a network's weights from the space, as a share of their norm, averaged over members; NaN for other models.
    """

    group: str
    model: Estimator
    test_error: float
    test_error_before: float
    distance: float

    @property
    def cost(self) -> float:
        """Change in test error; negative if exactness even helps."""
        return self.test_error - self.test_error_before

    def __str__(self) -> str:
        words = f"exactly {self.group}-equivariant: test error {self.test_error:.4g} instead of {self.test_error_before:.4g}"
        return words if math.isnan(self.distance) else f"{words}, weights moved by {self.distance:.2%}"


def project_fit(fit: FittedEnsemble, group: Group | str) -> tuple[FittedEnsemble, float]:
    """A fit whose members are exactly equivariant to one of the candidates, and how far weights moved on average."""
    wanted = read_group(group)
    if wanted not in fit.shape.groups:
        known = ", ".join(candidate.name for candidate in fit.shape.groups) or "none"
        raise InputError(
            f"{wanted.name} is not among the candidate groups ({known}); fit with it to snap onto it"
        )
    if fit.blend is not None and not isinstance(fit.blend.parts[0].early, Networks):
        return _snapped_blend(fit, wanted), math.nan
    predictor, distance = _moved(fit, wanted)
    return _with(fit, predictor, wanted), distance


def project_network(fit: FittedEnsemble, group: Group) -> Predictor:
    """The fit's networks, moved to be exactly equivariant to one of the candidates."""
    return _moved(fit, group)[0]


def _moved(fit: FittedEnsemble, group: Group) -> tuple[Predictor, float]:
    """The same, and how far weights moved on average."""
    predictor = fit.predictor
    if is_scaling(group) and not any(
        isinstance(member.model, ScaleCanonical) for member in fit.members
    ):  # weights of that space are a constant's
        frame = predictor.frame or ScaleFrame.of(fit.shape)
        if frame is not None:
            inputs = torch.from_numpy(predictor.scale_in.transform(fit.held.X))
            return replace(predictor, frame=predictor.frame or frame.fitted(inputs)), 0.0
    moved = [_snapped(member, fit, group) for member in fit.members]
    members = tuple(member for member, _ in moved)
    return replace(predictor, members=members), sum(share for _, share in moved) / len(moved)


def _snapped_blend(fit: FittedEnsemble, group: Group) -> FittedEnsemble:
    """The fit with the closed-form part of its blend that weighs most and can have the symmetry, as the only one that predicts."""
    assert fit.blend is not None
    for part in fit.blend.parts:
        early = part.early.snapped([group])
        if early is not None:
            final = part.final.snapped([group]) or early
            rungs = tuple(early if rung.name == early.name else rung for rung in fit.ladder.rungs)
            ladder = replace(fit.ladder, rungs=rungs)
            bare = replace(fit, ladder=ladder, predictor=replace(fit.predictor, members=()), curves=())
            return only(bare, Blend((Part(1.0, early, final),)))
    raise InputError(
        f"no part of the model can have {group.name} exactly; fit with model='gp' or model='network' for that"
    )


def _with(fit: FittedEnsemble, predictor: Predictor, group: Group) -> FittedEnsemble:
    """The fit with other members, which predict themselves and have one group exactly."""
    return without_ordinary(replace(fit, predictor=predictor, built_in=(group.name,)))


@torch.no_grad()
def _snapped(member: Member, fit: FittedEnsemble, group: Group) -> tuple[Member, float]:
    model = copy.deepcopy(member.model)
    per = make_regularizer(model, fit.shape.only([*member.strengths, group.name]))
    assert per is not None  # there are candidate groups
    norm = float(per.stacked.flat().double().norm())
    distance = per.project_(group)
    for module in model.modules():
        if isinstance(module, Gated) and module.soft is not None:
            module.soft.zero_()  # the soft path of the gates breaks every group
    return replace(member, model=model), distance / max(norm, 1e-300)
