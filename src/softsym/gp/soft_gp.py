r"""The soft-equivariant Gaussian process: mixed symmetries in closed form, from all rows.

.. math:: f = f_J + \sum_k f_k + r , \qquad y = f + \text{noise},

a part that has all symmetries that hold together, a part for each candidate that holds only softly, and a part that has none. Features are
equivariant by construction (:mod:`softsym.gp.features`), variances maximise the likelihood (:mod:`softsym.gp.mixture`). It is the
function-space twin of the paper's soft equivariance.
"""

from __future__ import annotations

import copy
import itertools
import logging
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from softsym.arrays import check_magnitudes, encode_row_groups, one_blas_thread, row_weights, seed_of, validate
from softsym.errors import InputError, in_one_line
from softsym.gp.arrays import from_state, to_state
from softsym.gp.features import (
    MAX_FEATURES,
    FeatureMap,
    InducingPoints,
    choose_features,
    equivariant_features,
    scale_copies,
    scale_parts,
    unconstrained_features,
)
from softsym.gp.mixture import (
    BlockModel,
    Component,
    add_rows,
    chunks,
    count_features_of,
    fit_block,
    leave_folds_out,
    refit_block,
    sum_rows,
)
from softsym.gp.regression import Likelihood, RemainderSums, Statistics, add, fit
from softsym.groups import Group, Trivial, join_groups, read_named_groups
from softsym.groups import group as read_group
from softsym.io import digest, dump_with_checksum, load_with_checksum, put_folder
from softsym.metrics.transform import read_shape
from softsym.reps import Rep, TensorType
from softsym.tables import CandidateTable, Column
from softsym.typing import Array, Index

if TYPE_CHECKING:
    from torch import nn

FORMAT, TEXT, TENSORS = 3, "gp.json", "tensors.safetensors"
LOGGER = logging.getLogger("softsym")
STORED = ("shift_in_", "scale_in_", "shift_out_", "scale_out_", "n_features_in_", "n_outputs_")
CHOOSING, CHOOSING_OF_MANY, FEW_ROWS, CHOSEN_SHARE = 3_000, 24_000, 4_000, 0.1
"""Rows times coordinates on which features and symmetries are chosen, and how many if there are more than so many rows: at least so
many, or a share of them, because what is likeliest depends on their number."""
CLEARLY, COMPARED, FAR_BEHIND = 1.5, 3, 300.0
"""Ratio of cross-validated errors from which these count more than the likelihood; of the likeliest few maps, within such a difference."""
FEATURES_OF_MANY, MANY_ROWS = 450, 10_000  # features of a component if there are so many rows
FEWEST_FEATURES, MIXED_FEATURES = 250, 1_600  # features of each part of a sum at least, and of all parts together about
REMAINDER = 300  # features of the remainder with which candidates are compared
REFUTED = 4.0
"""Log likelihood ratio from which a symmetry does not hold exactly: a p-value of 0.002 (Self and Liang, 1987)."""
SIZES = np.geomspace(1e-3, 100.0, 16)
FOLDS = 5


@dataclass(frozen=True)
class GPSymmetry:
    """What the likelihood alone says about one candidate; verdicts of :func:`softsym.evidence` rest on more.

    Args:
        name: The group's name.
        verdict: ``exact`` if the part without it is not more likely, ``soft`` if parts with and without it are, else ``absent``.
        weight: Share of the predictions that has its symmetry.
        log_ratio: Log likelihood of a part without the symmetry next to one with it, minus that of the latter alone.
    """

    name: str
    verdict: str
    weight: float
    log_ratio: float

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return asdict(self)

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        fields = asdict(self)
        return {"group": fields.pop("name"), **fields}


