"""Selection of the model that predicts, on validation rows, with exact constraints where they do not increase the error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from softsym.discovery.fit.baselines import Baselines
from softsym.discovery.fit.compare import standard_errors
from softsym.discovery.fit.fitted import FittedEnsemble, Networks
from softsym.discovery.fit.train import FitPlan
from softsym.discovery.models.ensemble import StackedEnsemble, fit_ensemble, single_model_ensemble
from softsym.discovery.models.protocol import NETWORK, ORDINARY, Model
from softsym.discovery.selection.fit_baselines import measure_model, measure_predictions, predict_means
from softsym.discovery.selection.network_decision import SIGNIFICANT
from softsym.groups import Group

ENSEMBLE = "blend"


def select_model(plan: FitPlan, fit: FittedEnsemble, exact: Sequence[str] = ()) -> FittedEnsemble:
    """Selects the model that predicts and fills the table of baselines.

    Args:
        plan: The plan.
        fit: The fit with closed-form models, networks and baselines.
        exact: Names of the groups that are certainly exact.
    """
    if not fit.is_finished or fit.baseline_models is None:
        return fit
    if not fit.closed_form.models:
        return select_network(fit)
    groups = [group for group in fit.shape.groups if group.name in exact]
    parts = plan.parts.train, plan.parts.val, plan.parts.test
    ensemble = _select_ensemble(fit, groups).refit(*plan.rows(*parts), plan.weights_of(*parts))
    exact_groups = ensemble.exact_groups
    ordinary = next(
        (
            part.train_fit.predictor
            for part in ensemble.parts
            if part.name == ORDINARY and isinstance(part.train_fit, Networks)
        ),
        None,
    )
    fit = replace(fit, ensemble=ensemble, exact_groups=exact_groups, ordinary=ordinary)
    return replace(fit, baselines=_table(fit, ensemble), why=(*fit.why, _reason(ensemble, fit)))


def select_network(fit: FittedEnsemble) -> FittedEnsemble:
    """Selects soft or unconstrained networks by their validation error, where there are no other models."""
    assert fit.baseline_models is not None
    rows = [
        measure_predictions(NETWORK, fit, predict_means(fit.predictor, fit))[0],
        *fit.baseline_models.baselines,
    ]
    ordinary = fit.baseline_models.ordinary
    is_better = (
        ordinary is not None and fit.baseline_models.baselines[0].validation_error < rows[0].validation_error
    )
    table = Baselines.of(rows, ORDINARY if is_better else NETWORK)
    return replace(fit, baselines=table, ordinary=ordinary if is_better else None)


def select_own_network(fit: FittedEnsemble) -> FittedEnsemble:
    """Selects the members of the fit and measures them again."""
    fit = replace(fit, ordinary=None, ensemble=None)
    others = [row for row in fit.baselines if row.name not in (NETWORK, ENSEMBLE)]
    if not len(fit.baselines):
        return fit
    network, _ = measure_predictions(NETWORK, fit, predict_means(fit.predictor, fit))
    return replace(fit, baselines=Baselines.of([network, *others], NETWORK))


def select_ensemble(fit: FittedEnsemble, ensemble: StackedEnsemble) -> FittedEnsemble:
    """Selects another ensemble and measures it."""
    fit = replace(fit, ordinary=None, ensemble=ensemble, exact_groups=ensemble.exact_groups)
    row, _ = measure_predictions(
        ensemble.name,
        fit,
        (ensemble.predict_from_train(fit.judged.X), ensemble.predict_from_train(fit.held.X)),
    )
    others = [other for other in fit.baselines if other.name not in (ensemble.name, ENSEMBLE)]
    return replace(fit, baselines=Baselines.of([row, *others], ensemble.name))


def list_networks(fit: FittedEnsemble) -> list[Model]:
    """The trained networks as models."""
    networks: list[Model] = [Networks(NETWORK, fit.predictor, fit.exact_groups)] if fit.members else []
    if fit.baseline_models is not None and fit.baseline_models.ordinary is not None:
        networks.append(Networks(ORDINARY, fit.baseline_models.ordinary))
    return networks


def _select_ensemble(fit: FittedEnsemble, exact: Sequence[Group]) -> StackedEnsemble:
    assert fit.baseline_models is not None
    rows = fit.judged
    models = [*fit.closed_form.models, *list_networks(fit)]
    projected = (
        [model for model in (one.project(exact) for one in models) if model is not None] if exact else []
    )
    if not rows.is_separate:  # without validation rows the likelihood selects the process
        best = fit.closed_form.gp_model or fit.closed_form.models[-1]
        return single_model_ensemble((best.project(exact) if exact else None) or best)
    unconstrained = fit_ensemble(models, rows.X, rows.Y, rows.weights)
    errors = rows.errors(unconstrained.predict_from_train(rows.X))
    if len(fit.closed_form.models) > 1:
        for baseline in fit.baseline_models.models:
            if standard_errors(errors, rows.errors(baseline(rows.X)), rows.row_groups) > SIGNIFICANT:
                unconstrained = fit_ensemble(
                    [*models, *fit.baseline_models.models], rows.X, rows.Y, rows.weights
                )
                errors = rows.errors(unconstrained.predict_from_train(rows.X))
    if projected:
        constrained = fit_ensemble(projected, rows.X, rows.Y, rows.weights)
        if standard_errors(rows.errors(constrained.predict_from_train(rows.X)), errors, rows.row_groups) <= 1:
            return constrained
    return unconstrained


def _table(fit: FittedEnsemble, ensemble: StackedEnsemble) -> Baselines:
    assert fit.baseline_models is not None
    models = {
        model.name: model
        for model in [
            *fit.closed_form.models,
            *list_networks(fit),
            *(part.train_fit for part in ensemble.parts),
        ]
    }
    order = [*ensemble.weights, *(name for name in models if name not in ensemble.weights)]
    known = {row.name: row for row in fit.baseline_models.baselines}
    rows = [known.get(name) or measure_model(models[name], fit)[0] for name in order]
    rest = [row for name, row in known.items() if name not in models]
    if len(ensemble.parts) == 1:
        return Baselines.of([*rows, *rest], ensemble.name)
    whole, _ = measure_predictions(
        ENSEMBLE, fit, (ensemble.predict_from_train(fit.judged.X), ensemble.predict_from_train(fit.held.X))
    )
    return Baselines.of([whole, *rows, *rest], ENSEMBLE, ensemble.weights)


def _reason(ensemble: StackedEnsemble, fit: FittedEnsemble) -> str:
    if len(ensemble.parts) > 1:
        shares = ", ".join(f"{name} {weight:.0%}" for name, weight in ensemble.weights.items())
        return f"The model is a stacked ensemble ({shares}): together they predict validation rows best."
    if not fit.judged.is_separate:
        return f"The model is {ensemble.name}: there are too few rows to compare models by."
    rest = (
        "no other was requested"
        if len(fit.closed_form.models) + len(fit.members) == 1
        else "it predicts validation rows best"
    )
    return f"The model is {ensemble.name}: {rest}."
