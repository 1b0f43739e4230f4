"""All that the result of a fit depends on: rows in three parts and in folds, representations, candidates, hyperparameters."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from softsym import inference
from softsym.arrays import merge_row_groups, one_blas_thread
from softsym.data.split import SMALLEST_TEST, Parts, duplicate_groups, split_rows
from softsym.discovery.config import Hyperparameters
from softsym.discovery.points import as_vectors
from softsym.errors import DataWarning, InputError
from softsym.groups import Group, Trivial, join_groups, read_named_groups
from softsym.groups import group as read_group
from softsym.metrics.transform import read_shape
from softsym.reps import Rep, Scalar
from softsym.reps import rep as read_rep
from softsym.typing import Array, Index

AUTO = "auto"  # value of ``groups`` for candidates that the data propose
FOLDS = 5
LARGEST_TEST = 2_000
LEAST_PROBABILITY = 1e-6  # probabilities count as no smaller in the log loss
STANDARD = 1e-6  # mean and standard deviation of a column that was standardised are so near to 0 and 1


class Target(StrEnum):
    """What outputs are; the values are what model files say."""

    NUMBERS = "regressor"
    CLASSES = "classifier"


@dataclass(frozen=True)
class Shape:
    """What models map, and which symmetries they may have."""

    rep_in: Rep  # representation of the input
    rep_out: Rep  # representation of the output
    groups: tuple[Group, ...]  # candidate groups; none for an unconstrained model
    largest: Group  # group of gates and bilinear layers

    @classmethod
    def of(cls, rep_in: Rep, rep_out: Rep, groups: Sequence[Group], largest: Group | None = None) -> Shape:
        """The shape, with the candidates joined as the largest group unless one is given."""
        whole = largest or (join_groups(groups) if groups else Trivial(1))
        return cls(rep_in, rep_out, tuple(groups), whole)

    def without_groups(self) -> Shape:
        """The shape of an unconstrained model."""
        return replace(self, groups=())

    def restrict_to(self, names: Iterable[str]) -> Shape:
        """The shape with the candidates of these names alone."""
        kept = set(names)
        return replace(self, groups=tuple(group for group in self.groups if group.name in kept))

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of inputs and outputs."""
        return self.rep_in.size(self.largest), self.rep_out.size(self.largest)

    def to_dict(self) -> dict[str, Any]:
        """Texts."""
        reps = {"rep_in": str(self.rep_in), "rep_out": str(self.rep_out)}
        names = [group.name for group in self.groups]
        return {**reps, "groups": [str(group) for group in self.groups], "names": names, "largest": str(self.largest)}

    @classmethod
    def from_dict(cls, texts: dict[str, Any]) -> Shape:
        """The inverse of :meth:`to_dict`."""
        groups = read_named_groups(texts["groups"], texts.get("names"))
        return cls(read_rep(texts["rep_in"]), read_rep(texts["rep_out"]), groups, read_group(texts["largest"]))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that models are fitted to or compared by."""

    X: Array  # inputs (n, inputs)
    Y: Array  # outputs (n, outputs); for classes one column each, 0 or 1
    weights: Array | None = None  # sample weights (n,), of mean one; None if all are equal
    row_groups: Index | None = None  # row groups (n,); None if rows are independent
    target: Target = Target.NUMBERS  # what the outputs are
    is_separate: bool = True  # whether no model was fitted to them; False where there are too few rows to hold any out

    def __len__(self) -> int:
        return len(self.X)

    def take(self, rows: Any) -> Rows:
        """Some of the rows, by number or mask."""
        weights, labels = (None if one is None else one[rows] for one in (self.weights, self.row_groups))
        weights = None if weights is None else weights / weights.mean()
        return replace(self, X=self.X[rows], Y=self.Y[rows], weights=weights, row_groups=labels)

    def losses(self, predicted: Array) -> Array:
        """For each row (n,) its weight times the mean squared error of its outputs, or the log loss of its class."""
        predicted = predicted.reshape(self.Y.shape)
        if self.target is Target.CLASSES:
            each = -np.log(np.maximum(np.sum(predicted * self.Y, axis=1), LEAST_PROBABILITY))
        else:
            each = np.mean((predicted - self.Y) ** 2, axis=1)
        return np.asarray(each if self.weights is None else self.weights * each)

    @functools.cached_property
    def constant_loss(self) -> float:
        """The mean loss of the best constant: the outputs' variance, or the entropy of classes."""
        mean = np.average(self.Y, axis=0, weights=self.weights)
        return float(self.losses(np.tile(mean, (len(self), 1))).mean())

    def explained(self, loss: float) -> float:
        """R²: the share of the loss of a constant that a mean loss leaves; zero if outputs do not vary."""
        return 1.0 - loss / self.constant_loss if self.constant_loss else 0.0


