r"""Symmetry groups proposed from data, see :func:`softsym.propose`.

A sample split with a kernel fit of each part (:mod:`softsym.inference.propose.sample_split`); the null space of the Lie derivative
(:mod:`softsym.inference.propose.derivative`) proposes on one part, and the largest algebra that holds exactly on the other is selected
(:mod:`softsym.inference.propose.search`), with both assignments of the parts; its name
(:mod:`softsym.inference.propose.algebra.recognise`); discrete elements (:mod:`softsym.inference.propose.discrete`); soft symmetries,
marked as such. Where fits explain too little, the proposal also has to pass the evidence (:mod:`softsym.inference.evidence`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softsym.data.checks import read_rows
from softsym.errors import InputError
from softsym.groups import Group
from softsym.inference.evidence import evidence
from softsym.inference.likelihood.blas_threads import one_blas_thread
from softsym.inference.propose import assemble
from softsym.inference.propose.algebra.closure import angle
from softsym.inference.propose.algebra.recognise import Recognised, recognise
from softsym.inference.propose.algebra.round_numbers import NEAR
from softsym.inference.propose.candidates import Algebra
from softsym.inference.propose.derivative import LEVEL, PROBED
from softsym.inference.propose.discrete import try_all
from softsym.inference.propose.fits.fit import LARGEST
from softsym.inference.propose.matrix_action import Action, actions, basis_of
from softsym.inference.propose.model import Base, read_model, scaled_base
from softsym.inference.propose.proposal import Proposal, ProposalTable
from softsym.inference.propose.rotation_gp import RotationGP, common_rotations, fit_rotation_gp
from softsym.inference.propose.sample_split import SplitPart, split_and_fit
from softsym.inference.propose.search import Search, search
from softsym.inference.verdict import LEAST_R2, TOLERANCE
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.typing import Array

FEWEST = 20
"""The fewest rows that are accepted."""
RESOLVED = 0.95
"""R² from which a fit is sufficient without the evidence."""


@one_blas_thread()
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
        rep_in: How inputs transform, such as ``"2V"``; the dimension of the space follows from the columns.
        rep_out: How outputs transform.
        model: A fitted torch module, or a function of rows with a method ``jacobian``: the kernel fit is then of its residuals.
        tolerance: Relative violation up to which a symmetry counts as exact.
        seed: Seed of the choice of rows, where there are more than are fitted.

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
    rep_in, rep_out = read_rep(rep_in), read_rep(rep_out)
    source, target = actions(X, Y, rep_in, rep_out)
    chosen = np.random.default_rng(seed).permutation(len(X))[:LARGEST]
    X, Y = X[chosen], Y[chosen]
    if not np.ptp(Y, axis=0).any():
        return _nothing(source, "the outputs do not vary", start)
    base = None if model is None else scaled_base(model, X, source, target)
    found = _larger(*split_and_fit(X, Y, source, target, base), tolerance)
    is_doubtful = found.exact is not None and found.r2 < RESOLVED and not source.affine
    if is_doubtful and model is None and _is_refuted(found.exact, X, Y, rep_in, rep_out):
        found = replace(found, exact=None, invariant_lie=None, rotations=None)
    r2 = max(0.0, _total_r2(found, base, target, Y))
    nothing_but_scaling = found.rotations is None and _worth(found)[0] < 2
    if nothing_but_scaling and model is None and LEAST_R2 <= r2 < RESOLVED and not source.affine:
        by_rotations = _search_under_rotations(X, Y, rep_in, rep_out, source, target, tolerance)
        if by_rotations is not None and _worth(by_rotations[0])[0] > _worth(found)[0]:
            found, model, r2 = by_rotations
    if found.exact is None and r2 < LEAST_R2:
        return _nothing(
            source,
            f"the fit explains only {r2:.0%} of the outputs; more rows or less noise would help",
            start,
        )
    return _to_proposal(found, r2, target, model, tolerance, start)


def _search_under_rotations(
    X: Array, Y: Array, rep_in: Rep, rep_out: Rep, source: Action, target: Action, tolerance: float
) -> tuple[Search, RotationGP, float] | None:
    """The search by a Gaussian process under rotations, with that and its R²; None where it is no better."""
    if not common_rotations(source.dim):
        return None
    middle = len(X) // 2
    gp = fit_rotation_gp(X[:middle], Y[:middle], rep_in, rep_out, source.dim)
    r2 = gp.r2(X[middle:], Y[middle:])
    if r2 < RESOLVED:
        return None
    n = min(middle, PROBED)  # the Gaussian process explains nearly all: so many rows of each part are enough
    near_X, near_Y = X[middle - n : middle + n], Y[middle - n : middle + n]
    first, second = split_and_fit(near_X, near_Y, source, target, scaled_base(gp, near_X, source, target))
    found = search(first, second, tolerance, LEVEL / 2)
    if found.exact is not None and _is_refuted(found.exact, X[middle:], Y[middle:], rep_in, rep_out):
        return None
    return found, gp, r2


def _is_refuted(algebra: Algebra | None, X: Array, Y: Array, rep_in: Rep, rep_out: Rep) -> bool:
    """Whether the evidence refutes what a fit shows: the fit may have the symmetry by itself, and take a violation for noise."""
    assert algebra is not None
    group = recognise(algebra.span, uncertainty=algebra.uncertainty).group
    row = evidence(X, Y, rep_in, rep_out, [group])[0]
    return row.verdict in ("soft", "absent") or (row.verdict == "undecided" and bool(row.rows))


def _larger(first: SplitPart, second: SplitPart, tolerance: float) -> Search:
    """What one part proposes and the other does not refute, or with the parts exchanged: whichever is larger, each at half the level.

    Where a fit leaves much of the outputs unexplained, a violation may hide in it, and both searches have to agree.
    """
    with ThreadPoolExecutor(2) as pool:
        ways = pool.map(
            lambda way: search(way[0], way[1], tolerance, LEVEL / 2), [(first, second), (second, first)]
        )
        larger, smaller = sorted(ways, key=_worth, reverse=True)
    if larger.r2 >= RESOLVED or _worth(larger)[0] == 0:
        return larger
    if _worth(smaller)[0] < _worth(larger)[0]:
        return smaller
    assert larger.exact is not None
    assert smaller.exact is not None
    return larger if angle(larger.exact.span, smaller.exact.span) < NEAR else replace(larger, exact=None)


def _worth(found: Search) -> tuple[int, float]:
    """The dimension of what was found, and how well its frame is known."""
    return (0, 0.0) if found.exact is None else (len(found.exact.span), -found.exact.uncertainty)


def _to_proposal(
    found: Search, r2: float, target: Action, model: Any, tolerance: float, start: float
) -> Proposal:
    source = found.second.lie.source
    algebra = found.exact
    exact = None if algebra is None else recognise(algebra.span, source.affine, algebra.uncertainty)
    rotations = None  # where the whole has a name, its rotations are known
    if exact is not None and not exact.is_named and found.rotations is not None:
        rotations = recognise(found.rotations.span, source.affine, found.rotations.uncertainty)
    rows = assemble.generator_rows(found, tolerance)
    tried = (
        []
        if source.affine
        else try_all(
            (found.first.lie, _predictor(found.first, target, model)),
            (found.second.lie, _predictor(found.second, target, model)),
            _holds(exact),
            assemble.rotation_axis(rotations or exact),
            found.first.Y,
        )
    )
    groups, verdicts = assemble.groups(found, exact, rotations, tried, tolerance)
    rows += assemble.discrete_rows(tried, groups, tolerance)
    return Proposal(
        generators=found.second.lie.basis[:0] if found.exact is None else found.exact.span,
        algebra="none" if exact is None else exact.name,
        is_compact=exact is not None and exact.is_compact,
        groups=groups,
        verdicts=verdicts,
        table=ProposalTable(rows),
        eigenvalues=found.eigenvalues,
        distance=0.0 if found.exact is None else found.exact.distance,
        explained=r2,
        lattice=assemble.lattice(groups),
        seconds=time.perf_counter() - start,
    )


def _predictor(part: SplitPart, target: Action, model: Any) -> Callable[[Array], Array]:
    """The function fitted to a part, scaled, of inputs in their units."""

    def predict(X: Array) -> Array:
        values = part.fit.predict(part.lie.features.values(X))
        return values if model is None else values + (read_model(model)[0](X) - target.shift) / target.unit

    return predict


def _holds(exact: Recognised | None) -> Callable[[Group], bool]:
    """Whether a group lies inside the exact connected one."""
    return lambda group: exact is not None and assemble.inside(exact.group, group)


def _total_r2(found: Search, base: Base | None, target: Action, Y: Array) -> float:
    """R² of the unconstrained fits of both parts, with the model added to them."""
    r2 = (found.first.fit.r2 + found.second.fit.r2) / 2
    if base is None:
        return r2
    scaled = target.scaled(Y)
    left = np.sum((scaled - base[0]) ** 2) * (1.0 - r2)
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