class GPSymmetries(CandidateTable[GPSymmetry]):
    """A row for each candidate of a Gaussian process."""

    title = "Symmetries of the Gaussian process"
    columns = (
        Column("group", "Group", lambda row: row.name),
        Column("verdict", "Verdict", lambda row: row.verdict),
        Column("weight", "Weight", lambda row: row.weight, "{:.3f}".format, is_figure=True),
        Column("log ratio", "Log likelihood ratio", lambda row: row.log_ratio, "{:.1f}".format, is_figure=True),
    )


@dataclass(frozen=True, eq=False)
class _Data:
    """Scaled rows, weights and outputs by type."""

    rows: Array  # (n, inputs)
    roots: Array  # square roots of weights (n,)
    columns: tuple[Index, ...]  # of the outputs of every type (copies, q)
    blocks: tuple[Array, ...]  # outputs of every type (n, q, copies)
    rep_in: Any = None  # None for rows on which nothing is chosen
    kinds: tuple[TensorType, ...] = ()
    some: Index = field(default_factory=lambda: np.arange(0))  # rows on which features are chosen

    @property
    def most(self) -> int:
        return MAX_FEATURES if len(self.rows) <= MANY_ROWS else FEATURES_OF_MANY

    @property
    def sampled(self) -> Array:
        """Rows from which units and inducing points are taken; all of them if they are few."""
        return self.rows[self.some] if len(self.rows) > len(self.some) else self.rows

    def few(self, block: int) -> tuple[Array, Array, Array]:
        """Some rows with their outputs and roots."""
        Y = self.blocks[block]
        most = CHOOSING if len(self.rows) <= FEW_ROWS else max(CHOOSING_OF_MANY, int(CHOSEN_SHARE * len(self.rows)))
        some = self.some[: max(100, most // Y.shape[1])]
        return self.rows[some], Y[some], self.roots[some]

    def choose(self, maps: Sequence[FeatureMap], block: int) -> FeatureMap | None:
        """The likeliest map on some rows, unless the next ones predict left-out folds of them clearly better."""
        rows, Y, roots = self.few(block)
        score = Likelihood(rows, Y, roots, self.most)
        best, height = choose_features(maps, score, self.sampled)
        if best is None:
            return None
        compared = sorted(score.found, key=lambda each: -each[1].log_likelihood)[:COMPARED]
        if compared[0][0] is not best or height - compared[-1][1].log_likelihood > FAR_BEHIND or len(compared) < 2:
            return best
        errors, folds = [], np.arange(len(rows)) % FOLDS
        for features, fitted in compared:
            predicted = leave_folds_out([Component(features)], np.array([fitted.ridge]), rows, Y, roots, folds)
            errors.append(float((((Y - predicted) * roots[:, None, None]) ** 2).sum()))
        least = int(np.argmin(errors))
        return compared[least][0] if errors[0] > CLEARLY * errors[least] else best


class SoftEquivariantGP(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A Gaussian process that uses each candidate symmetry just as much as it holds.

    Args:
        rep_in: How inputs transform, such as ``"5S + 5V"``; needed with groups.
        rep_out: How outputs transform, such as ``"T(2)"``; needed with groups.
        groups: Candidate groups, such as ``["O(2)@x", "O(2)@z"]``; none for an unconstrained Gaussian process.
        exact_groups: Names of the candidates that hold exactly, if that is known; else the likelihood decides.
        random_state: Seed of the rows on which features are chosen.

    Attributes:
        weights_: For every candidate the share of the predictions that has its symmetry.
        symmetries_: What the likelihood alone says about each candidate, a table.
        exact_groups_: Names of the candidates to which it is exactly equivariant, at every element.
        log_likelihood_: Log marginal likelihood.

    Example:
        >>> import numpy as np, softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((100, 6))
        >>> gp = SoftEquivariantGP("2V", "V", ["SO(3)"]).fit(X, np.cross(X[:, :3], X[:, 3:]))
        >>> gp.weights_["SO(3)"] > 0.99, gp.exact_groups_
        (True, ('SO(3)',))
        >>> mean, std = gp.predict(X[:5], return_std=True)
        >>> mean.shape, std.shape
        ((5, 3), (5, 3))
    """

    def __init__(
        self,
        rep_in: Rep | str | None = None,
        rep_out: Rep | str | None = None,
        groups: Group | str | Sequence[Group | str] = (),
        *,
        exact_groups: Sequence[str] | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.rep_in, self.rep_out, self.groups = rep_in, rep_out, groups
        self.exact_groups, self.random_state = exact_groups, random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, groups: Any = None) -> Self:
        """Chooses features, symmetries and variances, and conditions on all rows.

        Args:
            X: Inputs (n, size of ``rep_in``).
            y: Outputs (n, size of ``rep_out``), or (n,) for one output.
            sample_weight: Weight of every row (n,): the variance of its noise is divided by it.
            groups: Row groups, a label for every row, if rows are dependent (windows of one recording): which parts there are is then
                decided by predictions of row groups that were left out.
        """
        inputs, Y, weights = self._read(X, y, sample_weight, ensure_min_samples=2)
        self.n_outputs_ = 0 if Y.ndim == 1 else Y.shape[1]
        Y = Y.reshape(len(Y), -1)
        rep_in, rep_out, candidates = read_shape(self.rep_in, self.rep_out, self.groups, inputs, Y)
        whole = join_groups(candidates) if candidates else Trivial(1)
        self.shift_in_, self.scale_in_ = scale_copies(inputs, rep_in, whole, weights)
        self.shift_out_, self.scale_out_ = scale_copies(Y, rep_out, whole, weights)
        segments = list(rep_out.segments(whole))
        columns = [np.arange(each.start, each.stop).reshape(each.copies, each.size) for each in segments]
        most = max(CHOOSING_OF_MANY, int(CHOSEN_SHARE * len(Y)))
        some = np.random.default_rng(seed_of(self.random_state)).permutation(len(Y))[:most]
        data = self._scale(inputs, Y, weights, columns)
        self.data_ = replace(data, rep_in=rep_in, kinds=tuple(each.type for each in segments), some=some)
        self.candidates_, self._rows = tuple(candidates), len(Y)
        labels = encode_row_groups(groups, len(Y))
        LOGGER.info("Gaussian process on %d rows with %d candidates", len(Y), len(candidates))
        holding, ratios = self._compare(candidates)
        options = self._options(candidates, holding, ratios)
        if labels is not None and len(np.unique(labels)) > 1 and len(options) > 1:
            folds = labels % min(FOLDS, len(np.unique(labels)))
            fitted = [self._fit_blocks(each) for each in options]
            errors = [float(((self._out_of_fold(each, folds) - Y) ** 2 / self.scale_out_**2).sum()) for each in fitted]
            self.blocks_ = fitted[int(np.argmin(errors))]
        else:
            fitted = [self._fit_blocks(each) for each in options[:2]]
            self.blocks_ = max(fitted, key=lambda blocks: sum(block.log_likelihood for block in blocks))
        return self._summarize(ratios)

    def _read(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> tuple[Array, Array, Array | None]:
        """Inputs, outputs and weights as numbers that can be computed with."""
        inputs, outputs = validate(self, X, y, multi_output=True, y_numeric=True, **options)
        Y = np.asarray(outputs, dtype=np.float64)
        check_magnitudes(inputs, "a value of `X`")
        check_magnitudes(Y, "a value of `y`")
        return inputs, Y, row_weights(sample_weight, len(Y))

    def _scale(self, X: Array, Y: Array, weights: Array | None, columns: Sequence[Index]) -> _Data:
        """Rows without units, outputs by their columns (copies, q)."""
        scaled = (Y - self.shift_out_) / self.scale_out_
        blocks = tuple(scaled[:, each].swapaxes(1, 2) for each in columns)
        roots = np.ones(len(X)) if weights is None else np.sqrt(weights)
        return _Data((X - self.shift_in_) / self.scale_in_, roots, tuple(columns), blocks)

    def _compare(self, candidates: Sequence[Group]) -> tuple[list[Group], dict[str, float]]:
        """The candidates that hold, and for each the log likelihood ratio of a remainder next to it."""
        if self.exact_groups is not None:
            ratios = {group.name: 0.0 if group.name in self.exact_groups else REFUTED for group in candidates}
            return [group for group in candidates if group.name in self.exact_groups], ratios
        ratios = {group.name: self._ratio(group) for group in candidates}
        holding = [group for group in candidates if ratios[group.name] < REFUTED]
        while len(holding) > 1 and self._ratio(join_groups(holding)) >= REFUTED:  # each may hold, and not all together
            holding.remove(max(holding, key=lambda group: ratios[group.name]))
        return holding, ratios

    def _ratio(self, group: Group) -> float:
        data, total = self.data_, 0.0
        for k, kind in enumerate(data.kinds):
            rows, Y, roots = data.few(k)
            q = Y.shape[1]
            best = data.choose(list(equivariant_features(data.rep_in, kind, group, rows)), k)
            if best is None:
                return np.inf
            parts = scale_parts(best(rows), roots)
            own = Statistics.from_parts(parts, Y * roots[:, None, None])
            ridge, gains = fit(own).ridge, []
            for width in (0.7, 1.4, 4.0):
                inducing = InducingPoints.select(rows, width * np.sqrt(rows.shape[1]), max(20, REMAINDER // q))
                K = inducing(rows) * roots[:, None]
                (sums,) = RemainderSums.from_parts(parts, [K], Y * roots[:, None, None])
                found = sums.remainder(own, ridge)
                scale = max(float(found.values.sum()) / found.count, 1e-300)
                heights, _, _ = found.profile(SIZES**2 / scale / 100.0)
                alone = -0.5 * found.count * np.log(found.left / found.count)
                gains.append(float((heights.max(axis=0) - alone).sum()))
            total += max(0.0, *gains)
        return total

    def _options(
        self, candidates: Sequence[Group], holding: Sequence[Group], ratios: dict[str, float]
    ) -> list[list[list[Component]]]:
        """Lists of components for every block, the most symmetric first."""
        free = self._components(())
        if not candidates:
            return [free]
        soft = [group for group in candidates if group not in holding and np.isfinite(ratios[group.name])]
        share = max(FEWEST_FEATURES, MIXED_FEATURES // (len(soft) + 1))
        options = [self._components(holding)] if holding else []
        if soft or not holding:
            parts = [*options, *(self._components([*holding, group], share) for group in soft)]
            parts += [] if holding else [self._components((), divided=True)]
            options.append([list(itertools.chain(*own)) for own in zip(*parts, strict=True)])
        return [*options, free]

    def _components(
        self, groups: Sequence[Group], most: int = MAX_FEATURES, *, divided: bool = False
    ) -> list[list[Component]]:
        """Features of the group that some candidates generate, or of none, for every block; perhaps fewer, divided between coordinates."""
        data, names, found = self.data_, tuple(group.name for group in groups), []
        for k, (kind, Y) in enumerate(zip(data.kinds, data.blocks, strict=True)):
            own = max(8, data.most // Y.shape[1]) if divided else min(most, data.most)
            maps = unconstrained_features(data.sampled, own)
            if groups:
                maps = equivariant_features(data.rep_in, kind, join_groups(groups), data.sampled, own)
            best = data.choose(list(maps), k)
            found.append([] if best is None else [Component(best, names)])
        return found

    def _fit_blocks(self, components: list[list[Component]]) -> list[BlockModel]:
        data = self.data_
        return [
            fit_block(own, columns, data.rows, Y, data.roots) if own else _zero_block(columns, Y)
            for own, columns, Y in zip(components, data.columns, data.blocks, strict=True)
        ]

    def _summarize(self, ratios: dict[str, float]) -> Self:
        blocks = self.blocks_
        self.log_likelihood_ = float(sum(block.log_likelihood for block in blocks))
        self.weights_, rows, exact = {}, [], []
        parts = [
            (each.groups, size**2) for block in blocks for each, size in zip(block.components, block.sizes, strict=True)
        ]
        for name in (group.name for group in self.candidates_):
            having, total = sum(size for names, size in parts if name in names), sum(size for _, size in parts)
            is_exact = all(name in names for names, _ in parts)
            weight = self.weights_[name] = 1.0 if is_exact else float(having / max(total, 1e-300))
            exact += [name] if is_exact else []
            verdict = "exact" if is_exact else "soft" if weight > 0.5 else "absent"
            rows.append(GPSymmetry(name, verdict, weight, ratios.get(name, 0.0)))
        self.exact_groups_, self.symmetries_ = tuple(exact), GPSymmetries(rows)
        return self

    @one_blas_thread()
    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Mean (n, outputs), or (n,) as ``y`` was, and the standard deviation of a new measurement if asked for."""
        check_is_fitted(self)
        inputs = np.asarray(validate(self, X, reset=False))
        rows = (inputs - self.shift_in_) / self.scale_in_
        mean, std = np.zeros((2, len(rows), len(self.shift_out_)))
        for block in self.blocks_:
            for at in chunks(len(rows), len(block.weights) * block.columns.shape[1]):
                mean[at, block.columns.ravel()] = _flat(block.mean(rows[at]))
                if return_std:
                    deviation = np.sqrt((1.0 + block.variance(rows[at]))[:, :, None] * block.noise)
                    std[at, block.columns.ravel()] = _flat(deviation)
        mean, std = mean * self.scale_out_ + self.shift_out_, std * self.scale_out_
        if self.n_outputs_ == 0:
            mean, std = mean[:, 0], std[:, 0]
        return (mean, std) if return_std else mean

    @one_blas_thread()
    def cross_val_predict(self, folds: ArrayLike) -> Array:
        """Predictions (n, outputs) of every row of the last fit by fits without its fold, hyperparameters kept.

        Args:
            folds: The fold of every row (n,), whole numbers.
        """
        check_is_fitted(self, "data_")
        return self._out_of_fold(self.blocks_, np.unique(np.asarray(folds), return_inverse=True)[1].reshape(-1))

    def _out_of_fold(self, blocks: Sequence[BlockModel], folds: Index) -> Array:
        data = self.data_
        out = np.zeros((len(data.rows), len(self.shift_out_)))
        for block, Y in zip(blocks, data.blocks, strict=True):
            if block.components:
                own = leave_folds_out(block.components, block.ridges, data.rows, Y, data.roots, folds)
                out[:, block.columns.ravel()] = _flat(own)
        return out * self.scale_out_ + self.shift_out_

    @one_blas_thread()
    def project(self, groups: Group | str | Sequence[Group | str]) -> SoftEquivariantGP:
        """The Gaussian process of the same rows that has just these symmetries, at every element; none for an unconstrained one.

        Args:
            groups: Some of the candidates.
        """
        check_is_fitted(self)
        chosen = [read_group(each) for each in ([groups] if isinstance(groups, str | Group) else groups)]
        known = {group.name: group for group in self.candidates_}
        exact = [known.get(group.name, group) for group in chosen]
        if not self.is_original:
            words = "only a Gaussian process as it was fitted can be projected, not one conditioned on other rows"
            raise InputError(words)
        model = copy.copy(self)
        model.blocks_ = model._fit_blocks(model._components(exact))
        model._summarize({row.name: row.log_ratio for row in self.symmetries_})
        model.exact_groups_ = tuple(group.name for group in exact)
        return model

    def snap(self, group: Group | str) -> SoftEquivariantGP:
        """The former name of :meth:`project`."""
        warnings.warn("gp.snap is now gp.project", DeprecationWarning, stacklevel=2)
        return self.project(group)

    @one_blas_thread()
    def condition(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> SoftEquivariantGP:
        """The same features and variances, conditioned on other rows.

        Args:
            X: Inputs (n, size of ``rep_in``).
            y: Outputs (n, size of ``rep_out``).
            sample_weight: Weight of every row (n,).
        """
        check_is_fitted(self)
        model = copy.copy(self)
        model.data_ = data = self._scale_other(X, y, sample_weight)
        model._rows = len(data.rows)
        model.blocks_ = [
            refit_block(block, data.rows, Y, data.roots) if block.components else block
            for block, Y in zip(self.blocks_, data.blocks, strict=True)
        ]
        return model

    @one_blas_thread()
    def partial_fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> SoftEquivariantGP:
        """Adds rows: the first call fits as :meth:`fit` does, later ones add to the sums over rows and choose variances anew.

        Any number of rows passes through the memory of one chunk, and nothing but features and symmetries depends on the first one.

        Args:
            X: Inputs (n, size of ``rep_in``).
            y: Outputs (n, size of ``rep_out``).
            sample_weight: Weight of every row (n,).
        """
        if not hasattr(self, "blocks_"):
            return self.fit(X, y, sample_weight)
        return self.add_sums(self.sum_rows(X, y, sample_weight))

    @one_blas_thread()
    def sum_rows(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[int, list[Statistics]]:
        """Number of rows and sums over them, all that :meth:`add_sums` needs; may be computed on other machines.

        Args:
            X: Inputs (n, size of ``rep_in``).
            y: Outputs (n, size of ``rep_out``).
            sample_weight: Weight of every row (n,).
        """
        check_is_fitted(self)
        data = self._scale_other(X, y, sample_weight)
        found = [
            sum_rows(block.components, data.rows, Y, data.roots)[0]
            for block, Y in zip(self.blocks_, data.blocks, strict=True)
            if block.components
        ]
        return len(data.rows), found

    def add_sums(self, *sums: tuple[int, list[Statistics]]) -> SoftEquivariantGP:
        """Adds rows by their sums (:meth:`sum_rows`), in the order given.

        Args:
            sums: Of some chunks of rows.
        """
        check_is_fitted(self)
        count = sum(rows for rows, _ in sums)
        totals = (add(own) for own in zip(*(each for _, each in sums), strict=True))
        one = np.zeros((2, len(self.shift_in_)))
        blocks = []
        for block in self.blocks_:
            if block.components:
                sizes = count_features_of(block.components, one, block.columns.shape[1])
                block = add_rows(block, next(totals), sizes, self._rows)
            blocks.append(block)
        self.blocks_, self._rows = blocks, self._rows + count
        self.__dict__.pop("data_", None)  # its rows are not all rows any more
        return self._summarize({row.name: row.log_ratio for row in self.symmetries_})

    def _scale_other(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> _Data:
        """Other rows in the units of those that were fitted."""
        inputs, Y, weights = self._read(X, y, sample_weight, reset=False)
        Y = Y.reshape(len(Y), -1)
        if Y.shape[1] != len(self.shift_out_):
            raise InputError(f"the Gaussian process has {len(self.shift_out_)} outputs, got {Y.shape[1]}")
        return self._scale(inputs, Y, weights, [block.columns for block in self.blocks_])

    @property
    def noise_(self) -> Array:
        """Variance of the noise of every output (outputs,), in the units of the data."""
        variance = np.zeros(len(self.shift_out_))
        for block in self.blocks_:
            variance[block.columns] = block.noise[:, None]
        return np.asarray(variance * self.scale_out_**2)

    def to_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The fitted Gaussian process as JSON and arrays; rows are not part of it."""
        check_is_fitted(self)
        about, arrays = to_state((tuple(getattr(self, name) for name in STORED), tuple(self.blocks_)))
        own = {
            "values": about,
            "groups": [str(group) for group in self.candidates_],
            "names": [group.name for group in self.candidates_],
            "rep_in": None if self.rep_in is None else str(self.rep_in),
            "rep_out": None if self.rep_out is None else str(self.rep_out),
            "ratios": {row.name: min(row.log_ratio, 1e300) for row in self.symmetries_},
            "exact": list(self.exact_groups_),
            "rows": self._rows,
        }
        return own, arrays

    @classmethod
    def from_state(cls, about: dict[str, Any], arrays: dict[str, Array]) -> SoftEquivariantGP:
        """The inverse of :meth:`to_state`."""
        model = cls(about["rep_in"], about["rep_out"], about["groups"])
        values, blocks = from_state(about["values"], arrays)
        for name, value in zip(STORED, values, strict=True):
            setattr(model, name, value)
        model.blocks_ = list(blocks)
        model.candidates_ = read_named_groups(about["groups"], about["names"])
        model._summarize(about["ratios"])
        model.exact_groups_, model._rows = tuple(about["exact"]), about["rows"]
        return model

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes the Gaussian process as safetensors and JSON; :func:`softsym.load` reads it back.

        Args:
            folder: A new folder.
            force: Replace what softsym wrote there before.
        """
        from safetensors.numpy import save as encode

        about, arrays = self.to_state()
        tensors = encode({name: np.ascontiguousarray(array) for name, array in arrays.items()})
        text = dump_with_checksum({"format": FORMAT, "tensors": digest(tensors), "gp": about})
        folder = Path(folder)
        if folder.exists() and not force:
            raise InputError(f"{folder} exists already; pass another folder, or force=True to replace it")
        files = {TEXT: text.encode(), TENSORS: tensors}
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            put_folder(folder, lambda path: [(path / name).write_bytes(data) for name, data in files.items()])
        except OSError as error:
            raise InputError(f"cannot write the model to {folder}: {error.strerror}") from error
        return folder

    def module(self) -> nn.Module:
        """The mean as an ``nn.Module`` in double precision, in the units of the data."""
        from softsym.gp.torch_module import FeatureModule

        check_is_fitted(self)
        scales = self.shift_in_, self.scale_in_, self.shift_out_, self.scale_out_
        blocks = [
            ([each.features for each in block.components], block.weights, block.columns) for block in self.blocks_
        ]
        return FeatureModule(scales, blocks)

    @property
    def n_rows_(self) -> int:
        """Number of rows that it is conditioned on."""
        return self._rows

    @property
    def is_original(self) -> bool:
        """Whether it has the rows that it was fitted to, so that it can be projected."""
        return getattr(getattr(self, "data_", None), "rep_in", None) is not None


def load_gp(folder: Path) -> SoftEquivariantGP:
    """Reads what :meth:`SoftEquivariantGP.save` wrote; runs no code of the file's."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as decode

    try:
        text, tensors = (folder / TEXT).read_text(encoding="utf-8"), (folder / TENSORS).read_bytes()
        content = load_with_checksum(text)
        if content["format"] != FORMAT:
            raise InputError(f"{folder}: {TEXT} has format {content['format']!r:.20}, this version reads {FORMAT}")
        if content["tensors"] != digest(tensors):
            raise InputError(f"{folder}: {TENSORS} does not go with {TEXT}; save the model again")
        return SoftEquivariantGP.from_state(content["gp"], decode(tensors))
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, SafetensorError) as error:
        raise InputError(f"{folder}: {TEXT} is damaged ({in_one_line(error)}); save the model again") from error


def _flat(values: Array) -> Array:
    """Values (n, q, copies) as columns copy by copy."""
    return np.asarray(values.swapaxes(1, 2).reshape(len(values), -1))


def _zero_block(columns: Index, Y: Array) -> BlockModel:
    """No equivariant map but zero."""
    nothing, noise = np.zeros((0, Y.shape[2])), (Y**2).mean(axis=(0, 1))
    return BlockModel(columns, (), np.zeros(0), nothing, np.zeros((0, 0)), noise, -np.inf, np.zeros(0))
