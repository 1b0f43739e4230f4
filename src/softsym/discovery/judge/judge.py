"""The table of symmetries of a fit: every candidate measured and judged, by the evidence and the model together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from softsym.discovery.fit.fitted import FittedEnsemble
from softsym.discovery.fit.member import make_regularizer
from softsym.discovery.judge.measure import measure_group
from softsym.discovery.judge.model_verdict import decide
from softsym.discovery.judge.reasons import Cause, Reason
from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.groups import Group
from softsym.inference import EvidenceRow, EvidenceTable
from softsym.inference.lattice import contains


def judge_all(fit: FittedEnsemble, evidence: EvidenceTable | None = None) -> Symmetries:
    """Measures and judges every candidate group of a fit, with elements drawn from its seed.

    Args:
        fit: The fit.
        evidence: The evidence of the data, which decides where it can.
    """
    known = {row.name: row for row in evidence or ()}
    unexplained_by_gp = measure_unexplained_by_gp(fit)
    rows = [judge_group(fit, group, known.get(group.name), unexplained_by_gp) for group in fit.shape.groups]
    return Symmetries(make_consistent(rows, fit.shape.groups))


def judge_group(
    fit: FittedEnsemble, group: Group, row: EvidenceRow | None = None, unexplained_by_gp: float = 0.0
) -> Symmetry:
    """Measures and judges one candidate."""
    statistics = measure_group(fit, group, fit.seed)
    verdict, reasons, decided_by = decide(statistics, row, unexplained_by_gp)
    strength, residual, layers = measure_strength(fit, group, row)
    about = Symmetry(
        name=group.name,
        verdict=verdict,
        error=statistics.error,
        error_interval=statistics.interval,
        strength=strength,
        residual=residual,
        excess=statistics.excess,
        layers=layers,
        reasons=reasons,
        coverage=math.nan if statistics.coverage is None else statistics.coverage,
        decided_by=decided_by,
    )
    if row is None:
        return about
    return replace(
        about, p_value=row.p_value, log_evidence=row.log_evidence, violation=row.asymmetry, violation_interval=row.interval,
        tolerance=row.tolerance, coverage=row.coverage,
    )  # fmt: skip


def measure_unexplained_by_gp(fit: FittedEnsemble) -> float:
    """Relative size of what networks explain of validation rows and the Gaussian process does not; 0 without either."""
    gp_model, rows = fit.closed_form.gp_model, fit.judged
    if gp_model is None or not fit.members:
        return 0.0
    unexplained = [
        1.0 - rows.explained(float(rows.errors(predicted).mean()))
        for predicted in (gp_model(rows.X), fit.predictor(rows.X).mean(0))
    ]
    return math.sqrt(max(0.0, unexplained[0] - unexplained[1]))


def make_consistent(rows: Sequence[Symmetry], groups: Sequence[Group]) -> list[Symmetry]:
    """Verdicts that respect inclusions: no group with a refuted subgroup is exact, and every group with an absent subgroup is absent."""
    refuted = [
        (row, group) for row, group in zip(rows, groups, strict=True) if row.verdict in ("soft", "absent")
    ]
    judged = []
    for row, group in zip(rows, groups, strict=True):
        inside = [other for other, H in refuted if row.verdict != "absent" and contains(group, H)]
        absent = [other for other in inside if other.verdict == "absent"]
        if absent:
            row = _with_subgroup_reason(row, absent[0].name, "absent")
        elif inside and row.verdict == "exact":
            row = _with_subgroup_reason(row, inside[0].name, "refuted")
        judged.append(row)
    return judged


def _with_subgroup_reason(row: Symmetry, subgroup: str, what: str) -> Symmetry:
    reason = Reason(Cause.SUBGROUP, f"{Cause.SUBGROUP.value}{subgroup} is {what}")
    if what == "absent":  # what made it undecided no longer matters
        return replace(row, verdict="absent", reasons=(reason,))
    return replace(row, verdict="undecided", reasons=(*row.reasons, reason))


def measure_strength(
    fit: FittedEnsemble, group: Group, row: EvidenceRow | None = None
) -> tuple[float, float, dict[str, float]]:
    """Strength, residual and distances by layer of one group.

    For closed-form models the strength is the share of the target function's variance that is equivariant: by the evidence, or by the
    prior where the evidence says nothing.
    """
    if any(group.name in member.strengths for member in fit.members):
        return final_strength(fit, group), *weight_distances(fit, group)
    if fit.members:  # trained without it
        return 0.0, math.nan if row is None else row.asymmetry**2, {}
    if row is not None and math.isfinite(row.asymmetry):
        return 1.0 - row.asymmetry**2, row.asymmetry**2, {}
    share = (
        fit.closed_form.gp_model.weights.get(group.name, 0.0)
        if fit.closed_form.gp_model is not None
        else math.nan
    )
    return share, 1.0 - share, {}


def weight_distances(fit: FittedEnsemble, group: Group) -> tuple[float, dict[str, float]]:
    """How far weights are from the group's space: the share of their squared norm outside, and each layer's relative distance."""
    shares, layers = [], []
    for member in fit.members:
        per = make_regularizer(member.model, fit.shape.restrict_to(member.strengths))
        if per is None:
            return 0.0, {}
        outside = per.residuals()[group.name]
        squares = per.stacked.sum_by_layer(
            [float(p.detach().double().square().sum()) for p in per.stacked.parameters]
        )
        shares.append(2 * sum(outside.values()) / sum(squares.values()))
        layers.append([np.sqrt(2 * outside[name] / max(squares[name], 1e-300)) for name in squares])
    named = {f"layer {k + 1}": float(value) for k, value in enumerate(np.mean(layers, axis=0))}
    return float(np.mean(shares)), named


def final_strength(fit: FittedEnsemble, group: Group) -> float:
    """The final strength of the group's penalty, a geometric mean over members."""
    values = [member.strengths.get(group.name, 0.0) for member in fit.members]
    return float(np.exp(np.mean(np.log(np.maximum(values, 1e-300))))) if min(values) > 0 else 0.0
