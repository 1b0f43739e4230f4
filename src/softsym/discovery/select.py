r"""Model selection by stacking: all models and baselines, compared by predictions for rows that they were not fitted to.

Every model predicts each development row from fits to the rows of other folds (no row group is in two folds). Weights
:math:`w_k \ge 0, \sum_k w_k = 1` minimise the loss of :math:`\sum_k w_k f_k` on these predictions; small ones are dropped. A single model
that is as good within the noise is taken instead. Networks, which are trained once, join by their validation rows.

Reference:
    Stacked regressions (Breiman, 1996), https://doi.org/10.1007/BF00117832
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import nnls

from softsym.discovery import models as base
from softsym.discovery.fit_data import FitData, Rows, Shape, Target, standard_errors
from softsym.discovery.models import GaussianProcess, Model, Probabilities, Residual, Stack, fit_gp, residual_rows
from softsym.errors import InputError
from softsym.groups import Group, join_groups
from softsym.metrics.transform import LOW_OVERLAP
from softsym.progress import track
from softsym.reps import Scalar
from softsym.tables import CandidateTable, Column
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.discovery.models import Member, Networks
    from softsym.discovery.symmetries import Symmetries
    from softsym.gp import SoftEquivariantGP

Step = Callable[[], Model | None]
"""Fits a model; None if it does not suit the data."""
LOGGER = logging.getLogger("softsym")
LEAST_WEIGHT = 0.05  # models with a smaller weight are left out of an ensemble
CLOSE, SAME = 0.02, 0.005
"""A single model whose loss is larger than that of the ensemble by no more than the first share, and within its noise, is taken instead;
so is one that is larger by no more than the second."""
TIE = 1.01  # among single models with losses within this factor one that has exact groups is preferred
HOPELESS = 4.0
"""A costly model whose loss on the first fold is so many times that of the best is not fitted to the others."""
NEARLY_LINEAR = 0.5  # R² of a linear map from which models of its residual are candidates, too
ENSEMBLE = "blend"
COSTLY = (base.BOOSTING, base.PERCEPTRON)
"""Models that are given up where they are hopeless; they predict classes by themselves."""
MIN_GAIN = 0.005  # share of the outputs' variance that must be left to gain: less does not justify training a network
BEYOND_NOISE = 2.0
"""Factor by which the unexplained variance of closed-form models must exceed their estimate of the noise."""
MANY_ROWS = 1_000
"""Training rows from which a network may learn what no kernel expresses; in benchmarks it did not with fewer."""
FEWEST_COMPARED = 4  # row groups of validation rows from which on networks can be compared with other models
SIGNIFICANT = 2.0  # standard errors by which one model predicts rows better than another
NOTICEABLE = 0.99  # share of an error; one above is the same error for a reader


@dataclass(frozen=True)
class Baseline:
    """How well one model predicts."""

    name: str  # name of the model
    validation_error: float  # mean loss in cross-validation: squared error, or log loss; NaN if not fitted to all folds
    test_error: float  # on held-out rows
    explained: float  # share of the held-out variance that it explains
    is_returned: bool = False  # whether it is the one that predicts
    share: float = 0.0  # its weight in the stacked ensemble that predicts; 0 if it has none

    @property
    def verdict(self) -> str:
        """Whether it is the one that predicts, or a part of it, in a word."""
        if self.is_returned:
            return "returned"
        return f"{self.share:.0%} of it" if self.share else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON; what is not known is None."""
        fields = asdict(self)
        return fields | {"validation_error": None if np.isnan(self.validation_error) else self.validation_error}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Baseline:
        """The inverse of :meth:`to_dict`."""
        error = fields["validation_error"]
        return cls(**{**fields, "validation_error": float("nan") if error is None else error})

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        return asdict(self)


def _percent(share: float) -> str:
    """With one digit after the point, or two where one would round to 100 %."""
    if 0.99995 <= share < 1:
        return "> 99.99 %"
    return f"{100 * share:.{2 if 0.9995 <= share < 1 else 1}f} %"


