r"""The likeliest Lie algebra of the selection rows.

Spans of eigenvectors of the Lie derivative below a gap of its eigenvalues are projected onto the nearest Lie algebra, and onto ones in
round numbers nearby; algebras that are common as symmetries are added. Each is compared by the marginal likelihood of a regression on its
equivariant features (:mod:`softsym.gp.features`), which grows with every symmetry that holds, because fewer features are left, and falls
with every one that does not. An algebra from data is in a basis that is only nearly right. If the target function has the symmetry in a
basis off by :math:`\theta = \sum_b \theta_b B_b`, with directions :math:`B_b` that move the algebra at all (the complement of its
normaliser), then :math:`y = f + \sum_b \theta_b L_{B_b} f` plus noise, with f in the span of the features. So :math:`\theta` is a
regression coefficient, and a few Gauss-Newton steps lead to the likeliest basis.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve, expm

from softsym.errors import UnclearNullSpaceWarning
from softsym.gp.features import FeatureMap, Score, choose_features, equivariant_features, write_out
from softsym.gp.regression import Statistics, fit
from softsym.groups import SO, Group
from softsym.propose.algebra import (
    EQUAL,
    NEAR,
    SAME,
    angle,
    catalogue,
    derived,
    is_closed,
    is_known,
    nearest_algebra,
    orthonormal,
    rounder,
)
from softsym.propose.columns import Rows
from softsym.propose.lie_derivative import LieMatrix, SmoothFit, unit_matrices
from softsym.reps import Rep, TensorType
from softsym.typing import Array, Index

MAX_FEATURES = 300  # equivariant features of a regression
GAP = 1.15  # ratio of neighbouring violations from which the smaller ones may be a symmetry of their own
FLOOR = 0.02  # violations below this have no gaps between them
LARGEST, ABSENT = 0.75, 1.0
"""Largest violation of a generator that is considered, and what a violation of none would be."""
MAX_GAPS, MAX_ROUND = 6, 3  # so many of the widest gaps are considered, and so many algebras in round numbers near each
NEARLY_ROTATIONS, SURELY_ROTATIONS = 1.0, 0.05
"""Degrees to rotations within which an algebra is tried as such, and within which it is taken for one."""
REFINEMENTS = 8  # steps of the frame
FURTHEST = 0.25  # largest step, as the size of a matrix
DIFFERENCE = 1e-4  # step of numerical derivatives along a matrix of size one
TIED = 3.0  # log likelihoods within this do not tell algebras apart: the larger one is taken
EXPLAINED = 0.3  # share of a generator outside of a likely algebra up to which it is taken for one of it
AS_GOOD, NEGLIGIBLE = 1.15, 2.5e-5
"""Round numbers are taken if they leave at most so many times as much of the variance unexplained, and so much more."""
POOR = 0.5  # R² of the unconstrained fit below which its Lie derivative shows nothing, and the whole catalogue is tried


@dataclass(frozen=True, eq=False)
class Block:
    """A regression of all copies of one type of outputs on equivariant features."""

    kind: TensorType
    columns: Index  # of the outputs, (size, copies)
    features: FeatureMap  # in the group's own basis
    values: Array  # of the features at the rows, (n, size, m)
    weights: Array  # posterior means (m, copies)
    ridge: float  # noise over prior variance
    noise: Array  # variance for every copy (copies,)
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class GroupFit:
    """An equivariant regression of rows under all M g M^-1, with elements g of a group; one block for every type of outputs."""

    rows: Rows
    group: Group
    frame: Array  # M, (d, d)
    blocks: tuple[Block, ...]

    @property
    def log_likelihood(self) -> float:
        """Log marginal likelihood of all outputs."""
        return sum(block.log_likelihood for block in self.blocks)

    @property
    def r2(self) -> float:
        """Share of the outputs that is no noise."""
        noise = sum(float(block.noise.sum()) * len(block.columns) for block in self.blocks)
        return 1.0 - noise / max(float(np.mean(np.sum(self.rows.Y**2, axis=1))), 1e-300)

    def predict(self, X: Array) -> Array:
        """Values (n, q) at rows (n, D)."""
        out = np.zeros((len(X), self.rows.Y.shape[1]))
        for block in self.blocks:
            out[:, block.columns] = _values(self.rows, block.features, block.kind, self.frame, X) @ block.weights
        return out

    def derivatives(self, matrices: Array) -> Array:
        """L_B f at all rows for matrices (p, d, d), shape (p, n, q), by central differences."""
        X, found = self.rows.X, []
        fitted, D_out = self.predict(X), self.rows.output_rates(matrices)
        for rate, out in zip(self.rows.input_rates(matrices), D_out, strict=True):
            step = DIFFERENCE * X @ rate.T
            slope = (self.predict(X + step) - self.predict(X - step)) / (2 * DIFFERENCE)
            found.append(fitted @ out.T - slope)
        return np.array(found)


def fit_group(rows: Rows, group: Group, frame: Array | None = None, blocks: Sequence[Block] = ()) -> GroupFit | None:
    """The likeliest regression under a group in a basis; None if there are no equivariant features."""
    frame = np.eye(rows.columns.dim) if frame is None else frame
    known = {block.kind: block.features for block in blocks}
    own = rows.X @ rows.columns.rep_in.rho(rows.columns.space, np.linalg.inv(frame)).T
    fitted = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnclearNullSpaceWarning)  # matrices from data have a few digits
        for kind, columns in _output_columns(rows):
            most = min(MAX_FEATURES, 2 * len(own) * len(columns) // 3)
            maps = [known[kind]] if kind in known else equivariant_features(rows.columns.rep_in, kind, group, own, most)
            best = _choose_block(rows, kind, columns, list(maps), frame)
            if best is None:
                return None
            fitted.append(best)
    return GroupFit(rows, group, frame, tuple(fitted))


def _output_columns(rows: Rows) -> Iterator[tuple[TensorType, Index]]:
    """Columns (size, copies) of every type of outputs; copies that are zero are left out."""
    columns: dict[TensorType, list[Index]] = {}
    for segment in rows.columns.rep_out.segments(rows.columns.space):
        for start in range(segment.start, segment.stop, segment.size):
            own = np.arange(start, start + segment.size)
            if rows.Y[:, own].any():
                columns.setdefault(segment.type, []).append(own)
    return ((kind, np.array(copies).T) for kind, copies in columns.items())


def _choose_block(rows: Rows, kind: TensorType, columns: Index, maps: list[FeatureMap], frame: Array) -> Block | None:
    """The likeliest regression of the outputs of one type."""
    found: dict[FeatureMap, Block] = {}

    def score(features: FeatureMap) -> Score:
        values = _values(rows, features, kind, frame, rows.X)
        sums = Statistics.from_rows(values, rows.Y[:, columns])
        fitted = fit(sums)
        weights = np.asarray(np.linalg.solve(sums.A + fitted.ridge * np.eye(len(sums.A)), sums.b))
        numbers = fitted.ridge, fitted.noise, fitted.log_likelihood
        found[features] = block = Block(kind, columns, features, values, weights, *numbers)
        return Score(block.log_likelihood, float(block.noise.mean()), lambda: block.weights)

    best, _ = choose_features(maps, score)
    return None if best is None else found[best]


def _values(rows: Rows, features: FeatureMap, kind: TensorType, frame: Array, X: Array) -> Array:
    """Features of rows (n, D) in a frame, (n, size, m)."""
    space = rows.columns.space
    parts = features(X @ rows.columns.rep_in.rho(space, np.linalg.inv(frame)).T)
    values = write_out(parts, kind.size(space))
    return np.asarray(np.einsum("ab,nbm->nam", Rep(((1, kind),)).rho(space, frame), values)) if kind.rank else values


@dataclass(frozen=True, eq=False)
class Candidate:
    """An algebra (k, d, d), orthonormal, the regression on its features, and how many numbers of its basis came from data."""

    span: Array
    fitted: GroupFit
    freedom: int = 0

    @property
    def score(self) -> float:
        """Log likelihood, less what the frame's numbers gain by chance (Schwarz)."""
        return self.fitted.log_likelihood - 0.5 * self.freedom * math.log(len(self.fitted.rows.X))


