"""What is measured about one candidate: the profile of the likelihood, the randomization test, coverage.

The test is of *joint* invariance, so inputs that are not evenly turned are refuted like a law that is broken. Where the likelihood does
not refute a symmetry that the test refutes, the same test is made of the inputs alone, with the predictor's own variance instead of its
loss: if it is less sure of moved rows than of rows as they are, inputs are not evenly turned, and its loss would tell them apart anyway.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softsym.errors import InputError
from softsym.groups import Group
from softsym.inference.evidence_table import ratio_p_value
from softsym.inference.kernel_selection import Look, powered
from softsym.inference.kernels import Averaged, Block, Kernel, Plain
from softsym.inference.likelihood.gaussian_process import Component, Process
from softsym.inference.likelihood.profile import Profile
from softsym.inference.likelihood.tree_comparison import missed
from softsym.inference.randomization import Predictor, Randomized, randomization_test
from softsym.inference.randomization import halves as in_halves
from softsym.inference.row_order import spread_order
from softsym.metrics.overlap import MIN_ROWS, orbit_overlap
from softsym.reps import Rep, TensorType, rep
from softsym.typing import Array, Index

FITTED, TESTED = 700, 1_000
"""At most so many rows are fitted and tested by the randomization test."""
COVERED = 600
"""At most so many rows are compared with moved ones."""


@dataclass(frozen=True, eq=False)
class Halves:
    """A predictor of one half of the rows, and the other half.

    Args:
        predictor: Inputs to scaled outputs, fitted to the first half.
        doubt: Inputs to the standard deviation of these predictions, shape (m, 1).
        X: Inputs of the other half (n, size of the representation).
        Y: Its scaled outputs (n, outputs).
        sources: Labels of its rows (n,), if rows belong together.
        weights: How much each of its rows counts (n,); None if all count the same.
    """

    predictor: Predictor
    doubt: Predictor
    X: Array
    Y: Array
    sources: Index | None
    weights: Array | None


class Examined:
    """Everything that was measured about one group."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.profile: Profile | None = None
        self.test: Randomized | None = None
        self.coverage, self.inputs_p, self.missed = math.nan, math.nan, 0.0
        self.seconds, self.rows = 0.0, 0

    @classmethod
    def of(
        cls,
        group: Group,
        look: Look,
        halves: Halves,
        X: Array,
        sources: Index | None,
        seed: int,
    ) -> Examined:
        """Measures it.

        Args:
            group: The candidate.
            look: Data and kernels.
            halves: A predictor, and rows that it has not seen.
            X: Inputs (n, size of the representation).
            sources: Labels of the rows, shape (n,), if rows belong together.
            seed: Of rows and elements.
        """
        start, one = time.perf_counter(), cls(group)
        candidate = look.candidates.get(group.name)
        if candidate is not None:
            one.profile, one.rows = look.profile(group), look.rows_of(group)
        if isinstance(candidate, Averaged) or (candidate is None and group.is_orthogonal):
            one.test = randomization_test(
                halves.predictor, halves.X, halves.Y, look.rep_in, look.rep_out, group,
                sources=halves.sources, weights=halves.weights, seed=seed,
            )  # fmt: skip
        rows = X[spread_order(len(X), sources, seed)[:COVERED]]
        if len(np.unique(rows, axis=0)) >= MIN_ROWS:
            one.coverage = orbit_overlap(rows, look.rep_in, group, seed).value
        one.seconds = time.perf_counter() - start
        return one

    def closer(self, look: Look) -> None:
        """Asks the likelihood again, with as many rows as larger matrices take."""
        start = time.perf_counter()
        self.profile = look.profile(self.group, closer=True)
        self.rows = look.rows_of(self.group, closer=True)
        self.seconds += time.perf_counter() - start

    def ask_inputs(self, look: Look, halves: Halves, seed: int) -> None:
        """Asks whether inputs alone are evenly turned."""
        start = time.perf_counter()
        test = randomization_test(
            halves.doubt, halves.X, np.zeros((len(halves.X), 1)), look.rep_in, rep("S"), self.group,
            sources=halves.sources, weights=halves.weights, seed=seed,
        )  # fmt: skip
        self.inputs_p = test.p_value
        self.seconds += time.perf_counter() - start

    def ask_trees(self, look: Look, seed: int) -> None:
        """Asks whether trees predict what the likelihood takes for noise."""
        assert self.profile is not None
        start, n = time.perf_counter(), self.rows
        sources = None if look.sources is None else look.sources[:n]
        self.missed = missed(look.X[:n], look.Y[:n], self.profile.errors[1], sources, seed)
        self.seconds += time.perf_counter() - start

    @property
    def test_p(self) -> float:
        """p-value of the randomization test; NaN if there is none."""
        return math.nan if self.test is None else self.test.p_value

    @property
    def ratio_p(self) -> float:
        """p-value of the likelihood ratio; NaN if there is none."""
        return math.nan if self.profile is None else ratio_p_value(self.profile)


def halves_of(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group],
    kernels: Sequence[Kernel],
    sources: Index | None,
    seed: int,
    weights: Array | None = None,
) -> Halves:
    """A plain Gaussian process fitted to one half of the rows, and the other half.

    What the weights mean is learned from the first half, too: the test of the other is valid whatever it is.
    """
    first, held = in_halves(len(X), sources, seed)
    if not len(first):
        raise InputError("all rows are of one source; at least two are needed")
    first = first[spread_order(len(first), None if sources is None else sources[first], seed)][:FITTED]
    held = held[spread_order(len(held), None if sources is None else sources[held], seed)][:TESTED]
    counts = None if weights is None else weights[first]
    look = Look.at(
        X[first], Y[first], rep_in, rep_out, groups, kernels=kernels, weights=counts, seed=seed, plain=True
    )
    labels = None if sources is None else sources[held]
    if look.is_constant:
        return Halves(
            lambda rows: np.zeros((len(rows), Y.shape[1])),
            lambda rows: np.zeros((len(rows), 1)),
            X[held],
            Y[held],
            labels,
            None,
        )
    plain = Component(Plain(groups[0], rep_in), look.kernels[""], 1.0)
    columns = np.arange(Y.shape[1])[:, None]  # without symmetry all outputs are copies of a scalar
    process = Process.fit(
        [plain], [Block(TensorType(), columns, np.eye(1))], look.X, look.Y, [1e-2], weights=look.weights
    )
    tested = None if weights is None else powered(weights[held], look.exponent)

    def predict(rows: Array) -> Array:
        return look.scale_out.inverse(process.predict(look.scale_in.transform(rows))[0])

    def doubt(rows: Array) -> Array:
        return process.spread(look.scale_in.transform(rows))[:, :1]

    return Halves(predict, doubt, X[held], Y[held], labels, tested)
