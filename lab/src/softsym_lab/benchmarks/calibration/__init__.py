"""How often verdicts are right, by stratum, on data whose truth is known: target functions that keep or break symmetries in graded steps.

Those for changing the rule on (``development``, ``second`` and ``third``) and those that it is run on once (``frozen``) share no function;
the target functions of earlier records are further lists. Records are small files, so that a stopped run goes on.
"""

from softsym_lab.benchmarks.calibration.runner import PARTS, Case, cases, changed, measure, run
from softsym_lab.benchmarks.calibration.score import score, score_invariance, summary
from softsym_lab.benchmarks.calibration.targets import STRATA, Target

__all__ = [
    "PARTS",
    "STRATA",
    "Case",
    "Target",
    "cases",
    "changed",
    "measure",
    "run",
    "score",
    "score_invariance",
    "summary",
]
