r"""Symmetry groups proposed from data, see :func:`softsym.propose`.

Rows are split once. On the selection rows the null space of the Lie derivative (:mod:`softsym.propose.lie_derivative`) and the usual
candidates give algebras, of which the likeliest is kept (:mod:`softsym.propose.search`), and discrete elements are joined to it
(:mod:`softsym.propose.discrete`). On the inference rows :func:`softsym.evidence` judges the result, its parts and what came close. The
answer is the maximal groups that it accepts.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.arrays import join_equal_inputs, read_rows, seed_of
from softsym.data.split import HELD_OUT, split_rows
from softsym.errors import InputError, UnclearNullSpaceWarning
from softsym.groups import GL, SE, SO, E, Group, O, S, Scaling, Translation, Trivial
from softsym.groups import group as read_group
from softsym.inference.evidence import evidence
from softsym.inference.verdict import ABSENT_ABOVE, LEAST_R2, TOLERANCE, EvidenceRow, Verdict
from softsym.metrics.transform import LOW_OVERLAP, orbit_overlap
from softsym.propose.algebra import angle, contains, count_translations, generator_words, orthonormal, recognise
from softsym.propose.columns import JITTER, Columns, Rows, prepare
from softsym.propose.discrete import Element, join_elements
from softsym.propose.lie_derivative import LieMatrix, SmoothFit, fit_smooth, lie_matrix, unit_matrices
from softsym.propose.proposal import Proposal, ProposalRow, ProposalTable
from softsym.propose.search import POOR, TIED, Candidate, search
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.affine import has_points, points_to_vectors
from softsym.reps.particles import forget_particles, place_group, read_factors
from softsym.typing import Array, Index

FEWEST = 20  # the fewest rows that are accepted
MAX_ROWS = 2_000  # rows that are used unless more are asked for
LINEAR = 1e-20  # share of the variance below which outputs are combinations of the inputs
MAX_ALTERNATIVES, MAX_PARTS, MAX_SOFT = 2, 3, 1
"""So many algebras next to the likeliest, discrete parts, and usual groups that may hold softly are judged."""
COMPARED = 600  # rows by which the orbit overlap is measured
SAME_SPAN = 0.1  # share of a generator outside of an algebra up to which it is one of it
MAX_LISTED = 5  # groups that are listed
MAX_CANDIDATES = 4  # candidates for a fit


def propose(
    X: ArrayLike,
    Y: ArrayLike,
    rep_in: Rep | str,
    rep_out: Rep | str,
    *,
    row_groups: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
    max_rows: int = MAX_ROWS,
    seed: int = 0,
) -> Proposal:
    """Proposes symmetry groups from data alone.

    Args:
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).
        rep_in: How inputs transform, such as ``"2V"``; the dimension of the space follows from the columns.
        rep_out: How outputs transform.
        row_groups: A label for every row (n,); rows of one label are dependent and stay together.
        tolerance: Relative violation up to which a symmetry counts as exact.
        max_rows: Of more rows a sample is taken.
        seed: Seed of the sample split.

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
    if min(len(X), max_rows) < FEWEST:
        raise InputError(f"{min(len(X), max_rows)} row(s) propose nothing; at least {FEWEST} are needed")
    if not tolerance > 0:
        raise InputError(f"`tolerance` must be positive, got {tolerance!r}")
    seed = seed_of(seed, "seed")
    columns = Columns.read(X, Y, *(forget_particles(read_rep(rep)) for rep in (rep_in, rep_out)))
    selection, inference, labels = _split(X, row_groups, max_rows, seed)
    used = np.concatenate([selection, inference])
    if not np.ptp(Y[used], axis=0).any():
        proposal = _nothing(columns, "the outputs do not vary")
    else:
        proposal = _propose(X, Y, columns, Judge(selection, inference, labels, tolerance, seed))
    return replace(proposal, seconds=time.perf_counter() - start)


