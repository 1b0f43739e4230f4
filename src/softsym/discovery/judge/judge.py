"""The table of symmetries of a fit: every candidate measured and judged."""

from __future__ import annotations

import numpy as np

from softsym.discovery.fit.fitted import FittedEnsemble
from softsym.discovery.fit.member import make_regularizer
from softsym.discovery.judge.measure import measure_group
from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.discovery.judge.verdict import judge
from softsym.groups import Group


def judge_all(fit: FittedEnsemble) -> Symmetries:
    """Measures and judges every candidate group of a fit, with elements drawn from the seed of its first member."""
    return Symmetries([judge_group(fit, group) for group in fit.shape.groups])


def judge_group(fit: FittedEnsemble, group: Group) -> Symmetry:
    """Measures and judges one candidate."""
    grounds = measure_group(fit, group, fit.members[0].seed)
    verdict, reasons = judge(grounds)
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
        reasons=reasons,
    )


def weight_distances(fit: FittedEnsemble, group: Group) -> tuple[float, dict[str, float]]:
    """How far weights are from the group's space: the share of their squared norm outside, and each layer's relative distance."""
    shares, layers = [], []
    for member in fit.members:
        per = make_regularizer(member.model, fit.shape)
        if per is None:
            return 0.0, {}
        outside = per.residuals()[group.name]
        squares = per.stacked.by_layer(
            [float(p.detach().double().square().sum()) for p in per.stacked.parameters]
        )
        shares.append(2 * sum(outside.values()) / sum(squares.values()))
        layers.append([np.sqrt(2 * outside[name] / max(squares[name], 1e-300)) for name in squares])
    named = {f"layer {k + 1}": float(value) for k, value in enumerate(np.mean(layers, axis=0))}
    return float(np.mean(shares)), named


def final_strength(fit: FittedEnsemble, group: Group) -> float:
    """The final strength of the group's penalty, a geometric mean over members."""
    values = [member.strengths[group.name] for member in fit.members]
    return float(np.exp(np.mean(np.log(np.maximum(values, 1e-300))))) if min(values) > 0 else 0.0
