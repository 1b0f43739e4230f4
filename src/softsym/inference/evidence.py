r"""Evidence about candidate symmetries in closed form, without a network, from all rows, in seconds.

For every candidate the three statements of :mod:`softsym.inference.statements`, the orbit overlap of the inputs, the exact randomization
test where inputs are invariant, and the verdict that rests on them by the rule of :mod:`softsym.inference.verdict`.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri

from softsym.arrays import encode_labels, one_blas_thread, read_former_name, read_rows, row_weights, seed_of
from softsym.errors import InputError
from softsym.groups import SO, Group, O
from softsym.groups import group as read_group
from softsym.inference.lattice import contains
from softsym.inference.parity import describe, find_pseudo_copies, has_reflections
from softsym.inference.points import Action, read_columns
from softsym.inference.randomization import RandomizationResult, randomization_test
from softsym.inference.sample import Sample
from softsym.inference.statements import FIRST_TESTED, SIZES, Statements, examine, mean_interval
from softsym.inference.verdict import (
    TOLERANCE,
    EvidenceDetail,
    EvidenceRow,
    EvidenceTable,
    Reason,
    judge,
    make_consistent,
)
from softsym.limits import ContextThreads
from softsym.metrics.transform import HIGH_OVERLAP, MIN_ROWS, orbit_overlap, read_shape, sample_nontrivial
from softsym.progress import progress
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.affine import has_points
from softsym.typing import Array, Index

FEWEST, FEWEST_GROUPS = 10, 4  # the fewest rows that are accepted
OVERLAP_ROWS, TESTED_ROWS = 600, 2_000  # rows of the orbit overlap and of the randomization test, if there are more
LOGGER = logging.getLogger("softsym")
A = TypeVar("A")
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
    noise: ArrayLike | None = None,
    invariant_inputs: bool = False,
    n_jobs: int = 2,
    seed: int = 0,
    on_progress: Callable[[str], None] | None = None,
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
        sample_weight: How much every row counts (n,), not negative: the variance of a row's noise is divided by it. Rows of weight zero
            take no part. Weights must not depend on what a candidate transforms.
        tolerance: Relative violation up to which a symmetry counts as exact; 0.05 if None.
        noise: Standard deviation of the noise of the outputs, a number or one for each output, if it is known: it makes the certified
            tolerance smaller. Else it is taken from rows of equal inputs, if there are any.
        invariant_inputs: Whether the distribution of the inputs is known to be invariant under the candidates, by design of the
            experiment: then the exact randomization test counts, too.
        n_jobs: How many groups are tested at once.
        seed: Seed of folds and elements.
        on_progress: Called with the name of every candidate that is done.

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
    labels = _labels(read_former_name(row_groups, sources, stacklevel=4), len(X))
    weights = row_weights(sample_weight, len(X))
    if weights is not None and not weights.all():  # rows that do not count take no part
        kept = weights > 0
        X, Y, labels = X[kept], Y[kept], None if labels is None else _labels(labels[kept], int(kept.sum()))
        weights = row_weights(weights[kept], len(X))
    if len(X) < FEWEST:
        raise InputError(f"{len(X)} row(s) say nothing about symmetries; at least {FEWEST} are needed")
    are_points = rep_in is not None and rep_out is not None and has_points(read_rep(rep_in), read_rep(rep_out))
    if are_points:
        first, second = read_rep(rep_in), read_rep(rep_out)
        each = [groups] if isinstance(groups, str | Group) else groups
        listed = list(dict.fromkeys(read_group(one) for one in each))
    else:
        first, second, listed = read_shape(rep_in, rep_out, groups, X, Y)
    if not listed:
        raise InputError("pass at least one group, such as 'O(3)'")
    table = read_columns(X, Y, first, second, [*listed, *_references(listed)])
    candidates = table.actions[: len(listed)]
    if tolerance is not None and not tolerance > 0:
        raise InputError(f"`tolerance` must be positive, got {tolerance!r}")
    if labels is not None and not labels.any():
        raise InputError("all rows are of one row group; at least two are needed")
    linear = [action.linear for action in candidates]
    sample = Sample.make(
        table.X, table.Y, table.rep_in, table.rep_out, linear, labels, weights, seed_of(seed, "seed"), table.centre
    )
    if not sample.blocks:
        raise InputError("the outputs do not vary; there is nothing to explain")
    allowed = TOLERANCE if tolerance is None else float(tolerance)
    known = _noise_share(noise, table.X, table.Y, sample)

    def test(action: Action) -> _Tests:
        begun = time.perf_counter()
        tests = _Tests(sample, action, allowed, known, len(candidates), invariant_inputs)
        tests.seconds = time.perf_counter() - begun
        if on_progress is not None and action in candidates:
            on_progress(action.group.name)
        return tests

    tests = _map(test, table.actions, n_jobs, "evidence: group")
    tests, references = tests[: len(candidates)], tests[len(candidates) :]
    p_values = holm([one.p_value for one in tests])
    rows = [one.judge(p) for one, p in zip(tests, p_values, strict=True)]
    _compare_with_others(rows, tests, references, p_values)
    inside = [[j for j, H in enumerate(candidates) if H is not G and contains(G.group, H.group)] for G in candidates]
    details = {one.action.group.name: one.detail for one in tests}
    rows = make_consistent(rows, inside)
    _compare_parities(rows, tests, n_jobs)
    LOGGER.info("evidence on %d candidates in %.1f s", len(rows), time.perf_counter() - start)
    return EvidenceTable(rows, details, time.perf_counter() - start)


class _Tests:
    """Everything that was measured about one candidate."""

    def __init__(
        self, sample: Sample, action: Action, tolerance: float, noise: float, candidates: int, invariant_inputs: bool
    ) -> None:
        self.sample, self.action, self.tolerance, self.seconds = sample, action, tolerance, 0.0
        self.statements: Statements | None = None
        self.randomization: RandomizationResult | None = None
        self.overlap = math.nan
        rng = np.random.default_rng(sample.seed)
        self.acts = action.has_translations or any(
            sample_nontrivial(rep, action.linear, 1, rng) is not None for rep in (sample.rep_in, sample.rep_out)
        )
        if not self.acts:
            return
        rows = sample.X[sample.some(OVERLAP_ROWS)]
        rows = rows if action.inputs is None else rows @ action.inputs
        if rows.shape[1] and len(np.unique(rows, axis=0)) >= MIN_ROWS:
            overlap = orbit_overlap(rows, action.rep_in, action.linear, sample.seed).value
            self.overlap = min(overlap, action.overlap)
        if len(sample) < FEWEST or int(sample.labels.max()) + 1 < FEWEST_GROUPS:
            return
        self.statements = examine(sample, action, tolerance=tolerance, noise=noise, candidates=candidates)
        if invariant_inputs and action.is_compact:
            self.randomization = _randomize(sample, action.linear)

    @property
    def p_value(self) -> float:
        """Of the score test, and of the randomization test where it counts."""
        if self.statements is None:
            return math.nan
        if self.randomization is None:
            return self.statements.p_value
        return min(1.0, 2.0 * min(self.statements.p_value, self.randomization.p_value))

    def judge(self, p_value: float, cost: tuple[float, float] | None = None, gain: float = 0.0) -> EvidenceRow:
        """The row of the table, with a corrected p-value, and what models of other candidates say about the cost."""
        found, name, n = self.statements, self.action.group.name, len(self.sample)
        if found is None:
            reason, note = Reason.TRIVIAL, "it acts trivially on these data: every map has this symmetry"
            if self.acts:
                reason = Reason.NO_ROWS
                note = f"fewer than {FEWEST_GROUPS} row groups or {FEWEST} different inputs; more would decide it"
            return EvidenceRow(name, "undecided", reason, note, overlap=self.overlap, rows=n, seconds=self.seconds)
        findings = replace(
            found,
            p_value=p_value,
            cost=found.cost if cost is None else cost,
            overlap=self.overlap if not math.isnan(self.overlap) else 0.0,
            gain=gain,
        )
        verdict, reason, note = judge(findings)
        if verdict == "exact" and self.overlap < HIGH_OVERLAP:
            note = f"as far as orbits overlap with the inputs (orbit overlap {self.overlap:.2f})"
        high = findings.high
        if verdict == "undecided" and not findings.is_refuted:  # the error alone bounds what no model can express
            high = min(1.0, max(high, found.certified))
        interval = (findings.low, high)
        violation = found.violation if findings.is_refuted else min(found.violation, high)
        return EvidenceRow(
            name=name,
            verdict=verdict,
            reason=reason,
            note=note,
            violation=min(max(violation, interval[0]), high),
            interval=interval,
            p_value=p_value,
            cost=findings.cost,
            certified=found.certified,
            tolerance=findings.high,
            overlap=self.overlap,
            log_evidence=found.log_evidence,
            errors=found.errors,
            rows=n,
            seconds=self.seconds,
            method=found.method,
        )

    @property
    def detail(self) -> EvidenceDetail:
        """The curves that a report draws."""
        if self.statements is None:
            return EvidenceDetail()
        curve = self.statements.log_likelihoods
        draws, observed = (
            ((), math.nan) if self.randomization is None else (self.randomization.draws, self.randomization.observed)
        )
        return EvidenceDetail([0.0, *SIZES], curve - curve.max(), draws, observed)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values of several tests, corrected so that with any number of true hypotheses the chance of one false alarm is kept.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    values = np.array(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known])]
    corrected = values.copy()
    running = 0.0
    for rank, k in enumerate(order):
        running = max(running, min(1.0, (len(order) - rank) * values[k]))
        corrected[k] = running
    return [float(value) for value in corrected]


def _references(groups: Sequence[Group]) -> list[Group]:
    """Orthogonal groups to compare with where a candidate contains the rotations, is not compact, and no other one stands for them.

    Functions that only these respect are what a smooth remainder in many dimensions follows least.
    """
    larger = {
        one.dim for one in groups if not one.is_orthogonal and one.dim in (2, 3, 4) and contains(one, SO(one.dim))
    }
    known = {one.dim for one in groups if one.is_orthogonal and contains(one, SO(one.dim))}
    return [O(d) for d in sorted(larger - known)]


def _compare_with_others(
    rows: list[EvidenceRow], tests: Sequence[_Tests], references: Sequence[_Tests], p_values: Sequence[float]
) -> None:
    """Judges again what would be exact or soft where models of other candidates, or trees, predict held-out rows better.

    They may follow what the smooth remainder of this candidate takes for noise.
    """
    for k, (row, one) in enumerate(zip(rows, tests, strict=True)):
        if row.verdict not in ("exact", "soft") or one.statements is None:
            continue
        begun, sample, own = time.perf_counter(), one.sample, one.statements.exact_errors
        whole, left = (
            sum(float((block.weights * size**2).sum()) for block, size in zip(sample.blocks, each, strict=True))
            for each in zip(*((block.whole, block.sizes) for block in sample.blocks), strict=True)
        )
        everywhere = np.arange(len(sample))
        others: list[tuple[Index, Array, Action | None]] = [
            (everywhere, other.statements.exact_errors, other.action)
            for other in (*tests, *references)
            if other.statements is not None and not contains(other.action.group, one.action.group)
        ]
        if row.verdict == "exact" and row.errors[0] >= one.tolerance**2:
            some, by_block = sample.tree_errors
            weights = [block.weights * block.sizes**2 for block in sample.blocks]
            trees = sum((each @ w for each, w in zip(by_block, weights, strict=True)), np.zeros(len(some)))
            others.append((some, trees, None))
        level, cost, gain = 0.005 / max(1, len(others)), row.cost, 0.0
        for some, errors, action in others:
            labels = np.unique(sample.labels[some], return_inverse=True)[1].reshape(-1)
            low, high, _ = mean_interval(own[some] - errors, labels, level)
            if low > 0 and action is not None and not contains(one.action.group, action.group):
                # Its own symmetry may be the reason: without this candidate's it must be better than with both.
                both = _errors_of_both(one, action)
                low, high, _ = (0.0, 0.0, 0.0) if both is None else mean_interval(both - errors, labels, level)
            if low > 0:
                gain, cost = max(gain, low / left), (max(low / whole, cost[0]), max(high / whole, cost[1]))
        if gain > 0:
            rows[k] = one.judge(p_values[k], cost, gain)
        rows[k] = replace(rows[k], seconds=row.seconds + time.perf_counter() - begun)


def _errors_of_both(one: _Tests, other: Action) -> Array | None:
    """Squared errors (n,) with the symmetries of two candidates; None where there is no group of both."""
    if one.action.has_translations or other.has_translations:
        return None
    try:
        both = one.action.linear | other.linear
        action = replace(one.action, group=both, linear=both)
        return examine(one.sample, action, tolerance=one.tolerance, noise=0.0).exact_errors
    except InputError:  # it is too large, or not closed
        return None


def _compare_parities(rows: list[EvidenceRow], tests: Sequence[_Tests], n_jobs: int) -> None:
    """Notes which columns are pseudovectors where reflections are refuted, and the rotations among the candidates are not."""
    refuted = [one for one, row in zip(tests, rows, strict=True) if row.verdict in ("absent", "soft")]
    rotations = [one.action.linear for one in refuted if one.action.linear.is_orthogonal]
    rotations = [group for group in rotations if not has_reflections(group)]

    def compare(k: int) -> EvidenceRow:
        row, one, begun = rows[k], tests[k], time.perf_counter()
        if one not in refuted or any(contains(one.action.linear, group) for group in rotations):
            return row
        named = find_pseudo_copies(one.sample, one.action, row.errors)
        note = "; ".join(text for text in (row.note, describe(named) if named else "") if text)
        return replace(row, note=note, seconds=row.seconds + time.perf_counter() - begun)

    rows[:] = _map(compare, range(len(rows)), n_jobs, "reflections: group")


def _randomize(sample: Sample, group: Group) -> RandomizationResult | None:
    """The exact randomization test with an unconstrained predictor from the first folds."""
    with sample.lock:
        predictor = sample.early_predictor(FIRST_TESTED)
    tested = np.flatnonzero(sample.folds >= FIRST_TESTED)
    tested = tested[:: max(1, len(tested) // TESTED_ROWS)][:TESTED_ROWS]
    if not len(tested):
        return None
    return randomization_test(
        predictor,
        sample.X[tested],
        sample.outputs[tested],
        sample.rep_in,
        sample.rep_out,
        group,
        row_groups=sample.labels[tested],
        weights=sample.roots[tested] ** 2,
        seed=sample.seed,
    )


def _noise_share(noise: ArrayLike | None, X: Array, Y: Array, sample: Sample) -> float:
    """A lower limit of the share of the variance that is noise: as given, or from rows of equal inputs; zero if nothing is known."""
    weights = np.zeros(Y.shape[1])
    for block in sample.blocks:
        weights[block.columns] = block.weights[:, None]
    whole = sum(float((block.weights * block.whole**2).sum()) for block in sample.blocks)
    if noise is not None:
        deviations = np.asarray(noise, dtype=np.float64)
        if deviations.ndim > 1 or deviations.size not in (1, Y.shape[1]) or not (deviations >= 0).all():
            raise InputError(
                f"`noise` must be a standard deviation, or one for each of {Y.shape[1]} outputs, not negative"
            )
        return float((weights * np.broadcast_to(deviations, Y.shape[1]) ** 2).sum()) / whole
    equal = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    counts = np.bincount(equal)
    degrees = int((counts - 1).sum())
    if degrees < FEWEST:
        return 0.0
    means = np.stack([np.bincount(equal, column) for column in Y.T], axis=1) / counts[:, None]
    total = float((((Y - means[equal]) ** 2) * weights).sum())
    return total / float(chdtri(degrees, 0.025)) / whole


def _map(function: Callable[[A], T], items: Sequence[A], n_jobs: int, what: str) -> list[T]:
    """The function's values, with progress."""
    results: list[T] = []
    with ContextThreads(max(1, n_jobs)) as pool, progress(what, len(items)) as show:
        for result in pool.map(function, items) if min(n_jobs, len(items)) > 1 else map(function, items):
            results.append(result)
            show(len(results))
    return results


def _labels(row_groups: ArrayLike | None, n: int) -> Index | None:
    """Labels 0, 1, ... of the rows; None if there are no row groups."""
    if row_groups is None:
        return None
    labels = np.asarray(row_groups)
    if labels.shape != (n,):
        raise InputError(f"`row_groups` must hold one label for each of {n} rows, got shape {labels.shape}")
    return encode_labels(labels.tolist(), "`row_groups`")