def search(rows: Rows, lie: LieMatrix, unconstrained: SmoothFit, *, with_scaling: bool = True) -> list[Candidate]:
    """Algebras by how likely they make the selection rows, the likeliest first; among equally likely ones the largest.

    Without scaling, multiples of the identity are left out: where all inputs have one size, rows say nothing about them.
    """
    found: list[Candidate] = []
    values, generators = lie.spectrum()
    for size in gap_sizes(values):
        span = orthonormal(generators[:size])
        near = None if _is_explained(span, found, unconstrained) else nearest_algebra(span)
        if near is not None:
            _add_near(rows, near, found)
    for span in usual_algebras(rows.columns.dim, everything=unconstrained.r2 < POOR):
        if not _is_explained(span, found, unconstrained):
            _add(rows, span, found)
    if found:
        best = max(found, key=lambda each: each.score)
        if not best.freedom and (refined := refine(best)) is not None:
            found.append(refined)
        _add_larger_and_smaller(rows, max(found, key=lambda each: each.score), found)
    if not with_scaling:
        for each in sort_candidates(found)[:3]:
            if _has_scaling(each.span) and len(rest := without_identity(each.span)):
                _add(rows, rest, found)
        found = [each for each in found if not _has_scaling(each.span)]
    return [_as_rotations(_in_round_numbers(each, found)) for each in sort_candidates(found)]


