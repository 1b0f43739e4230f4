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
from softsym.discovery.models.ensemble import StackedEnsemble, WeightedModel
from softsym.discovery.selection.select_model import select_ensemble, select_own_network
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
        return words if math.isnan(self.distance) else f"{words}, weights changed by {self.distance:.2%}"


def project_fit(fit: FittedEnsemble, group: Group | str) -> tuple[FittedEnsemble, float]:
    """A fit whose members are exactly equivariant to one of the candidates, and the mean distance of weights from the space."""
    wanted = read_group(group)
    if wanted not in fit.shape.groups:
        known = ", ".join(candidate.name for candidate in fit.shape.groups) or "none"
        raise InputError(
            f"{wanted.name} is not among the candidate groups ({known}); fit with it to project onto it"
        )
    if fit.ensemble is not None and not isinstance(fit.ensemble.parts[0].train_fit, Networks):
        return _project_ensemble(fit, wanted), math.nan
    predictor, distance = _project_networks(fit, wanted)
    return _select_members(fit, predictor, wanted), distance


def project_network(fit: FittedEnsemble, group: Group) -> Predictor:
    """The networks of a fit, projected to be exactly equivariant to one of the candidates."""
    return _project_networks(fit, group)[0]


def _project_networks(fit: FittedEnsemble, group: Group) -> tuple[Predictor, float]:
    """The projected networks and the mean distance of their weights from the space."""
    predictor = fit.predictor
    if is_scaling(group) and not any(
        isinstance(member.model, ScaleCanonical) for member in fit.members
    ):  # the equivariant space of weights contains only constants
        frame = predictor.frame or ScaleFrame.of(fit.shape)
        if frame is not None:
            inputs = torch.from_numpy(predictor.scale_in.transform(fit.held.X))
            return replace(predictor, frame=predictor.frame or frame.fitted(inputs)), 0.0
    projected = [_project_member(member, fit, group) for member in fit.members]
    members = tuple(member for member, _ in projected)
    return replace(predictor, members=members), sum(share for _, share in projected) / len(projected)


def _project_ensemble(fit: FittedEnsemble, group: Group) -> FittedEnsemble:
    """The fit with the model of largest weight in its ensemble that can be projected, as the only one that predicts."""
    assert fit.ensemble is not None
    for part in fit.ensemble.parts:
        train_fit = part.train_fit.project([group])
        if train_fit is not None:
            full_fit = part.full_fit.project([group]) or train_fit
            models = tuple(
                train_fit if model.name == train_fit.name else model for model in fit.closed_form.models
            )
            closed_form = replace(fit.closed_form, models=models)
            bare = replace(
                fit, closed_form=closed_form, predictor=replace(fit.predictor, members=()), curves=()
            )
            return select_ensemble(bare, StackedEnsemble((WeightedModel(1.0, train_fit, full_fit),)))
    raise InputError(
        f"no part of the model can have {group.name} exactly; fit with model='gp' or model='network' for that"
    )


def _select_members(fit: FittedEnsemble, predictor: Predictor, group: Group) -> FittedEnsemble:
    """The fit with other members, exactly equivariant to one group, as the selected model."""
    return select_own_network(replace(fit, predictor=predictor, exact_groups=(group.name,)))


@torch.no_grad()
def _project_member(member: Member, fit: FittedEnsemble, group: Group) -> tuple[Member, float]:
    model = copy.deepcopy(member.model)
    per = make_regularizer(model, fit.shape.restrict_to([*member.strengths, group.name]))
    assert per is not None  # there are candidate groups
    norm = float(per.stacked.flat().double().norm())
    distance = per.project_(group)
    for module in model.modules():
        if isinstance(module, Gated) and module.soft is not None:
            module.soft.zero_()  # the soft path of the gates breaks every group
    return replace(member, model=model), distance / max(norm, 1e-300)
