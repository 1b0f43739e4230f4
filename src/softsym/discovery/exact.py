r"""Exact groups: when a model is made exactly equivariant, and that it is.

A group is enforced only if the evidence calls it exact and models with it predict rows of other folds as well as without: on the average,
in every row group, and in the largest errors. Before it is named, :math:`f(g x) = g f(x)` is checked at elements drawn from the group, to
:data:`EQUIVARIANT` of a standard deviation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from softsym.discovery.fit_data import FitData, Rows, Shape, standard_errors
from softsym.discovery.models import MEAN, Model, Probabilities, Stack
from softsym.discovery.select import ENSEMBLE, HOPELESS, Baseline, Baselines, Candidate, Fit, stack
from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.metrics import act, transforms
from softsym.typing import Array

EQUIVARIANT = 1e-6
"""Largest violation of an exact group, in standard deviations of the outputs."""
CHECKED_ROWS, CHECKED_ELEMENTS = 50, 8
CLEARLY = 3.0  # standard errors by which losses are clearly larger
FEWEST_ROWS = 8  # row groups with fewer rows are not compared on their own
NEGLIGIBLE, NOTICEABLE = 1e-6, 0.02
"""Share of the variance that no increase of a loss matters below, and share of the loss above which one does."""
RARE, LARGER = 0.01, 1.25  # share of rows with the largest losses, and the factor by which these may grow

Estimator = TypeVar("Estimator")


@dataclass(frozen=True)
class Projected(Generic[Estimator]):
    """An estimator whose model was made exactly equivariant to one group, and its errors on test rows after that and before.

    ``distance`` is that of a network's weights from the space, as a share of their norm, averaged over members; NaN for other models.
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


@dataclass(frozen=True, eq=False)
class Selection:
    """The selected model."""

    model: Stack  # the model, fitted to development rows
    loss: float  # its mean loss in cross-validation; NaN if there are too few rows for that
    groups: tuple[Group, ...] = ()  # groups that it was projected onto
    better_without: tuple[str, ...] = ()  # names of groups without which rows are predicted clearly better


def select(data: FitData, candidates: Sequence[Candidate], exact: Sequence[Group]) -> Selection:
    """Selects the model, with exact groups where they do not make it worse."""
    rows, validation = data.development, data.is_validation
    if not data.can_compare:  # without rows to compare models by the likelihood selects the process
        return _select_without_comparison(candidates, exact)
    unconstrained = stack(candidates, rows, validation)
    if unconstrained is None:
        raise InputError("no model could be fitted to these rows")
    losses = rows.losses(unconstrained.predicted)
    worse: list[str] = []
    subsets = [[group] for group in exact]
    for groups in [list(exact), *subsets] if len(exact) > 1 else subsets:
        pairs = _project(candidates, groups, data)
        good = [after for before, after in pairs if _is_kept(before, after, rows)]
        constrained = stack(good, rows, validation)
        if constrained is not None:
            own = rows.losses(constrained.predicted)
            known = np.isfinite(own) & np.isfinite(losses)
            if is_as_good(own[known], losses[known], rows.take(known)):
                return Selection(Stack.single(constrained.model), _mean(own), tuple(groups), tuple(worse))
        if len(groups) == 1 and pairs and _is_clearly_worse(pairs, unconstrained, data):
            worse.append(groups[0].name)
    return Selection(Stack.single(unconstrained.model), _mean(losses), (), tuple(worse))


def _is_kept(before: Candidate, after: Candidate, rows: Rows) -> bool:
    """Whether a projected candidate predicts as well as before."""
    old, new = rows.losses(before.predicted), rows.losses(after.predicted)
    known = np.isfinite(old)
    return is_as_good(new[known], old[known], rows.take(known))


def _is_clearly_worse(pairs: Sequence[tuple[Candidate, Candidate]], best: Candidate, data: FitData) -> bool:
    """Whether the best model predicts clearly better than the best projected one; of one kind of models, the best of that kind."""
    rows, validation = data.development, data.is_validation
    after = stack([one for _, one in pairs], rows, validation)
    before = best if data.model == "auto" else stack([one for one, _ in pairs], rows, validation)
    if after is None or before is None:
        return False
    new, old = rows.losses(after.predicted), rows.losses(before.predicted)
    known = np.isfinite(new) & np.isfinite(old)
    return standard_errors(new[known], old[known], rows.take(known).row_groups) > CLEARLY


def _mean(losses: Array) -> float:
    return float(losses[np.isfinite(losses)].mean())


def _select_without_comparison(candidates: Sequence[Candidate], exact: Sequence[Group]) -> Selection:
    def rank(model: Model) -> int:
        kinds = ("affine", "kernel ridge", "gp", "networks")
        kind = model.inner.kind if isinstance(model, Probabilities) else model.kind
        return kinds.index(kind) if kind in kinds else -1

    first = max((one.model for one in candidates), key=rank)
    projected = first.project(exact) if exact else None
    return Selection(Stack.single(projected or first), math.nan, () if projected is None else tuple(exact))