def is_as_good(one: GroupFit, other: GroupFit) -> bool:
    """Whether a regression leaves about as little unexplained as another: the difference is below what models err by."""
    return 1.0 - one.r2 < AS_GOOD * (1.0 - other.r2) + NEGLIGIBLE


def _in_round_numbers(one: Candidate, found: Sequence[Candidate]) -> Candidate:
    """The algebra in round numbers near to one from data, where it explains about as much."""
    rounder_ones = [each for each in found if each.freedom < one.freedom and angle(each.span, one.span) < NEAR]
    near = [each for each in rounder_ones if is_as_good(each.fitted, one.fitted)]
    best = min(near, key=lambda each: (each.freedom, -each.score), default=one)
    return replace(one, span=best.span, fitted=best.fitted)


def _as_rotations(one: Candidate) -> Candidate:
    """An algebra that is nearly one of rotations as such, where it explains about as much: frames from data are orthogonal up to errors."""
    rotations = orthonormal((one.span - one.span.swapaxes(1, 2)) / 2)
    gap = angle(rotations, one.span) if len(rotations) == len(one.span) else NEAR
    if not EQUAL < gap < NEARLY_ROTATIONS or not is_closed(rotations):
        return one
    if gap < SURELY_ROTATIONS:
        return replace(one, span=rotations)
    fitted = fit_group(one.fitted.rows, Group.from_generators(rotations, name="candidate"))
    if fitted is None or not is_as_good(fitted, one.fitted):
        return one
    return replace(one, span=rotations, fitted=fitted)


def _is_explained(span: Array, found: Sequence[Candidate], unconstrained: SmoothFit) -> bool:
    """Whether a span lies in an algebra that is likelier than no symmetry at all."""
    likely = [each for each in found if each.score > unconstrained.log_likelihood + TIED]
    best = max(likely, key=lambda each: each.score, default=None)
    if best is None or len(best.span) < len(span):
        return False
    flat, inner = span.reshape(len(span), -1), best.span.reshape(len(best.span), -1)
    outside = flat - (flat @ inner.T) @ inner
    return bool(np.linalg.norm(outside, axis=1).max() < EXPLAINED * np.linalg.norm(flat, axis=1).min())


