r"""The verdict: exact, soft or absent, and whether data and fit can bear it.

A model's equivariance error e by itself means little: outputs that hardly vary cannot break anything by much, and a model that fits
badly breaks a symmetry by its own mistakes. So e is judged against numbers of the same run: the *control* c, the error of a model
that ignores the group (predictions paired with unrelated rows and elements), and the *noise ratio* :math:`\nu`, the violation over
what the model's own mistakes on held-out rows explain.

- ``exact``, if the model fits well (it explains at least :data:`GOOD_FIT` of held-out variance): if :math:`\nu \le 1`, that is if
  the violation is no larger than the model's mistakes. A note says so where it is not small in itself, since a smaller violation
  of the truth would not have been seen.
- ``exact``, if it fits badly: if :math:`e \le` :data:`EXACT_BELOW` :math:`c`. Mistakes would excuse anything then, but a symmetry
  that holds lets its penalty win, and what is left is noise of training.
- ``absent`` if :math:`e \ge` :data:`ABSENT_ABOVE`.
- ``soft`` otherwise.

The numbers are calibrated on data whose truth is known (:mod:`softsym.benchmarks.calibration`). A verdict is called inconclusive
if the interval of e straddles a boundary, if the model explains too little of held-out data, if these are too few, or if the
data hardly cover the group's orbits, so that nothing could have refuted the symmetry.
"""

from __future__ import annotations

from dataclasses import dataclass

from softsym.tasks.task import Verdict

EXACT_BELOW, ABSENT_ABOVE = 0.135, 0.24
GOOD_FIT = 0.65
FEWEST_ROWS = 100
LEAST_EXPLAINED = 0.1
HARDLY_COVERED = 0.25
WITHIN_FIT = "as far as the fit can tell"


@dataclass(frozen=True)
class Grounds:
    """What a verdict rests on.

    Args:
        error: The model's equivariance error.
        interval: Its 95 % interval.
        control: The error of a model that ignores the group.
        noise_ratio: The violation over what the model's mistakes explain; None if unknown.
        explained: Share of held-out variance that the model explains.
        rows: Number of training rows.
        coverage: How much moved data look like data, 0 to 1; None if unknown.
        held_out: Whether errors were measured on rows kept from training.
    """

    error: float
    interval: tuple[float, float]
    control: float
    noise_ratio: float | None
    explained: float
    rows: int
    coverage: float | None
    held_out: bool = True

    @property
    def is_noise(self) -> bool:
        """Whether a good model's own mistakes explain all of the violation."""
        return self.fits_well and self.noise_ratio is not None and self.noise_ratio <= 1.0

    @property
    def fits_well(self) -> bool:
        """Whether the model's mistakes are small enough to judge by."""
        return self.explained >= GOOD_FIT and self.noise_ratio is not None

    @property
    def excess(self) -> float:
        """The error beyond what a good model's mistakes explain: an estimate of the data's own equivariance error."""
        if not self.fits_well or self.noise_ratio is None:
            return self.error
        return float(self.error * max(0.0, 1.0 - 1.0 / max(self.noise_ratio, 1e-12)) ** 0.5)


def judge(grounds: Grounds) -> tuple[Verdict, str]:
    """The verdict and the reason why it may be wrong; the reason is empty if there is none.

    Example:
        >>> judge(Grounds(0.002, (0.001, 0.003), 0.4, 0.1, 0.95, 1000, 0.9))
        ('exact', '')
        >>> judge(Grounds(0.1, (0.08, 0.12), 0.4, 30.0, 0.95, 40, 0.9))
        ('soft', 'inconclusive: only 40 training rows')
    """
    verdict = _word(grounds.error, grounds)
    reasons = _doubts(grounds, verdict)
    if reasons:
        return verdict, f"inconclusive: {'; '.join(reasons)}"
    if verdict == "exact" and grounds.error > EXACT_BELOW * grounds.control:
        return verdict, f"{WITHIN_FIT}: the violation is no larger than the model's own mistakes"
    return verdict, ""


def _word(error: float, grounds: Grounds) -> Verdict:
    is_exact = grounds.is_noise if grounds.fits_well else error <= EXACT_BELOW * grounds.control
    if is_exact:
        return "exact"
    return "absent" if error >= ABSENT_ABOVE else "soft"


def _doubts(grounds: Grounds, verdict: Verdict) -> list[str]:
    found = []
    if grounds.rows < FEWEST_ROWS:
        found.append(f"only {grounds.rows} training rows")
    if not grounds.held_out:
        found.append("too few rows to hold any out")
    if grounds.explained < LEAST_EXPLAINED:
        found.append(f"the model explains only {max(0.0, grounds.explained):.0%} of held-out data")
    if grounds.coverage is not None and grounds.coverage < HARDLY_COVERED:
        found.append("moved data lie where there are no data, so nothing could refute it")
    ends = {_word(end, grounds) for end in grounds.interval}
    if not found and ends != {verdict}:
        found.append(f"the interval of the error also allows {' and '.join(sorted(ends - {verdict}))}")
    return found
