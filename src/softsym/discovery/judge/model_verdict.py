r"""The verdict: exact, soft, absent or undecided, from the evidence and the model together.

**Where kernels can tell, the evidence decides** (:mod:`softsym.inference.verdict`): two one-sided statements about the relative violation
:math:`a = |t_\perp| / |t|` of the truth. Its Gaussian process must not miss what the best model of the same run found: with shares
u of validation variance unexplained, the part it misses has the relative size :math:`\sqrt{u_{gp} - u_{best}}`, which must lie below the
tolerance, or a violation of that size could hide in it.

**Elsewhere the model decides**: its equivariance error e, against its own mistakes on rows it has not seen. A violation that these mistakes
explain is none (:data:`NOISE`, :data:`REFUTED`); an error as large as that of a model that ignores the group, or above
:data:`MODEL_ABSENT_ABOVE`, is no symmetry; what lies between is soft. A model that fits too badly to judge by its mistakes
(:data:`GOOD_FIT`) is judged by whether its penalty won (:data:`EXACT_BELOW`). These numbers are calibrated on data whose
truth is known (:mod:`softsym_lab.benchmarks.calibration`).

**Undecided** is a verdict of its own: the interval straddles a boundary, the model explains too little, moved data lie where there
are none, rows are too few, a model without symmetries predicts so much better that a penalty may hide a violation, or a candidate
inside the group is refuted. The note says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from softsym.discovery.judge.reasons import MILD, Cause, Reason
from softsym.discovery.judge.symmetries import DecidedBy, Finding
from softsym.inference import EvidenceRow
from softsym.inference.verdict import LEVEL, TOLERANCE
from softsym.metrics.overlap import LOW_OVERLAP

if TYPE_CHECKING:
    from softsym.datasets.builtin import Verdict

NOISE = 3.0
"""How many times its own mistakes a model's squared violation may be before they no longer explain it: moved rows lie further out."""
REFUTED = 3.0
"""Standard errors by which held-out rows are predicted worse before a difference counts."""
GOOD_FIT = 0.65
"""Share of the variance that a model must explain for its mistakes to be a measure."""
EXACT_BELOW, NO_BETTER = 0.18, 0.85
"""Errors as shares of that of a model which ignores the group: below the first a penalty has won, above the second nothing was gained."""
MODEL_ABSENT_ABOVE = 0.24
"""The error above which knowing a symmetry hardly helps: the tasks' own boundary, 0.2, and a model's usual mistakes on top."""
FEWEST_ROWS = 100
"""Training rows below which a network's word is not taken."""
LEAST_EXPLAINED_TO_JUDGE = 0.1
"""Share of the variance below which a model knows nothing of the data."""


