"""What the estimators share: parameters, fitting, snapping, reports and storage, by scikit-learn's contract."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from softsym.data.labels import numbered, row_labels
from softsym.data.requirements import check_magnitudes
from softsym.data.split import HELD_OUT, Index
from softsym.discovery import storage
from softsym.discovery.auto import AUTO, candidates
from softsym.discovery.checks import check_numbers, shape_of
from softsym.discovery.choice.first_look import first_look
from softsym.discovery.fit.baselines import Baselines
from softsym.discovery.fit.fitted import FittedEnsemble, Target
from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.parallel import Helpers, Stop, processes
from softsym.discovery.fit.recipe import Recipe, read_recipe
from softsym.discovery.fit.train import FitPlan, Session
from softsym.discovery.fit.trials import Tries
from softsym.discovery.judge.judge import judge_all
from softsym.discovery.judge.snap import Snapped, snap_fit
from softsym.discovery.module.fitted_module import FittedModule, fitted_module
from softsym.discovery.points import Points, has_points, read_points
from softsym.discovery.report.story import Story, story_of
from softsym.discovery.steps import carried_out
from softsym.errors import InputError
from softsym.evidence import EvidenceTable
from softsym.evidence.likelihood.threads import one_blas_thread
from softsym.evidence.shape import row_weights, seed_of
from softsym.groups import Group, read_groups
from softsym.groups import group as read_group
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.training.devices import check_device
from softsym.training.settings import FAST

Array = NDArray[np.float64]
DEFAULT = Recipe()
ATTRIBUTES = (
    "n_features_in_",
    "feature_names_in_",
    "output_names_",
    "n_outputs_",
    "classes_",
    "n_iter_",
    "space_",
    "is_centred_",
)
"""What an estimator learns about its data besides the fit, and a saved model keeps."""


class SoftEquivariantEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """What regressor and classifier share; not used by itself."""

    def __init__(
        self,
        rep_in: Rep | str | None = None,
        rep_out: Rep | str | None = None,
        groups: Group | str | Sequence[Group | str] = (),
        *,
        model: str = "auto",
        largest: Group | str | None = None,
        width: int | None = None,
        layers: int = DEFAULT.layers,
        epochs: int | None = DEFAULT.epochs,
        budget: float | None = None,
        batch: int | None = DEFAULT.batch,
        lr: float | None = None,
        weight_decay: float = FAST["shrink"],
        strength: float | None = None,
        gamma: float = FAST["gamma"],
        strengths: str = FAST["strengths"],
        seeds: int = 2,
        held_out: float = HELD_OUT,
        random_state: int = 0,
        verbose: bool = False,
        n_jobs: int | None = None,
        warm_start: bool = False,
        device: str = "cpu",
    ) -> None:
        self.rep_in, self.rep_out, self.groups, self.largest = rep_in, rep_out, groups, largest
        self.model = model
        self.width, self.layers, self.epochs, self.budget, self.batch = width, layers, epochs, budget, batch
        self.lr, self.weight_decay = lr, weight_decay
        self.strength, self.gamma, self.strengths = strength, gamma, strengths
        self.seeds, self.held_out, self.random_state, self.verbose = seeds, held_out, random_state, verbose
        self.n_jobs, self.warm_start, self.device = n_jobs, warm_start, device

    @abstractmethod
    def _read(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Checks data; outputs as a matrix."""

    @property
    @abstractmethod
    def _target(self) -> Target:
        """What the outputs are."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Looks at the data, fits the models of the ladder and judges every candidate group.

        Args:
            X: Inputs (n, size of ``rep_in``): an array or a data frame.
            y: Outputs (n, size of ``rep_out``), or classes (n,).
            sample_weight: How much every row counts (n,), not negative, for evidence, models and errors: noise of a row has a variance
                that is divided by it. Rows of weight zero take no part. Weights must not depend on what a candidate moves, and
                proposed candidates (``groups="auto"``) come from rows that count alike.
            groups: A label for every row (n,), of any hashable type, as scikit-learn's splitters have them: rows of one label, such as
                windows of one recording, are all trained on or all held out. They have nothing to do with the candidate symmetry
                groups, which the constructor is told.
        """
        return self.fit_in(None, X, y, groups=groups, sample_weight=sample_weight)

    def look(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: Iterable[Hashable] | None = None,
    ) -> EvidenceTable:
        """What the data say about every candidate by themselves, in seconds: the first step of :meth:`fit`.

        Args:
            X: Inputs (n, size of ``rep_in``).
            y: Outputs (n, size of ``rep_out``).
            sample_weight: How much every row counts (n,).
            groups: Labels of rows that belong together.
        """
        with one_blas_thread():
            plan = self.plan(X, y, groups=groups, sample_weight=sample_weight)
            return first_look(plan, processes(self.n_jobs))

    def fit_in(
        self,
        folder: Path | None,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: Iterable[Hashable] | None = None,
        sample_weight: ArrayLike | None = None,
        stop: Stop | None = None,
        resting: bool = False,
    ) -> Self:
        """:meth:`fit` with checkpoints in a folder, from which a stopped fit goes on.

        Args:
            folder: Where checkpoints go; None for nowhere.
            X: Inputs.
            y: Outputs.
            groups: Labels of rows.
            sample_weight: How much every row counts.
            stop: Asked after every epoch; True ends the fit with what has been learned.
            resting: Leave out the judgement of the groups and what follows from it.
        """
        plan = self.plan(X, y, groups=groups, sample_weight=sample_weight)
        return self.carry_out(plan, folder, stop=stop, resting=resting)

    def plan(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: Iterable[Hashable] | None = None,
        sample_weight: ArrayLike | None = None,
        x_names: Sequence[str] | None = None,
        y_names: Sequence[str] | None = None,
        duplicates: NDArray[np.int64] | None = None,
        device: str | None = None,
    ) -> FitPlan:
        """What would be trained and how; refuses wrong data and parameters before anything is done.

        Args:
            X: Inputs.
            y: Outputs.
            groups: Labels of rows.
            sample_weight: How much every row counts.
            x_names: Names of the inputs, if ``X`` is an array that cannot carry them.
            y_names: Names of the outputs, likewise.
            duplicates: Labels that rows of equal inputs share, if they are known already.
            device: What networks are trained on, if not what the estimator says; see :data:`softsym.training.devices.DEVICES`.
        """
        device = self.device if device is None else device
        check_device(device)
        earlier: FittedEnsemble | None = getattr(self, "fit_", None) if self.warm_start else None
        inputs, outputs = self._read(X, y)
        check_magnitudes(inputs, "a value of `X`")
        check_magnitudes(outputs, "a value of `y`")
        if x_names is not None:
            self.feature_names_in_ = np.asarray(x_names, dtype=object)
        if y_names is not None:
            self.output_names_ = [str(name) for name in y_names]
        labels = row_labels(groups, len(inputs))
        weights = row_weights(sample_weight, len(inputs))
        if weights is not None and not weights.all():  # rows that do not count take no part
            kept = weights > 0
            inputs, outputs, weights = inputs[kept], outputs[kept], weights[kept]
            labels, duplicates = (None if one is None else one[kept] for one in (labels, duplicates))
            labels = None if labels is None else numbered(labels.tolist(), "`groups`")
        acting = self._candidates(inputs, outputs, duplicates, labels)
        inputs, outputs, acting = self._centred(inputs, outputs, acting)
        recipe = read_recipe(
            has_groups=bool(acting), width=self.width, layers=self.layers, epochs=self.epochs, batch=self.batch, lr=self.lr,
            shrink=self.weight_decay, strength=self.strength, gamma=self.gamma, strengths=self.strengths,
        )  # fmt: skip
        check_numbers(self.get_params(deep=False), classes=self._target is Target.CLASSES)
        shape = self._shape(inputs, outputs, acting)
        goes_on = earlier is not None and bool(earlier.members) and earlier.shape == shape
        if goes_on and earlier is not None:
            recipe = recipe.model_copy(
                update=earlier.recipe.model_dump(include={"width", "layers", "strength"})
            )
        return FitPlan(
            target=self._target,
            shape=shape,
            recipe=recipe,
            X=inputs,
            Y=outputs,
            seeds=self.seeds,
            seed=seed_of(self.random_state),
            fraction=self.held_out,
            tries=Tries(width=self.width is None, strength=self.strength is None)
            if acting and not goes_on
            else Tries(),
            budget=self.budget,
            duplicates=duplicates,
            together=labels,
            model=self.model,
            device=device,
            weights=weights,
            earlier=earlier.members if goes_on and earlier is not None else (),
        )

    def carry_out(
        self,
        plan: FitPlan,
        folder: Path | None = None,
        *,
        stop: Stop | None = None,
        resting: bool = False,
        on_evidence: Callable[[EvidenceTable], None] | None = None,
        helpers: Helpers | None = None,
        looked: EvidenceTable | None = None,
    ) -> Self:
        """Does what was planned; see :meth:`fit_in`.

        Args:
            plan: What to do.
            folder: Where checkpoints go.
            stop: Asked after every epoch.
            resting: Leave out the judgement.
            on_evidence: Is told the first look as soon as it is there.
            helpers: Who trains networks instead of processes of this machine.
            looked: The first look, if it was taken already.
        """
        session = Session(folder, processes(self.n_jobs), quiet=not self.verbose, stop=stop, helpers=helpers)
        done = carried_out(plan, session, resting=resting, on_evidence=on_evidence, looked=looked)
        self.evidence_, self.symmetries_, self.fit_ = done.evidence, done.symmetries, done.fit
        self.n_iter_ = max((len(member.history) for member in self.fit_.members), default=1)
        return self

    @property
    def baselines_(self) -> Baselines:
        """How well simpler models predict the same held-out rows, and which model is the one that predicts."""
        check_is_fitted(self)
        return self.fit_.baselines

    @property
    def module_(self) -> FittedModule:
        """What predicts as one ``nn.Module``, scaling and ensemble inside: rows in the units of the data in, predictions in theirs out.

        It is made anew each time and shares nothing with the estimator, so it can be trained on, exported and kept by itself.
        """
        check_is_fitted(self)
        is_flat = self._target is Target.NUMBERS and self.n_outputs_ == 0
        return fitted_module(self.fit_, self._points, is_flat=is_flat)

    @one_blas_thread()
    def snap(self, group: Group | str) -> Snapped[Self]:
        """The nearest model that is exactly equivariant to one of the candidates, with what that costs.

        Args:
            group: One of the candidate groups.
        """
        check_is_fitted(self)
        before: FittedEnsemble = self.fit_
        after, distance = snap_fit(before, group)
        model = object.__new__(type(self))
        model.__dict__.update(self.__dict__)  # shares what is fitted, which copying would write out and read
        model.fit_, model.symmetries_ = after, judge_all(after, self.evidence_)
        return Snapped(read_group(group).name, model, after.test_error(), before.test_error(), distance)

    def report(self, path: str | Path | None = None, *, title: str = "your data") -> str:
        """The report as one HTML page, written to a file if a path is given.

        Args:
            path: Where to write it.
            title: What the data are called.
        """
        from softsym.discovery.report.render import render

        check_is_fitted(self)
        page = render(self.story(title))
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    @one_blas_thread()
    def story(self, title: str, facts: dict[str, str] | None = None) -> Story:
        """What the report tells, as data."""
        inputs, outputs = self.fit_.shape.sizes if self.fit_.shape.groups else self._sizes
        names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(inputs)])
        return story_of(
            self.fit_, self.symmetries_, evidence=self.evidence_, title=title, input_names=[str(name) for name in names],
            output_names=self._output_names(outputs), facts=facts,
        )  # fmt: skip

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes the model as safetensors and JSON; :func:`softsym.load` reads it back.

        Args:
            folder: A new folder.
            force: Replace an existing model.
        """
        check_is_fitted(self)
        return storage.save(self._saved(), Path(folder), force=force)

    def __getstate__(self) -> dict[str, Any]:
        if "fit_" not in self.__dict__:
            return dict(self.__dict__)
        rest = {
            key: value
            for key, value in self.__dict__.items()
            if key not in ("fit_", "symmetries_", "evidence_")
        }
        return rest | {
            "_stored": storage.to_files(self._saved())
        }  # no code of ours is pickled, only numbers and text

    def __setstate__(self, state: dict[str, Any]) -> None:
        stored = state.pop("_stored", None)
        self.__dict__.update(state)
        if stored is not None:
            model = storage.from_files(stored)
            self.fit_, self.symmetries_, self.evidence_ = model.fit, model.symmetries, model.evidence

    def _saved(self) -> storage.SavedModel:
        parameters = self.get_params(deep=False)
        del parameters["n_jobs"], parameters["device"]  # of the machine, not of the model
        parameters["groups"] = [str(group) for group in self.fit_.shape.groups]
        if not isinstance(parameters["random_state"], int | np.integer | None):
            parameters["random_state"] = self.fit_.seed  # what a generator gave
        for name in ("rep_in", "rep_out", "largest"):
            parameters[name] = None if parameters[name] is None else str(parameters[name])
        attributes = {name: getattr(self, name) for name in ATTRIBUTES if hasattr(self, name)}
        return storage.SavedModel(
            type(self).__name__, parameters, attributes, self.fit_, self.symmetries_, self.evidence_
        )

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.fit_.held.X.shape[1], self.fit_.held.Y.shape[1]

    def _output_names(self, n: int) -> list[str]:
        return list(getattr(self, "output_names_", [f"y{k}" for k in range(n)]))

    def _inputs(self, X: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64), dtype=np.float64)

    @property
    def _points(self) -> Points | None:
        """How points are fitted; None if there are none."""
        if self.rep_in is None or not has_points(self.rep_in, self.rep_out):
            return None
        target = None if self.rep_out is None else read_rep(self.rep_out)
        return Points(read_rep(self.rep_in), target, self.space_, self.is_centred_)

    def _centred(self, X: Array, Y: Array, groups: list[Group]) -> tuple[Array, Array, list[Group]]:
        """Rows and candidates as they are fitted: without the origin of points, if that does not matter."""
        if self.rep_in is None or not has_points(self.rep_in, self.rep_out):
            return X, Y, groups
        table, acting = read_points(self.rep_in, self.rep_out, groups, X.shape[1])
        self.space_, self.is_centred_ = table.dim, table.is_centred
        return table.inputs(X), table.outputs(X, Y), acting

    def _candidates(
        self, X: Array, Y: Array, duplicates: Index | None, together: Index | None
    ) -> list[Group]:
        """The candidate groups: those that were given, or those that the data propose."""
        if not isinstance(self.groups, str) or self.groups != AUTO:
            return read_groups(self.groups) if self.groups else []
        if self._target is Target.CLASSES:
            raise InputError(
                "groups='auto' is for regression; pass candidates for classes, such as groups=['O(3)']"
            )
        if self.rep_in is None or self.rep_out is None:
            raise InputError(
                "groups='auto' needs how columns transform: pass `rep_in` and `rep_out`, such as '2V' and 'V'"
            )
        proposed = candidates(
            X, Y, self.rep_in, self.rep_out, seed_of(self.random_state),
            fraction=self.held_out, duplicates=duplicates, together=together,
        )  # fmt: skip
        self.proposal_ = proposed.proposal
        return list(proposed.groups)

    def _shape(self, X: Array, Y: Array, groups: list[Group]) -> Shape:
        free = not groups and hasattr(self, "proposal_")
        given = self.get_params(deep=False)
        return shape_of(given, X, Y, groups, classes=self._target is Target.CLASSES, free=free)