@dataclass(frozen=True, eq=False)
class FitData:
    """All that the result of a fit depends on."""

    shape: Shape  # representations and candidate groups
    rows: Rows  # all rows
    hyperparameters: Hyperparameters  # of the networks
    seeds: int = 2  # number of members of the ensemble of networks
    seed: int = 0  # seed of the split and of the first member; the others follow
    fraction: float = 0.15  # share of the rows for validation, and again for the test
    search_space: tuple[str, ...] = ()  # hyperparameters that short trials decide: ``strength``, ``width``
    budget: float | None = None  # seconds all members together may take; decides the number of epochs
    duplicates: Index | None = None  # labels that equal rows share (n,), where they are known already
    model: str = "auto"  # which models may be selected: ``auto``, ``linear``, ``gp`` or ``network``
    device: str = "cpu"  # device of the networks
    earlier: tuple[Any, ...] = ()  # networks of the last fit, from which training continues; none for a new start
    note: str = ""  # what was proposed, a sentence; empty where candidates were given
    parts: Parts = field(init=False)

    def __post_init__(self) -> None:
        # Here, so that row groups which cannot be split into three parts are refused before anything is fitted.
        rows = self.rows
        duplicates = duplicate_groups(rows.X) if self.duplicates is None else self.duplicates
        object.__setattr__(self, "duplicates", duplicates)
        parts = split_rows(rows.X, self.fraction, self.seed, duplicates=duplicates, row_groups=rows.row_groups)
        object.__setattr__(self, "parts", parts)

    @property
    def target(self) -> Target:
        """What the outputs are."""
        return self.rows.target

    @functools.cached_property
    def development(self) -> Rows:
        """Training and validation rows: models are fitted to them and compared by them."""
        return self.rows.take(self._development)

    @functools.cached_property
    def _development(self) -> Index:
        train, val = self.parts.train, self.parts.val
        return train if val is train else np.concatenate([train, val])

    @functools.cached_property
    def is_validation(self) -> Any:
        """Which development rows (n,) networks are not trained on; all, if none could be kept from training."""
        if self.parts.val is self.parts.train:
            return np.ones(len(self._development), dtype=bool)
        return np.arange(len(self._development)) >= len(self.parts.train)

    @functools.cached_property
    def folds(self) -> Index:
        """The fold of each development row (n,): no row group is in two folds, nor are rows of equal inputs."""
        assert self.duplicates is not None
        labels = np.unique(self.duplicates[self._development], return_inverse=True)[1]
        if self.rows.row_groups is not None:
            groups = np.unique(self.rows.row_groups[self._development], return_inverse=True)[1]
            labels = merge_row_groups(labels, groups)
        return make_folds(labels, self.seed)

    @functools.cached_property
    def can_compare(self) -> bool:
        """Whether there are enough rows to compare models by."""
        return len(self._development) >= SMALLEST_TEST and self.folds.max() > 0

    @functools.cached_property
    def test(self) -> Rows:
        """Test rows, which decide nothing; all rows, marked as not separate, where they are too few."""
        test, train = self.parts.test, self.parts.train
        is_separate = len(test) >= SMALLEST_TEST and not np.array_equal(train, test)
        rows = (test if is_separate else np.arange(len(self.rows)))[:LARGEST_TEST]
        return replace(self.rows.take(rows), is_separate=is_separate)

    @property
    def member_seeds(self) -> range:
        """The seed of each member."""
        return range(self.seed, self.seed + self.seeds)


