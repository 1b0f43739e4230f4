"""What is measured about one candidate: the profile of the likelihood, the randomization test, the orbit overlap of the inputs.

The test is of *joint* invariance, so it refutes a distribution of inputs that is not invariant just as a target function that is not
equivariant. Where the likelihood does not refute a symmetry that the test refutes, the same test is made of the inputs alone, with the
predictor's variance instead of its loss: if that is larger at transformed rows than at the rows themselves, the inputs are not invariant,
and the loss would differ for this reason alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.inference.evidence_table import ratio_p_value
from softsym.inference.kernel_selection import KernelSelection, weights_to_power
from softsym.inference.kernels import Averaged, Block, Kernel, UnconstrainedKernel
from softsym.inference.likelihood.gaussian_process import Component, ConditionedGP
from softsym.inference.likelihood.profile import Profile
from softsym.inference.likelihood.tree_comparison import unexplained_by_gp
from softsym.inference.randomization import Predictor, RandomizationResult, randomization_test, split_rows
from softsym.inference.row_order import stratified_order
from softsym.metrics.overlap import MIN_ROWS, orbit_overlap
from softsym.reps import Rep, TensorType, rep
from softsym.typing import Array, Index

FITTED, TESTED = 700, 1_000
"""At most so many rows are fitted and tested by the randomization test."""
COVERED = 600
"""At most so many rows are compared with transformed ones."""


@dataclass(frozen=True, eq=False)
class SampleSplit:
    """A sample split: a predictor fitted to the selection rows, and the inference rows.

    Args:
        predictor: Inputs to scaled outputs, fitted to the selection rows.
        uncertainty: Inputs to the standard deviation of these predictions, shape (m, 1).
        X: Inputs of the inference rows (n, size of the representation).
        Y: Their scaled outputs (n, outputs).
        row_groups: Their labels (n,), if rows are dependent.
        weights: Their weights (n,); None if all are the same.
    """

    predictor: Predictor
    uncertainty: Predictor
    X: Array
    Y: Array
    row_groups: Index | None
    weights: Array | None


class CandidateTests:
    """Everything that was measured about one group."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.profile: Profile | None = None
        self.test: RandomizationResult | None = None
        self.coverage, self.inputs_p, self.unexplained_by_gp = math.nan, math.nan, 0.0
        self.seconds, self.rows = 0.0, 0

    @classmethod
    def run(
        cls,
        group: Group,
        selection: KernelSelection,
        split: SampleSplit,
        X: Array,
        row_groups: Index | None,
        seed: int,
    ) -> CandidateTests:
        """Profiles the likelihood, tests, and measures the orbit overlap.

        Args:
            group: The candidate.
            selection: Data and kernels.
            split: A predictor, and the inference rows.
            X: Inputs (n, size of the representation).
            row_groups: Labels of the rows, shape (n,), if rows are dependent.
            seed: Seed of rows and elements.
        """
        start, one = time.perf_counter(), cls(group)
        candidate = selection.candidates.get(group.name)
        if candidate is not None:
            one.profile, one.rows = selection.profile(group), selection.rows_of(group)
        if isinstance(candidate, Averaged) or (candidate is None and group.is_orthogonal):
            one.test = randomization_test(
                split.predictor, split.X, split.Y, selection.rep_in, selection.rep_out, group,
                row_groups=split.row_groups, weights=split.weights, seed=seed,
            )  # fmt: skip
        rows = X[stratified_order(len(X), row_groups, seed)[:COVERED]]
        if len(np.unique(rows, axis=0)) >= MIN_ROWS:
            one.coverage = orbit_overlap(rows, selection.rep_in, group, seed).value
        one.seconds = time.perf_counter() - start
        return one

    def refine(self, selection: KernelSelection) -> None:
        """Profiles the likelihood again, with more rows."""
        start = time.perf_counter()
        self.profile = selection.profile(self.group, refined=True)
        self.rows = selection.rows_of(self.group, refined=True)
        self.seconds += time.perf_counter() - start

    def test_inputs(self, selection: KernelSelection, split: SampleSplit, seed: int) -> None:
        """Tests whether the distribution of the inputs is invariant."""
        start = time.perf_counter()
        test = randomization_test(
            split.uncertainty, split.X, np.zeros((len(split.X), 1)), selection.rep_in, rep("S"), self.group,
            row_groups=split.row_groups, weights=split.weights, seed=seed,
        )  # fmt: skip
        self.inputs_p = test.p_value
        self.seconds += time.perf_counter() - start

    def compare_with_trees(self, selection: KernelSelection, seed: int) -> None:
        """Measures how much of what the likelihood takes for noise trees predict."""
        assert self.profile is not None
        start, n = time.perf_counter(), self.rows
        row_groups = None if selection.row_groups is None else selection.row_groups[:n]
        self.unexplained_by_gp = unexplained_by_gp(
            selection.X[:n], selection.Y[:n], self.profile.errors[1], row_groups, seed
        )
        self.seconds += time.perf_counter() - start

    @property
    def test_p(self) -> float:
        """p-value of the randomization test; NaN if there is none."""
        return math.nan if self.test is None else self.test.p_value

    @property
    def ratio_p(self) -> float:
        """p-value of the likelihood ratio; NaN if there is none."""
        return math.nan if self.profile is None else ratio_p_value(self.profile)


