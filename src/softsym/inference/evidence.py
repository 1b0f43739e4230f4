r"""Evidence about candidate symmetries in closed form, without a network, in seconds.

For every candidate: the exact randomization test (:mod:`softsym.inference.randomization`), the likelihood of exact symmetry and the
confidence interval of the relative violation (:mod:`softsym.inference.likelihood.profile`), the orbit overlap of the inputs, and the
verdict that rests on them (:mod:`softsym.inference.verdict`). p-values are corrected for several groups (Holm). A group whose candidate
subgroup is refuted is not called exact, and one whose candidate subgroup is absent is absent, too. Groups that are not compact have no
randomization test: their p-value is the likelihood ratio's, and the method says so. The likelihood takes a few hundred rows; a candidate
that these leave undecided is tested again with more rows, where there are more. Where the test refutes what the likelihood does not,
inputs alone are tested, too. And where trees predict what the likelihood takes for noise, the verdict is undecided.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from softsym.data.row_groups import encode_labels
from softsym.data.scaler import SymmetricScaler
from softsym.errors import InputError
from softsym.groups import Group
from softsym.inference.candidate_tests import CandidateTests, fit_sample_split
from softsym.inference.evidence_table import EvidenceRow, EvidenceTable, make_detail, make_row
from softsym.inference.exactness import Exactness, measure_exactness
from softsym.inference.kernel_selection import LARGEST, KernelSelection
from softsym.inference.kernels import GRID, Kernel
from softsym.inference.lattice import contains
from softsym.inference.likelihood.blas_threads import one_blas_thread
from softsym.inference.randomization import holm
from softsym.inference.shape import read_former_name, read_rows, read_shape, row_weights
from softsym.inference.verdict import (
    LEVEL,
    LIKELIHOOD_LEVEL,
    TOLERANCE,
    allowed_violation,
    confirm_exact,
    is_refuted_by_scores,
)
from softsym.metrics.overlap import HIGH_OVERLAP, LOW_OVERLAP
from softsym.reps import Rep
from softsym.typing import Array, Index

FEWEST = 10
"""The fewest rows that are accepted."""
S = TypeVar("S")
T = TypeVar("T")


@one_blas_thread()
def evidence(
    X: ArrayLike,
    Y: ArrayLike,
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Group | str | Sequence[Group | str],
    *,
    row_groups: ArrayLike | None = None,
    sources: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    tolerance: float | None = None,
    kernels: Sequence[Kernel] = GRID,
    max_size: int = LARGEST,
    n_jobs: int = 2,
    seed: int = 0,
) -> EvidenceTable:
    """Tests every candidate symmetry of a data set.

    Args:
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).
        rep_in: How inputs transform, such as ``"5S + 5V"``.
        rep_out: How outputs transform, such as ``"T(2)"``.
        groups: Candidate groups.
        row_groups: A label for every row; rows of one label (windows of one recording) are dependent and stay together.
        sources: The former name of ``row_groups``.
        sample_weight: How much every row counts (n,), not negative. Noise of a row has a variance that is divided by its weight, or by a
            power of it from 0 to 1 if that is more likely; rows of weight zero take no part. Weights must not depend on what a
            candidate transforms.
        tolerance: Relative violation up to which a symmetry counts as exact; by default what would hardly add to the error of
            predictions, see :mod:`softsym.inference.verdict`.
        kernels: Base kernels to choose from.
        max_size: Rows times coordinates of the likelihood's matrices; half as many more where that leaves a candidate
            undecided. Time grows with its third power.
        n_jobs: How many groups are tested at once.
        seed: Seed of rows and elements.

    Returns:
        One row for each group, in the order of ``groups``.

    Example:
        >>> import numpy as np, softsym as ss
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 6))
        >>> Y = np.cross(X[:, :3], X[:, 3:]) + 0.05 * rng.standard_normal((200, 3))
        >>> table = evidence(X, Y, "2V", "V", ["SO(3)", "O(3)"])
        >>> [row.verdict for row in table]
        ['exact', 'absent']
    """
    start = time.perf_counter()
    X, Y = read_rows(X, "X"), read_rows(Y, "Y")
    if len(X) != len(Y):
        raise InputError(f"`X` has {len(X)} rows and `Y` has {len(Y)}")
    row_groups = read_former_name(row_groups, sources, stacklevel=4)
    labels, weights = _labels(row_groups, len(X)), row_weights(sample_weight, len(X))
    if weights is not None and not weights.all():  # rows that do not count take no part
        kept = weights > 0
        X, Y, labels = X[kept], Y[kept], None if labels is None else _labels(labels[kept], int(kept.sum()))
        weights = row_weights(weights[kept], len(X))
    if len(X) < FEWEST:
        raise InputError(f"{len(X)} row(s) say nothing about symmetries; at least {FEWEST} are needed")
    rep_in, rep_out, candidates = read_shape(rep_in, rep_out, groups, X, Y)
    if not candidates:
        raise InputError("pass at least one group, such as 'O(3)'")
    if tolerance is not None and not tolerance > 0:
        raise InputError(f"`tolerance` must be positive, got {tolerance!r}")
    if not isinstance(max_size, int | np.integer) or max_size < 1:
        raise InputError(f"`max_size` must be a positive whole number, got {max_size!r}")
    scaled = SymmetricScaler.fit(Y, rep_out, candidates, weights).transform(Y)
    with ThreadPoolExecutor(max(1, min(2, n_jobs))) as pool:
        selecting = pool.submit(
            KernelSelection.fit, X, Y, rep_in, rep_out, candidates,
            kernels=kernels, row_groups=labels, weights=weights, seed=seed, largest=max_size,
        )  # fmt: skip
        splitting = pool.submit(
            fit_sample_split, X, scaled, rep_in, rep_out, candidates, kernels, labels, seed, weights
        )
        selection = selecting.result()
        if selection.is_constant:
            raise InputError("the outputs do not vary; there is nothing to explain")
        split = splitting.result()

    tests = _map(
        lambda group: CandidateTests.run(group, selection, split, X, labels, seed), candidates, n_jobs
    )
    rows = _judge(tests, selection, tolerance)
    for may_decide, measure in (
        (_may_be_decided_by_more_rows, lambda one: one.refine(selection)),
        (_may_be_the_inputs, lambda one: one.test_inputs(selection, split, seed)),
        (_may_be_no_noise, lambda one: one.compare_with_trees(selection, seed)),
    ):
        if unclear := [one for one, row in zip(tests, rows, strict=True) if may_decide(one, row, selection)]:
            _map(measure, unclear, n_jobs)
            rows = _judge(tests, selection, tolerance)
    rows = _confirm(rows, candidates, X, Y, rep_in, rep_out, labels, weights, tolerance, n_jobs, seed)
    details = {one.group.name: make_detail(one.profile, one.test) for one in tests}
    return EvidenceTable(rows, details, time.perf_counter() - start)


def _may_be_decided_by_more_rows(one: CandidateTests, row: EvidenceRow, selection: KernelSelection) -> bool:
    """Whether more of the given rows may decide about an undecided candidate."""
    if (
        row.verdict != "undecided"
        or one.profile is None
        or one.profile.is_trivial
        or one.coverage < LOW_OVERLAP
    ):
        return False
    return one.rows < len(selection.X)


def _may_be_the_inputs(one: CandidateTests, row: EvidenceRow, selection: KernelSelection) -> bool:
    """Whether a refutation by the test that leaves a candidate undecided may be about the inputs."""
    if row.verdict != "undecided" or one.profile is None:
        return False
    return one.test_p < LEVEL and not one.coverage < HIGH_OVERLAP


def _may_be_no_noise(one: CandidateTests, row: EvidenceRow, selection: KernelSelection) -> bool:
    """Whether a violation that matters may hide in what the likelihood takes for noise."""
    return row.verdict in ("exact", "soft") and row.errors[1] > TOLERANCE**2


def _judge(
    tests: list[CandidateTests], selection: KernelSelection, tolerance: float | None
) -> list[EvidenceRow]:
    """The rows of all candidates, with p-values corrected for several groups."""
    test_ps, ratios = holm([one.test_p for one in tests]), holm([one.ratio_p for one in tests])
    refuted = [
        one.group
        for one, ratio in zip(tests, ratios, strict=True)
        if ratio < LIKELIHOOD_LEVEL and one.profile is not None and one.profile.interval[0] > 0
    ]
    rows = []
    for one, test_p, ratio in zip(tests, test_ps, ratios, strict=True):
        inside = [H.name for H in refuted if H is not one.group and contains(one.group, H)]
        row = make_row(
            one.group, one.profile, selection, ratio_p=ratio, test=one.test, test_p=test_p, coverage=one.coverage,
            refuted_subgroup=inside[0] if inside else "", tolerance=tolerance, seconds=one.seconds,
            rows=one.rows or None, inputs_p=one.inputs_p, unexplained_by_gp=one.unexplained_by_gp,
        )  # fmt: skip
        rows.append(row)
    return _with_subgroups(rows, [one.group for one in tests])


def _confirm(
    rows: list[EvidenceRow],
    groups: Sequence[Group],
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    row_groups: Index | None,
    weights: Array | None,
    tolerance: float | None,
    n_jobs: int,
    seed: int,
) -> list[EvidenceRow]:
    """The rows, exact only where the statements about every element of the group agree."""
    # Kernels of other groups are equivariant by construction, and have no Haar measure.
    exact = [k for k, row in enumerate(rows) if row.verdict == "exact" and groups[k].is_orthogonal]

    def measure(k: int) -> tuple[Exactness, float]:
        start, allowed = time.perf_counter(), allowed_violation(tolerance, rows[k].errors[1])
        found = measure_exactness(
            X,
            Y,
            rep_in,
            rep_out,
            groups[k],
            row_groups=row_groups,
            weights=weights,
            tolerance=allowed,
            seed=seed,
        )
        return found, time.perf_counter() - start

    found = dict(zip(exact, _map(measure, exact, n_jobs), strict=True)) if exact else {}
    p_values = dict(zip(exact, holm([each.p_value for each, _ in found.values()]), strict=True))
    confirmed = list(rows)
    for k, (each, seconds) in found.items():
        row, allowed = rows[k], allowed_violation(tolerance, rows[k].errors[1])
        verdict, note = confirm_exact(each, p_values[k], allowed)
        is_refuted = is_refuted_by_scores(each, p_values[k], allowed)  # an interval excludes zero only then
        low, high = each.interval[0] if is_refuted else 0.0, max(row.interval[1], each.interval[1])
        confirmed[k] = replace(
            row,
            verdict=verdict,
            asymmetry=min(max(row.asymmetry, low), high),
            interval=(low, high),
            tolerance=high,
            note="; ".join(filter(None, [note, row.note])) if verdict == "exact" else note,
            seconds=row.seconds + seconds,
        )
    return _within_exact(_with_subgroups(confirmed, groups), groups)


def _within_exact(rows: Sequence[EvidenceRow], groups: Sequence[Group]) -> list[EvidenceRow]:
    """The rows, exact where a candidate around is: what holds for a group holds for its subgroups, and a violation is no larger."""
    exact = [(row, group) for row, group in zip(rows, groups, strict=True) if row.verdict == "exact"]
    judged = []
    for row, group in zip(rows, groups, strict=True):
        around = [other for other, G in exact if row.verdict == "undecided" and contains(G, group)]
        if around and not row.p_value < LEVEL:
            other = min(around, key=lambda each: each.interval[1])
            high = min(row.interval[1], other.interval[1])
            row = replace(
                row,
                verdict="exact",
                asymmetry=min(row.asymmetry, high),
                interval=(0.0, high),
                tolerance=high,
                note=f"a subgroup of {other.name}, which is exact",
            )
        judged.append(row)
    return judged


def _with_subgroups(rows: Sequence[EvidenceRow], groups: Sequence[Group]) -> list[EvidenceRow]:
    """The rows, absent where a candidate subgroup is absent: a larger group leaves fewer functions, and none nearer to the truth."""
    absent = [(row, group) for row, group in zip(rows, groups, strict=True) if row.verdict == "absent"]
    judged = []
    for row, group in zip(rows, groups, strict=True):
        inside = [other for other, H in absent if row.verdict != "absent" and contains(group, H)]
        judged.append(_at_least(row, max(inside, key=lambda other: other.interval)) if inside else row)
    return judged


def _at_least(row: EvidenceRow, other: EvidenceRow) -> EvidenceRow:
    """The row of a group that is broken as much as the absent one inside, or more."""
    low, high = (max(ends) for ends in zip(row.interval, other.interval, strict=True))
    violation = other.asymmetry if math.isnan(row.asymmetry) else max(row.asymmetry, other.asymmetry)
    note = f"its subgroup {other.name} is absent"
    return replace(
        row, verdict="absent", asymmetry=violation, interval=(low, high), tolerance=high, note=note
    )


def _map(function: Callable[[S], T], values: Sequence[S], n_jobs: int) -> list[T]:
    if n_jobs <= 1 or len(values) == 1:
        return [function(value) for value in values]
    with ThreadPoolExecutor(n_jobs) as pool:
        return list(pool.map(function, values))


def _labels(row_groups: ArrayLike | None, n: int) -> Index | None:
    """Labels 0, 1, ... of the rows; None if there are no row groups."""
    if row_groups is None:
        return None
    labels = np.asarray(row_groups)
    if labels.shape != (n,):
        raise InputError(f"`row_groups` must hold one label for each of {n} rows, got shape {labels.shape}")
    return encode_labels(labels.tolist(), "`row_groups`")
