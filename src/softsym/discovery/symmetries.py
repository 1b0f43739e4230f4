"""The table of verdicts on candidate groups: the evidence of the data, and how far the selected model obeys each group.

Verdicts are those of :func:`softsym.evidence`. A model may only make them more careful: a group without which held-out rows are predicted
clearly better is no longer called exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from softsym.groups import Group
from softsym.inference import Reason, Verdict
from softsym.metrics import act, relative_error, transforms
from softsym.metrics.transform import sample_nontrivial
from softsym.spaces import invariants
from softsym.tables import CandidateTable, Column
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.discovery.select import Fit

NONE, FEW_ROWS, BETTER_WITHOUT = str(Reason.NONE), str(Reason.FEW_ROWS), str(Reason.BETTER_WITHOUT)
"""Codes of reasons that are given here; all others are those of the evidence."""
NO_EVIDENCE = "rows are too few, or outputs do not vary, so the data say nothing about it"
WITHOUT = "models without it predict held-out rows clearly better"
ROWS, ELEMENTS, RESAMPLES = 200, 16, 500
"""Test rows and elements by which a model's equivariance error is measured, and resamples for its interval."""
UNKNOWN = (math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The verdict on one candidate group.

    Args:
        name: The group's text.
        verdict: ``exact``, ``soft``, ``absent`` or ``undecided``.
        violation: Relative violation |t_perp| / |t| of the target function; NaN if unknown.
        interval: Its 95 % confidence interval.
        p_value: Of the test that refutes the symmetry; NaN where none counts.
        cost: 95 % interval of the share of variance lost by enforcing the group; NaN if unknown.
        certified: Certified tolerance, free of model assumptions; NaN if unknown.
        tolerance: The smallest tolerance at which the data support exactness; NaN if unknown.
        overlap: Orbit overlap, 0 to 1: how much transformed data look like data; NaN if unknown.
        log_evidence: Log marginal likelihood of exact symmetry minus that of none; NaN if unknown.
        reason: Code of the reason for an undecided verdict, or for care; ``none`` if there is none.
        note: What would decide it, or why to be careful, in words; empty if there is nothing to say.
        error: Equivariance error of the selected model, |rho f(x) - f(rho x)| over the sum of both norms, averaged.
        error_interval: Its 95 % interval, over elements and rows.
        strength: For networks the final strength of the penalty, a geometric mean over seeds; for closed-form models the share of the
            target function's variance that is equivariant; NaN if unknown.
        residual: For networks the squared distance of the weights from the group's equivariant space, as a share of their squared norm;
            for closed-form models the rest of the target function's variance.
        layers: Distance of each layer's weights from that space, as a share of their norm.
    """

    name: str
    verdict: Verdict
    violation: float = math.nan
    interval: tuple[float, float] = UNKNOWN
    p_value: float = math.nan
    cost: tuple[float, float] = UNKNOWN
    certified: float = math.nan
    tolerance: float = math.nan
    overlap: float = math.nan
    log_evidence: float = math.nan
    reason: str = NONE
    note: str = ""
    error: float = math.nan
    error_interval: tuple[float, float] = UNKNOWN
    strength: float = math.nan
    residual: float = math.nan
    layers: dict[str, float] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symmetry) and self.to_dict() == other.to_dict()  # NaN equals NaN

    def __hash__(self) -> int:
        return hash((self.name, self.verdict))

    @property
    def group(self) -> str:
        """The group's text."""
        return self.name

    @property
    def is_conclusive(self) -> bool:
        """Whether the data suffice for a verdict."""
        return self.verdict != "undecided"

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON (schema 2); what is not known is None."""
        fields = {key: _plain(getattr(self, key)) for key in self.__dataclass_fields__}
        fields["violation_interval"] = fields.pop("interval")
        fields["coverage"] = fields.pop("overlap")
        excess = _plain(self.violation / math.sqrt(2.0))  # the equivariance error that goes with it
        reasons = [] if self.reason == NONE else [{"code": self.reason, "text": self.note}]
        return {**fields, "excess": excess, "reasons": reasons, "decided_by": "evidence"}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Symmetry:
        """The inverse of :meth:`to_dict`."""
        renamed = {"interval": fields["violation_interval"], "overlap": fields["coverage"]}
        known = {key: value for key, value in fields.items() if key in cls.__dataclass_fields__}
        if fields["verdict"] not in get_args(Verdict):
            raise ValueError(f"a verdict is one of {', '.join(get_args(Verdict))}, got {fields['verdict']!r:.40}")
        return cls(**{key: _number_or_nan(value) for key, value in {**known, **renamed}.items()})

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        fields = {key: getattr(self, key) for key in self.__dataclass_fields__}
        layers = {f"distance {layer}": value for layer, value in fields.pop("layers").items()}
        for key, prefix in (("interval", "violation"), ("error_interval", "error"), ("cost", "cost")):
            fields[f"{prefix}_low"], fields[f"{prefix}_high"] = fields.pop(key)
        return {"group": fields.pop("name"), **fields, **layers}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(end) for end in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _number_or_nan(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(math.nan if end is None else float(end) for end in value)
    return math.nan if value is None else dict(value) if isinstance(value, dict) else value


def _number(value: float) -> str:
    return "" if math.isnan(value) else "0" if value == 0 else f"{value:#.2g}"


def _ends(ends: tuple[float, float]) -> str:
    return "" if any(map(math.isnan, ends)) else " to ".join(map(_number, ends))


def _most(ends: tuple[float, float]) -> str:
    """The upper end of a cost, as a percentage of the variance."""
    return "" if math.isnan(ends[1]) else f"{100 * max(ends[1], 0.0):.2g} %"


def _strength(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


COLUMNS: tuple[Column[Symmetry], ...] = (
    Column("group", "Group", lambda row: row.name),
    Column("verdict", "Verdict", lambda row: row.verdict),
    Column("violation", "Violation", lambda row: row.violation, _number, is_figure=True),
    Column("interval", "95 % interval", lambda row: row.interval, _ends, is_figure=True),
    Column("cost", "Cost, at most", lambda row: row.cost, _most, is_figure=True),
    Column("error", "Model's error", lambda row: row.error, _number, is_figure=True),
    Column("strength", "Strength", lambda row: row.strength, _strength, is_figure=True),
    Column("note", "Note", lambda row: row.note, is_prose=True),
)
"""What a table of symmetries shows, wherever it is shown."""


class Symmetries(CandidateTable[Symmetry]):
    """The table of all candidate groups: iterable, indexed by place or by the group's name.

    Example:
        >>> table = Symmetries([Symmetry("O(2)@z", "exact", 0.0, (0.0, 0.01), error=1e-9, strength=1.0)])
        >>> table["O(2)@z"].verdict
        'exact'
        >>> print(table)
        group   verdict  violation  interval    cost  error    strength  note
        O(2)@z  exact    0          0 to 0.010        1.0e-09  1
    """

    title = "Symmetries"
    columns = COLUMNS

    def certain(self) -> dict[str, Verdict]:
        """Verdicts by group that are decided."""
        return {row.name: row.verdict for row in self._rows if row.is_conclusive}


SHARED = ("violation", "interval", "p_value", "cost", "certified", "tolerance", "overlap", "log_evidence", "note")
"""Fields that rows of the evidence have, too."""


def read_evidence(groups: Sequence[Group], table: Iterable[Any]) -> Symmetries:
    """The verdicts of the evidence on candidates."""
    rows = {row.name: row for row in table}
    symmetries = []
    for name in (group.name for group in groups):
        if name in rows:
            shared = {field: getattr(rows[name], field) for field in SHARED}
            symmetries.append(Symmetry(name, rows[name].verdict, reason=str(rows[name].reason), **shared))
        else:
            symmetries.append(Symmetry(name, "undecided", reason=FEW_ROWS, note=NO_EVIDENCE))
    return Symmetries(symmetries)


def measure_symmetries(fit: Fit, evidence: Symmetries) -> Symmetries:
    """The verdicts of the evidence with what the fitted model says about each group."""
    rows = []
    for group in fit.shape.groups:
        row = evidence[group.name]
        if row.name in fit.better_without and row.verdict == "exact":
            row = replace(row, verdict="undecided", reason=BETTER_WITHOUT, note=WITHOUT)
        errors = equivariance_errors(fit, group)
        measured = {"error": float(errors.mean()), "error_interval": bootstrap_interval(errors, fit.seed)}
        strength, residual, layers = measure_strength(fit, group, row)
        rows.append(replace(row, **measured, strength=strength, residual=residual, layers=layers))
    return Symmetries(rows)


def equivariance_errors(fit: Fit, group: Group) -> Array:
    """Relative equivariance errors (elements, rows) of the selected model on test rows.

    Elements act nontrivially on inputs. The invariant part of the mean output is subtracted first: a constant says nothing about a symmetry
    and would make every violation look small.
    """
    shape, X = fit.shape, fit.test.X[:ROWS]
    rng = np.random.default_rng(fit.seed)
    elements = sample_nontrivial(shape.rep_in, group, ELEMENTS, rng) or transforms(group, ELEMENTS, rng)
    transformed = act(shape.rep_in, group, elements, X)
    after = fit.train_model.predict(transformed.reshape(-1, X.shape[1])).reshape(ELEMENTS, len(X), -1)
    predicted = fit.train_model.predict(X)
    before = act(shape.rep_out, group, elements, predicted)
    rest = invariants(shape.rep_out, group).project(predicted.mean(axis=0))
    return np.asarray(relative_error(before - rest, after - rest))


def bootstrap_interval(errors: Array, seed: int = 0) -> tuple[float, float]:
    """95 % interval of the mean of errors (elements, rows): a bootstrap over both."""
    rng = np.random.default_rng(seed)
    draws = [rng.integers(n, size=(RESAMPLES, n)) for n in errors.shape]
    means = [errors[np.ix_(e, r)].mean() for e, r in zip(*draws, strict=True)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def measure_strength(fit: Fit, group: Group, row: Symmetry) -> tuple[float, float, dict[str, float]]:
    """Strength, residual and distances by layer of one group."""
    networks = fit.networks
    if networks is not None and any(group.name in member.strengths for member in networks.members):
        from softsym.discovery.models import weight_distances

        values = [member.strengths.get(group.name, 0.0) for member in networks.members]
        strength = float(np.exp(np.mean(np.log(values)))) if min(values) > 0 else 0.0
        return strength, *weight_distances(networks, group)
    if networks is not None:  # trained without it
        return 0.0, row.violation**2, {}
    return 1.0 - row.violation**2, row.violation**2, {}
