"""The claims of the paper, tested on stored runs or computed at once: each holds, does not hold, or cannot be decided yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from softsym_lab.experiments.claims.ablation import ablation_claims
from softsym_lab.experiments.claims.appendix import (
    frame_claims,
    parameters_claims,
    progress_claims,
    robustness_claims,
    unknown_claims,
)
from softsym_lab.experiments.claims.claim import Claim
from softsym_lab.experiments.claims.computed import computed_claims
from softsym_lab.experiments.claims.fast import fast_claims, time_claim
from softsym_lab.experiments.claims.motion import motion_claims, our_claims
from softsym_lab.experiments.claims.synthetic import correlation_claims, table1_claims, table2_claims
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import BENCHMARKS

Read = Callable[[str], Sequence[Summary]]
OF_THE_PAPER: dict[str, Callable[[Sequence[Summary]], list[Claim]]] = {
    "table1": table1_claims,
    "correlation": correlation_claims,
    "table2": table2_claims,
    "progress": progress_claims,
    "parameters": parameters_claims,
    "motion": motion_claims,
    "robustness": robustness_claims,
    "frame-averaging": frame_claims,
    "unknown-symmetry": unknown_claims,
}
"""How each table of the paper is judged, in the order of its text."""


def all_claims(read: Read, at_code: Read | None = None) -> list[Claim]:
    """Every claim.

    Args:
        read: The cells of a table by its name.
        at_code: The same at ``code``, where the claims are to be those of ``fast`` too.
    """
    cells = {name: read(name) for name in OF_THE_PAPER}
    found = [claim for name, judged in OF_THE_PAPER.items() for claim in judged(cells[name])]
    found += computed_claims()
    if at_code is not None:
        cells |= {name: read(name) for name in BENCHMARKS}
        found += ablation_claims(cells["ablation"])
        found += our_claims(cells["flights"], "flights, ")
        found += fast_claims(cells["table1"], at_code("table1"), cells["correlation"], cells["table2"])
        found.append(time_claim([one for each in cells.values() for one in each if _is_fast(one)]))
    return found


def _is_fast(summary: Summary) -> bool:
    return all(run.preset.name == "fast" for run in summary.runs)
