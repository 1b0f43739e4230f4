r"""The verdict: exact, soft or absent, and whether data and fit can bear it.

A model's equivariance error e by itself means little: outputs that hardly vary cannot break anything by much, and a model that fits
badly breaks a symmetry by its own mistakes. So e is judged against two numbers of the same run: the *control* c, the error of a model
that ignores the group (predictions paired with unrelated rows and elements), and the *fit error* on held-out rows. With the share
:math:`q = e / c`,

- ``exact`` if :math:`q \le` :data:`EXACT_BELOW`: what is left is noise of training;
- ``absent`` if :math:`q \ge` :data:`ABSENT_ABOVE`: the map respects the group hardly more than an unrelated one would;
- ``soft`` in between.

Both numbers are calibrated on data whose truth is known (:mod:`softsym.discovery.calibration`). A verdict carries a note if the
interval of e straddles a boundary, if the model explains too little of held-out data, if these are too few, or if the data
hardly cover the group's orbits, so that nothing could have refuted the symmetry.
"""

from __future__ import annotations

from dataclasses import dataclass

from softsym.tasks.task import Verdict

EXACT_BELOW, ABSENT_ABOVE = 0.06, 0.5
FEWEST_ROWS = 100
LEAST_EXPLAINED = 0.1
HARDLY_COVERED = 0.25


@dataclass(frozen=True)
class Grounds:
    """What a verdict rests on.

    Args:
        error: The model's equivariance error.
        interval: Its 95 % interval.
        control: The error of a model that ignores the group.
        explained: Share of held-out variance that the model explains.
        rows: Number of training rows.
        coverage: How much moved data look like data, 0 to 1; None if unknown.
        held_out: Whether errors were measured on rows kept from training.
    """

    error: float
    interval: tuple[float, float]
    control: float
    explained: float
    rows: int
    coverage: float | None
    held_out: bool = True


def judge(grounds: Grounds) -> tuple[Verdict, str]:
    """The verdict and the reason why it may be wrong; the reason is empty if there is none.

    Example:
        >>> judge(Grounds(0.002, (0.001, 0.003), 0.4, 0.95, 1000, 0.9))
        ('exact', '')
        >>> judge(Grounds(0.1, (0.08, 0.12), 0.4, 0.95, 40, 0.9))
        ('soft', 'inconclusive: only 40 training rows')
    """
    verdict = _word(grounds.error, grounds.control)
    reasons = _doubts(grounds, verdict)
    return verdict, f"inconclusive: {'; '.join(reasons)}" if reasons else ""


def _word(error: float, control: float) -> Verdict:
    if error <= EXACT_BELOW * control:
        return "exact"
    return "absent" if error >= ABSENT_ABOVE * control else "soft"


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
    ends = {_word(end, grounds.control) for end in grounds.interval}
    if not found and ends != {verdict}:
        found.append(f"the interval of the error also allows {' and '.join(sorted(ends - {verdict}))}")
    return found
