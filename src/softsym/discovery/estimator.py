"""What the estimators share: parameters, fitting, projection, reports and storage, by scikit-learn's contract."""

from __future__ import annotations

import functools
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from softsym.arrays import check_magnitudes, encode_row_groups, one_blas_thread, row_weights, seed_of, validate
from softsym.data.split import HELD_OUT
from softsym.discovery.config import (
    NETWORK_FIELDS,
    NetworkConfig,
    check_parameters,
    count_processes,
    read_hyperparameters,
)
from softsym.discovery.fit_data import AUTO, FitData, Rows, Target, compute_evidence, make_shape, warn_if_standardised
from softsym.discovery.parallel import Executor, Session, Stop
from softsym.discovery.points import Points, has_points, read_points
from softsym.discovery.symmetries import Symmetries, measure_symmetries, read_evidence
from softsym.errors import InputError
from softsym.groups import Group, Translation
from softsym.groups import group as read_group
from softsym.inference import EvidenceTable
from softsym.io import put_text
from softsym.limits import run_interruptible
from softsym.progress import silence
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.typing import Array, Index

if TYPE_CHECKING:
    from softsym.discovery.exact import Projected
    from softsym.discovery.models import Member
    from softsym.discovery.module import FittedModule
    from softsym.discovery.report import Report, ReportData
    from softsym.discovery.select import Baselines, Fit

P = ParamSpec("P")
OnEvidence = Callable[[EvidenceTable], None] | None
RowGroups = Iterable[Hashable] | None


def _accept_network_parameters(init: Callable[P, None]) -> Callable[P, None]:
    """A constructor that also accepts parameters of networks, with a warning; its signature does not have them."""

    @functools.wraps(init)
    def accepting(*args: P.args, **kwargs: P.kwargs) -> None:
        deprecated = {name: kwargs.pop(name) for name in NETWORK_FIELDS if name in kwargs}
        init(*args, **kwargs)
        if deprecated:
            estimator: Any = args[0]
            estimator._set_deprecated(deprecated)

    return accepting


class SoftEquivariantEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """What regressor and classifier share; a base class."""

    _target: ClassVar[Target]  # what the outputs are

    @_accept_network_parameters
    def __init__(
        self,
        rep_in: Rep | str | None = None,
        rep_out: Rep | str | None = None,
        groups: Group | str | Sequence[Group | str] = (),
        *,
        model: str = "auto",
        network: NetworkConfig | None = None,
        held_out: float = HELD_OUT,
        random_state: int = 0,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.rep_in, self.rep_out, self.groups = rep_in, rep_out, groups
        self.model, self.network = model, network
        self.held_out, self.random_state = held_out, random_state
        self.verbose, self.n_jobs = verbose, n_jobs

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """An estimator from parameters of its own and of its networks together, as commands and stored models have them."""
        config = NetworkConfig(**{name: value for name, value in parameters.items() if name in NETWORK_FIELDS})
        own = {name: value for name, value in parameters.items() if name not in NETWORK_FIELDS}
        return cls(**own, network=None if config == NetworkConfig() else config)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; ``deep`` adds those of the networks as ``network__width`` and so on."""
        parameters: dict[str, Any] = super().get_params(deep=False)
        if deep and isinstance(self.network, NetworkConfig | None):
            parameters |= {f"network__{name}": getattr(self._network, name) for name in NETWORK_FIELDS}
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Sets parameters by name, those of the networks as ``network__width`` and so on."""
        nested = {key for key in parameters if key.startswith("network__")}
        deprecated = {key: value for key, value in parameters.items() if key in NETWORK_FIELDS}
        super().set_params(**{key: parameters[key] for key in parameters if key not in nested | deprecated.keys()})
        changes = {key.removeprefix("network__"): parameters[key] for key in nested}
        if unknown := [name for name in changes if name not in NETWORK_FIELDS]:
            raise InputError(f"unknown parameter 'network__{unknown[0]}'; networks have {', '.join(NETWORK_FIELDS)}")
        if changes:
            self.network = replace(self._network, **changes)
        if deprecated:
            self._set_deprecated(deprecated)
        return self

    def _set_deprecated(self, parameters: dict[str, Any]) -> None:
        """Parameters of networks that were given to the estimator itself."""
        names = ", ".join(f"{name}=..." for name in parameters)
        advice = (
            f"pass network=NetworkConfig({names}); parameters of networks are not accepted otherwise after this release"
        )
        warnings.warn(advice, DeprecationWarning, stacklevel=3)
        self.network = replace(self._network, **parameters)

    @property
    def _network(self) -> NetworkConfig:
        """The hyperparameters of networks, or the defaults."""
        if self.network is None:
            return NetworkConfig()
        if not isinstance(self.network, NetworkConfig):
            raise InputError(
                f"`network` must be a softsym.discovery.NetworkConfig or None, got {type(self.network).__name__}"
            )
        return self.network

    def _parameters(self) -> dict[str, Any]:
        """Parameters of the estimator and of its networks together, sorted by name."""
        own = self.get_params(deep=False)
        del own["network"]
        network = {name: getattr(self._network, name) for name in NETWORK_FIELDS}
        return dict(sorted((own | network).items()))

    @abstractmethod
    def _read(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Checks data; outputs as a matrix."""

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, groups: RowGroups = None
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
        return self.fit_data(self.prepare(X, y, groups=groups, sample_weight=sample_weight))

    def evidence(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, groups: RowGroups = None
    ) -> EvidenceTable:
        """The evidence of the data on every candidate, in seconds: the first step of :meth:`fit`, with the same arguments."""
        data = self.prepare(X, y, groups=groups, sample_weight=sample_weight)
        return run_interruptible(lambda stop: compute_evidence(data, count_processes(self.n_jobs)))

    def look(self, *args: Any, **kwargs: Any) -> EvidenceTable:
        """The former name of :meth:`evidence`."""
        warnings.warn("est.look is now est.evidence", DeprecationWarning, stacklevel=2)
        return self.evidence(*args, **kwargs)

    def prepare(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: RowGroups = None,
        sample_weight: ArrayLike | None = None,
        x_names: Sequence[str] | None = None,
        y_names: Sequence[str] | None = None,
        duplicates: Index | None = None,
        device: str | None = None,
    ) -> FitData:
        """What a fit depends on; refuses wrong data and parameters before anything is done."""
        network = self._network
        device = network.device if device is None else device
        if device != "cpu":
            from softsym.training import check_device  # with torch

            check_device(device)
        earlier: Fit | None = getattr(self, "fit_", None) if network.warm_start else None
        inputs, outputs = self._read(X, y)
        check_magnitudes(inputs, "a value of `X`")
        check_magnitudes(outputs, "a value of `y`")
        if x_names is not None:
            self.feature_names_in_ = np.asarray(x_names, dtype=object)
        if y_names is not None:
            self.output_names_ = [str(name) for name in y_names]
        labels = encode_row_groups(groups, len(inputs))
        weights = row_weights(sample_weight, len(inputs))
        if weights is not None and not weights.all():  # rows of weight zero are left out
            kept = weights > 0
            inputs, outputs, weights = inputs[kept], outputs[kept], weights[kept]
            labels, duplicates = (None if one is None else one[kept] for one in (labels, duplicates))
            labels = encode_row_groups(labels, len(inputs))
        rows = Rows(inputs, outputs, weights, labels, self._target)
        candidates, proposal = self._candidates(rows, duplicates)
        centred, acting, translations = self._centre(rows, candidates)
        given, is_classes = self._parameters(), self._target is Target.CLASSES
        hyperparameters = read_hyperparameters(network, has_groups=bool(acting))
        check_parameters(given, classes=is_classes)
        shape = make_shape(given, centred.X, centred.Y, acting, classes=is_classes)
        if acting:
            warn_if_standardised(inputs, outputs, shape)
        search_space = tuple(name for name in ("strength", "width") if acting and getattr(network, name) is None)
        members: tuple[Member, ...] = ()
        if earlier is not None and earlier.networks is not None and earlier.shape == shape:
            members, search_space = earlier.members, ()
            known = earlier.networks.hyperparameters.model_dump(include={"width", "layers", "strength"})
            hyperparameters = hyperparameters.model_copy(update=known)
        return FitData(
            shape=shape,
            rows=centred,
            hyperparameters=hyperparameters,
            seeds=network.seeds,
            seed=seed_of(self.random_state),
            fraction=self.held_out,
            search_space=search_space,
            budget=network.budget,
            duplicates=duplicates,
            model=self.model,
            device=device,
            earlier=members,
            note="; ".join(filter(None, (proposal, translations))),
        )

    def fit_data(
        self,
        data: FitData,
        folder: Path | None = None,
        *,
        on_evidence: OnEvidence = None,
        executor: Executor | None = None,
    ) -> Self:
        """Fits to prepared data; Ctrl-C stops it within two seconds."""

        def work(stop: Stop) -> tuple[EvidenceTable, Symmetries, Fit]:
            session = Session(folder, count_processes(self.n_jobs), not self.verbose, stop, executor)
            return run_fit(data, session, on_evidence)

        self.evidence_, self.symmetries_, self.fit_ = run_interruptible(work)
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
        from softsym.discovery.module import FittedModule

        check_is_fitted(self)
        is_flat = self._target is Target.NUMBERS and self.n_outputs_ == 0
        return FittedModule(self.fit_.full_model.module(), self._points, is_flat=is_flat).eval()

    @one_blas_thread()
    def project(self, group: Group | str) -> Projected[Self]:
        """The nearest model that is exactly equivariant to one of the candidates, and the change of its test error."""
        from softsym.discovery.exact import Projected, project_fit

        check_is_fitted(self)
        before: Fit = self.fit_
        after, distance = project_fit(before, group)
        model = object.__new__(type(self))
        model.__dict__.update(self.__dict__)  # copy.copy would serialise the fit, by __getstate__
        model.fit_, model.symmetries_ = after, measure_symmetries(after, self.symmetries_)
        return Projected(read_group(group).name, model, after.test_error(), before.test_error(), distance)

    def snap(self, group: Group | str) -> Projected[Self]:
        """The former name of :meth:`project`."""
        warnings.warn("est.snap is now est.project", DeprecationWarning, stacklevel=2)
        return self.project(group)

    def report(self, path: str | Path | None = None, *, title: str = "your data") -> Report:
        """The report as one HTML page, written to a file if a path is given; notebooks show it. The title names the data."""
        from softsym.discovery.report import Report, render

        check_is_fitted(self)
        page = render(self.report_data(title))
        if path is not None:
            put_text(Path(path), page)
        return Report(page, None if path is None else Path(path))

    @one_blas_thread()
    def report_data(self, title: str, facts: dict[str, str] | None = None) -> ReportData:
        """The content of the report, as data."""
        from softsym.discovery.report import make_report_data

        written = {"inputs": self.rep_in, "outputs": self.rep_out}
        facts = {what: str(rep) for what, rep in written.items() if rep is not None} | (facts or {})
        names = self.column_names()
        return make_report_data(self.fit_, self.symmetries_, self.evidence_, title=title, names=names, facts=facts)

    def column_names(self) -> tuple[list[str], list[str]]:
        """Names of inputs and outputs."""
        test = self.fit_.test
        inputs = getattr(self, "feature_names_in_", [f"x{k}" for k in range(test.X.shape[1])])
        outputs = getattr(self, "output_names_", [f"y{k}" for k in range(test.Y.shape[1])])
        return [str(name) for name in inputs], [str(name) for name in outputs]

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes the model as safetensors and JSON; ``force`` replaces an existing one. :func:`softsym.load` reads it back."""
        from softsym.discovery import state

        check_is_fitted(self)
        return state.save(self, Path(folder), force=force)

    def storable_parameters(self) -> dict[str, Any]:
        """Parameters as numbers, texts and lists, without those of the machine."""
        parameters = self._parameters()
        del parameters["n_jobs"], parameters["device"]
        given = self._given_groups
        parameters["groups"] = [str(group) for group in (self.fit_.shape.groups if given is None else given)]
        if not isinstance(parameters["random_state"], int | np.integer | None):
            parameters["random_state"] = self.fit_.seed  # what a generator gave
        for name in ("rep_in", "rep_out", "largest"):
            parameters[name] = None if parameters[name] is None else str(parameters[name])
        return parameters

    def __getstate__(self) -> dict[str, Any]:
        if "fit_" not in self.__dict__:
            return dict(self.__dict__)
        from softsym.discovery import state

        fitted = ("fit_", "symmetries_", "evidence_", "proposal_")
        rest = {key: value for key, value in self.__dict__.items() if key not in fitted}
        return rest | {"_stored": state.to_files(self)}  # numbers and text, no code

    def __setstate__(self, values: dict[str, Any]) -> None:
        stored = values.pop("_stored", None)
        self.__dict__.update(values)
        if stored is not None:
            from softsym.discovery import state

            _, (self.fit_, self.symmetries_, self.evidence_) = state.from_files(stored)

    @property
    def _given_groups(self) -> list[Group] | None:
        """The candidates as they were given; None if the data propose them."""
        if isinstance(self.groups, str) and self.groups == AUTO:
            return None
        listed = [self.groups] if isinstance(self.groups, str | Group) else self.groups or ()
        return [read_group(each) for each in listed]

    @property
    def _points(self) -> Points | None:
        """How points are fitted; None if there are none."""
        if self.rep_in is None or not has_points(self.rep_in, self.rep_out):
            return None
        target = None if self.rep_out is None else read_rep(self.rep_out)
        return Points(read_rep(self.rep_in), target, self.space_, self.is_centred_)

    def _centre(self, rows: Rows, groups: list[Group]) -> tuple[Rows, list[Group], str]:
        """Rows and candidates as they are fitted, without the origin of points unless it matters, and a note on translations."""
        if self.rep_in is None or not has_points(self.rep_in, self.rep_out):
            return rows, groups, ""
        columns, note = rows.X.shape[1], ""
        points, acting = read_points(self.rep_in, self.rep_out, groups, columns)
        if points.is_centred and points.rep_out is not None:
            from softsym.inference import evidence

            options: dict[str, Any] = {"row_groups": rows.row_groups, "sample_weight": rows.weights}
            reps, seed = (points.rep_in, points.rep_out), seed_of(self.random_state)
            listed = list(dict.fromkeys([Translation(points.dim), groups[0]]))  # the larger one may decide
            row, *_ = evidence(rows.X, rows.Y, *reps, listed, seed=seed, **options)
            low, high = row.interval
            note = f"translations: {row.verdict}, violation {low:.2g} to {high:.2g}"
            if row.verdict in ("soft", "absent"):
                points, acting = read_points(self.rep_in, self.rep_out, groups, columns, centre=False)
                note += "; points are taken as vectors from the origin"
        self.space_, self.is_centred_ = points.dim, points.is_centred
        return replace(rows, X=points.inputs(rows.X), Y=points.outputs(rows.X, rows.Y)), acting, note

    def _candidates(self, rows: Rows, duplicates: Index | None) -> tuple[list[Group], str]:
        """The candidate groups: those that were given, or those that the data propose, and what was proposed, in words."""
        given = self._given_groups
        if given is not None:
            return given, ""
        if self._target is Target.CLASSES:
            raise InputError("groups='auto' is for regression; pass candidates for classes, such as groups=['O(3)']")
        if self.rep_in is None or self.rep_out is None:
            raise InputError(
                "groups='auto' needs how columns transform: pass `rep_in` and `rep_out`, such as '2V' and 'V'"
            )
        from softsym.propose import propose_candidates

        split: dict[str, Any] = {"fraction": self.held_out, "duplicates": duplicates, "row_groups": rows.row_groups}
        seed = seed_of(self.random_state)
        proposed = propose_candidates(rows.X, rows.Y, self.rep_in, self.rep_out, seed, **split)
        self.proposal_ = proposed.proposal
        return list(proposed.groups), proposed.describe()

    def _inputs(self, X: Any) -> tuple[Array, Array]:
        """Checked inputs, as they are given and as models take them."""
        check_is_fitted(self)
        given = np.asarray(validate(self, X, reset=False), dtype=np.float64)
        points = self._points
        return given, given if points is None else points.inputs(given)


@one_blas_thread()
def run_fit(data: FitData, session: Session, on_evidence: OnEvidence) -> tuple[EvidenceTable, Symmetries, Fit]:
    """The steps of a fit: evidence, models, networks where they can improve on them, selection with exact groups, verdicts."""
    began = time.perf_counter()
    with silence() if session.quiet else nullcontext():
        evidence = compute_evidence(data, session.n_jobs)
    if on_evidence is not None and len(evidence):
        on_evidence(evidence)
    from softsym.discovery import exact, select  # with libraries that take seconds to import
    from softsym.discovery.models import GP

    shape, note = data.shape, data.note
    judged = read_evidence(shape.groups, evidence)
    supported, overlapping = select.select_supported(shape.groups, judged)
    exact_groups = [group for group in overlapping if judged[group.name].verdict == "exact"]
    with silence() if session.quiet else nullcontext():
        models = select.fit_models(data, supported, overlapping, exact_groups)
    is_trained, reason = select.should_train_network(data, models)
    candidates, networks, compiled = list(models.selectable), None, None
    if is_trained:
        from softsym import native
        from softsym.discovery.train import train_networks

        network_shape = select.network_shape(shape, supported) if data.model == "auto" else shape
        networks, selectable = train_networks(data, network_shape, judged.certain(), session)
        candidates += select.network_candidates(data, selectable)
        status = native.status()
        compiled = "used" if status.compiled else f"not used: {status.reason}"
    chosen = exact.select(data, candidates, exact_groups)
    full = chosen.model.fit(data.rows)
    why = [f"{note[0].upper()}{note[1:]}."] if note else []
    why += [f"{'A' if is_trained else 'No'} network was trained: {reason}."]
    why += [select.explain_choice(chosen.model, data, len(candidates))]
    fit = select.Fit(
        shape=shape,
        train_model=chosen.model,
        full_model=full,
        test=data.test,
        n_train=len(data.parts.train),
        seconds=time.perf_counter() - began,
        exact_groups=exact.verify(full, shape, chosen.groups, data.development),
        better_without=chosen.better_without,
        networks=networks,
        gp=None if (gp := models.find(GP)) is None else gp.model,
        baselines=select.make_table(data, chosen.model, chosen.loss, [*candidates, *models.others]),
        compiled=compiled,
        seed=data.seed,
        why=tuple(why),
    )
    return evidence, measure_symmetries(fit, judged), fit
