"""The linear maps of a model with their values, however the model builds them.

What a measure looks at is the map that a layer computes: of a layer that is the sum of two, the sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.maps.read import KnowsRepresentations
from softsym.maps.tensor_map import TensorMap
from softsym.typing import Array


@dataclass(frozen=True, eq=False)
class MapValue:
    """A weight (n_out, n_in), a bias (n_out,) or any other parameter, and what it is."""

    value: Array
    map: TensorMap


@runtime_checkable
class KnowsMaps(Protocol):
    """A model that says which maps its layers compute; all networks of :mod:`softsym.nn` with representations in every layer do."""

    def linear_maps(self) -> Mapping[str, tuple[Tensor, TensorMap]]:
        """The value of each map and what it is, by name, in the order of the layers."""


def map_values(
    model: nn.Module | Mapping[str, ArrayLike | Tensor],
    representations: Mapping[str, TensorMap] | None = None,
) -> dict[str, MapValue]:
    """All maps of a model by name, in the order of its layers, as float64 arrays.

    Args:
        model: A network of :mod:`softsym.nn`, any module with a ``representations()`` method, any other module, or parameters by name.
        representations: What each parameter is, by name; needed unless the model knows.
    """
    if representations is None and isinstance(model, KnowsMaps):
        return {name: MapValue(as_array(value), one) for name, (value, one) in model.linear_maps().items()}
    if representations is None:
        if not isinstance(model, KnowsRepresentations):
            raise InputError(
                f"{type(model).__name__} does not say what its parameters are; "
                "pass `representations`, a dict from parameter name to softsym.maps.TensorMap"
            )
        representations = model.representations()
    values = dict(model.named_parameters()) if isinstance(model, nn.Module) else dict(model)
    missing = [name for name in representations if name not in values]
    if missing:
        raise InputError(
            f"`representations` names {missing[0]!r}, which is not among the parameters {list(values)}"
        )
    return {name: MapValue(as_array(values[name]), one) for name, one in representations.items()}


def as_array(value: ArrayLike | Tensor) -> Array:
    """A float64 copy on the CPU."""
    if isinstance(value, Tensor):
        value = value.detach().cpu().double().numpy()
    return np.array(value, dtype=np.float64)
