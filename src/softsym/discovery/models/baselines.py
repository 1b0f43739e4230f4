"""Baselines that know no symmetry: kernel ridge regression, gradient boosting, a multilayer perceptron.

Trees and perceptrons are fitted by scikit-learn and kept as arrays, from which they predict: no pickle, and a torch module of each.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from softsym.data import SymmetricScaler
from softsym.discovery.fit_data import Rows, Target
from softsym.discovery.models.base import BOOSTING, KERNEL, PERCEPTRON, About, ConstantNoise, State
from softsym.gp.arrays import from_state, to_state
from softsym.gp.kernel_ridge import KernelRidge
from softsym.gp.kernel_ridge import fit_kernel_ridge as fit_unconstrained
from softsym.typing import Array, Arrays, Index

if TYPE_CHECKING:
    from torch import nn

MOST_TREE_ROWS, MOST_DIRECTIONS, TREES = 100_000, 6, 100
"""Largest number of rows for trees, and of principal directions of the outputs that they predict."""
WIDTH, MOST_PERCEPTRON_ROWS, MOST_PASSES, PATIENCE = 100, 10_000, 300, 15
"""Two hidden layers of this width; at most so many rows and passes; passes without progress after which it stops."""
CHUNK = 2_000_000  # pairs of rows and trees at once


@dataclass(frozen=True, eq=False)
class KernelRidgeModel(ConstantNoise):
    """A fitted kernel ridge regression, with the standard deviation of each output."""

    inner: KernelRidge
    noise: Array
    kind = "kernel ridge"
    title = KERNEL

    def predict(self, X: Array) -> Array:
        return np.asarray(self.inner.predict(X))

    def fit(self, rows: Rows) -> KernelRidgeModel:
        return replace(self, inner=self.inner.condition(rows.X, rows.Y, rows.weights))

    def to_state(self) -> State:
        about, arrays = to_state(self.inner)
        return {"inner": about}, {**arrays, "noise": self.noise}

    @classmethod
    def from_state(cls, about: About, arrays: Arrays) -> KernelRidgeModel:
        return cls(from_state(about["inner"], arrays), arrays["noise"])

    def module(self) -> nn.Module:
        return self.inner.module()


def fit_kernel_ridge(rows: Rows, folds: Index) -> KernelRidgeModel:
    """Kernel ridge regression on standardised columns, kernel and penalty chosen by cross-validation."""
    return KernelRidgeModel(fit_unconstrained(rows.X, rows.Y, folds=folds, weights=rows.weights), rows.Y.std(0))


@dataclass(frozen=True, eq=False)
class BoostedTrees(ConstantNoise):
    """Gradient boosting: sums of regression trees, kept as arrays of nodes.

    Node k sends a row to ``left[k]`` if its column ``feature[k]`` is at most ``threshold[k]``, else to ``right[k]``; leaves point at
    themselves. Sums of trees are coordinates along directions of the outputs.
    """

    feature: Index  # shape (nodes,)
    threshold: Array  # shape (nodes,)
    left: Index  # shape (nodes,)
    right: Index  # shape (nodes,)
    value: Array  # of leaves, shape (nodes,)
    roots: Index  # first node of every tree, shape (models, trees)
    depth: int  # steps from a root to any leaf
    directions: Array  # directions of the outputs, one for each model, shape (models, outputs)
    center: Array  # what is added, shape (outputs,)
    noise: Array  # standard deviation of each output
    is_classes: bool = False  # whether outputs are logarithms of odds
    seed: int = 0  # random seed
    kind = "trees"
    title = BOOSTING

    def predict(self, X: Array) -> Array:
        step = max(1, CHUNK // max(1, self.roots.size))
        sums = [self._sum_trees(X[k : k + step]) for k in range(0, len(X), step)]
        raw = np.concatenate(sums) @ self.directions + self.center if sums else np.zeros((0, len(self.center)))
        return np.asarray(softmax(raw, axis=1)) if self.is_classes else raw

    def _sum_trees(self, X: Array) -> Array:
        """Sums over trees (n, models)."""
        node = np.broadcast_to(self.roots.reshape(1, -1), (len(X), self.roots.size))
        row = np.arange(len(X))[:, None]
        for _ in range(self.depth):
            goes_left = X[row, self.feature[node]] <= self.threshold[node]
            node = np.where(goes_left, self.left[node], self.right[node])
        return np.asarray(self.value[node].reshape(len(X), *self.roots.shape).sum(-1))

    def fit(self, rows: Rows) -> BoostedTrees:
        return fit_boosting(rows, self.seed).with_noise(self.noise)

    @classmethod
    def from_state(cls, about: About, arrays: Arrays) -> BoostedTrees:
        trees = super().from_state(about, arrays)
        nodes, sizes = len(trees.value), {len(arrays[name]) for name in _NODES}
        inside = all(np.all((part >= 0) & (part < nodes)) for part in (trees.left, trees.right, trees.roots))
        if len(sizes) != 1 or not inside or not 0 <= trees.depth <= nodes or (trees.feature < 0).any():
            raise ValueError("its trees are damaged")
        return trees

    def module(self) -> nn.Module:
        from softsym.discovery.module import Trees

        return Trees(self)


_NODES = ("feature", "threshold", "left", "right", "value")


def fit_boosting(rows: Rows, seed: int = 0) -> BoostedTrees:
    """scikit-learn's histogram gradient boosting with default settings, one model for each principal direction of the outputs."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    rows = rows.take(slice(MOST_TREE_ROWS))
    options: dict[str, Any] = {"max_iter": TREES, "early_stopping": False, "random_state": seed}
    fitted: list[Any] = []
    with threadpool_limits(limits=1):
        if rows.target is Target.CLASSES:
            present = np.flatnonzero(rows.Y.any(0))
            center = np.where(rows.Y.any(0), 0.0, -30.0)
            labels = rows.Y.argmax(1)
            directions = np.eye(rows.Y.shape[1])[present]
            if len(present) > 1:
                fitted = [HistGradientBoostingClassifier(**options).fit(rows.X, labels, rows.weights)]
                directions = directions[1:] if len(present) == 2 else directions
        else:
            center = np.average(rows.Y, axis=0, weights=rows.weights)
            directions = np.linalg.svd(rows.Y - center, full_matrices=False)[2][:MOST_DIRECTIONS]
            for direction in directions:
                along = (rows.Y - center) @ direction
                fitted.append(HistGradientBoostingRegressor(**options).fit(rows.X, along, rows.weights))
    base = [float(value) for model in fitted for value in np.ravel(model._baseline_prediction)]
    directions = directions[: len(base)]
    # All trees of the first output, then those of the next.
    trees = [tree.nodes for model in fitted for output in zip(*model._predictors, strict=True) for tree in output]
    first = np.cumsum([0, *map(len, trees)])
    parts = [_read_nodes(tree, place) for tree, place in zip(trees, first[:-1], strict=True)]
    arrays = [np.concatenate(part) for part in zip(*parts, strict=True)] or [np.zeros(0, np.int64)] * 5
    nodes: dict[str, Any] = dict(zip(_NODES, arrays, strict=True))
    return BoostedTrees(
        **nodes,
        roots=first[:-1].astype(np.int64).reshape(len(base), len(trees) // max(len(base), 1)),
        depth=max((int(tree["depth"].max()) for tree in trees), default=0),
        directions=directions,
        center=center + np.asarray(base) @ directions if base else center,
        noise=rows.Y.std(0),
        is_classes=rows.target is Target.CLASSES,
        seed=seed,
    )


def _read_nodes(nodes: Any, first: int) -> tuple[Index, Array, Index, Index, Array]:
    """Feature, threshold, left, right and value of the nodes of a tree, the first of which has this number."""
    place, is_leaf = np.arange(len(nodes)) + first, nodes["is_leaf"].astype(bool)
    left, right = (np.where(is_leaf, place, nodes[side].astype(np.int64) + first) for side in ("left", "right"))
    feature, threshold = np.where(is_leaf, 0, nodes["feature_idx"]), np.where(is_leaf, 0.0, nodes["num_threshold"])
    return feature, threshold, left, right, np.where(is_leaf, nodes["value"], 0.0)


def boosted(X: Array, Y: Array, seed: int = 0, weights: Array | None = None) -> Callable[[Array], Array]:
    """Boosted trees from inputs (n, inputs) to outputs (n, outputs) with sample weights (n,), as a function.

    Example:
        >>> X = np.random.default_rng(0).standard_normal((60, 2))
        >>> boosted(X, np.sign(X))(X[:4]).shape
        (4, 2)
    """
    return fit_boosting(Rows(X, Y, weights), seed).predict


@dataclass(frozen=True, eq=False)
class Perceptron(ConstantNoise):
    """A small multilayer perceptron."""

    weights: tuple[Array, ...]  # of every layer, shape (before, after)
    biases: tuple[Array, ...]  # of every layer, shape (after,)
    scale_in: SymmetricScaler  # of the inputs
    scale_out: SymmetricScaler  # of the outputs
    noise: Array  # standard deviation of each output
    is_classes: bool = False  # whether outputs are logarithms of odds
    seed: int = 0  # random seed
    kind = "perceptron"
    title = PERCEPTRON

    def predict(self, X: Array) -> Array:
        hidden = self.scale_in.transform(X)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            hidden = np.maximum(hidden @ weight + bias, 0.0)
        raw = self.scale_out.inverse(hidden @ self.weights[-1] + self.biases[-1])
        return np.asarray(softmax(raw, axis=1)) if self.is_classes else raw

    def fit(self, rows: Rows) -> Perceptron:
        return fit_perceptron(rows, self.seed).with_noise(self.noise)

    def to_state(self) -> State:
        arrays: Arrays = {"noise": self.noise}
        for name, scaler in (("in", self.scale_in), ("out", self.scale_out)):
            arrays |= {f"{name}/shift": scaler.shift, f"{name}/scale": scaler.scale}
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays |= {f"weight/{k}": weight, f"bias/{k}": bias}
        return {"layers": len(self.weights), "is_classes": self.is_classes, "seed": self.seed}, arrays

    @classmethod
    def from_state(cls, about: About, arrays: Arrays) -> Perceptron:
        inputs, outputs = (SymmetricScaler(arrays[f"{name}/shift"], arrays[f"{name}/scale"]) for name in ("in", "out"))
        weights, biases = (tuple(arrays[f"{what}/{k}"] for k in range(about["layers"])) for what in ("weight", "bias"))
        return cls(weights, biases, inputs, outputs, arrays["noise"], about["is_classes"], about["seed"])

    def module(self) -> nn.Module:
        from torch import nn

        from softsym.discovery.module import Scaled, linear_layer

        layers: list[nn.Module] = []
        for weight, bias in zip(self.weights, self.biases, strict=True):
            layers += [linear_layer(weight.T, bias), nn.ReLU()]
        layers[-1:] = [nn.Softmax(-1)] if self.is_classes else []
        return Scaled(nn.Sequential(*layers), self.scale_in, self.scale_out)


def fit_perceptron(rows: Rows, seed: int = 0) -> Perceptron:
    """Trains a perceptron by scikit-learn, with early stopping on rows that it splits off."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.utils.validation import has_fit_parameter

    rows = rows.take(slice(MOST_PERCEPTRON_ROWS))
    is_classes, outputs = rows.target is Target.CLASSES, rows.Y.shape[1]
    scale_in, scale_out = SymmetricScaler.fit(rows.X, None, ()), SymmetricScaler.fit(rows.Y, None, ())
    goal = scale_out.transform(rows.Y)
    goal = goal[:, 0] if outputs == 1 else goal
    if is_classes:
        scale_out, goal = SymmetricScaler(np.zeros(outputs), np.ones(outputs)), rows.Y.argmax(1)
    model: Any = (MLPClassifier if is_classes else MLPRegressor)(
        hidden_layer_sizes=(WIDTH, WIDTH),
        learning_rate_init=3e-3,
        max_iter=MOST_PASSES,
        n_iter_no_change=PATIENCE,
        early_stopping=len(rows) >= 20 and (not is_classes or rows.Y.sum(0)[rows.Y.any(0)].min() >= 10),
        random_state=seed,
    )
    has_weights = rows.weights is not None and has_fit_parameter(model, "sample_weight")
    counted = {"sample_weight": rows.weights} if has_weights else {}
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(scale_in.transform(rows.X), goal, **counted)
    weights, biases = [np.asarray(w) for w in model.coefs_], [np.asarray(b) for b in model.intercepts_]
    if is_classes:  # classes that do not occur have odds of nearly zero; of two, the first has the log odds zero
        present = np.flatnonzero(rows.Y.any(0))[-weights[-1].shape[1] :]
        last, bias = np.zeros((WIDTH, outputs)), np.where(rows.Y.any(0), 0.0, -30.0)
        last[:, present], bias[present] = weights[-1], biases[-1]
        weights[-1], biases[-1] = last, bias
    return Perceptron(tuple(weights), tuple(biases), scale_in, scale_out, rows.Y.std(0), is_classes, seed)
