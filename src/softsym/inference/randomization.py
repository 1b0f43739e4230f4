r"""An exact test of symmetry: randomization with a learned statistic.

A predictor f is fitted to half of the rows, once for all groups. On the other half its mean loss :math:`T_0` is compared with what
it is after every row was moved by a random element of its own,

.. math:: T = \frac1n \sum_i \ell(f(\rho_{in}(g_i) x_i),\, \rho_{out}(g_i) y_i), \qquad
          p = \frac{1 + \#\{j : T_j \le T_0\}}{1 + m} .

If (x, y) and (gx, gy) have the same law, every row is a uniform draw from its own orbit, and p is valid exactly: for any f, any n,
any loss. A bad f costs power only. R moved copies of every row are made once; with the row itself they are R + 1 equally
likely ones, and each T_j takes one of them from every row. Rows of one source (windows of one recording) are moved together. Rows may
count differently: a weight stays with its row, wherever that is moved, so p is valid for any weights that the group leaves alone.

The test is of *joint* invariance: it answers our question where the inputs cover the group's orbits. With squared loss, orthogonal
representations and invariant inputs :math:`(E T - T_0) / 2 = \langle f_\perp, t_\perp \rangle`, which bounds the relative violation
:math:`|t_\perp| / |t|` from below by Cauchy and Schwarz, whatever the predictor is.

References:
    Non-parametric Hypothesis Tests for Distributional Group Symmetry (Chiu and Bloem-Reddy, 2024), https://arxiv.org/abs/2307.15834
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.groups.sampling import random_walk
from softsym.reps import Rep
from softsym.reps.atoms import group_element
from softsym.typing import Array

Predictor = Callable[[Array], Array]
COPIES, DRAWS = 24, 1_999
SPREAD = 1.96
"""Standard errors of a 95 % interval."""


@dataclass(frozen=True, eq=False)
class Randomized:
    """The outcome of the test for one group.

    Args:
        p_value: Valid under joint invariance.
        observed: Mean loss T_0 of the rows as they are.
        draws: Mean losses T_j, shape (m,).
        effect: 95 % interval of the part of the relative violation that the predictor sees. The violation is at least as large, so its
            lower end bounds the violation from below.
    """

    p_value: float
    observed: float
    draws: Array
    effect: tuple[float, float]


def randomization_test(
    predictor: Predictor,
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    group: Group,
    *,
    sources: ArrayLike | None = None,
    weights: Array | None = None,
    copies: int = COPIES,
    draws: int = DRAWS,
    seed: int | np.random.Generator = 0,
) -> Randomized:
    """Tests whether rows that the predictor has not seen look the same to it when the group moves them.

    Args:
        predictor: Rows (m, size of ``rep_in``) to rows (m, size of ``rep_out``), fitted to other rows.
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        group: A compact group.
        sources: A label for every row; rows of one label are moved by one element.
        weights: How much every row counts (n,); None if all count the same.
        copies: Moved copies R of every row.
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
    rng = np.random.default_rng(seed)
    labels = np.arange(len(X)) if sources is None else np.unique(np.asarray(sources), return_inverse=True)[1]
    count, counts = int(labels.max()) + 1, np.ones(len(X)) if weights is None else weights
    at_rest = predictor(X)
    losses = np.empty((copies + 1, count))
    losses[0] = _summed(at_rest - Y, counts, labels, count)
    turned = np.empty((copies, len(X)))
    for k in range(copies):
        elements = [part[labels] for part in _drawn(group, count, rng)]
        there, outputs = moved(rep_in, group, elements, X), moved(rep_out, group, elements, Y)
        ahead = predictor(there)
        losses[k + 1] = _summed(ahead - outputs, counts, labels, count)
        turned[k] = counts * np.sum((ahead - moved(rep_out, group, elements, at_rest)) ** 2, axis=1)
    chosen = rng.integers(copies + 1, size=(draws, count))
    totals = losses[chosen, np.arange(count)].sum(1) / counts.sum()
    observed = float(losses[0].sum() / counts.sum())
    smaller = int(np.sum(totals <= observed + _rounding(observed, Y)))
    gains = (losses[1:].mean(axis=0) - losses[0]) / 2.0
    own = np.bincount(labels, weights=turned.mean(axis=0) / 2.0, minlength=count).astype(np.float64)
    effect = _effect(gains, own, _summed(Y, counts, labels, count))
    return Randomized((1 + smaller) / (1 + draws), observed, totals, effect)


def moved(rep: Rep, group: Group, parts: Sequence[Array], X: Array) -> Array:
    """Each row moved by an element of its own, shape (n, size).

    Args:
        rep: How the rows transform.
        group: The group.
        parts: One element for each row, (n, d_p, d_p) for each part of the group.
        X: Rows (n, size).
    """
    element = group_element(group, tuple(parts))
    out = X.copy()
    for segment in rep.segments(group):
        if segment.type.rank:
            block = X[:, segment.start : segment.stop].reshape(len(X), segment.copies, segment.size)
            turned = block @ segment.type.rho(group, element).swapaxes(1, 2)
            out[:, segment.start : segment.stop] = turned.reshape(len(X), -1)
    return out


def halves(n: int, sources: ArrayLike | None, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to fit and rows to test, rows of one source together.

    Example:
        >>> fit, test = halves(6, ["a", "a", "b", "b", "c", "c"], seed=0)
        >>> sorted(len(half) for half in (fit, test))
        [2, 4]
    """
    labels = np.arange(n) if sources is None else np.unique(np.asarray(sources), return_inverse=True)[1]
    if len(labels) != n:
        raise InputError(f"`sources` has {len(labels)} labels for {n} rows")
    order = np.random.default_rng(seed).permutation(int(labels.max()) + 1)
    first = np.isin(labels, order[: len(order) // 2])
    return np.flatnonzero(first), np.flatnonzero(~first)


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


def _drawn(group: Group, count: int, rng: np.random.Generator) -> list[Array]:
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


def _summed(errors: Array, counts: Array, labels: NDArray[np.intp], count: int) -> Array:
    sums = np.bincount(labels, weights=counts * np.sum(errors**2, axis=1), minlength=count)
    return np.asarray(sums, dtype=np.float64)


def _rounding(loss: float, Y: Array) -> float:
    """By how much a mean squared loss changes through rounding alone: where nothing moves, moved losses are not smaller or larger."""
    size = float(np.mean(np.sum(Y**2, axis=1)))
    return 1e-13 * float(np.sqrt(loss * size)) + 1e-28 * size


def _effect(gains: Array, own: Array, sizes: Array) -> tuple[float, float]:
    """Interval of <f_perp, t_perp> / |f_perp| |t|, at most |t_perp| / |t|, by the delta method; all arguments have shape (sources,).

    Args:
        gains: Half of what moving a source's rows adds to their loss: their share of <f_perp, t_perp>.
        own: Their share of |f_perp|^2, from E |rho f(x) - f(rho x)|^2 = 2 |f_perp|^2.
        sizes: Their share of |t|^2.
    """
    product = float(own.mean() * sizes.mean())
    if len(gains) < 2 or not product > (1e-12 * float(sizes.mean())) ** 2:
        return 0.0, 1.0
    effect = float(gains.mean()) / np.sqrt(product)
    influence = gains / np.sqrt(product) - effect / 2 * (own / own.mean() + sizes / sizes.mean())
    error = SPREAD * float(influence.std(ddof=1)) / np.sqrt(len(gains))
    low, high = np.clip([effect - error, effect + error], 0.0, 1.0)
    return float(low), float(high)