def _subset(rows: NDArray[np.intp], row_groups: Index | None, seed: int, most: int) -> NDArray[np.intp]:
    """At most so many of the rows, of as many row groups as possible."""
    return rows[stratified_order(len(rows), None if row_groups is None else row_groups[rows], seed)][:most]


def fit_sample_split(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group],
    kernels: Sequence[Kernel],
    row_groups: Index | None,
    seed: int,
    weights: Array | None = None,
) -> SampleSplit:
    """An unconstrained Gaussian process fitted to the selection rows, and the inference rows.

    The exponent of the weights is chosen on the selection rows, too, so the test on the inference rows is valid for any exponent.
    """
    selection_rows, inference_rows = split_rows(len(X), row_groups, seed)
    if not len(selection_rows):
        raise InputError("all rows are of one row group; at least two are needed")
    selection_rows = _subset(selection_rows, row_groups, seed, FITTED)
    inference_rows = _subset(inference_rows, row_groups, seed, TESTED)
    counts = None if weights is None else weights[selection_rows]
    selection = KernelSelection.fit(
        X[selection_rows],
        Y[selection_rows],
        rep_in,
        rep_out,
        groups,
        kernels=kernels,
        weights=counts,
        seed=seed,
        unconstrained=True,
    )
    labels = None if row_groups is None else row_groups[inference_rows]
    if selection.is_constant:
        return SampleSplit(
            lambda rows: np.zeros((len(rows), Y.shape[1])),
            lambda rows: np.zeros((len(rows), 1)),
            X[inference_rows],
            Y[inference_rows],
            labels,
            None,
        )
    unconstrained = Component(UnconstrainedKernel(groups[0], rep_in), selection.kernels[""], 1.0)
    columns = np.arange(Y.shape[1])[:, None]  # without symmetry all outputs are copies of a scalar
    gp = ConditionedGP.fit(
        [unconstrained],
        [Block(TensorType(), columns, np.eye(1))],
        selection.X,
        selection.Y,
        [1e-2],
        weights=selection.weights,
    )
    tested = None if weights is None else weights_to_power(weights[inference_rows], selection.exponent)

    def predict(rows: Array) -> Array:
        return selection.scale_out.inverse(gp.predict(selection.scale_in.transform(rows))[0])

    def uncertainty(rows: Array) -> Array:
        return gp.std(selection.scale_in.transform(rows))[:, :1]

    return SampleSplit(predict, uncertainty, X[inference_rows], Y[inference_rows], labels, tested)