@dataclass(frozen=True)
class Grounds:
    """What a verdict rests on.

    Args:
        error: The model's equivariance error.
        interval: Its 95 % interval.
        control: The error of a model that ignores the group.
        noise_ratio: The violation over what the model's mistakes explain; None if unknown.
        refutation: By how many standard errors averaging over the group makes predictions worse; None if unknown.
        explained: Share of held-out variance that the model explains.
        rows: Number of training rows.
        coverage: How much moved data look like data, 0 to 1; None if unknown.
        held_out: Whether errors were measured on rows kept from training.
        hidden: The error that a penalty may have kept from being seen: what is left for it by how much better a model without symmetries
            predicts; zero if none does significantly.
        acts: Whether the group moves inputs or outputs at all.
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
    grounds: Grounds, row: EvidenceRow | None = None, missed: float = 0.0
) -> tuple[Finding, tuple[Reason, ...], DecidedBy]:
    """The verdict, what to say beside it, and who decided.

    Args:
        grounds: What was measured of the model.
        row: What the evidence says; None if it was not asked.
        missed: Relative size of what the evidence's Gaussian process misses and the best model of the run does not.

    Example:
        >>> sure = Grounds(0.002, (0.001, 0.003), 0.4, 0.1, 0.0, 0.95, 1000, 0.9)
        >>> decide(sure, EvidenceRow("O(3)", "soft", rows=300))
        ('soft', (), 'evidence')
        >>> decide(sure, EvidenceRow("O(3)", "undecided", rows=300), missed=0.3)
        ('exact', (), 'model')
        >>> decide(sure, EvidenceRow("O(3)", "soft", rows=300), missed=0.3)[0]
        'undecided'
    """
    if not grounds.acts:
        return (*judge(grounds), "model")
    if row is not None and row.rows and missed <= TOLERANCE:
        return row.verdict, (Reason(Cause.OTHER, row.note),) if row.note else (), "evidence"
    word, reasons = judge(grounds)
    if word == "exact" and row is not None and (row.verdict in ("soft", "absent") or row.p_value < LEVEL):
        return "undecided", (Reason(Cause.OTHER, "the model has it, and the evidence refutes it"),), "model"
    is_certain = all(reason.cause in MILD for reason in reasons)
    return word if is_certain else "undecided", reasons, "model"


def judge(grounds: Grounds) -> tuple[Finding, tuple[Reason, ...]]:
    """The model's word, and the reasons why it may be wrong; none if it is certain.

    Example:
        >>> judge(Grounds(0.002, (0.001, 0.003), 0.4, 0.1, 0.0, 0.95, 1000, 0.9))
        ('exact', ())
        >>> verdict, (reason,) = judge(Grounds(0.1, (0.08, 0.12), 0.4, 30.0, 9.0, 0.95, 40, 0.9))
        >>> verdict, reason.text
        ('soft', 'only 40 training rows, about 100 would decide it')
    """
    if not grounds.acts:
        return "undecided", (Reason(Cause.TRIVIAL, f"{Cause.TRIVIAL.value}, so data cannot break it"),)
    verdict = _word(grounds.error, grounds)
    doubts = _doubts(grounds, verdict)
    if not doubts and verdict == "exact" and grounds.error > EXACT_BELOW * grounds.control:
        return verdict, (_within_fit(),)
    return verdict, doubts


def _word(error: float, grounds: Grounds) -> Verdict:
    is_exact = grounds.is_noise if grounds.fits_well else error <= EXACT_BELOW * grounds.control
    if is_exact:
        return "exact"
    is_absent = error >= MODEL_ABSENT_ABOVE or error >= NO_BETTER * grounds.control
    return "absent" if is_absent else "soft"


def _within_fit() -> Reason:
    return Reason(Cause.FIT, f"{Cause.FIT.value}: the violation is no larger than the model's own mistakes")


def _doubts(grounds: Grounds, verdict: Verdict) -> tuple[Reason, ...]:
    texts: dict[Cause, str] = {}
    if grounds.rows < FEWEST_ROWS:
        texts[Cause.ROWS] = f"{grounds.rows} training rows, about {FEWEST_ROWS} would decide it"
    if not grounds.held_out:
        texts[Cause.HELD_OUT] = ""
    if grounds.explained < LEAST_EXPLAINED_TO_JUDGE or (verdict != "exact" and grounds.is_untrained):
        texts[Cause.EXPLAINED] = (
            f"{max(0.0, grounds.explained):.0%} of held-out data, more rows or longer training would decide it"
        )
    if verdict == "exact" and grounds.hidden > EXACT_BELOW * grounds.control:
        texts[Cause.RIVAL] = ", so a penalty may hide that it is broken, and a weaker one would decide it"
    if grounds.coverage is not None and grounds.coverage < LOW_OVERLAP:
        texts[Cause.COVERAGE] = ", inputs moved by the group would decide it"
    ends = {_word(end, grounds) for end in grounds.interval}
    if not texts and ends != {verdict}:
        texts[Cause.INTERVAL] = (
            " and ".join(sorted(ends - {verdict})) + ", more rows or seeds would decide it"
        )
    return tuple(Reason(cause, cause.value + rest) for cause, rest in texts.items())
