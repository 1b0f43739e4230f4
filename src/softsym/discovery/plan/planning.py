"""The parameters of the estimators, and the plan of a fit with them: wrong data and parameters are refused here."""

from __future__ import annotations

import functools
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ParamSpec, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from softsym.data.row_groups import encode_labels, encode_row_groups
from softsym.data.split import HELD_OUT
from softsym.data.table import check_magnitudes
from softsym.discovery.fit.fitted import FittedEnsemble, Target
from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.recipe import read_recipe
from softsym.discovery.fit.train import FitPlan
from softsym.discovery.fit.trials import SearchSpace
from softsym.discovery.network_config import NETWORK_FIELDS, NetworkConfig, split_parameters
from softsym.discovery.plan.checks import check_numbers, make_shape
from softsym.discovery.plan.propose_groups import AUTO, propose_candidates
from softsym.discovery.points import Points, has_points, read_points
from softsym.errors import InputError
from softsym.groups import Group, read_groups
from softsym.data.checks import row_weights, seed_of
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.training.devices import check_device
from softsym.typing import Array, Index

P = ParamSpec("P")


def _accept_network_parameters(init: Callable[P, None]) -> Callable[P, None]:
    """A constructor that also accepts parameters of networks, with a warning; its signature does not have them."""

    @functools.wraps(init)
    def accepting(*args: P.args, **kwargs: P.kwargs) -> None:
        deprecated = {name: kwargs.pop(name) for name in NETWORK_FIELDS if name in kwargs}
        init(*args, **kwargs)
        if deprecated:
            estimator: Any = args[0]
            estimator._set_deprecated(deprecated)

    return accepting


class PlanningEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """An estimator with its parameters and plans; a base class."""

    @_accept_network_parameters
    def __init__(
        self,
        rep_in: Rep | str | None = None,
        rep_out: Rep | str | None = None,
        groups: Group | str | Sequence[Group | str] = (),
        *,
        model: str = "auto",
        network: NetworkConfig | None = None,
        held_out: float = HELD_OUT,
        random_state: int = 0,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.rep_in, self.rep_out, self.groups = rep_in, rep_out, groups
        self.model, self.network = model, network
        self.held_out, self.random_state = held_out, random_state
        self.verbose, self.n_jobs = verbose, n_jobs

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """An estimator from parameters of its own and of its networks together, as commands and stored models have them."""
        own, network = split_parameters(parameters)
        config = NetworkConfig(**network)
        return cls(**own, network=None if config == NetworkConfig() else config)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; ``deep`` adds those of the networks as ``network__width`` and so on."""
        parameters: dict[str, Any] = super().get_params(deep=False)
        if deep and isinstance(self.network, NetworkConfig | None):
            parameters |= {f"network__{name}": getattr(self._network, name) for name in NETWORK_FIELDS}
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Sets parameters by name, those of the networks as ``network__width`` and so on."""
        prefix = "network__"
        nested = {key: value for key, value in parameters.items() if key.startswith(prefix)}
        deprecated = {key: value for key, value in parameters.items() if key in NETWORK_FIELDS}
        own = {key: value for key, value in parameters.items() if key not in nested | deprecated}
        super().set_params(**own)
        unknown = [key for key in nested if key.removeprefix(prefix) not in NETWORK_FIELDS]
        if unknown:
            raise InputError(f"unknown parameter {unknown[0]!r}; networks have {', '.join(NETWORK_FIELDS)}")
        if nested:
            self.network = replace(
                self._network, **{key.removeprefix(prefix): value for key, value in nested.items()}
            )
        if deprecated:
            self._set_deprecated(deprecated)
        return self

    def _set_deprecated(self, parameters: dict[str, Any]) -> None:
        """Parameters of networks that were given to the estimator itself."""
        names = ", ".join(f"{name}=..." for name in parameters)
        warnings.warn(
            f"pass network=NetworkConfig({names}); parameters of networks are not accepted otherwise after this release",
            DeprecationWarning,
            stacklevel=3,
        )
        self.network = replace(self._network, **parameters)

    @property
    def _network(self) -> NetworkConfig:
        """The hyperparameters of networks, or the defaults."""
        if self.network is None:
            return NetworkConfig()
        if not isinstance(self.network, NetworkConfig):
            raise InputError(
                f"`network` must be a softsym.discovery.NetworkConfig or None, got {type(self.network).__name__}"
            )
        return self.network

    def _parameters(self) -> dict[str, Any]:
        """Parameters of the estimator and of its networks together, sorted by name."""
        own = self.get_params(deep=False)
        del own["network"]
        network = {name: getattr(self._network, name) for name in NETWORK_FIELDS}
        return dict(sorted((own | network).items()))

    @abstractmethod
    def _read(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Checks data; outputs as a matrix."""

    @property
    @abstractmethod
    def _target(self) -> Target:
        """What the outputs are."""

    def plan(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: Iterable[Hashable] | None = None,
        sample_weight: ArrayLike | None = None,
        x_names: Sequence[str] | None = None,
        y_names: Sequence[str] | None = None,
        duplicates: NDArray[np.int64] | None = None,
        device: str | None = None,
    ) -> FitPlan:
        """The plan of a fit; refuses wrong data and parameters before anything is done.

        Args:
            X: Inputs.
            y: Outputs.
            groups: Labels of rows.
            sample_weight: Weight of every row.
            x_names: Names of the inputs, if ``X`` is an array that cannot carry them.
            y_names: Names of the outputs, likewise.
            duplicates: Labels that rows of equal inputs share, if they are known already.
            device: Device of the networks, if not that of the estimator; see :data:`softsym.training.devices.DEVICES`.
        """
        network = self._network
        device = network.device if device is None else device
        check_device(device)
        earlier: FittedEnsemble | None = getattr(self, "fit_", None) if network.warm_start else None
        inputs, outputs = self._read(X, y)
        check_magnitudes(inputs, "a value of `X`")
        check_magnitudes(outputs, "a value of `y`")
        if x_names is not None:
            self.feature_names_in_ = np.asarray(x_names, dtype=object)
        if y_names is not None:
            self.output_names_ = [str(name) for name in y_names]
        labels = encode_row_groups(groups, len(inputs))
        weights = row_weights(sample_weight, len(inputs))
        if weights is not None and not weights.all():  # rows of weight zero are left out
            kept = weights > 0
            inputs, outputs, weights = inputs[kept], outputs[kept], weights[kept]
            labels, duplicates = (None if one is None else one[kept] for one in (labels, duplicates))
            labels = None if labels is None else encode_labels(labels.tolist(), "`groups`")
        acting = self._candidates(inputs, outputs, duplicates, labels)
        inputs, outputs, acting = self._centre_data(inputs, outputs, acting)
        recipe = read_recipe(
            has_groups=bool(acting),
            width=network.width,
            layers=network.layers,
            epochs=network.epochs,
            batch=network.batch,
            lr=network.lr,
            shrink=network.weight_decay,
            strength=network.strength,
            gamma=network.gamma,
            strengths=network.strengths,
        )
        check_numbers(self._parameters(), classes=self._target is Target.CLASSES)
        shape = self._shape(inputs, outputs, acting)
        goes_on = earlier is not None and bool(earlier.members) and earlier.shape == shape
        if goes_on and earlier is not None:
            recipe = recipe.model_copy(
                update=earlier.recipe.model_dump(include={"width", "layers", "strength"})
            )
        return FitPlan(
            target=self._target,
            shape=shape,
            recipe=recipe,
            X=inputs,
            Y=outputs,
            seeds=network.seeds,
            seed=seed_of(self.random_state),
            fraction=self.held_out,
            search_space=SearchSpace(width=network.width is None, strength=network.strength is None)
            if acting and not goes_on
            else SearchSpace(),
            budget=network.budget,
            duplicates=duplicates,
            row_groups=labels,
            model=self.model,
            device=device,
            weights=weights,
            earlier=earlier.members if goes_on and earlier is not None else (),
        )

    @property
    def _points(self) -> Points | None:
        """How points are fitted; None if there are none."""
        if self.rep_in is None or not has_points(self.rep_in, self.rep_out):
            return None
        target = None if self.rep_out is None else read_rep(self.rep_out)
        return Points(read_rep(self.rep_in), target, self.space_, self.is_centred_)

    def _centre_data(self, X: Array, Y: Array, groups: list[Group]) -> tuple[Array, Array, list[Group]]:
        """Rows and candidates as they are fitted: without the origin of points, if that does not matter."""
        if self.rep_in is None or not has_points(self.rep_in, self.rep_out):
            return X, Y, groups
        table, acting = read_points(self.rep_in, self.rep_out, groups, X.shape[1])
        self.space_, self.is_centred_ = table.dim, table.is_centred
        return table.inputs(X), table.outputs(X, Y), acting

    def _candidates(
        self, X: Array, Y: Array, duplicates: Index | None, row_groups: Index | None
    ) -> list[Group]:
        """The candidate groups: those that were given, or those that the data propose."""
        if not isinstance(self.groups, str) or self.groups != AUTO:
            return read_groups(self.groups) if self.groups else []
        if self._target is Target.CLASSES:
            raise InputError(
                "groups='auto' is for regression; pass candidates for classes, such as groups=['O(3)']"
            )
        if self.rep_in is None or self.rep_out is None:
            raise InputError(
                "groups='auto' needs how columns transform: pass `rep_in` and `rep_out`, such as '2V' and 'V'"
            )
        proposed = propose_candidates(
            X,
            Y,
            self.rep_in,
            self.rep_out,
            seed_of(self.random_state),
            fraction=self.held_out,
            duplicates=duplicates,
            row_groups=row_groups,
        )
        self.proposal_ = proposed.proposal
        return list(proposed.groups)

    def _shape(self, X: Array, Y: Array, groups: list[Group]) -> Shape:
        free = not groups and hasattr(self, "proposal_")
        given = self._parameters()
        return make_shape(given, X, Y, groups, classes=self._target is Target.CLASSES, free=free)
