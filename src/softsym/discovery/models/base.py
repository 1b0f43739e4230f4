"""The protocol of models, and models made of models: residuals of another model, probabilities, stacked ensembles.

A fitted model is a value. :meth:`Model.fit` gives the model with the same hyperparameters fitted to other rows, :meth:`Model.project` the
one that is exactly equivariant to groups, :meth:`Model.to_state` plain values and arrays for files; :data:`KINDS` knows every kind.
Models are frozen dataclasses; their fields are what files hold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softsym.discovery.fit_data import LEAST_PROBABILITY, Rows, Shape
from softsym.groups import Group
from softsym.registry import Registry
from softsym.typing import Array, Arrays, Index

if TYPE_CHECKING:
    from torch import nn

About = dict[str, Any]
State = tuple[About, Arrays]
MEAN, LINEAR, CONSTANT, EXTRAPOLATION = "mean", "linear", "constant extrapolation", "linear extrapolation"
GP, GP_SUPPORTED, GP_UNCONSTRAINED = "gp", "gp of what may hold", "gp without candidates"
RIDGE, KERNEL, BOOSTING, PERCEPTRON = ("ridge regression", "kernel ridge regression", "gradient boosting", "MLP")
NETWORK, ORDINARY = "network", "ordinary network"

KINDS: Registry[type[Model]] = Registry(
    "kind of model",
    {
        "affine": "softsym.discovery.models.linear:Affine",
        "gp": "softsym.discovery.models.gp:GaussianProcess",
        "kernel ridge": "softsym.discovery.models.baselines:KernelRidgeModel",
        "trees": "softsym.discovery.models.baselines:BoostedTrees",
        "perceptron": "softsym.discovery.models.baselines:Perceptron",
        "networks": "softsym.discovery.models.network:Networks",
        "residual": "softsym.discovery.models.base:Residual",
        "probabilities": "softsym.discovery.models.base:Probabilities",
        "stack": "softsym.discovery.models.base:Stack",
    },
)
"""Every kind of model by its name in files."""


class Model(ABC):
    """A fitted model; inputs and outputs are in the units of the data."""

    kind: ClassVar[str]
    """Its name among :data:`KINDS`."""
    title: str
    """Its name in tables, unless it is made of others."""
    exact: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name in tables."""
        return self.title

    @property
    def exact_groups(self) -> tuple[str, ...]:
        """Names of the candidate groups to which it is exactly equivariant."""
        return self.exact

    @abstractmethod
    def predict(self, X: Array) -> Array:
        """Outputs (n, outputs) for inputs (n, inputs)."""

    @abstractmethod
    def std(self, X: Array) -> Array:
        """Standard deviations (n, outputs) of a new measurement at these inputs."""

    @abstractmethod
    def fit(self, rows: Rows) -> Model:
        """The model with the same hyperparameters fitted to other rows; itself if that would take long."""

    def with_noise(self, noise: Array) -> Model:
        """The model with standard deviations (outputs,), for models that do not estimate their own."""
        return self

    def project(self, groups: Sequence[Group]) -> Model | None:
        """The model projected onto functions that are equivariant to these groups; None if it has no such form."""
        return None if groups else self

    def cross_val_predict(self, rows: Rows, folds: Index) -> Array:
        """Predictions (n, outputs) of every row by fits to the rows of other folds, with the same hyperparameters."""
        predicted = np.full(rows.Y.shape, np.nan)
        for fold in range(int(folds.max()) + 1):
            chosen = folds == fold
            predicted[chosen] = self.fit(rows.take(~chosen)).predict(rows.X[chosen])
        return predicted

    def to_state(self) -> State:
        """Its fields as plain values and arrays; :func:`pack` adds the kind."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        about, arrays = pack_parts({name: value for name, value in values.items() if isinstance(value, Model)})
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                arrays[name] = value
            elif isinstance(value, Shape):
                about[name] = value.to_dict()
            elif not isinstance(value, Model):
                about[name] = list(value) if isinstance(value, tuple) else value
        return about, arrays

    @classmethod
    def from_state(cls, about: About, arrays: Arrays) -> Self:
        """The inverse of :meth:`to_state`."""

        def read(field: Any) -> Any:
            if field.type in ("Array", "Index"):
                return arrays[field.name]
            if field.type == "Model":
                return unpack_part(field.name, about, arrays)
            value = about[field.name]
            if field.type == "Shape":
                return Shape.from_dict(value)
            return tuple(value) if isinstance(value, list) else value

        return cls(**{field.name: read(field) for field in fields(cls)})  # type: ignore[arg-type]

    @abstractmethod
    def module(self) -> nn.Module:
        """The function :meth:`predict` as a module of double precision, made anew."""


def pack(model: Model) -> State:
    """A model as plain values and arrays."""
    about, arrays = model.to_state()
    return {"kind": model.kind, **about}, arrays


def unpack(about: About, arrays: Arrays) -> Model:
    """The inverse of :func:`pack`; an ``InputError`` if the kind is unknown."""
    return KINDS[about["kind"]].from_state(about, arrays)


def pack_parts(parts: Mapping[str, Model]) -> State:
    """Several models by name, as one state."""
    abouts: About = {}
    arrays: Arrays = {}
    for name, model in parts.items():
        abouts[name], own = pack(model)
        arrays |= {f"{name}/{key}": array for key, array in own.items()}
    return abouts, arrays


def unpack_part(name: str, abouts: About, arrays: Arrays) -> Model:
    """One of several models that :func:`pack_parts` packed."""
    return unpack(abouts[name], take_part(name, arrays))


def take_part(name: str, arrays: Arrays) -> Arrays:
    """The arrays whose names begin with a name and a slash, without it."""
    prefix = f"{name}/"
    return {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}


class ConstantNoise(Model):
    """A model with one standard deviation for each output."""

    noise: Array

    def std(self, X: Array) -> Array:
        return np.tile(self.noise, (len(X), 1))

    def with_noise(self, noise: Array) -> Self:
        return replace(self, noise=noise)  # type: ignore[type-var]


@dataclass(frozen=True, eq=False)
class Residual(Model):
    """A model of what another one leaves: of motion beyond its linear extrapolation, for instance."""

    base: Model  # the first model
    inner: Model  # the model of its residuals
    kind = "residual"

    @property
    def name(self) -> str:
        return f"{self.base.name} + {self.inner.name}"

    @property
    def exact_groups(self) -> tuple[str, ...]:
        return tuple(name for name in self.base.exact_groups if name in self.inner.exact_groups)

    def predict(self, X: Array) -> Array:
        return self.base.predict(X) + self.inner.predict(X)

    def std(self, X: Array) -> Array:
        return self.inner.std(X)

    def fit(self, rows: Rows) -> Residual:
        """Both fitted, one after the other."""
        base = self.base.fit(rows)
        return Residual(base, self.inner.fit(residual_rows(base, rows)))

    def with_noise(self, noise: Array) -> Residual:
        return replace(self, inner=self.inner.with_noise(noise))

    def project(self, groups: Sequence[Group]) -> Residual | None:
        base, inner = self.base.project(groups), self.inner.project(groups)
        return None if base is None or inner is None else Residual(base, inner)

    def module(self) -> nn.Module:
        from softsym.discovery.module import Sum

        return Sum([self.base.module(), self.inner.module()], [1.0, 1.0])


def residual_rows(base: Model, rows: Rows) -> Rows:
    """Rows whose outputs are what a model leaves of them."""
    return replace(rows, Y=rows.Y - base.predict(rows.X))


@dataclass(frozen=True, eq=False)
class Probabilities(Model):
    """A regression on ones and zeros as probabilities of classes: cut off at a small positive number and divided by their sum."""

    inner: Model  # the regression
    kind = "probabilities"

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def exact_groups(self) -> tuple[str, ...]:
        return self.inner.exact_groups

    def predict(self, X: Array) -> Array:
        """Probabilities (n, classes)."""
        return as_probabilities(self.inner.predict(X))

    def std(self, X: Array) -> Array:
        return self.inner.std(X)

    def fit(self, rows: Rows) -> Probabilities:
        return Probabilities(self.inner.fit(rows))

    def cross_val_predict(self, rows: Rows, folds: Index) -> Array:
        return as_probabilities(self.inner.cross_val_predict(rows, folds))

    def with_noise(self, noise: Array) -> Probabilities:
        return Probabilities(self.inner.with_noise(noise))

    def project(self, groups: Sequence[Group]) -> Probabilities | None:
        inner = self.inner.project(groups)
        return None if inner is None else Probabilities(inner)

    def module(self) -> nn.Module:
        from softsym.discovery.module import Normalised

        return Normalised(self.inner.module(), LEAST_PROBABILITY)


def as_probabilities(outputs: Array) -> Array:
    """Numbers (n, classes) cut off at a small positive one, with sum one."""
    positive = np.maximum(outputs, LEAST_PROBABILITY)
    return np.asarray(positive / positive.sum(1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Stack(Model):
    """A stacked ensemble: a convex combination of models, those of the largest weight first."""

    models: tuple[Model, ...]  # the models
    weights: tuple[float, ...]  # their weights, positive, with sum one
    kind = "stack"

    @classmethod
    def single(cls, model: Model) -> Stack:
        """A model as an ensemble."""
        return model if isinstance(model, Stack) else cls((model,), (1.0,))

    @classmethod
    def of(cls, models: Sequence[Model], weights: Sequence[float]) -> Stack:
        """The ensemble of the models whose weight is not zero."""
        order = sorted((k for k in range(len(models)) if weights[k] > 0), key=lambda k: -weights[k])
        total = sum(weights[k] for k in order)
        return cls(tuple(models[k] for k in order), tuple(float(weights[k] / total) for k in order))

    @property
    def name(self) -> str:
        """Name of the model with the largest weight."""
        return self.models[0].name

    @property
    def shares(self) -> dict[str, float]:
        """Weights by name, the largest first."""
        return {model.name: weight for model, weight in zip(self.models, self.weights, strict=True)}

    @property
    def exact_groups(self) -> tuple[str, ...]:
        first, *rest = (model.exact_groups for model in self.models)
        return tuple(name for name in first if all(name in other for other in rest))

    def predict(self, X: Array) -> Array:
        return np.asarray(sum(w * model.predict(X) for w, model in zip(self.weights, self.models, strict=True)))

    def std(self, X: Array) -> Array:
        """Standard deviations of the mixture: of each model, and between models."""
        if len(self.models) == 1:
            return self.models[0].std(X)
        means = np.stack([model.predict(X) for model in self.models])
        stds, weights = np.stack([model.std(X) for model in self.models]), np.array(self.weights)
        variance = np.tensordot(weights, stds**2 + (means - np.tensordot(weights, means, 1)) ** 2, 1)
        return np.asarray(np.sqrt(variance))

    def fit(self, rows: Rows) -> Stack:
        return replace(self, models=tuple(model.fit(rows) for model in self.models))

    def project(self, groups: Sequence[Group]) -> Stack | None:
        """The ensemble of those models that can be projected; None if there is none."""
        projected = [model.project(groups) for model in self.models]
        kept = [(m, w) for m, w in zip(projected, self.weights, strict=True) if m is not None]
        return Stack.of([m for m, _ in kept], [w for _, w in kept]) if kept else None

    def to_state(self) -> State:
        abouts, arrays = pack_parts({str(k): model for k, model in enumerate(self.models)})
        return {**abouts, "weights": list(self.weights)}, arrays

    @classmethod
    def from_state(cls, about: About, arrays: Arrays) -> Stack:
        weights = tuple(map(float, about["weights"]))
        return cls(tuple(unpack_part(str(k), about, arrays) for k in range(len(weights))), weights)

    def module(self) -> nn.Module:
        from softsym.discovery.module import Sum

        parts = [model.module() for model in self.models]
        return parts[0] if len(parts) == 1 else Sum(parts, list(self.weights))