@dataclass(frozen=True, eq=False)
class Judge:
    """The sample split of rows with labels of row groups, and the rule."""

    selection: NDArray[np.intp]
    inference: NDArray[np.intp]
    labels: Index
    tolerance: float
    seed: int

    def judge(self, rows: Rows, groups: Sequence[Group]) -> Sequence[EvidenceRow]:
        """The evidence about groups, on the inference rows."""
        if not groups:
            return ()
        held, labels = rows.take(self.inference), self.labels[self.inference]
        reps = rows.columns.rep_in, rows.columns.rep_out
        return evidence(held.X, held.Y, *reps, groups, row_groups=labels, tolerance=self.tolerance, seed=self.seed)

    def accepts(self, one: EvidenceRow, from_data: bool) -> bool:
        """Whether a group holds: exact, or as far as its basis is known, where that came from data and is a little off."""
        is_close = one.verdict != "absent" and one.interval[1] <= self.tolerance and not one.overlap < LOW_OVERLAP
        return one.verdict == "exact" or (from_data and is_close)


@dataclass(frozen=True, eq=False)
class _Tried:
    """A group to judge, with what it is made of."""

    group: Group
    span: Array
    parts: tuple[Element, ...] = ()
    from_data: bool = False
    is_fallback: bool = False  # less likely than others, which are to be refuted first

    def listed(self) -> list[Group]:
        """It and its parts."""
        connected = [recognise(self.span).group] if self.parts and len(self.span) else []
        return [self.group, *connected, *(part.group for part in self.parts)]


def _split(
    X: Array, row_groups: ArrayLike | None, max_rows: int, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Index]:
    """Selection rows, inference rows and the labels of all rows; rows of one label, or of equal inputs, stay together."""
    given = None if row_groups is None else np.asarray(row_groups)
    if given is not None and given.shape != (len(X),):
        raise InputError(f"`row_groups` must hold one label for each of {len(X)} rows, got shape {given.shape}")
    labels = join_equal_inputs(X, None if given is None else np.unique(given, return_inverse=True)[1].reshape(-1))
    count = int(labels.max()) + 1
    if count < 2:
        raise InputError("all rows are of one row group; at least two are needed")
    order = np.random.default_rng(seed).permutation(count)
    sizes = np.bincount(labels, minlength=count)[order]
    ends = np.cumsum(sizes)
    total = min(len(X), max_rows)
    middle = max(1, int(np.searchsorted(ends, total / 2)))
    last = max(middle + 1, int(np.searchsorted(ends, total, side="right")))
    place = np.argsort(order)[labels]
    return np.flatnonzero(place < middle), np.flatnonzero((place >= middle) & (place < last)), labels


def _propose(X: Array, Y: Array, columns: Columns, judge: Judge) -> Proposal:
    is_moved = bool(columns.points_in.any()) and _has_translations(X, Y, columns, judge)
    if is_moved:
        X, Y = columns.centre(X, Y)
        X, columns = columns.without_last_point(X)
    rows = prepare(X, Y, columns, judge.selection)
    if rows.left < LINEAR:
        return _everything(columns, is_moved)
    selected = rows.take(judge.selection).blur(judge.seed)
    smooth = fit_smooth(selected.X, selected.Y)
    lie = lie_matrix(smooth, selected)
    sized = orbit_overlap(selected.X[:COMPARED], columns.rep_in, Scaling(columns.dim), judge.seed).value
    likely = [
        one
        for one in search(selected, lie, smooth, with_scaling=not sized < LOW_OVERLAP)
        if one.score > smooth.log_likelihood - TIED
        and one.fitted.r2 > LEAST_R2
        and (smooth.r2 < POOR or lie.uncertainty(one.span) < 1.0)
    ]
    r2 = max(0.0, smooth.r2, *(one.fitted.r2 for one in likely[:1]))
    tried, note = [], ""
    if r2 >= LEAST_R2:
        tried = _to_judge(selected, smooth, lie, likely)
    else:
        left = " left by combinations of the inputs, which every matrix respects" if rows.left < 0.5 else ""
        note = f"the fit explains only {r2:.0%} of the outputs{left}; more rows or less noise would help"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnclearNullSpaceWarning)  # groups from data have a few digits
        pairs = list(zip(tried, judge.judge(rows, [one.group for one in tried]), strict=True))
    proposal = _assemble(pairs, judge, columns, is_moved, lie)
    return replace(proposal, explained=1.0 - rows.left * (1.0 - r2), note=note)