def sort_candidates(found: Sequence[Candidate]) -> list[Candidate]:
    """The likeliest first; those that are as likely as it by dimension."""
    least = max((each.score for each in found), default=0.0) - TIED
    return sorted(found, key=lambda each: (-len(each.span) if each.score > least else 1, -each.score))


def usual_algebras(d: int, everything: bool = False) -> Iterator[Array]:
    """Algebras that are common as symmetries: all rotations, those about coordinate axes, scaling; or the whole catalogue."""
    if everything:
        yield from (algebra for algebra in catalogue(d) if d < 4 or (len(algebra) > 2 and not _has_scaling(algebra)))
        return
    scaling = np.eye(d)[None]
    yield scaling
    if d > 1:
        yield SO(d).lie_algebra
        yield np.concatenate([SO(d).lie_algebra, scaling])
    if d == 3:
        yield from (A[None] for A in SO(3).lie_algebra)


def without_identity(span: Array) -> Array:
    """The span (k, d, d) less the direction in it that is nearest to the identity, if that is nearly in it."""
    one = np.eye(span.shape[-1]) / math.sqrt(span.shape[-1])
    shares = np.tensordot(span, one, 2)
    if float(shares @ shares) < 0.5:
        return span
    return orthonormal(span - shares[:, None, None] * np.tensordot(shares, span, 1) / float(shares @ shares))


def _has_scaling(span: Array) -> bool:
    return bool(np.abs(np.trace(span, axis1=1, axis2=2)).max() > 1e-9)


def gap_sizes(values: Array) -> list[int]:
    """Dimensions at which violations, the roots of eigenvalues, show a gap, the widest first."""
    roots = np.sqrt(np.maximum(values, FLOOR**2))
    ratios = {k: roots[k] / roots[k - 1] for k in range(1, len(roots))}
    ratios[len(roots)] = ABSENT / roots[-1]
    wide = [k for k in ratios if ratios[k] > GAP and roots[k - 1] < LARGEST]
    return list(dict.fromkeys([*sorted(wide, key=lambda k: -ratios[k])[:MAX_GAPS], 1]))


def _add_near(rows: Rows, near: Array, found: list[Candidate]) -> None:
    """Adds the likeliest algebra near to one, in its likeliest frame, and those in round numbers nearby."""
    spans = [*itertools.islice(rounder(near), MAX_ROUND), near]
    tried = [each for span in spans if (each := _add(rows, span, found)) is not None]
    if not tried:
        return
    tried.sort(key=lambda each: -each.fitted.log_likelihood)
    for each in tried if len(near) == 1 else tried[:1]:  # single generators of several kinds are near to each other
        refined = refine(each)
        if refined is not None and refined.freedom:
            found.append(refined)
            for rounded in itertools.islice(rounder(refined.span), MAX_ROUND):
                _add(rows, rounded, found)


def _add(rows: Rows, span: Array, found: list[Candidate]) -> Candidate | None:
    """The algebra among those that were found, fitted and added if it was not there before; None if it has no features."""
    span = orthonormal(span)
    for each in found:
        if angle(span, each.span) < SAME:
            return each
    fitted = fit_group(rows, Group.from_generators(span, name="candidate"))
    if fitted is None:
        return None
    found.append(Candidate(span, fitted, 0 if is_known(span) else len(moving(span))))
    return found[-1]


