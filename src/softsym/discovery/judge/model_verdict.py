r"""The verdict: exact, soft, absent or undecided, from the evidence and the model together.

**Where there are kernels, the evidence decides** (:mod:`softsym.inference.verdict`): two one-sided tests of the relative violation
:math:`a = |t_\perp| / |t|` of the target function. Its Gaussian process must explain what the best model of the same run explains: with
shares u of validation variance unexplained, the difference has the relative size :math:`\sqrt{u_{gp} - u_{best}}`, which must lie below
the tolerance, since a violation of that size could be in it.

**Elsewhere the model decides**: its equivariance error e, against its prediction errors on validation rows. A violation that these errors
explain counts as none (:data:`NOISE`, :data:`REFUTED`); an error as large as that of a model that ignores the group, or above
:data:`MODEL_ABSENT_ABOVE`, is no symmetry; what lies between is soft. A model that fits too badly for that
(:data:`GOOD_FIT`) is judged by its error relative to the control (:data:`EXACT_BELOW`). These thresholds are calibrated on data whose
ground truth is known (:mod:`softsym_lab.benchmarks.calibration`).

**Undecided** is a verdict of its own: the interval contains a boundary, the model explains too little, transformed data lie where there
are none, rows are too few, a model without symmetries predicts so much better that a penalty may hide a violation, or a candidate
inside the group is refuted. The note says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from softsym.discovery.judge.reasons import NON_BLOCKING, Cause, Reason
from softsym.discovery.judge.symmetries import DecidedBy, Finding
from softsym.inference import EvidenceRow
from softsym.inference.verdict import LEVEL, TOLERANCE
from softsym.metrics.overlap import LOW_OVERLAP

if TYPE_CHECKING:
    from softsym.datasets.builtin import Verdict

NOISE = 3.0
"""Largest ratio of squared violation to the model's own squared errors that these explain: transformed rows lie further out."""
REFUTED = 3.0
"""Standard errors by which held-out rows are predicted worse before a difference counts."""
GOOD_FIT = 0.65
"""Share of the variance that a model must explain for its errors to be a scale for violations."""
EXACT_BELOW, NO_BETTER = 0.18, 0.85
"""Errors relative to a model that ignores the group: below the first the model is equivariant, above the second it ignores the group."""
MODEL_ABSENT_ABOVE = 0.24
"""The error above which knowing a symmetry hardly helps: the boundary of the tasks, 0.2, plus the usual errors of a model."""
FEWEST_ROWS = 100
"""Training rows below which the verdict of a network is not certain."""
LEAST_EXPLAINED_TO_JUDGE = 0.1
"""Share of the variance below which a model knows nothing of the data."""


@dataclass(frozen=True)
class ModelStatistics:
    """Statistics of a fitted model for the verdict on one group.

    Args:
        error: The model's equivariance error.
        interval: Its 95 % interval.
        control: The error of a model that ignores the group.
        noise_ratio: The violation over what the model's mistakes explain; None if unknown.
        refutation: By how many standard errors averaging over the group makes predictions worse; None if unknown.
        explained: Share of held-out variance that the model explains.
        rows: Number of training rows.
        coverage: Orbit overlap, 0 to 1: how much transformed data look like data; None if unknown.
        held_out: Whether errors were measured on rows kept from training.
        hidden: Equivariance error that a penalty may hide, from how much better a model without symmetries predicts; zero if none does
            significantly.
        acts: Whether the group acts nontrivially on inputs or outputs.
    """

    error: float
    interval: tuple[float, float]
    control: float
    noise_ratio: float | None
    refutation: float | None
    explained: float
    rows: int
    coverage: float | None
    held_out: bool = True
    hidden: float = 0.0
    acts: bool = True

    @property
    def is_noise(self) -> bool:
        """Whether a good model's own mistakes explain all of the violation."""
        refuted = self.refutation is not None and self.refutation > REFUTED
        return self.fits_well and self.noise_ratio is not None and self.noise_ratio <= NOISE and not refuted

    @property
    def fits_well(self) -> bool:
        """Whether the model's mistakes are small enough to judge by."""
        return self.explained >= GOOD_FIT and self.noise_ratio is not None

    @property
    def is_untrained(self) -> bool:
        """Whether a violation may be the model's own: it explains too little, and averaging it over the group costs nothing."""
        return self.explained < GOOD_FIT and not (self.refutation is not None and self.refutation > REFUTED)

    @property
    def excess(self) -> float:
        """The error beyond what a good model's mistakes explain: an estimate of the data's own equivariance error."""
        if not self.fits_well or self.noise_ratio is None:
            return self.error
        if self.noise_ratio <= NOISE:
            return 0.0 if self.is_noise else self.error
        return float(self.error * (1.0 - NOISE / self.noise_ratio) ** 0.5)


