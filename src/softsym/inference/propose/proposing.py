r"""Which symmetries do data suggest? The answer of :func:`softsym.propose`.

Two halves of the rows, with a kernel fit of each (:mod:`softsym.inference.propose.halves`); the null space of the Lie derivative
(:mod:`softsym.inference.propose.derivative`) proposes on the first half, and the largest algebra that holds exactly on the second counts
(:mod:`softsym.inference.propose.search`), and the other way round; its name (:mod:`softsym.inference.propose.algebra.recognise`); discrete
elements beside it (:mod:`softsym.inference.propose.discrete`); soft symmetries, marked as such. Where fits explain too little to speak
alone, what they show has to pass the evidence (:mod:`softsym.inference.evidence`), too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

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
from softsym.inference.propose.halves import Half, halves
from softsym.inference.propose.matrix_action import Action, actions, basis_of
from softsym.inference.propose.model import Base, read_model, scaled_base
from softsym.inference.propose.proposal import Proposal, ProposalTable
from softsym.inference.propose.rotation_gp import Process, process_of, usual_turns
from softsym.inference.propose.search import Search, search
from softsym.inference.shape import read_rows
from softsym.inference.verdict import LEAST_EXPLAINED, TOLERANCE
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.typing import Array

FEWEST = 20
"""Fewer rows propose nothing."""
RESOLVED = 0.95
"""Share of the variance from which a fit may speak alone."""


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
    rep_in, rep_out = read_rep(rep_in), read_rep(rep_out)
    source, target = actions(X, Y, rep_in, rep_out)
    chosen = np.random.default_rng(seed).permutation(len(X))[:LARGEST]
    X, Y = X[chosen], Y[chosen]
    if not np.ptp(Y, axis=0).any():
        return _nothing(source, "the outputs do not vary", start)
    base = None if model is None else scaled_base(model, X, source, target)
    found = _larger(*halves(X, Y, source, target, base), tolerance)
    is_doubtful = found.exact is not None and found.explained < RESOLVED and not source.affine
    if is_doubtful and model is None and _is_refuted(found.exact, X, Y, rep_in, rep_out):
        found = replace(found, exact=None, closer=None, turns=None)
    share = max(0.0, _explained(found, base, target, Y))
    nothing_but_scaling = found.turns is None and _worth(found)[0] < 2
    if nothing_but_scaling and model is None and LEAST_EXPLAINED <= share < RESOLVED and not source.affine:
        closer = _under_usual_turns(X, Y, rep_in, rep_out, source, target, tolerance)
        if closer is not None and _worth(closer[0])[0] > _worth(found)[0]:
            found, model, share = closer
    if found.exact is None and share < LEAST_EXPLAINED:
        return _nothing(
            source,
            f"the fit explains only {share:.0%} of the outputs; more rows or less noise would help",
            start,
        )
    return _told(found, share, target, model, tolerance, start)


def _under_usual_turns(
    X: Array, Y: Array, rep_in: Rep, rep_out: Rep, source: Action, target: Action, tolerance: float
) -> tuple[Search, Process, float] | None:
    """What a process that may use turns shows, with the process and its share of the variance; None where it is no better."""
    if not usual_turns(source.dim):
        return None
    half = len(X) // 2
    process = process_of(X[:half], Y[:half], rep_in, rep_out, source.dim)
    share = process.explained(X[half:], Y[half:])
    if share < RESOLVED:
        return None
    n = min(half, PROBED)  # the process explains nearly all: so many of each half tell
    near_X, near_Y = X[half - n : half + n], Y[half - n : half + n]
    first, second = halves(near_X, near_Y, source, target, scaled_base(process, near_X, source, target))
    found = search(first, second, tolerance, LEVEL / 2)
    if found.exact is not None and _is_refuted(found.exact, X[half:], Y[half:], rep_in, rep_out):
        return None
    return found, process, share


def _is_refuted(algebra: Algebra | None, X: Array, Y: Array, rep_in: Rep, rep_out: Rep) -> bool:
    """Whether rows refute what a fit shows: it may have the symmetry by itself, and leave the violation of the law to noise."""
    assert algebra is not None
    group = recognise(algebra.span, uncertainty=algebra.uncertainty).group
    row = evidence(X, Y, rep_in, rep_out, [group])[0]
    return row.verdict in ("soft", "absent") or (row.verdict == "undecided" and bool(row.rows))


def _larger(first: Half, second: Half, tolerance: float) -> Search:
    """What one half proposes and the other does not refute, or the other way round: whichever is larger, each with half of the level.

    Where a fit leaves much of the outputs to noise, a part of the law may hide in it, and both ways have to agree.
    """
    with ThreadPoolExecutor(2) as pool:
        ways = pool.map(
            lambda way: search(way[0], way[1], tolerance, LEVEL / 2), [(first, second), (second, first)]
        )
        larger, smaller = sorted(ways, key=_worth, reverse=True)
    if larger.explained >= RESOLVED or _worth(larger)[0] == 0:
        return larger
    if _worth(smaller)[0] < _worth(larger)[0]:
        return smaller
    assert larger.exact is not None
    assert smaller.exact is not None
    return larger if angle(larger.exact.span, smaller.exact.span) < NEAR else replace(larger, exact=None)


def _worth(found: Search) -> tuple[int, float]:
    """The dimension of what was found, and how well its frame is known."""
    return (0, 0.0) if found.exact is None else (len(found.exact.span), -found.exact.uncertainty)


def _told(
    found: Search, explained: float, target: Action, model: Any, tolerance: float, start: float
) -> Proposal:
    source = found.second.lie.source
    told = found.exact
    exact = None if told is None else recognise(told.span, source.affine, told.uncertainty)
    turns = None  # where the whole has a name, everybody knows its turns
    if exact is not None and not exact.is_named and found.turns is not None:
        turns = recognise(found.turns.span, source.affine, found.turns.uncertainty)
    rows = assemble.generator_rows(found, tolerance)
    tried = (
        []
        if source.affine
        else try_all(
            (found.first.lie, _predictor(found.first, target, model)),
            (found.second.lie, _predictor(found.second, target, model)),
            _holds(exact),
            assemble.turn_axis(turns or exact),
            found.first.Y,
        )
    )
    groups, verdicts = assemble.groups(found, exact, turns, tried, tolerance)
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
        explained=explained,
        lattice=assemble.lattice(groups),
        seconds=time.perf_counter() - start,
    )


def _predictor(half: Half, target: Action, model: Any) -> Callable[[Array], Array]:
    """The function fitted to a half, scaled, of inputs in their units."""

    def predict(X: Array) -> Array:
        values = half.fit.predict(half.lie.features.values(X))
        return values if model is None else values + (read_model(model)[0](X) - target.shift) / target.unit

    return predict


def _holds(exact: Recognised | None) -> Callable[[Group], bool]:
    """Whether a group lies inside the exact connected one."""
    return lambda group: exact is not None and assemble.inside(exact.group, group)


def _explained(found: Search, base: Base | None, target: Action, Y: Array) -> float:
    """Share of the variance that the plain fits of both halves explain, with the model beside them."""
    explained = (found.first.fit.explained + found.second.fit.explained) / 2
    if base is None:
        return explained
    scaled = target.scaled(Y)
    left = np.sum((scaled - base[0]) ** 2) * (1.0 - explained)
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
