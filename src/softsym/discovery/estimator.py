"""What the estimators share: fitting, snapping, reports and storage, by scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted, validate_data

from softsym.discovery import storage
from softsym.discovery.fit.baselines import Baselines
from softsym.discovery.fit.fitted import FittedEnsemble, Target
from softsym.discovery.fit.parallel import Helpers, Stop, processes
from softsym.discovery.fit.train import FitPlan, Session
from softsym.discovery.judge.judge import judge_all
from softsym.discovery.judge.project import Snapped, snap_fit
from softsym.discovery.module.fitted_module import FittedModule, fitted_module
from softsym.discovery.plan.planning import PlanningEstimator
from softsym.discovery.report.report_data import Story, story_of
from softsym.discovery.selection.evidence_step import first_look
from softsym.discovery.steps import carried_out
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.inference import EvidenceTable
from softsym.inference.likelihood.blas_threads import one_blas_thread
from softsym.typing import Array

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


class SoftEquivariantEstimator(PlanningEstimator):
    """What regressor and classifier share; not used by itself."""

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
