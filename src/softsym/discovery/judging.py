"""The table of symmetries of a fit: every candidate measured and judged."""

from __future__ import annotations

from softsym.discovery.fitted import Fit
from softsym.discovery.measuring import final_strength, measure_group, weight_distances
from softsym.discovery.symmetries import Symmetries, Symmetry
from softsym.discovery.verdict import Grounds, judge
from softsym.groups import Group


def judge_all(fit: Fit, seed: int = 0) -> Symmetries:
    """Measures and judges every candidate group of a fit."""
    explained = fit.explained()
    return Symmetries([_judged(fit, group, explained, seed) for group in fit.shape.groups])


def _judged(fit: Fit, group: Group, explained: float, seed: int) -> Symmetry:
    measured = measure_group(fit, group, seed)
    interval = measured.interval(seed)
    covered = None if measured.coverage is None else measured.coverage.value
    verdict, note = judge(
        Grounds(
            measured.error, interval, measured.control, explained, fit.n_train, covered, fit.held.is_separate
        )
    )
    residual, layers = weight_distances(fit, group)
    return Symmetry(
        group.name, verdict, measured.error, interval, final_strength(fit, group), residual, layers, note
    )