class Baselines(CandidateTable[Baseline]):
    """The table of all models, the selected one first.

    Example:
        >>> print(Baselines([Baseline("network", 0.11, 0.1, 0.99, True), Baseline("ridge regression", 6.5, 6.1, 0.13)]))
        model             held-out error  explained
        network           0.1             99.0 %     returned
        ridge regression  6.1             13.0 %
    """

    title = "Baselines, fitted to the same rows"
    what, plotted = "model", "test_error"
    columns = (
        Column("model", "Model", lambda row: row.name),
        Column("held-out error", "Held-out error", lambda row: row.test_error, "{:.4g}".format, is_figure=True),
        Column("explained", "Explained", lambda row: row.explained, _percent, is_figure=True),
        Column("", "", lambda row: row.verdict),
    )

    @property
    def better(self) -> tuple[Baseline, ...]:
        """Those whose held-out error is smaller than that of the returned one by more than a hundredth, the best first."""
        limit = NOTICEABLE * min((row.test_error for row in self if row.is_returned), default=float("-inf"))
        return tuple(sorted((row for row in self if row.test_error < limit), key=lambda row: row.test_error))


@dataclass(frozen=True, eq=False)
class Fit:
    """The result of a fit."""

    shape: Shape  # representations and candidate groups
    train_model: Stack  # the selected model fitted to training and validation rows, which test rows can test
    full_model: Stack  # the same refitted to all rows, which predicts
    test: Rows  # test rows
    n_train: int  # number of training rows
    seconds: float  # how long it took
    exact_groups: tuple[str, ...] = ()  # names of the groups to which the selected model is exactly equivariant
    better_without: tuple[str, ...] = ()  # names of groups without which held-out rows are predicted clearly better
    networks: Networks | None = None  # those regularised towards the candidates; None if none was trained
    gp: Model | None = None  # the Gaussian process with all candidates, which can be projected where the model cannot
    baselines: Baselines = field(default_factory=Baselines)  # the table of all models on the same rows
    compiled: str | None = None  # whether compiled code ran, on which last bits and speed depend; None if unknown
    seed: int = 0  # random seed
    why: tuple[str, ...] = ()  # why a network was trained or not, and why this model was selected, one sentence each

    @property
    def members(self) -> tuple[Member, ...]:
        """The trained networks."""
        return () if self.networks is None else self.networks.members

    @property
    def model(self) -> str:
        """Name of the selected model; of a stacked ensemble, that of its largest weight."""
        return self.full_model.name

    @property
    def target(self) -> Target:
        """What the outputs are."""
        return self.test.target

    def predict(self, X: Array) -> Array:
        """Predictions (n, outputs); probabilities of classes."""
        return self.full_model.predict(X)

    def std(self, X: Array) -> Array:
        """Standard deviations (n, outputs)."""
        return self.full_model.std(X)

    @functools.cached_property
    def test_predictions(self) -> tuple[Array, Array]:
        """Mean and standard deviation for the test rows, each (n, outputs), of the model that was not fitted to them."""
        return self.train_model.predict(self.test.X), self.train_model.std(self.test.X)

    def test_error(self) -> float:
        """Mean loss on the test rows: squared error in the units of the data, or log loss of classes."""
        return float(self.test.losses(self.test_predictions[0]).mean())

    def explained(self) -> float:
        """R² on the test rows; at most one, negative if worse than a constant."""
        return self.test.explained(self.test_error())


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model and its predictions for rows that it was not fitted to."""

    model: Model  # the model, fitted to all development rows
    predicted: Array  # predictions (n, outputs) of development rows by fits to other folds; NaN where there are none

    @property
    def is_complete(self) -> bool:
        """Whether there are predictions for all rows."""
        return bool(np.isfinite(self.predicted).all())

    def at(self, rows: Any) -> Candidate:
        """The candidate with predictions for some of the rows."""
        return replace(self, predicted=self.predicted[rows])


def convex_weights(errors: Sequence[Array]) -> Array:
    """Weights (k,) of k models from their errors on the same rows, each (n, outputs)."""
    flat = np.stack([error.ravel() for error in errors], axis=1)
    flat = np.where(np.isfinite(flat), flat, 1e150)  # a model that diverged gets no weight
    best = int(np.argmin(np.sum(np.square(flat / (np.abs(flat).max() or 1.0)), axis=0)))
    steps = np.delete(flat, best, axis=1) - flat[:, [best]]
    largest = np.abs(steps).max(initial=0.0) or 1.0
    sizes = np.linalg.norm(steps / largest, axis=0) * largest
    useful = sizes > 0
    others = np.zeros(steps.shape[1])
    if useful.any():
        others[useful] = nnls(steps[:, useful] / sizes[useful], -flat[:, best])[0] / sizes[useful]
    weights = np.insert(others, best, max(0.0, 1.0 - float(others.sum())))
    return _drop_small(weights / weights.sum())


def mixture_weights(probabilities: Array, counts: Array | None = None, steps: int = 300) -> Array:
    """Weights (k,) of k models with the largest likelihood, by expectation maximisation."""
    p = np.maximum(probabilities, 1e-12)
    weights = np.full(p.shape[1], 1.0 / p.shape[1])
    for _ in range(steps):
        share = p * weights
        weights = np.average(share / share.sum(1, keepdims=True), axis=0, weights=counts)
    return _drop_small(weights)


def _drop_small(weights: Array) -> Array:
    weights = np.where(weights < LEAST_WEIGHT, 0.0, weights)
    return np.asarray(weights / weights.sum())


def combine(candidates: Sequence[Candidate], rows: Rows) -> Candidate:
    """The stacked ensemble of candidates, or the single one that predicts these rows as well within the noise."""
    if rows.target is Target.CLASSES:
        each = [np.sum(one.predicted * rows.Y, axis=1) for one in candidates]
        weights = mixture_weights(np.stack(each, axis=1), rows.weights)
    else:
        roots = 1.0 if rows.weights is None else np.sqrt(rows.weights)[:, None]
        weights = convex_weights([roots * (one.predicted - rows.Y) for one in candidates])
    kept = [(one, w) for one, w in zip(candidates, weights, strict=True) if w > 0]
    stacked = np.asarray(sum(w * one.predicted for one, w in kept))
    losses = rows.losses(stacked)
    singles = []
    for one in candidates:
        own = rows.losses(one.predicted)
        is_close, is_same = (own.mean() <= (1 + share) * losses.mean() for share in (CLOSE, SAME))
        if is_same or (is_close and standard_errors(own, losses, rows.row_groups) <= 1):
            singles.append((float(own.mean()), one))
    if singles:
        least = min(loss for loss, _ in singles)
        tied = [one for loss, one in singles if loss <= TIE * least]
        best = min(singles, key=lambda pair: pair[0])[1]
        return next((one for one in tied if one.model.exact_groups), best)
    models: list[Model] = []
    shares: list[float] = []
    for one, weight in kept:
        parts = Stack.single(one.model)
        models += parts.models
        shares += [weight * share for share in parts.weights]
    return Candidate(Stack.of(models, shares), stacked)


def stack(candidates: Sequence[Candidate], rows: Rows, validation: Any) -> Candidate | None:
    """The selected ensemble; None without candidates. Those with predictions for validation rows alone, networks, join by these."""
    complete = [one for one in candidates if one.is_complete]
    partial = [one.at(validation) for one in candidates if not one.is_complete]
    partial = [one for one in partial if one.is_complete]
    best = combine(complete, rows) if complete else None
    if partial:
        among = [*([] if best is None else [best.at(validation)]), *partial]
        held = rows.take(validation)
        chosen = combine(among, held)
        predicted = np.full(rows.Y.shape, np.nan)
        predicted[validation] = chosen.predicted
        if best is None or (chosen is not among[0] and _is_better(chosen, among[0], held)):
            best = replace(chosen, predicted=predicted)
    if best is None:
        return None
    return replace(best, model=Stack.single(best.model))


def _is_better(new: Candidate, old: Candidate, rows: Rows) -> bool:
    """Whether validation rows can tell; between recordings, which differ from each other, it takes several of them and a clear gain."""
    if rows.row_groups is None:
        return True
    gain = standard_errors(rows.losses(old.predicted), rows.losses(new.predicted), rows.row_groups)
    return len(np.unique(rows.row_groups)) >= FEWEST_COMPARED and gain > SIGNIFICANT


@dataclass(frozen=True, eq=False)
class FittedModels:
    """Candidate models that were fitted."""

    selectable: tuple[Candidate, ...]  # those that may be selected
    others: tuple[Candidate, ...] = ()  # baselines that are only compared
    refused: Mapping[str, str] = field(default_factory=dict)  # by name, why others could not be fitted
    seconds: float = 0.0  # how long it took

    def find(self, name: str) -> Candidate | None:
        """The candidate of this name, if it was fitted."""
        return next((one for one in (*self.selectable, *self.others) if one.model.name == name), None)

    @property
    def processes(self) -> list[SoftEquivariantGP]:
        """Gaussian processes among them."""
        models = (one.model for one in self.selectable)
        inner = (model.inner if isinstance(model, Probabilities) else model for model in models)
        return [model.gp for model in inner if isinstance(model, GaussianProcess)]


class _Fitter:
    """Fits models to development rows and predicts these out of fold."""

    def __init__(self, data: FitData) -> None:
        self.data, self.rows = data, data.development
        self.refused: dict[str, str] = {}
        self.best = np.full(len(self.rows), np.inf)

    def run(self, steps: Mapping[str, Step]) -> list[Candidate]:
        """The candidates of several models by name; those that cannot be fitted are noted."""
        fitted = []
        for name in track(list(steps), "fitting models"):
            began = time.perf_counter()
            try:
                model = steps[name]()
                if model is None:
                    continue
                if self.data.target is Target.CLASSES and name not in COSTLY:
                    model = Probabilities(model)
                predicted = self._predict(model, is_costly=name in COSTLY)
            except InputError as error:
                self.refused[name] = str(error)
                continue
            losses = self.rows.losses(predicted)
            if np.isfinite(losses).all():
                self.best = min(self.best, losses, key=lambda each: float(each.mean()))
                model = model.with_noise(np.sqrt(np.mean((predicted - self.rows.Y) ** 2, axis=0)))
            fitted.append(Candidate(model, predicted))
            LOGGER.info("fitted %s in %.1f s", model.name, time.perf_counter() - began)
        return fitted

    def _predict(self, model: Model, *, is_costly: bool) -> Array:
        """Out-of-fold predictions; a costly model that is hopeless on the first fold is not fitted to the others."""
        rows, folds = self.rows, self.data.folds
        predicted = np.full(rows.Y.shape, np.nan)
        if not self.data.can_compare:
            return predicted
        if not is_costly:
            return model.cross_val_predict(rows, folds)
        for fold in range(int(folds.max()) + 1):
            held = folds == fold
            predicted[held] = model.fit(rows.take(~held)).predict(rows.X[held])
            losses = rows.take(held).losses(predicted[held])
            if fold == 0 and losses.mean() > HOPELESS * self.best[held].mean():
                break
        return predicted


def fit_models(
    data: FitData, supported: Sequence[Group], overlapping: Sequence[Group], exact: Sequence[Group] = ()
) -> FittedModels:
    """Fits all models but networks; Gaussian processes have the candidates that are exact by the evidence."""
    names = [group.name for group in exact]
    began = time.perf_counter()
    rows, shape, seed, is_auto = data.development, data.shape, data.seed, data.model == "auto"
    own = replace(shape, groups=tuple(overlapping)) if is_auto else shape
    narrow = replace(shape, groups=tuple(supported))
    free = Shape.of(rows.X.shape[1] * Scalar, rows.Y.shape[1] * Scalar, ())
    closed: dict[str, Step] = {base.MEAN: lambda: base.fit_mean(rows, shape)} if is_auto else {}
    closed[base.LINEAR] = lambda: base.fit_linear(rows, own)
    if own.groups:
        closed[base.GP] = lambda: fit_gp(rows, own, seed=seed, exact_groups=names)
    if is_auto and not names and 0 < len(narrow.groups) < len(own.groups):
        closed[base.GP_SUPPORTED] = lambda: fit_gp(rows, narrow, seed=seed, title=base.GP_SUPPORTED, exact_groups=names)
    if is_auto or not own.groups:
        closed[base.GP_UNCONSTRAINED] = lambda: fit_gp(rows, free, seed=seed, title=base.GP_UNCONSTRAINED)
    if not is_auto:
        closed = {name: closed[name] for name in closed if name.startswith(data.model)}
    fitter = _Fitter(data)
    models = fitter.run(closed)
    if closed and not models:
        raise InputError(next(iter(fitter.refused.values())))
    others = fitter.run(_baseline_steps(data, free))
    if is_auto:
        models += others + _fit_residuals(data, fitter, [*models, *others], narrow if supported else free, names)
        others = []
    return FittedModels(tuple(models), tuple(others), fitter.refused, time.perf_counter() - began)


def _baseline_steps(data: FitData, free: Shape) -> dict[str, Step]:
    """Baselines by name."""
    rows, shape, folds, seed = data.development, data.shape, data.folds, data.seed
    steps: dict[str, Step] = {}
    if data.target is Target.NUMBERS and shape.groups:
        for title in base.EXTRAPOLATIONS:
            steps[title] = functools.partial(base.fit_extrapolation, rows, shape, title)
    steps[base.RIDGE] = lambda: base.fit_ridge(rows, folds, free)
    steps[base.KERNEL] = lambda: base.fit_kernel_ridge(rows, folds)
    if data.can_compare:
        steps[base.BOOSTING] = lambda: base.fit_boosting(rows, seed)
        steps[base.PERCEPTRON] = lambda: base.fit_perceptron(rows, seed)
    return steps


def _fit_residuals(
    data: FitData, fitter: _Fitter, fitted: Sequence[Candidate], shape: Shape, exact: Sequence[str]
) -> list[Candidate]:
    """Models of what the best equivariant linear map leaves, where outputs are of the inputs' types and nearly linear."""
    rows, complete = data.development, {one.model.name: one for one in fitted if one.is_complete}
    maps = [complete[name] for name in (base.LINEAR, base.EXTRAPOLATION) if name in complete]
    if base.EXTRAPOLATION not in complete:
        return []
    first = min(maps, key=lambda one: float(rows.losses(one.predicted).mean()))
    if rows.explained(float(rows.losses(first.predicted).mean())) < NEARLY_LINEAR:
        return []
    left, seed, title = residual_rows(first.model, rows), data.seed, base.GP if shape.groups else base.GP_UNCONSTRAINED
    inner: dict[str, Callable[[], Model]] = {
        title: lambda: fit_gp(left, shape, seed=seed, title=title, exact_groups=exact),
        base.KERNEL: lambda: base.fit_kernel_ridge(left, data.folds),
        base.BOOSTING: lambda: base.fit_boosting(left, seed),
        base.PERCEPTRON: lambda: base.fit_perceptron(left, seed),
    }

    def add_to_first(fit: Callable[[], Model]) -> Step:
        return lambda: Residual(first.model, fit())

    return fitter.run({name: add_to_first(fit) for name, fit in inner.items()})


