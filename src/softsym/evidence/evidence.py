r"""What data say about candidate symmetries without a network, in seconds.

For every candidate: the exact randomization test (:mod:`softsym.evidence.randomization`), the likelihood of exact symmetry and the
interval of the relative violation (:mod:`softsym.evidence.likelihood.profile`), how well the data cover the group's orbits, and the
verdict that rests on them (:mod:`softsym.evidence.verdict`). p-values are corrected for several groups (Holm). A group whose candidate
subgroup is refuted is not called exact. Groups that are not compact have no randomization test: their p-value is the likelihood ratio's,
and the method says so.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.data.coverage import SMALLEST
from softsym.data.coverage import coverage as measure_coverage
from softsym.data.labels import numbered
from softsym.errors import InputError
from softsym.evidence.kernels import GRID, Averaged, Kernel, Plain
from softsym.evidence.kernels.blocks import Block
from softsym.evidence.lattice import contains
from softsym.evidence.likelihood.process import Component, Process
from softsym.evidence.likelihood.profile import Profile
from softsym.evidence.look import Look
from softsym.evidence.randomization import Randomized, halves, holm, randomization_test
from softsym.evidence.rows import spread_order
from softsym.evidence.shape import read_shape
from softsym.evidence.table import EvidenceRow, EvidenceTable, detail_of, ratio_p_value, row_of
from softsym.evidence.verdict import LIKELIHOOD_LEVEL, TOLERANCE
from softsym.groups import Group
from softsym.reps import Rep, TensorType

Array = NDArray[np.float64]
FEWEST = 10
"""Fewer rows say nothing."""
FITTED, TESTED = 700, 1_000
"""At most so many rows are fitted and tested by the randomization test."""
COVERED = 600
"""At most so many rows are compared with moved ones."""
T = TypeVar("T")


def evidence(
    X: ArrayLike,
    Y: ArrayLike,
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Group | str | Sequence[Group | str],
    *,
    sources: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
    kernels: Sequence[Kernel] = GRID,
    n_jobs: int = 2,
    seed: int = 0,
) -> EvidenceTable:
    """Looks at every candidate symmetry of a data set.

    Args:
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).
        rep_in: How inputs transform, such as ``"5S + 5V"``.
        rep_out: How outputs transform, such as ``"T(2)"``.
        groups: Candidate groups.
        sources: A label for every row; rows of one label (windows of one recording) stay together.
        tolerance: Relative violation up to which a symmetry counts as exact.
        kernels: Base kernels to choose from.
        n_jobs: How many groups are looked at at once.
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
    X, Y = _rows(X, "X"), _rows(Y, "Y")
    if len(X) != len(Y):
        raise InputError(f"`X` has {len(X)} rows and `Y` has {len(Y)}")
    if len(X) < FEWEST:
        raise InputError(f"{len(X)} row(s) say nothing about symmetries; at least {FEWEST} are needed")
    rep_in, rep_out, candidates = read_shape(rep_in, rep_out, groups, X, Y)
    if not candidates:
        raise InputError("pass at least one group, such as 'O(3)'")
    if not tolerance > 0:
        raise InputError(f"`tolerance` must be positive, got {tolerance!r}")
    labels = _labels(sources, len(X))
    look = Look.at(X, Y, rep_in, rep_out, candidates, kernels=kernels, sources=labels, seed=seed)
    if look.is_constant:
        raise InputError("the outputs do not vary; there is nothing to explain")
    predictor, held = _predictor(X, Y, rep_in, rep_out, candidates, kernels, labels, seed)

    def examined(group: Group) -> _Examined:
        return _Examined.of(group, look, predictor, X, Y, held, labels, seed)

    examinations = _map(examined, candidates, n_jobs)
    details = {one.group.name: detail_of(one.profile, one.test) for one in examinations}
    return EvidenceTable(_judged(examinations, look, tolerance), details, time.perf_counter() - start)


