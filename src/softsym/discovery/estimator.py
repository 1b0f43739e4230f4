"""What the estimators share: fitting, projection, reports and storage, by scikit-learn's contract."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted, validate_data

from softsym.discovery.fit.baselines import Baselines
from softsym.discovery.fit.fitted import FittedEnsemble, Target
from softsym.discovery.fit.parallel import Executor, Stop, processes
from softsym.discovery.fit.train import FitPlan, Session
from softsym.discovery.judge.judge import judge_all
from softsym.discovery.judge.project import Projected, project_fit
from softsym.discovery.plan.planning import PlanningEstimator
from softsym.discovery.selection.evidence_step import compute_evidence
from softsym.discovery.steps import run_fit
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.inference import EvidenceTable
from softsym.inference.likelihood.blas_threads import one_blas_thread
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.discovery.module.fitted_module import FittedModule
    from softsym.discovery.report.report_data import ReportData
    from softsym.discovery.storage import SavedModel

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
"""Fitted attributes besides the fit itself, which a saved model keeps."""


class SoftEquivariantEstimator(PlanningEstimator):
    """What regressor and classifier share; a base class."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Computes the evidence of the data, fits models and gives a verdict on every candidate group.

        Args:
            X: Inputs (n, size of ``rep_in``): an array or a data frame.
            y: Outputs (n, size of ``rep_out``), or classes (n,).
            sample_weight: Weight of every row (n,), not negative, for evidence, models and errors: the variance of a row's noise is
                divided by it. Rows of weight zero are left out. Weights must not depend on inputs that a candidate transforms, and
                proposed candidates (``groups="auto"``) come from rows of equal weight.
            groups: Row groups: a label for every row (n,), of any hashable type, as in scikit-learn's splitters. Rows of one label,
                such as windows of one recording, are all trained on or all held out. They are no candidate symmetry groups, which
                are parameters of the constructor.
        """
        return self.fit_in_folder(None, X, y, groups=groups, sample_weight=sample_weight)

    def evidence(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: Iterable[Hashable] | None = None,
    ) -> EvidenceTable:
        """The evidence of the data on every candidate, in seconds: the first step of :meth:`fit`.

        Args:
            X: Inputs (n, size of ``rep_in``).
            y: Outputs (n, size of ``rep_out``).
            sample_weight: Weight of every row (n,).
            groups: Row groups (n,).
        """
        with one_blas_thread():
            plan = self.plan(X, y, groups=groups, sample_weight=sample_weight)
            return compute_evidence(plan, processes(self.n_jobs))

    def look(self, *args: Any, **kwargs: Any) -> EvidenceTable:
        """The former name of :meth:`evidence`."""
        warnings.warn("est.look is now est.evidence", DeprecationWarning, stacklevel=2)
        return self.evidence(*args, **kwargs)

    def fit_in_folder(
        self,
        folder: Path | None,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: Iterable[Hashable] | None = None,
        sample_weight: ArrayLike | None = None,
        stop: Stop | None = None,
        skip_verdicts: bool = False,
    ) -> Self:
        """:meth:`fit` with checkpoints in a folder, from which a stopped fit continues.

        Args:
            folder: Where checkpoints go; None for nowhere.
            X: Inputs.
            y: Outputs.
            groups: Row groups.
            sample_weight: Weight of every row.
            stop: Called after every epoch; True ends training.
            skip_verdicts: Fit models without evidence and verdicts.
        """
        plan = self.plan(X, y, groups=groups, sample_weight=sample_weight)
        return self.fit_plan(plan, folder, stop=stop, skip_verdicts=skip_verdicts)

    def fit_plan(
        self,
        plan: FitPlan,
        folder: Path | None = None,
        *,
        stop: Stop | None = None,
        skip_verdicts: bool = False,
        on_evidence: Callable[[EvidenceTable], None] | None = None,
        executor: Executor | None = None,
        evidence: EvidenceTable | None = None,
    ) -> Self:
        """Fits as planned; see :meth:`fit_in_folder`.

        Args:
            plan: The plan.
            folder: Where checkpoints go.
            stop: Called after every epoch.
            skip_verdicts: Fit models without evidence and verdicts.
            on_evidence: Called with the evidence as soon as it is computed.
            executor: Executor that trains networks; processes of this machine by default.
            evidence: The evidence, if it is known already.
        """
        session = Session(
            folder, processes(self.n_jobs), quiet=not self.verbose, stop=stop, executor=executor
        )
        done = run_fit(plan, session, skip_verdicts=skip_verdicts, on_evidence=on_evidence, evidence=evidence)
        self.evidence_, self.symmetries_, self.fit_ = done.evidence, done.symmetries, done.fit
        self.n_iter_ = max((len(member.history) for member in self.fit_.members), default=1)
        return self

    @property
    def baselines_(self) -> Baselines:
        """Held-out errors of all models and baselines, fitted to the same rows; the selected model is marked."""
        check_is_fitted(self)
        return self.fit_.baselines

    @property
    def module_(self) -> FittedModule:
        """The selected model as one ``nn.Module``, scaling and ensemble inside, in the units of the data.

        It is made anew each time and shares nothing with the estimator, so it can be trained further and exported.
        """
        from softsym.discovery.module.fitted_module import fitted_module

        check_is_fitted(self)
        is_flat = self._target is Target.NUMBERS and self.n_outputs_ == 0
        return fitted_module(self.fit_, self._points, is_flat=is_flat)

    @one_blas_thread()
    def project(self, group: Group | str) -> Projected[Self]:
        """The nearest model that is exactly equivariant to one of the candidates, and the change of its test error.

        Args:
            group: One of the candidate groups.
        """
        check_is_fitted(self)
        before: FittedEnsemble = self.fit_
        after, distance = project_fit(before, group)
        model = object.__new__(type(self))
        model.__dict__.update(self.__dict__)  # copy.copy would serialise the fit, by __getstate__
        model.fit_, model.symmetries_ = after, judge_all(after, self.evidence_)
        return Projected(read_group(group).name, model, after.test_error(), before.test_error(), distance)

    def snap(self, group: Group | str) -> Projected[Self]:
        """The former name of :meth:`project`."""
        warnings.warn("est.snap is now est.project", DeprecationWarning, stacklevel=2)
        return self.project(group)

    def report(self, path: str | Path | None = None, *, title: str = "your data") -> str:
        """The report as one HTML page, written to a file if a path is given.

        Args:
            path: Where to write it.
            title: What the data are called.
        """
        from softsym.discovery.report.render import render

        check_is_fitted(self)
        page = render(self.report_data(title))
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    @one_blas_thread()
    def report_data(self, title: str, facts: dict[str, str] | None = None) -> ReportData:
        """The content of the report, as data."""
        from softsym.discovery.report.report_data import make_report_data

        inputs, outputs = self.fit_.shape.sizes if self.fit_.shape.groups else self._sizes
        names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(inputs)])
        return make_report_data(
            self.fit_,
            self.symmetries_,
            evidence=self.evidence_,
            title=title,
            input_names=[str(name) for name in names],
            output_names=self._output_names(outputs),
            facts=facts,
        )

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes the model as safetensors and JSON; :func:`softsym.load` reads it back.

        Args:
            folder: A new folder.
            force: Replace an existing model.
        """
        from softsym.discovery import storage

        check_is_fitted(self)
        return storage.save(self._to_saved_model(), Path(folder), force=force)

    def __getstate__(self) -> dict[str, Any]:
        if "fit_" not in self.__dict__:
            return dict(self.__dict__)
        from softsym.discovery import storage

        rest = {
            key: value
            for key, value in self.__dict__.items()
            if key not in ("fit_", "symmetries_", "evidence_")
        }
        return rest | {
            "_stored": storage.to_files(self._to_saved_model())
        }  # numbers and text, no pickled code

    def __setstate__(self, state: dict[str, Any]) -> None:
        stored = state.pop("_stored", None)
        self.__dict__.update(state)
        if stored is not None:
            from softsym.discovery import storage

            model = storage.from_files(stored)
            self.fit_, self.symmetries_, self.evidence_ = model.fit, model.symmetries, model.evidence

    def _to_saved_model(self) -> SavedModel:
        """The fitted estimator as values."""
        from softsym.discovery.storage import SavedModel

        parameters = self._parameters()
        del parameters["n_jobs"], parameters["device"]  # of the machine, not of the model
        parameters["groups"] = [str(group) for group in self.fit_.shape.groups]
        if not isinstance(parameters["random_state"], int | np.integer | None):
            parameters["random_state"] = self.fit_.seed  # what a generator gave
        for name in ("rep_in", "rep_out", "largest"):
            parameters[name] = None if parameters[name] is None else str(parameters[name])
        attributes = {name: getattr(self, name) for name in ATTRIBUTES if hasattr(self, name)}
        return SavedModel(
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
