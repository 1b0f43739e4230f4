r"""Vectors that are pseudovectors: which columns change sign under reflections, where rotations hold and reflections do not.

A function f fitted with the rotations of a group is reflected in every way: with a reflection h and signs :math:`\sigma` of the copies,

.. math:: f(\sigma_{in} \rho_{in}(h)\, x) = \sigma_{out} \rho_{out}(h) f(x)

holds for those signs with which the group is a symmetry. The fewest signs that do so are named, and more than one choice of them where
data cannot tell these apart: in r x F either the product is a pseudovector, or one of its factors.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from softsym.gp.features import FeatureMap, combine, equivariant_features
from softsym.groups import Group
from softsym.inference.points import Action
from softsym.inference.sample import FOLDS, Sample
from softsym.metrics.transform import act
from softsym.reps import Rep, TensorType, pseudo
from softsym.reps.atoms import group_element
from softsym.typing import Array, Index

ROWS, MOST_SIGNS, FEW = 300, 6, 2
"""Rows that are reflected; copies of the inputs up to which all signs are tried, and how many of them change at once if there are more."""
BETTER, ALIKE = 0.25, 0.1
"""Share of the violation under the given types that others may leave to be better, and by which two of these may differ."""
SLACK = 1.2  # by how much the error with reflections may be larger than with rotations alone
ELEMENTS, CLEARLY_LESS = 4, 0.7
"""Rotations of every row in the comparison before any fit, and the share of the violation of reflections that theirs must be below."""
WORDS = {"V": "a vector", "pV": "a pseudovector", "S": "a scalar", "pS": "a pseudoscalar"}


@dataclass(frozen=True)
class Copy:
    """Columns of one copy of a type, ``input`` or ``output``."""

    side: str
    start: int
    stop: int
    kind: TensorType

    def __str__(self) -> str:
        many = self.stop - self.start > 1
        place = f"columns {self.start}..{self.stop - 1}" if many else f"column {self.start}"
        return f"{self.side} {place}"


def find_pseudo_copies(sample: Sample, action: Action, errors: tuple[float, float, float]) -> list[tuple[Copy, ...]]:
    """The smallest sets of copies that are pseudo-quantities, or are none though they are called so; each set alone makes the group hold.

    Args:
        sample: The rows.
        action: A candidate with reflections that the rows refute.
        errors: Shares of the variance that predictions leave on held-out rows: with the symmetry, as far as it holds, without.
    """
    group = action.linear
    is_asked = has_reflections(group) and group.is_orthogonal and len(group.part_dims) == 1
    rotations = rotation_subgroup(group) if is_asked and not action.has_translations else None
    if rotations is None:
        return []
    reflection = next(h for h in group.discrete_generators if np.linalg.det(h) < 0)
    if not _rotations_hold_better(sample, rotations, reflection):
        return []
    models = [_Model(sample, sample.rep_in, rotations, k, block.kind) for k, block in enumerate(sample.blocks)]
    whole = sum(float((block.weights * block.whole**2).sum()) for block in sample.blocks)
    alone = sum(float(model.errors.sum()) for model in models) / whole
    if alone > SLACK * min(errors) or alone > errors[0] / SLACK:  # rotations do not hold either, or are no better
        return []
    signs = list(_try_signs(sample, group, reflection, models))
    # with pseudovectors alone, reflections are rotations: that says nothing more
    vectors = len(_vectors(sample.rep_in, group)) + sum(len(block.columns) for block in sample.blocks)
    signs = [(changed, value) for changed, value in signs if len(changed) < max(vectors, 2)]
    claimed = next(value for changed, value in signs if not changed)
    least = min(value for _, value in signs)
    if least > BETTER * claimed:
        return []
    fitting = [changed for changed, value in signs if value <= max(2.0 * least, ALIKE * claimed)]
    count = min(map(len, fitting))
    named = [changed for changed in fitting if len(changed) == count]
    is_better = _error(sample, group, named[0]) / whole <= SLACK * alone + ALIKE * errors[0]
    return named if is_better else []


def describe(named: list[tuple[Copy, ...]]) -> str:
    """One sentence about sets of copies.

    Example:
        >>> vector = Copy("input", 3, 6, Rep(((1, TensorType()),)).terms[0][1])
        >>> describe([(vector,)])
        'input columns 3..5 transform as a pseudoscalar (pS), you said a scalar'
    """
    texts = []
    for kinds, sets in itertools.groupby(named, lambda copies: tuple(copy.kind for copy in copies)):
        listed = list(sets)
        places = " or ".join(" and ".join(map(str, copies)) for copies in listed)
        is_one = len(kinds) == 1 and listed[0][0].stop - listed[0][0].start == 1
        swapped = [str(_swap(kind)) for kind in kinds]
        others = " and ".join(dict.fromkeys(f"{WORDS[text]} ({text})" if text in WORDS else text for text in swapped))
        said = " and ".join(dict.fromkeys(WORDS.get(str(kind), str(kind)) for kind in kinds))
        texts.append(f"{places} transform{'s' if is_one else ''} as {others}, you said {said}")
    text = "; or ".join(texts)
    return text if len(named) == 1 else f"{text}; the rows do not say which of these"


def has_reflections(group: Group) -> bool:
    """Whether some elements have a negative determinant."""
    return any(np.linalg.det(h) < 0 for h in group.discrete_generators)


def rotation_subgroup(group: Group) -> Group | None:
    """The elements of positive determinant, a subgroup of index two; None if it has one element.

    Example:
        >>> import softsym as ss
        >>> rotation_subgroup(ss.O(3)) == ss.SO(3), rotation_subgroup(ss.D(4)).order
        (True, 4)
    """
    negative = [h for h in group.discrete_generators if np.linalg.det(h) < 0]
    positive = [h for h in group.discrete_generators if np.linalg.det(h) > 0]
    h = negative[0]
    listed = [*positive, *(h @ g @ h.T for g in positive), *(g @ h for g in negative), *(h @ g for g in negative)]
    kept: list[Array] = []
    for g in listed:
        if not any(np.allclose(g, other) for other in (np.eye(group.dim), *kept)):
            kept.append(g)
    if not kept and not len(group.lie_algebra):
        return None
    discrete = np.array(kept).reshape(-1, group.dim, group.dim)
    return Group.from_generators(group.lie_algebra, discrete, name=f"rotations of {group.name}")


def _rotations_hold_better(sample: Sample, rotations: Group, reflection: Array) -> bool:
    """Whether an unconstrained predictor breaks rotations clearly less than reflections: else no other types make the group hold."""
    with sample.lock:
        predict = sample.early_predictor(FOLDS)
    X, elements = sample.X[sample.some(ROWS)], rotations.sample(ELEMENTS, sample.seed)
    Y = predict(X)

    def violation(matrices: Array) -> float:
        moved = act(sample.rep_in, rotations, matrices, X).reshape(-1, X.shape[1])
        expected = act(sample.rep_out, rotations, matrices, Y).reshape(-1, Y.shape[1])
        return float(((predict(np.asarray(moved)) - expected) ** 2).mean())

    return violation(elements) < CLEARLY_LESS * violation(elements @ reflection)


class _Model:
    """An equivariant fit of one type of outputs."""

    def __init__(self, sample: Sample, rep: Rep, group: Group, index: int, kind: TensorType) -> None:
        self.sample, block = sample, sample.blocks[index]
        self.block = replace(block, values=block.values + block.linear)
        listed = list(equivariant_features(rep, kind, group, sample.rows, sample.most_features))
        self.features: FeatureMap | None = sample.choose(listed, self.block)[0] if listed else None
        scale = self.block.weights * self.block.sizes**2
        if self.features is None:
            self.errors = (self.block.values**2).sum(axis=1).mean(axis=0) * scale
            return
        self.weights, errors = sample.cross_fit(self.features, self.block)
        self.errors = errors.mean(axis=0) * scale

    def predict(self, X: Array) -> Array:
        """Outputs (n, q, copies) of inputs (n, inputs)."""
        q, copies = self.block.values.shape[1:]
        if self.features is None:
            return np.zeros((len(X), q, copies))
        return np.asarray(combine(self.features((X - self.sample.shift) / self.sample.scale), self.weights, q))


def _try_signs(
    sample: Sample, group: Group, h: Array, models: list[_Model]
) -> Iterator[tuple[tuple[Copy, ...], float]]:
    """Copies that change their type, and what is left of the symmetry under a reflection; outputs have the better sign each."""
    rows, element = sample.X[sample.some(ROWS)], group_element(group, h)
    reflected = rows @ sample.rep_in.rho(group, h).T
    copies = _vectors(sample.rep_in, group)
    most = len(copies) if len(copies) <= MOST_SIGNS else FEW
    for size in range(most + 1):
        for chosen in itertools.combinations(copies, size):
            X = reflected.copy()
            for copy in chosen:
                X[:, copy.start : copy.stop] *= -1.0
            changed, plain, total = list(chosen), 0.0, 0.0
            for model in models:
                block = model.block
                rho = block.kind.rho(group, element) if block.kind.rank else np.ones((1, 1))
                expected = np.einsum("ab,nbc->nac", rho, model.predict(rows))
                found, scale = model.predict(X), block.weights * block.sizes**2
                same, other = (((found - sign * expected) ** 2).sum(axis=1).mean(axis=0) for sign in (1, -1))
                plain += float(same @ scale)
                total += float(np.minimum(same, other) @ scale)
                for k in np.flatnonzero(other < BETTER * same):
                    columns: Index = block.columns[k]
                    changed.append(Copy("output", int(columns[0]), int(columns[-1]) + 1, block.kind))
            if not size:
                yield (), plain
            yield tuple(changed), total


def _error(sample: Sample, group: Group, changed: tuple[Copy, ...]) -> float:
    """Squared error on held-out rows with other types."""
    rep, total = Rep(()), 0.0
    for copy in _copies("input", sample.rep_in, group):
        rep = rep + Rep(((1, _swap(copy.kind) if copy in changed else copy.kind),))
    for index, block in enumerate(sample.blocks):
        starts = {copy.start for copy in changed if copy.side == "output"}
        swapped = np.array([int(columns[0]) in starts for columns in block.columns])
        for is_swapped in np.unique(swapped):
            kind = _swap(block.kind) if is_swapped else block.kind
            total += float(_Model(sample, rep, group, index, kind).errors[swapped == is_swapped].sum())
    return total


def _copies(side: str, rep: Rep, group: Group) -> Iterator[Copy]:
    for segment in rep.segments(group):
        for start in range(segment.start, segment.stop, segment.size):
            yield Copy(side, start, start + segment.size, segment.type)


def _vectors(rep: Rep, group: Group) -> list[Copy]:
    return [copy for copy in _copies("input", rep, group) if str(copy.kind) in ("V", "pV")]


def _swap(kind: TensorType) -> TensorType:
    """The type times the sign of the determinant."""
    return pseudo(Rep(((1, kind),))).terms[0][1]
