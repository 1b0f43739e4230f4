"""Which model predicts: the rungs that suit validation rows best, with exact symmetries built in where that costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from softsym.discovery.fit.baselines import Baselines
from softsym.discovery.fit.compare import standard_errors
from softsym.discovery.fit.fitted import FittedEnsemble, Networks
from softsym.discovery.fit.train import FitPlan
from softsym.discovery.models.ensemble import Blend, alone, blended
from softsym.discovery.models.protocol import NETWORK, ORDINARY, Rung
from softsym.discovery.selection.fit_baselines import means, measured, measured_rung
from softsym.discovery.selection.network_decision import CLEARLY
from softsym.groups import Group

BLEND = "blend"


def chosen(plan: FitPlan, fit: FittedEnsemble, exact: Sequence[str] = ()) -> FittedEnsemble:
    """The fit with the table of all models, and the one that predicts.

    Args:
        plan: The fit.
        fit: Ladder, networks and rivals.
        exact: Names of the groups that are certainly exact.
    """
    if not fit.is_finished or fit.rivals is None:
        return fit
    if not fit.ladder.rungs:
        return network_or_ordinary(fit)
    groups = [group for group in fit.shape.groups if group.name in exact]
    parts = plan.parts.train, plan.parts.val, plan.parts.test
    blend = _blend(fit, groups).refitted(*plan.rows(*parts), plan.weights_of(*parts))
    built_in = blend.has
    ordinary = next(
        (
            part.early.predictor
            for part in blend.parts
            if part.name == ORDINARY and isinstance(part.early, Networks)
        ),
        None,
    )
    fit = replace(fit, blend=blend, built_in=built_in, ordinary=ordinary)
    return replace(fit, baselines=_table(fit, blend), why=(*fit.why, _reason(blend, fit)))


def network_or_ordinary(fit: FittedEnsemble) -> FittedEnsemble:
    """Networks alone: ordinary ones predict if they predict validation rows better."""
    assert fit.rivals is not None
    rows = [measured(NETWORK, fit, means(fit.predictor, fit))[0], *fit.rivals.baselines]
    ordinary = fit.rivals.ordinary
    is_better = ordinary is not None and fit.rivals.baselines[0].validation_error < rows[0].validation_error
    table = Baselines.of(rows, ORDINARY if is_better else NETWORK)
    return replace(fit, baselines=table, ordinary=ordinary if is_better else None)


def without_ordinary(fit: FittedEnsemble) -> FittedEnsemble:
    """The fit with its own members as those that predict, measured again."""
    fit = replace(fit, ordinary=None, blend=None)
    others = [row for row in fit.baselines if row.name not in (NETWORK, BLEND)]
    if not len(fit.baselines):
        return fit
    network, _ = measured(NETWORK, fit, means(fit.predictor, fit))
    return replace(fit, baselines=Baselines.of([network, *others], NETWORK))


def only(fit: FittedEnsemble, blend: Blend) -> FittedEnsemble:
    """The fit with another blend as the one that predicts, measured again."""
    fit = replace(fit, ordinary=None, blend=blend, built_in=blend.has)
    row, _ = measured(blend.name, fit, (blend.early(fit.judged.X), blend.early(fit.held.X)))
    others = [other for other in fit.baselines if other.name not in (blend.name, BLEND)]
    return replace(fit, baselines=Baselines.of([row, *others], blend.name))


def networks_of(fit: FittedEnsemble) -> list[Rung]:
    """The trained networks as rungs."""
    networks: list[Rung] = [Networks(NETWORK, fit.predictor, fit.built_in)] if fit.members else []
    if fit.rivals is not None and fit.rivals.ordinary is not None:
        networks.append(Networks(ORDINARY, fit.rivals.ordinary))
    return networks


def _blend(fit: FittedEnsemble, exact: Sequence[Group]) -> Blend:
    assert fit.rivals is not None
    rows = fit.judged
    rungs = [*fit.ladder.rungs, *networks_of(fit)]
    snapped = [rung for rung in (one.snapped(exact) for one in rungs) if rung is not None] if exact else []
    if not rows.is_separate:  # nothing was held out: the likelihood has chosen, or there is only one
        best = fit.ladder.process or fit.ladder.rungs[-1]
        return alone((best.snapped(exact) if exact else None) or best)
    free = blended(rungs, rows.X, rows.Y, rows.weights)
    errors = rows.errors(free.early(rows.X))
    if len(fit.ladder.rungs) > 1:
        for rival in fit.rivals.rungs:  # a person would take it instead
            if standard_errors(errors, rows.errors(rival(rows.X)), rows.together) > CLEARLY:
                free = blended([*rungs, *fit.rivals.rungs], rows.X, rows.Y, rows.weights)
                errors = rows.errors(free.early(rows.X))
    if snapped:
        held = blended(snapped, rows.X, rows.Y, rows.weights)
        if standard_errors(rows.errors(held.early(rows.X)), errors, rows.together) <= 1:
            return held
    return free


def _table(fit: FittedEnsemble, blend: Blend) -> Baselines:
    assert fit.rivals is not None
    rungs = {
        rung.name: rung
        for rung in [*fit.ladder.rungs, *networks_of(fit), *(part.early for part in blend.parts)]
    }
    order = [*blend.weights, *(name for name in rungs if name not in blend.weights)]
    known = {row.name: row for row in fit.rivals.baselines}
    rows = [known.get(name) or measured_rung(rungs[name], fit)[0] for name in order]
    rest = [row for name, row in known.items() if name not in rungs]
    if len(blend.parts) == 1:
        return Baselines.of([*rows, *rest], blend.name)
    whole, _ = measured(BLEND, fit, (blend.early(fit.judged.X), blend.early(fit.held.X)))
    return Baselines.of([whole, *rows, *rest], BLEND, blend.weights)


def _reason(blend: Blend, fit: FittedEnsemble) -> str:
    if len(blend.parts) > 1:
        shares = ", ".join(f"{name} {weight:.0%}" for name, weight in blend.weights.items())
        return f"The model is a blend ({shares}): together they predict validation rows best."
    if not fit.judged.is_separate:
        return f"The model is {blend.name}: there are too few rows to compare models by."
    rest = (
        "it is the only one that was asked for"
        if len(fit.ladder.rungs) + len(fit.members) == 1
        else "it predicts validation rows best"
    )
    return f"The model is {blend.name}: {rest}."