def decide(
    statistics: ModelStatistics, row: EvidenceRow | None = None, unexplained_by_gp: float = 0.0
) -> tuple[Finding, tuple[Reason, ...], DecidedBy]:
    """The verdict, its reasons, and whether evidence or model decided.

    Args:
        statistics: Statistics of the model.
        row: The evidence; None if there is none.
        unexplained_by_gp: Relative size of what the best model of the run explains and the Gaussian process of the evidence does not.

    Example:
        >>> sure = ModelStatistics(0.002, (0.001, 0.003), 0.4, 0.1, 0.0, 0.95, 1000, 0.9)
        >>> decide(sure, EvidenceRow("O(3)", "soft", rows=300))
        ('soft', (), 'evidence')
        >>> decide(sure, EvidenceRow("O(3)", "undecided", rows=300), unexplained_by_gp=0.3)
        ('exact', (), 'model')
        >>> decide(sure, EvidenceRow("O(3)", "soft", rows=300), unexplained_by_gp=0.3)[0]
        'undecided'
    """
    if not statistics.acts:
        return (*judge(statistics), "model")
    if row is not None and row.rows and unexplained_by_gp <= TOLERANCE:
        return row.verdict, (Reason(Cause.OTHER, row.note),) if row.note else (), "evidence"
    verdict, reasons = judge(statistics)
    if verdict == "exact" and row is not None and (row.verdict in ("soft", "absent") or row.p_value < LEVEL):
        return (
            "undecided",
            (Reason(Cause.OTHER, "the model is equivariant, and the evidence refutes it"),),
            "model",
        )
    is_certain = all(reason.cause in NON_BLOCKING for reason in reasons)
    return verdict if is_certain else "undecided", reasons, "model"


def judge(statistics: ModelStatistics) -> tuple[Finding, tuple[Reason, ...]]:
    """The verdict by the model alone, and the reasons why it may be wrong; none if it is certain.

    Example:
        >>> judge(ModelStatistics(0.002, (0.001, 0.003), 0.4, 0.1, 0.0, 0.95, 1000, 0.9))
        ('exact', ())
        >>> verdict, (reason,) = judge(ModelStatistics(0.1, (0.08, 0.12), 0.4, 30.0, 9.0, 0.95, 40, 0.9))
        >>> verdict, reason.text
        ('soft', 'only 40 training rows, about 100 would decide it')
    """
    if not statistics.acts:
        return "undecided", (Reason(Cause.TRIVIAL, f"{Cause.TRIVIAL.value}, so data cannot break it"),)
    verdict = _verdict_at(statistics.error, statistics)
    doubts = _doubts(statistics, verdict)
    if not doubts and verdict == "exact" and statistics.error > EXACT_BELOW * statistics.control:
        return verdict, (_within_fit(),)
    return verdict, doubts


def _verdict_at(error: float, statistics: ModelStatistics) -> Verdict:
    is_exact = statistics.is_noise if statistics.fits_well else error <= EXACT_BELOW * statistics.control
    if is_exact:
        return "exact"
    is_absent = error >= MODEL_ABSENT_ABOVE or error >= NO_BETTER * statistics.control
    return "absent" if is_absent else "soft"


def _within_fit() -> Reason:
    return Reason(Cause.FIT, f"{Cause.FIT.value}: the violation is no larger than the model's own mistakes")


def _doubts(statistics: ModelStatistics, verdict: Verdict) -> tuple[Reason, ...]:
    texts: dict[Cause, str] = {}
    if statistics.rows < FEWEST_ROWS:
        texts[Cause.ROWS] = f"{statistics.rows} training rows, about {FEWEST_ROWS} would decide it"
    if not statistics.held_out:
        texts[Cause.HELD_OUT] = ""
    if statistics.explained < LEAST_EXPLAINED_TO_JUDGE or (verdict != "exact" and statistics.is_untrained):
        texts[Cause.EXPLAINED] = (
            f"{max(0.0, statistics.explained):.0%} of held-out data, more rows or longer training would decide it"
        )
    if verdict == "exact" and statistics.hidden > EXACT_BELOW * statistics.control:
        texts[Cause.BASELINE] = ", so a penalty may hide that it is broken, and a weaker one would decide it"
    if statistics.coverage is not None and statistics.coverage < LOW_OVERLAP:
        texts[Cause.COVERAGE] = ", inputs transformed by the group would decide it"
    ends = {_verdict_at(end, statistics) for end in statistics.interval}
    if not texts and ends != {verdict}:
        texts[Cause.INTERVAL] = (
            " and ".join(sorted(ends - {verdict})) + ", more rows or seeds would decide it"
        )
    return tuple(Reason(cause, cause.value + rest) for cause, rest in texts.items())