def should_train_network(data: FitData, models: FittedModels) -> tuple[bool, str]:
    """Whether a network can improve on the other models, and why, a clause.

    It can where there is no kernel; and, if they leave enough variance unexplained, where Gaussian processes hold only some of the rows,
    where there are many rows (a kernel takes for noise what it cannot express), where the unexplained variance is well above their
    estimate of the noise, or where a small perceptron predicts better. No network is trained where too few rows could be held out.
    """
    n_train = len(data.parts.train)
    if data.target is Target.CLASSES:
        return True, "classes are learned by networks"
    if data.model != "auto":
        return data.model == "network", f"the parameter model is {data.model!r}"
    labels = data.development.row_groups
    if labels is not None and len(np.unique(labels[data.is_validation])) < FEWEST_COMPARED and models.selectable:
        return False, "too few row groups to tell whether it predicts better"
    processes = models.processes
    if not processes or (data.shape.groups and models.find(base.GP) is None):
        reason = next(iter(models.refused.values()), "")
        return True, f"there is no Gaussian process for these groups ({reason})"
    if not data.can_compare:
        return False, "too few rows to compare models"
    if data.budget is not None and models.seconds >= data.budget:
        return False, f"the budget of {data.budget:g} s is used up"
    rows = data.development
    complete = [one for one in models.selectable if one.is_complete and one.model.name != base.PERCEPTRON]
    losses = rows.losses(combine(complete, rows).predicted)
    left = 1.0 - rows.explained(float(losses.mean()))
    unexplained = f"closed forms leave {left:.2g} of the variance unexplained"
    if left <= MIN_GAIN:
        return False, f"{unexplained}, so there is little to gain"
    held = min(process.n_rows_ for process in processes)
    if held < len(rows):
        return True, f"the Gaussian process holds {held:,} of {len(rows):,} rows"
    if n_train >= MANY_ROWS:
        return True, f"{unexplained}, and rows are many enough to learn more"
    # A process takes for noise what it cannot express, so the least estimate of all is the best.
    least = min(float(np.mean(process.noise_)) for process in processes)
    noise = min(left, left * least / max(float(losses.mean()), 1e-300))
    if left > BEYOND_NOISE * noise:
        return True, f"{unexplained}, of which {noise:.2g} is noise"
    perceptron = models.find(base.PERCEPTRON)
    if perceptron is not None and perceptron.is_complete:
        own = rows.losses(perceptron.predicted)
        if standard_errors(losses, own, rows.row_groups) > SIGNIFICANT:
            return True, "a small perceptron predicts better than closed forms"
    return False, f"{unexplained}, but {noise:.2g} is noise"


