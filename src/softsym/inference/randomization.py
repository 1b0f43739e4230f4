r"""An exact test of symmetry: randomization with a learned statistic.

A predictor f is fitted to the selection rows, once for all groups. On the inference rows its mean loss :math:`T_0` is compared with
its mean loss after every row was transformed by a random element of its own,

.. math:: T = \frac1n \sum_i \ell(f(\rho_{in}(g_i) x_i),\, \rho_{out}(g_i) y_i), \qquad
          p = \frac{1 + \#\{j : T_j \le T_0\}}{1 + m} .

If (x, y) and (gx, gy) have the same distribution, every row is a uniform draw from its own orbit, and p is valid exactly: for any f, any n,
any loss. A bad f costs power only. R transformed copies of every row are made once; with the row itself they are R + 1 equally
likely ones, and each T_j takes one of them from every row. Rows of one row group (windows of one recording) are transformed together. Rows
may have weights: a weight stays with its transformed row, so p is valid for any weights that the group leaves invariant.

The test is of *joint* invariance: it is a test of equivariance where the inputs cover the group's orbits.

References:
    Non-parametric Hypothesis Tests for Distributional Group Symmetry (Chiu and Bloem-Reddy, 2024), https://arxiv.org/abs/2307.15834
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.arrays import make_rng, read_former_name
from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.groups.sampling import random_walk
from softsym.metrics.transform import transform_each_row
from softsym.reps import Rep
from softsym.typing import Array

Predictor = Callable[[Array], Array]
COPIES, DRAWS = 24, 1_999


@dataclass(frozen=True, eq=False)
class RandomizationResult:
    """The outcome of the test for one group.

    Args:
        p_value: Valid under joint invariance.
        observed: Mean loss T_0 of the rows as they are.
        draws: Mean losses T_j, shape (m,).
    """

    p_value: float
    observed: float
    draws: Array


def randomization_test(
    predictor: Predictor,
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    group: Group,
    *,
    row_groups: ArrayLike | None = None,
    sources: ArrayLike | None = None,
    weights: Array | None = None,
    copies: int = COPIES,
    draws: int = DRAWS,
    seed: int | np.random.Generator = 0,
) -> RandomizationResult:
    """Tests whether the loss of a predictor on rows that it was not fitted to is the same when the group transforms them.

    Args:
        predictor: Rows (m, size of ``rep_in``) to rows (m, size of ``rep_out``), fitted to other rows.
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        group: A compact group.
        row_groups: A label for every row; rows of one label are transformed by one element.
        sources: The former name of ``row_groups``.
        weights: Weights of the rows (n,); None if all are the same.
        copies: Transformed copies R of every row.
        draws: Number m of random draws.
        seed: Seed or generator.

    Example:
        >>> import numpy as np, softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((200, 3))
        >>> def height(X):
        ...     return X[:, 2:]
        >>> test = [randomization_test(height, X, X[:, 2:], ss.rep("V"), ss.rep("S"), ss.group(g)) for g in ("O(2)@z", "O(3)")]
        >>> [round(t.p_value, 4) for t in test]
        [1.0, 0.0005]
    """
    rng, row_groups = make_rng(seed), read_former_name(row_groups, sources, stacklevel=3)
    labels = np.arange(len(X)) if row_groups is None else np.unique(np.asarray(row_groups), return_inverse=True)[1]
    count, counts = int(labels.max()) + 1, np.ones(len(X)) if weights is None else weights
    losses = np.empty((copies + 1, count))
    losses[0] = _sum_squares(predictor(X) - Y, counts, labels, count)
    for k in range(copies):
        elements = [part[labels] for part in _draw_elements(group, count, rng)]
        there = predictor(transform_each_row(rep_in, group, elements, X))
        errors = there - transform_each_row(rep_out, group, elements, Y)
        losses[k + 1] = _sum_squares(errors, counts, labels, count)
    chosen = rng.integers(copies + 1, size=(draws, count))
    totals = losses[chosen, np.arange(count)].sum(1) / counts.sum()
    observed = float(losses[0].sum() / counts.sum())
    smaller = int(np.sum(totals <= observed + _rounding(observed, Y)))
    return RandomizationResult((1 + smaller) / (1 + draws), observed, totals)


def _draw_elements(group: Group, count: int, rng: np.random.Generator) -> list[Array]:
    """Elements, uniform over the group or, if it was given by generators, over a finite subgroup that stands for it.

    A random walk is only close to uniform, and then the test is only close to valid; invariance under a subgroup is part of that under
    the group.
    """
    if not _walks(group):
        return list(group.sample_parts(count, rng))
    try:
        closed = finite_subgroup(group)
    except InputError:
        return list(group.sample_parts(count, rng))
    which = rng.integers(len(closed), size=count)
    return [part[which] for part in closed.parts]


def _walks(group: Group) -> bool:
    """Whether elements are drawn by a random walk: of groups that were joined, or given by generators."""
    return group.composite or getattr(group.sampler, "func", None) is random_walk


def _sum_squares(errors: Array, counts: Array, labels: NDArray[np.intp], count: int) -> Array:
    sums = np.bincount(labels, weights=counts * np.sum(errors**2, axis=1), minlength=count)
    return np.asarray(sums, dtype=np.float64)


def _rounding(loss: float, Y: Array) -> float:
    """By how much a mean squared loss changes through rounding, which alone changes losses under a trivial action."""
    size = float(np.mean(np.sum(Y**2, axis=1)))
    return 1e-13 * float(np.sqrt(loss * size)) + 1e-28 * size