class _Examined:
    """Everything that was measured about one group."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.profile: Profile | None = None
        self.test: Randomized | None = None
        self.coverage, self.seconds = math.nan, 0.0

    @classmethod
    def of(
        cls,
        group: Group,
        look: Look,
        predictor: Any,
        X: Array,
        Y: Array,
        held: NDArray[np.intp],
        sources: NDArray[np.int64] | None,
        seed: int,
    ) -> _Examined:
        """Measures it."""
        start, one = time.perf_counter(), cls(group)
        candidate = look.candidates.get(group.name)
        if candidate is not None:
            one.profile = look.profile(group)
        if isinstance(candidate, Averaged) or (candidate is None and group.is_orthogonal):
            labels = None if sources is None else sources[held]
            one.test = randomization_test(
                predictor, X[held], Y[held], look.rep_in, look.rep_out, group, sources=labels, seed=seed
            )
        rows = X[spread_order(len(X), sources, seed)[:COVERED]]
        if len(np.unique(rows, axis=0)) >= SMALLEST:
            one.coverage = measure_coverage(rows, look.rep_in, group, seed).value
        one.seconds = time.perf_counter() - start
        return one

    @property
    def test_p(self) -> float:
        """p-value of the randomization test; NaN if there is none."""
        return math.nan if self.test is None else self.test.p_value

    @property
    def ratio_p(self) -> float:
        """p-value of the likelihood ratio; NaN if there is none."""
        return math.nan if self.profile is None else ratio_p_value(self.profile)


def _judged(found: list[_Examined], look: Look, tolerance: float) -> list[EvidenceRow]:
    tests, ratios = holm([one.test_p for one in found]), holm([one.ratio_p for one in found])
    refuted = [
        one.group
        for one, ratio in zip(found, ratios, strict=True)
        if ratio < LIKELIHOOD_LEVEL and one.profile is not None and one.profile.interval[0] > 0
    ]
    rows = []
    for one, test, ratio in zip(found, tests, ratios, strict=True):
        inside = [H.name for H in refuted if H is not one.group and contains(one.group, H)]
        row = row_of(
            one.group, one.profile, look, ratio_p=ratio, p_value=one.test_p, test_p=test, coverage=one.coverage,
            refuted_subgroup=inside[0] if inside else "", tolerance=tolerance, seconds=one.seconds,
        )  # fmt: skip
        rows.append(row)
    return rows


def _predictor(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group],
    kernels: Sequence[Kernel],
    sources: NDArray[np.int64] | None,
    seed: int,
) -> tuple[Callable[[Array], Array], NDArray[np.intp]]:
    """A plain Gaussian process fitted to one half of the rows, and the rows of the other half."""
    first, held = halves(len(X), sources, seed)
    if not len(first):
        raise InputError("all rows are of one source; at least two are needed")
    first = first[spread_order(len(first), None if sources is None else sources[first], seed)][:FITTED]
    held = held[spread_order(len(held), None if sources is None else sources[held], seed)][:TESTED]
    look = Look.at(X[first], Y[first], rep_in, rep_out, groups, kernels=kernels, seed=seed, plain=True)
    if look.is_constant:
        return (lambda rows: np.tile(look.scale_out.shift, (len(rows), 1))), held
    plain = Component(Plain(groups[0], rep_in), look.kernels[""], 1.0)
    columns = np.arange(Y.shape[1])[:, None]  # without symmetry all outputs are copies of a scalar
    process = Process.fit([plain], [Block(TensorType(), columns, np.eye(1))], look.X, look.Y, [1e-2])
    return (lambda rows: look.scale_out.inverse(process.predict(look.scale_in.transform(rows))[0])), held


def _map(function: Callable[[Group], T], groups: Sequence[Group], n_jobs: int) -> list[T]:
    if n_jobs <= 1 or len(groups) == 1:
        return [function(group) for group in groups]
    with ThreadPoolExecutor(n_jobs) as pool:
        return list(pool.map(function, groups))


def _rows(values: ArrayLike, name: str) -> Array:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise InputError(f"`{name}` must hold real numbers, got an array of {array.dtype}")
    array = array.astype(np.float64)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2:
        raise InputError(f"`{name}` must have shape (rows, columns), got {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"`{name}` contains NaN or infinity; leave those rows out")
    return array


def _labels(sources: ArrayLike | None, n: int) -> NDArray[np.int64] | None:
    if sources is None:
        return None
    labels = np.asarray(sources)
    if labels.shape != (n,):
        raise InputError(f"`sources` must hold one label for each of {n} rows, got shape {labels.shape}")
    return numbered(labels.tolist(), "`sources`")
