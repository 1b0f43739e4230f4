r"""The verdict: exact, soft, absent or undecided, and whether data and fit can bear it.

A model's equivariance error e by itself means little: outputs that hardly vary cannot break anything by much, and a model that fits
badly breaks a symmetry by its own mistakes. So e is judged against numbers of the same run: the *control* c, the error of a model
that ignores the group (predictions paired with unrelated rows and elements), and the *noise ratio* :math:`\nu`, the violation over
what the model's own mistakes on held-out rows explain.

- ``exact``, if the model fits well (it explains at least :data:`GOOD_FIT` of held-out variance): if :math:`\nu \le` :data:`NOISE`,
  that is if the violation is no larger than the model's mistakes (a little more than on data, since moved rows lie further out),
  and averaging the model over the group does not predict held-out rows
  significantly worse (:data:`REFUTED`). A note says so where the violation is not small in itself.
- ``exact``, if it fits badly: if :math:`e \le` :data:`EXACT_BELOW` :math:`c`. Mistakes would excuse anything then, but a symmetry
  that holds lets its penalty win, and what is left is noise of training.
- ``absent`` if :math:`e \ge` :data:`MODEL_ABSENT_ABOVE`, or :math:`e \ge` :data:`NO_BETTER` :math:`c`: hardly better than ignoring the
  group.
- ``soft`` otherwise.
- ``undecided`` for a group that moves neither inputs nor outputs: no data can break it, so none confirm it.

The numbers are calibrated on data whose truth is known (:mod:`softsym.benchmarks.calibration`). A verdict is called inconclusive
if the interval of e straddles a boundary, if the model explains too little of held-out data, if these are too few, or if the
data hardly cover the group's orbits, so that nothing could have refuted the symmetry. An exact one is, if a model without symmetries
predicts significantly better, and by so much that a symmetry broken by :data:`EXACT_BELOW` :math:`c` could be what the penalty hides.
"""

from __future__ import annotations

from dataclasses import dataclass

from softsym.data.coverage import HARDLY
from softsym.discovery.judge.reasons import Cause, Reason
from softsym.discovery.judge.symmetries import Finding
from softsym.tasks.task import Verdict

EXACT_BELOW, MODEL_ABSENT_ABOVE, NO_BETTER = 0.18, 0.24, 0.85
NOISE, REFUTED = 3.0, 3.0
GOOD_FIT = 0.65
FEWEST_ROWS = 100
LEAST_EXPLAINED_TO_JUDGE = 0.1


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
    def excess(self) -> float:
        """The error beyond what a good model's mistakes explain: an estimate of the data's own equivariance error."""
        if not self.fits_well or self.noise_ratio is None:
            return self.error
        if self.noise_ratio <= NOISE:
            return 0.0 if self.is_noise else self.error
        return float(self.error * (1.0 - NOISE / self.noise_ratio) ** 0.5)


def judge(grounds: Grounds) -> tuple[Finding, tuple[Reason, ...]]:
    """The verdict and the reasons why it may be wrong; none if it is certain.

    Example:
        >>> judge(Grounds(0.002, (0.001, 0.003), 0.4, 0.1, 0.0, 0.95, 1000, 0.9))
        ('exact', ())
        >>> verdict, (reason,) = judge(Grounds(0.1, (0.08, 0.12), 0.4, 30.0, 9.0, 0.95, 40, 0.9))
        >>> verdict, reason.text
        ('soft', 'only 40 training rows')
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
        texts[Cause.ROWS] = f"{grounds.rows} training rows"
    if not grounds.held_out:
        texts[Cause.HELD_OUT] = ""
    if grounds.explained < LEAST_EXPLAINED_TO_JUDGE:
        texts[Cause.EXPLAINED] = f"{max(0.0, grounds.explained):.0%} of held-out data"
    if verdict == "exact" and grounds.hidden > EXACT_BELOW * grounds.control:
        texts[Cause.RIVAL] = ", so a penalty may hide that it is broken"
    if grounds.coverage is not None and grounds.coverage < HARDLY:
        texts[Cause.COVERAGE] = ", so nothing could confirm or refute it"
    ends = {_word(end, grounds) for end in grounds.interval}
    if not texts and ends != {verdict}:
        texts[Cause.INTERVAL] = " and ".join(sorted(ends - {verdict}))
    return tuple(Reason(cause, cause.value + rest) for cause, rest in texts.items())