def _has_translations(X: Array, Y: Array, columns: Columns, judge: Judge) -> bool:
    """Whether translations leave rows likely and cost at most the square of the tolerance on the inference rows, with 95 % confidence."""
    unit = max(float(Y[judge.selection].std(axis=0).max()), 1e-12)
    noise = JITTER * np.random.default_rng(judge.seed).standard_normal(Y.shape)
    sides = [(inputs, outputs / unit + noise) for inputs, outputs in ((X, Y), columns.centre(X, Y))]
    free, fitted = (fit_smooth(inputs[judge.selection], outputs[judge.selection]) for inputs, outputs in sides)
    if fitted.log_likelihood < free.log_likelihood - TIED:
        return False
    rows = judge.inference
    without, with_them = (
        np.sum((outputs[rows] - each.predict(inputs[rows])) ** 2, axis=1)
        for each, (inputs, outputs) in zip((free, fitted), sides, strict=True)
    )
    losses = with_them - without
    by_group = np.bincount(judge.labels[rows], losses - losses.mean())
    error = float(np.sqrt(np.sum(by_group**2))) / len(rows)
    variance = float(np.sum(np.var(Y[rows] / unit, axis=0)))
    return float(losses.mean()) + 1.64 * error <= judge.tolerance**2 * variance


def _to_judge(selected: Rows, smooth: SmoothFit, lie: LieMatrix, likely: list[Candidate]) -> list[_Tried]:
    """The likeliest algebra with and without discrete elements, other algebras, and usual groups that may hold softly."""
    d = selected.columns.dim
    others = [one for one in likely[1:] if angle(one.span, likely[0].span) > 20.0][:MAX_ALTERNATIVES]
    tried = [
        _Tried(recognise(one.span).group, one.span, from_data=one.freedom > 0, is_fallback=one is not likely[0])
        for one in (*likely[:1], *others)
    ]
    connected, fitted = (tried[0].group, likely[0].fitted) if tried else (None, None)
    joined = join_elements(selected, connected, fitted, smooth, lie)
    if joined.group is not None and joined.parts:
        span, from_data = (tried[0].span, tried[0].from_data) if tried else (lie.basis[:0], False)
        tried.insert(0, _Tried(joined.group, span, joined.parts, joined.from_data or from_data))
    if len(joined.parts) > 1:
        tried += [_Tried(part.group, lie.basis[:0], (part,)) for part in joined.parts[:MAX_PARTS]]
    soft = [
        group
        for group in (usual_groups(d, SO) if d > 1 else ())
        if not any(contains(one.group, group) for one in tried) and lie.violation(group.lie_algebra) < ABSENT_ABOVE
    ]
    tried += [_Tried(group, orthonormal(group.lie_algebra), is_fallback=True) for group in soft[:MAX_SOFT]]
    unique: dict[Group, _Tried] = {}
    for each in tried:
        unique.setdefault(each.group, each)
    return list(unique.values())


def usual_groups(d: int, family: Callable[[int], Group]) -> tuple[Group, ...]:
    """Those of a family, SO or O, that are common as symmetries of a space of dimension d, the largest first."""
    return (family(d), *(family(2).about(axis) for axis in "zyx")) if d == 3 else (family(d),)


