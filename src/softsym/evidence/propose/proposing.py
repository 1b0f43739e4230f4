r"""Which symmetries do data suggest? The answer of :func:`softsym.propose`.

A kernel fit with closed-form derivatives; the null space of its Lie derivative (:mod:`softsym.evidence.propose.derivative`); the largest
span that holds exactly and closes (:mod:`softsym.evidence.propose.search`); its name (:mod:`softsym.evidence.propose.algebra.recognise`);
discrete elements beside it (:mod:`softsym.evidence.propose.discrete`); soft symmetries, marked as such.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.errors import InputError
from softsym.evidence.propose import assemble
from softsym.evidence.propose.action import Action, actions, basis_of
from softsym.evidence.propose.algebra.recognise import Recognised, recognise
from softsym.evidence.propose.derivative import LieDerivative
from softsym.evidence.propose.discrete import try_all
from softsym.evidence.propose.features import Features
from softsym.evidence.propose.fit import LARGEST, Fit
from softsym.evidence.propose.model import read_model, scaled_base
from softsym.evidence.propose.proposal import Proposal, ProposalTable
from softsym.evidence.propose.search import Search, search
from softsym.evidence.shape import read_rows
from softsym.evidence.verdict import LEAST_EXPLAINED, TOLERANCE
from softsym.groups import Group
from softsym.reps import Rep
from softsym.reps import rep as read_rep

Array = NDArray[np.float64]
FEWEST = 20
"""Fewer rows propose nothing."""


def propose(
    X: ArrayLike,
    Y: ArrayLike,
    rep_in: Rep | str,
    rep_out: Rep | str,
    *,
    model: Any = None,
    tolerance: float = TOLERANCE,
    seed: int = 0,
) -> Proposal:
    """Proposes symmetry groups from data alone.

    Args:
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).
        rep_in: How inputs transform, such as ``"2V"``; the columns tell the dimension of the space.
        rep_out: How outputs transform.
        model: A fitted torch module, or a function of rows with a method ``jacobian``: the kernel fit is then of what it leaves.
        tolerance: Relative violation up to which a symmetry counts as exact.
        seed: Of the choice of rows, where there are more than are fitted.

    Example:
        >>> import numpy as np, softsym as ss
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 6))
        >>> Y = np.cross(X[:, :3], X[:, 3:]) + 0.02 * rng.standard_normal((200, 3))
        >>> found = ss.propose(X, Y, "2V", "V")
        >>> found.algebra, found.generators.shape, found.groups[0]
        ('so(3)', (3, 3, 3), SO(3))
    """
    start = time.perf_counter()
    X, Y = read_rows(X, "X"), read_rows(Y, "Y")
    if len(X) != len(Y):
        raise InputError(f"`X` has {len(X)} rows and `Y` has {len(Y)}")
    if len(X) < FEWEST:
        raise InputError(f"{len(X)} row(s) propose nothing; at least {FEWEST} are needed")
    if not tolerance > 0:
        raise InputError(f"`tolerance` must be positive, got {tolerance!r}")
    source, target = actions(X, Y, read_rep(rep_in), read_rep(rep_out))
    chosen = np.random.default_rng(seed).permutation(len(X))[:LARGEST]
    X, Y = X[chosen], Y[chosen]
    if not np.ptp(Y, axis=0).any():
        return _nothing(source, "the outputs do not vary", start)
    base = None if model is None else scaled_base(model, X, source, target)
    features = Features(source)
    fit = Fit.of(features.values(X), target.scaled(Y) - (0.0 if base is None else base[0]))
    plain = LieDerivative.of(fit, features, target, basis_of(source.dim, source.affine), X, base)
    found = search(plain, target, Y if base is None else None, tolerance)
    if found.exact is None and _explained(fit, base, target, Y) < LEAST_EXPLAINED:
        share = max(0.0, fit.explained)
        return _nothing(
            source,
            f"the fit explains only {share:.0%} of the outputs; more rows or less noise would help",
            start,
        )
    return _told(found, fit, target, model, tolerance, start)


def _told(found: Search, fit: Fit, target: Action, model: Any, tolerance: float, start: float) -> Proposal:
    source = found.plain.source
    exact = None if found.exact is None else recognise(found.exact.span, source.affine)
    rows = assemble.generator_rows(found, tolerance)
    tried = (
        []
        if source.affine
        else try_all(found.plain, _predictor(found, target, model), _holds(exact), assemble.turn_axis(exact))
    )
    groups, verdicts = assemble.groups(found, exact, tried, tolerance)
    rows += assemble.discrete_rows(tried, groups, tolerance)
    return Proposal(
        generators=found.plain.basis[:0] if found.exact is None else found.exact.span,
        algebra="none" if exact is None else exact.name,
        is_compact=exact is not None and exact.is_compact,
        groups=groups,
        verdicts=verdicts,
        table=ProposalTable(rows),
        eigenvalues=found.eigenvalues,
        distance=0.0 if found.exact is None else found.exact.distance,
        explained=fit.explained,
        lattice=assemble.lattice(groups),
        seconds=time.perf_counter() - start,
    )


def _predictor(found: Search, target: Action, model: Any) -> Callable[[Array], Array]:
    """The fitted function, scaled, of inputs in their units."""
    plain = found.plain

    def predict(X: Array) -> Array:
        values = plain.fit.predict(plain.features.values(X))
        return values if model is None else values + (read_model(model)[0](X) - target.shift) / target.unit

    return predict


def _holds(exact: Recognised | None) -> Callable[[Group], bool]:
    """Whether a group lies inside the exact connected one."""
    return lambda group: exact is not None and assemble.inside(exact.group, group)


def _explained(fit: Fit, base: tuple[Array, Array] | None, target: Action, Y: Array) -> float:
    """Share of the variance that the fit explains, with the model beside it."""
    if base is None:
        return fit.explained
    scaled = target.scaled(Y)
    left = np.sum((scaled - base[0]) ** 2) * (1.0 - fit.explained)
    return 1.0 - float(left / np.sum((scaled - scaled.mean(axis=0)) ** 2))


def _nothing(source: Action, note: str, start: float) -> Proposal:
    none = basis_of(source.dim, source.affine)[:0]
    return Proposal(
        none,
        "none",
        False,
        (),
        (),
        ProposalTable([]),
        np.zeros(0),
        0.0,
        0.0,
        (),
        note,
        time.perf_counter() - start,
    )