def _project(
    candidates: Sequence[Candidate], groups: Sequence[Group], data: FitData
) -> list[tuple[Candidate, Candidate]]:
    """Candidates that can be projected onto groups, before and after, without those that were hopeless anyway."""
    rows, names = data.development, {group.name for group in groups}
    complete = [one for one in candidates if one.is_complete]
    least = min((float(rows.losses(one.predicted).mean()) for one in complete), default=math.inf)
    least = max(least, NEGLIGIBLE * rows.constant_loss)
    pairs = []
    for one in candidates:
        losses = rows.losses(one.predicted)
        known = np.isfinite(losses)
        is_usable = one.is_complete or one.model.kind == "networks"
        if one.model.name == MEAN or not is_usable or losses[known].mean() > HOPELESS * least:
            continue
        model = one.model if names <= set(one.model.exact_groups) else one.model.project(groups)
        if model is one.model:
            pairs.append((one, one))
        elif model is not None:
            predicted = np.full(rows.Y.shape, np.nan)
            if one.is_complete:
                predicted = model.cross_val_predict(rows, data.folds)
            else:
                predicted[known] = model.predict(rows.X[known])
            pairs.append((one, Candidate(model, predicted)))
    return pairs


def is_as_good(new: Array, old: Array, rows: Rows) -> bool:
    """Whether losses are no larger than others of the same rows: on the average, in any row group, or among the largest."""
    if not np.isfinite(new).all():
        return False
    negligible, mean = NEGLIGIBLE * rows.constant_loss, float(old.mean())
    noticeable = max(NOTICEABLE * mean, negligible)
    gap, sure = float(new.mean()) - mean, standard_errors(new, old, rows.row_groups)
    if gap > negligible and (sure > 2 or (sure > 1 and gap > noticeable)):
        return False
    limit, usual = np.quantile(old, 1 - RARE), RARE * len(old)
    many = np.sum(new > limit) > usual + 3 * math.sqrt(usual) + 1
    if many and np.quantile(new, 1 - RARE) > max(LARGER * limit, negligible):
        return False
    for label in [] if rows.row_groups is None else np.unique(rows.row_groups).tolist():
        own = np.asarray(rows.row_groups) == label
        gap = float(new[own].mean() - old[own].mean())
        if own.sum() >= FEWEST_ROWS and gap > noticeable and standard_errors(new[own], old[own]) > CLEARLY:
            return False
    return True


def violation_at_elements(model: Model, shape: Shape, group: Group, rows: Rows) -> float:
    """The largest |g f(x) - f(g x)| at elements drawn from the group, over the outputs' standard deviation or size there."""
    X = rows.X[:CHECKED_ROWS]
    elements = transforms(group, CHECKED_ELEMENTS)
    transformed = act(shape.rep_in, group, elements, X)
    after = model.predict(transformed.reshape(-1, X.shape[1])).reshape(len(transformed), len(X), -1)
    before = act(shape.rep_out, group, elements, model.predict(X))
    unit = np.maximum(np.abs(before).max(-1, keepdims=True), float(np.linalg.norm(rows.Y.std(0))) or 1.0)
    return float(np.max(np.abs(after - before) / unit))


def verify(model: Model, shape: Shape, groups: Sequence[Group], rows: Rows) -> tuple[str, ...]:
    """Names of those groups to which a model is equivariant at every element that is drawn."""
    return tuple(group.name for group in groups if violation_at_elements(model, shape, group, rows) <= EQUIVARIANT)


def project_fit(fit: Fit, group: Group | str) -> tuple[Fit, float]:
    """A fit whose model is exactly equivariant to one of the candidates, and the mean distance of networks' weights from the space."""
    given, known = read_group(group), fit.shape.groups
    wanted = next((each for each in known if each == given or each.name == given.name), None)
    if wanted is None:
        names = ", ".join(candidate.name for candidate in known) or "none"
        raise InputError(f"{given.name} is not among the candidate groups ({names}); fit with it to project onto it")
    source = fit.full_model
    train, full = fit.train_model.project([wanted]), source.project([wanted])
    for other in (fit.networks, fit.gp):  # the selected model may have no such form
        if (train is None or full is None) and other is not None:
            source = Stack.single(other)
            train = full = source.project([wanted])
    if train is None or full is None:
        raise InputError(
            f"no part of the model can have {wanted.name} exactly; fit with model='gp' or model='network' for that"
        )
    distances = [
        one.distance(other)  # type: ignore[attr-defined]
        for one, other in itertools.product(source.models, full.models)
        if one.kind == other.kind == "networks" and one.name == other.name
    ]
    exact = verify(full, fit.shape, [wanted], fit.test)
    after = replace(fit, train_model=train, full_model=full, exact_groups=exact)
    error = after.test_error()
    first = Baseline(train.name, math.nan, error, fit.test.explained(error), is_returned=True)
    rest = (row for row in fit.baselines if row.name not in (train.name, ENSEMBLE))
    table = Baselines([first, *(replace(row, is_returned=False, share=0.0) for row in rest)])
    return replace(after, baselines=table), distances[0] if distances else math.nan