def _assemble(
    pairs: list[tuple[_Tried, EvidenceRow]], judge: Judge, columns: Columns, is_moved: bool, lie: LieMatrix
) -> Proposal:
    """The maximal accepted groups, their parts and rows, and what came close."""
    holding = [pair for pair in pairs if judge.accepts(pair[1], pair[0].from_data)]
    accepted = [pair for pair in holding if not pair[0].is_fallback] or holding[:1]
    maximal = [pair for k, pair in enumerate(accepted) if not any(_is_part(pair[0], big) for big, _ in accepted[:k])]
    best = next(iter(maximal), None)
    span = lie.basis[:0] if best is None else best[0].span
    whole = _on_points(span, is_moved) if columns.is_affine else span
    exact = recognise(whole, columns.is_affine) if len(whole) else None
    groups = [_group_on_points(G, is_moved) if columns.is_affine else G for one, _ in maximal for G in one.listed()]
    if not groups and exact is not None:
        groups = [exact.group]  # translations alone
    translations = _on_points(lie.basis[:0], True) if is_moved else ()
    rows = [_row(generator_words(A, True), "generator", A) for A in translations]
    for A in span:
        eigenvalue = float(lie.spectrum(A[None])[0].max(initial=np.nan))
        placed = np.pad(A, (0, 1)) if columns.is_affine else A
        words = generator_words(placed, columns.is_affine)
        rows.append(_row(words, "generator", placed, best[1] if best else None, eigenvalue=eigenvalue))
    for one, found in maximal:
        rows += [_row(part.name, "discrete", part.matrix, found, part.group.text) for part in one.parts]
    close = [
        pair
        for pair in pairs
        if pair not in accepted and pair[1].verdict in ("soft", "undecided") and pair[1].interval[0] < ABSENT_ABOVE
    ]
    close.sort(key=lambda pair: pair[1].interval[1])
    nearly = tuple(_row(one.group.name, "group", None, found, one.group.text) for one, found in close)
    listed = tuple(dict.fromkeys(groups))[:MAX_LISTED]
    return Proposal(
        generators=whole,
        algebra="none" if exact is None else exact.name,
        is_compact=exact is not None and exact.is_compact,
        groups=listed,
        table=ProposalTable([*rows, *nearly]),
        nearly=nearly,
        eigenvalues=np.maximum(lie.spectrum()[0], 0.0),
        explained=0.0,
        lattice=_lattice(listed),
    )


def _is_part(one: _Tried, other: _Tried) -> bool:
    """Whether a group lies in another, up to a few degrees where they came from data."""
    if not one.parts and len(one.span) <= len(other.span):
        flat, inner = one.span.reshape(len(one.span), -1), other.span.reshape(len(other.span), -1)
        return bool(np.linalg.norm(flat - (flat @ inner.T) @ inner, axis=1).max(initial=0.0) < SAME_SPAN)
    return contains(other.group, one.group)


def _on_points(span: Array, is_moved: bool) -> Array:
    """Matrices (k, d, d) in homogeneous coordinates, with all translations if they hold, orthonormal."""
    linear = np.pad(span, ((0, 0), (0, 1), (0, 1)))
    return orthonormal(np.concatenate([linear, Translation(span.shape[-1]).lie_algebra])) if is_moved else linear


def _group_on_points(group: Group, is_moved: bool) -> Group:
    """A group of vectors on points, with all translations if they hold."""
    d = group.dim
    placed = group.embed(d + 1, range(d))
    return {SO(d): SE(d), O(d): E(d)}.get(group, placed | Translation(d)) if is_moved else placed


def _row(
    name: str, kind: str, A: Array | None, found: EvidenceRow | None = None, text: str = "", eigenvalue: float = np.nan
) -> ProposalRow:
    """The row of an exact generator or discrete element (d, d), or of a group that came close."""
    entries = () if A is None else tuple(tuple(float(value) for value in row) for row in np.round(A, 12) + 0.0)
    if A is not None and not text:
        text = Group.from_generators([A], name=name).text
    if found is None:
        return ProposalRow(name, "exact", kind, entries, eigenvalue, np.nan, np.nan, (np.nan, np.nan), text)
    verdict: Verdict = "exact" if A is not None else found.verdict
    note = "" if A is not None else found.note
    numbers = eigenvalue, found.p_value, found.violation, found.interval
    return ProposalRow(name, verdict, kind, entries, *numbers, text, note)


def _lattice(groups: Sequence[Group]) -> tuple[tuple[int, int], ...]:
    """Which lies directly inside which."""
    places = range(len(groups))
    inside = {(i, j) for i in places for j in places if i != j and contains(groups[i], groups[j])}
    pairs = {(i, j) for i, j in inside if i < j or (j, i) not in inside}
    return tuple(sorted((i, j) for i, j in pairs if not any((i, k) in pairs and (k, j) in pairs for k in places)))