def make_folds(labels: Index, seed: int) -> Index:
    """The fold 0, 1, ... of each row (n,), of about equal sizes; rows of one label are in one fold."""
    sizes, rng = np.bincount(labels), np.random.default_rng(seed)
    order = rng.permutation(len(sizes))
    fold_of, filled = np.zeros(len(sizes), dtype=np.int64), np.zeros(min(FOLDS, len(sizes)), dtype=np.int64)
    for label in order[np.argsort(-sizes[order], kind="stable")]:
        fold_of[label] = filled.argmin()
        filled[fold_of[label]] += sizes[label]
    return np.asarray(fold_of[labels])


def standard_errors(new: Array, old: Array, row_groups: Index | None = None) -> float:
    """By how many standard errors of their mean difference losses of rows (n,) are larger than others of the same rows."""
    mean = float(new.mean()) - float(old.mean())
    if not np.isfinite(mean):
        return 0.0 if np.isnan(mean) else mean  # if both are infinite, neither is worse
    differences = new - old
    if row_groups is not None:
        labels = np.unique(row_groups, return_inverse=True)[1]
        differences = np.bincount(labels, differences) * ((labels.max() + 1) / len(labels))
    standard_error = float(differences.std(ddof=1)) / len(differences) ** 0.5 if len(differences) > 1 else 0.0
    if standard_error == 0.0:
        return float(np.sign(mean)) * float("inf") if mean else 0.0
    return float(differences.mean()) / standard_error


@one_blas_thread()
def compute_evidence(data: FitData, n_jobs: int = 1) -> inference.EvidenceTable:
    """The evidence of development rows about every candidate; an empty table without any, or where rows are too few or outputs constant."""
    shape, rows = data.shape, data.development
    if not shape.groups:
        return inference.EvidenceTable()
    options: dict[str, Any] = {"row_groups": rows.row_groups, "sample_weight": rows.weights}
    options |= {"n_jobs": n_jobs, "seed": data.seed}
    try:
        return inference.evidence(rows.X, rows.Y, shape.rep_in, shape.rep_out, shape.groups, **options)
    except InputError:
        return inference.EvidenceTable()


def make_shape(given: dict[str, Any], X: Array, Y: Array, groups: list[Group], *, classes: bool) -> Shape:
    """Representations and candidate groups of a fit; without groups columns are scalars, and points are vectors."""
    needed = ("rep_in",) if classes else ("rep_in", "rep_out")
    missing = [f"`{name}`" for name in needed if given[name] is None]
    if groups and missing:
        raise InputError(
            f"`groups` are given but not how columns transform: pass {' and '.join(missing)}, as in rep_in='5S + 5V', rep_out='T(2)'"
        )
    rep_in, rep_out = (
        values.shape[1] * Scalar if given[name] is None else as_vectors(given[name])
        for name, values in (("rep_in", X), ("rep_out", Y))
    )
    largest = [] if given["largest"] is None else [given["largest"]]
    rep_in, rep_out, acting = read_shape(rep_in, rep_out, [*groups, *largest], X, Y)
    return Shape.of(rep_in, rep_out, acting[: len(groups)], acting[-1] if largest else None)


def warn_if_standardised(X: Array, Y: Array, shape: Shape) -> None:
    """Warns of vectors and tensors whose columns were standardised one by one, which makes exact symmetries soft."""
    for rep, values, name in ((shape.rep_in, X, "X"), (shape.rep_out, Y, "y")):
        for segment in rep.segments(shape.largest):
            if segment.size == 1 or len(values) < 3:
                continue
            block = values[:, segment.start : segment.stop].reshape(len(values), segment.copies, segment.size)
            is_standard = (np.abs(block.mean(0)) <= STANDARD) & (np.abs(block.std(0) - 1) <= STANDARD)
            if is_standard.all(axis=1).any():
                problem = (
                    f"`{name}`: every column of a vector or tensor has mean 0 and standard deviation 1, as after StandardScaler, which "
                    "breaks symmetries; pass the columns as they were measured (they are scaled inside), or use "
                    "softsym.data.SymmetricScaler"
                )
                warnings.warn(problem, DataWarning, stacklevel=4)
                break