def _add_larger_and_smaller(rows: Rows, best: Candidate, found: list[Candidate]) -> None:
    """Adds algebras that the better fit of the best one shows: with further generators, with scaling, the span of its brackets."""
    basis = unit_matrices(rows.columns.dim)
    derivatives = best.fitted.derivatives(basis).reshape(len(basis), -1)
    M = derivatives @ derivatives.T / len(rows.X)
    N = np.eye(len(basis)) * np.trace(M) / len(basis)
    values, generators = LieMatrix(basis, M, N, np.zeros_like(M)).spectrum()
    for size in gap_sizes(values)[:2]:
        near = nearest_algebra(orthonormal(generators[:size]))
        if near is not None and len(near) > len(best.span):
            _add_near(rows, near, found)
    together = orthonormal(np.concatenate([best.span, np.eye(rows.columns.dim)[None]]))
    if len(together) > len(best.span):
        _add(rows, together, found)
    brackets = derived(best.span)
    if 0 < len(brackets) < len(best.span):
        _add(rows, brackets, found)


def refine(one: Candidate, directions: Array | None = None) -> Candidate | None:
    """The candidate in its likeliest basis nearby, along matrices (p, d, d), by default all that move it; None if none is likelier."""
    directions = moving(one.span) if directions is None else directions
    if not len(directions):
        return None
    best = one.fitted
    for step in range(REFINEMENTS):
        theta, gain = _frame_step(best, directions)
        if step == 0 and not one.freedom and gain < 0.5 * len(directions) * math.log(len(best.rows.X)):
            return None  # what comes from data does not make up for its numbers
        after = fit_group(best.rows, best.group, expm(theta) @ best.frame, best.blocks)
        if after is None or after.log_likelihood < best.log_likelihood + 0.01:
            break
        best = after
    final = fit_group(best.rows, best.group, best.frame)
    best = final if final is not None and final.log_likelihood > best.log_likelihood else best
    span = one.span
    if len(span):
        span = orthonormal(best.frame @ one.fitted.group.lie_algebra @ np.linalg.inv(best.frame))
    return Candidate(span, best, len(directions))


def _frame_step(fitted: GroupFit, directions: Array) -> tuple[Array, float]:
    """The estimate of theta (d, d) by generalised least squares, cut to the largest step, and the log likelihood that it would gain."""
    p = len(directions)
    along, information, score = fitted.derivatives(directions), np.zeros((p, p)), np.zeros(p)
    for block in fitted.blocks:
        F = block.values.reshape(-1, block.values.shape[2])
        factor = cho_factor(F.T @ F + (block.ridge + 1e-12 * float(np.sum(F**2))) * np.eye(F.shape[1]))
        Y = fitted.rows.Y[:, block.columns]
        for copy in range(block.columns.shape[1]):
            D = along[:, :, block.columns[:, copy]].reshape(p, -1).T
            rest = D - F @ cho_solve(factor, F.T @ D)
            information += rest.T @ D / block.noise[copy]
            score += rest.T @ Y[:, :, copy].reshape(-1) / block.noise[copy]
    values, vectors = np.linalg.eigh(information)
    values = np.maximum(values, 1e-9 * max(float(values[-1]), 1e-300))
    coefficients = vectors @ ((vectors.T @ score) / values)
    theta = np.tensordot(coefficients, directions, 1)
    size = min(1.0, FURTHEST / max(float(np.linalg.norm(theta)), 1e-300))
    return np.asarray(theta * size), 0.5 * float(coefficients @ score)


def moving(span: Array) -> Array:
    """Directions (p, d, d) along which conjugation moves an algebra (k, d, d), orthonormal: the complement of its normaliser.

    Rotations are moved by rotations only: other bases, in which they are skewed, are algebras of another kind.
    """
    d = span.shape[-1]
    span = orthonormal(span)
    is_rotating = np.allclose(span, -span.swapaxes(1, 2), atol=1e-9)
    units = SO(d).lie_algebra / math.sqrt(2.0) if is_rotating else unit_matrices(d)
    brackets = span[:, None] @ units - units @ span[:, None]
    outside = brackets - np.einsum("kuij,lij,lmn->kumn", brackets, span, span)
    _, sizes, rows = np.linalg.svd(outside.transpose(0, 2, 3, 1).reshape(-1, len(units)), full_matrices=False)
    return np.tensordot(rows[sizes > 1e-6], units, 1)
