"""The table of symmetries of a fit: every candidate measured and judged."""

from __future__ import annotations

from softsym.discovery.fit.fit import Fit
from softsym.discovery.judge.measure import final_strength, measure_group, weight_distances
from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.discovery.judge.verdict import Grounds, judge
from softsym.groups import Group


def judge_all(fit: Fit) -> Symmetries:
    """Measures and judges every candidate group of a fit, with elements drawn from the seed of its first member."""
    seed = fit.members[0].seed
    explained = fit.explained()
    return Symmetries(
        [_judged(fit, group, grounds_of(fit, group, explained, seed)) for group in fit.shape.groups]
    )


def grounds_of(fit: Fit, group: Group, explained: float, seed: int = 0) -> Grounds:
    """What the verdict on one group rests on."""
    measured = measure_group(fit, group, seed)
    return Grounds(
        error=measured.error,
        interval=measured.interval(seed),
        control=measured.control,
        noise_ratio=measured.noise_ratio,
        refutation=measured.refutation,
        explained=explained,
        rows=fit.n_train,
        coverage=None if measured.coverage is None else measured.coverage.value,
        held_out=fit.held.is_separate,
    )


def _judged(fit: Fit, group: Group, grounds: Grounds) -> Symmetry:
    verdict, note = judge(grounds)
    residual, layers = weight_distances(fit, group)
    return Symmetry(
        name=group.name,
        verdict=verdict,
        error=grounds.error,
        error_interval=grounds.interval,
        strength=final_strength(fit, group),
        residual=residual,
        excess=grounds.excess,
        layers=layers,
        note=note,
    )