def select_supported(groups: Sequence[Group], symmetries: Symmetries) -> tuple[list[Group], list[Group]]:
    """Candidates that models are fitted with: those with enough orbit overlap, and those of them that are not absent."""
    rows = {row.name: row for row in symmetries}
    overlapping = [group for group in groups if not (group.name in rows and rows[group.name].overlap < LOW_OVERLAP)]
    absent = {row.name for row in symmetries if row.verdict == "absent"}
    return [group for group in overlapping if group.name not in absent], overlapping


def network_shape(shape: Shape, supported: Sequence[Group]) -> Shape:
    """The shape of networks: with the supported candidates, or all if none is; unless it was given, they generate the largest group."""
    if not supported or len(supported) == len(shape.groups):
        return shape
    largest = join_groups(supported) if shape.largest == join_groups(shape.groups) else shape.largest
    return replace(shape, groups=tuple(supported), largest=largest)


def network_candidates(data: FitData, networks: Sequence[Networks]) -> list[Candidate]:
    """Networks with their predictions for validation rows."""
    rows, validation = data.development, data.is_validation
    candidates = []
    for model in networks:
        predicted = np.full(rows.Y.shape, np.nan)
        predicted[validation] = model.predict(rows.X[validation])
        candidates.append(Candidate(model, predicted))
    return candidates