def _everything(columns: Columns, is_moved: bool) -> Proposal:
    """The outputs are combinations of the inputs: every matrix is a symmetry."""
    d = columns.dim
    whole = _on_points(unit_matrices(d), is_moved) if columns.is_affine else unit_matrices(d)
    group = _group_on_points(GL(d), is_moved) if columns.is_affine else GL(d)
    name = recognise(whole, columns.is_affine).name
    words = "outputs are combinations of the inputs, which every matrix respects"
    return Proposal(whole, name, False, (group,), ProposalTable(), (), np.zeros(d * d), 1.0, note=words)


def _nothing(columns: Columns, note: str) -> Proposal:
    d = columns.dim + columns.is_affine
    return Proposal(np.zeros((0, d, d)), "none", False, (), ProposalTable(), (), np.zeros(0), 0.0, note=note)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidate groups for a fit, proposed ones first, the whole proposal, and those of them, ``usual``, that it does not hold."""

    groups: tuple[Group, ...]
    proposal: Proposal
    usual: tuple[Group, ...] = ()

    def describe(self) -> str:
        """The candidates in one sentence."""
        proposed = [group.name for group in self.groups if group not in self.usual]
        if proposed:
            words = f"the data propose {', '.join(proposed)}"
        else:
            reason = f" ({self.proposal.note})" if self.proposal.note else ""
            nearly = ", ".join(row.name for row in self.proposal.nearly) or "nothing"
            words = f"the data propose no group{reason}; nothing sure; nearly found: {nearly}"
        usual = ", ".join(group.name for group in self.usual)
        return f"{words}; {usual} {'is' if len(self.usual) == 1 else 'are'} judged too" if usual else words


def propose_candidates(
    X: Array,
    Y: Array,
    rep_in: Rep | str,
    rep_out: Rep | str,
    seed: int = 0,
    *,
    fraction: float = HELD_OUT,
    duplicates: Index | None = None,
    row_groups: Index | None = None,
) -> Candidates:
    """Candidate groups for a fit: those that data propose, largest first, those that came close, usual ones, exchanges of particles.

    Rows that a fit keeps for the test, with the same seed and ``fraction`` held out, are not looked at. Other arguments are those of
    :func:`softsym.propose`; ``duplicates`` are labels that equal rows share.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 6))
        >>> propose_candidates(X, np.cross(X[:, :3], X[:, 3:]), "2V", "V").describe()
        'the data propose SO(3)'
    """
    parts = split_rows(X, fraction, seed, duplicates=duplicates, row_groups=row_groups)
    seen = np.sort(np.concatenate([parts.train, parts.val]))
    labels = None if row_groups is None else row_groups[seen]
    proposal = propose(X[seen], Y[seen], rep_in, rep_out, row_groups=labels, seed=seed)
    reps = read_rep(rep_in), read_rep(rep_out)
    factors = read_factors(points_to_vectors(reps[0]), points_to_vectors(reps[1]), (X.shape[1], Y.shape[1]))
    counts = [each.dim for each in factors[1:]]
    close = [] if has_points(*reps) else [read_group(row.group) for row in proposal.nearly]
    groups, common = list(dict.fromkeys([*proposal.groups, *close])), usual_groups(factors[0].dim, O)
    known, space = any(group.is_orthogonal for group in groups), factors
    if has_points(*reps):
        moving = [count_translations(group) for group in groups]
        groups = [group for group, count in zip(groups, moving, strict=True) if count == moving[0]]
        known = any(np.abs(group.lie_algebra[:, :-1, :-1]).any() for group in groups)
        common = tuple(_group_on_points(group, any(moving)) for group in common)
        space = [Trivial(factors[0].dim + 1), *factors[1:]]
    usual = () if known else common
    listed = [place_group(group, space, 0) for group in [*groups, *usual][:MAX_CANDIDATES]]
    exchanges = [place_group(S(n), factors, place) for place, n in enumerate(counts, 1) if n > 1]
    if len(set(counts)) < len(counts):  # no two candidates of one name
        exchanges = [replace(each, label="") for each in exchanges]
    return Candidates((*listed, *exchanges), proposal, (*listed[len(groups) :], *exchanges))
