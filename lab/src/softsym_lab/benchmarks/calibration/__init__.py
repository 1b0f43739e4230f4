"""How often verdicts are right, by stratum, on data whose truth is known: laws that keep or break symmetries in graded steps.

Laws for changing the rule on (``development``) and laws that it is run on once (``frozen``) share no function; the target functions of
earlier records are a third list. Records are small files, so that a stopped run goes on.
"""

from softsym_lab.benchmarks.calibration.law import STRATA, Law
from softsym_lab.benchmarks.calibration.runner import PARTS, Case, cases, changed, measure, run
from softsym_lab.benchmarks.calibration.score import score, score_invariance, summary

__all__ = [
    "PARTS",
    "STRATA",
    "Case",
    "Law",
    "cases",
    "changed",
    "measure",
    "run",
    "score",
    "score_invariance",
    "summary",
]