def make_table(data: FitData, chosen: Stack, loss: float, candidates: Sequence[Candidate]) -> Baselines:
    """Errors of all models on the same rows, the selected one, whose loss is given, first."""
    rows, test = data.development, data.test

    def measure(model: Model, validation: float) -> Baseline:
        error = float(test.losses(model.predict(test.X)).mean())
        return Baseline(model.name, validation, error, test.explained(error))

    by_name = {one.model.name: one for one in candidates}
    parts = {model.name: model for model in chosen.models}
    others = {name: one.model for name, one in by_name.items() if name not in parts}
    table = []
    for name, model in (parts | others).items():
        validation, one = float("nan"), by_name.get(name)
        if one is not None and (one.is_complete or name in (base.NETWORK, base.ORDINARY)):
            losses = rows.losses(one.predicted)
            known = losses[np.isfinite(losses)]
            validation = float(known.mean()) if len(known) else validation
        table.append(measure(model, validation))
    if len(chosen.models) == 1:
        return Baselines([replace(table[0], is_returned=True), *table[1:]])
    whole = replace(measure(chosen, loss), name=ENSEMBLE, is_returned=True)
    return Baselines([whole, *(replace(row, share=chosen.shares.get(row.name, 0.0)) for row in table)])


def explain_choice(chosen: Stack, data: FitData, candidates: int) -> str:
    """Why this model was selected, a sentence."""
    if len(chosen.models) > 1:
        shares = ", ".join(f"{name} {weight:.0%}" for name, weight in chosen.shares.items())
        return f"The model is a stacked ensemble ({shares}): together they predict rows of other folds best."
    if not data.can_compare:
        return f"The model is {chosen.name}: there are too few rows to compare models by."
    rest = "no other was requested" if candidates == 1 else "it predicts rows of other folds best"
    return f"The model is {chosen.name}: {rest}."
