r"""How far each layer of a network is from equivariant.

The relative distance of a weight or bias to the equivariant space of a group is

.. math:: \frac{|W - P_G W|}{|W|} \in [0, 1], \qquad |W|^2 = |P_G W|^2 + |W - P_G W|^2 .

Zero in all layers makes the network equivariant (apart from soft gates); one means that nothing of the layer is. A network of
:class:`~softsym.nn.SoftMLP`'s kind has one matrix per layer; an RPP has two, :math:`W = P W_1 + W_2`, and for it the confined path
:math:`|P W_1|` is reported too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.maps import TensorMap, map_values
from softsym.nn import Network, ScaleCanonical
from softsym.nn.linear import SumLinear, get_weights


def layer_distances(
    model: nn.Module | Mapping[str, ArrayLike | Tensor],
    group: Group | str,
    representations: Mapping[str, TensorMap] | None = None,
) -> dict[str, float]:
    """The relative distance of every described parameter to its equivariant space; a parameter that is zero has distance zero.

    Args:
        model: A network of :mod:`softsym.nn`, any module with a ``representations()`` method, any other module, or parameters by name.
        group: The group.
        representations: What each parameter is, by name; needed unless the model knows.

    Example:
        >>> import softsym as ss
        >>> net = ss.nn.SoftMLP("2S + 2V", "V", ["O(2)@z", "O(3)"], width=12, layers=2)
        >>> list(layer_distances(net, "O(3)"))
        ['blocks.0.linear.weight', 'blocks.0.linear.bias', 'last.weight', 'last.bias']
    """
    group = read_group(group)
    distances: dict[str, float] = {}
    for name, parameter in map_values(model, representations).items():
        norm = float(np.linalg.norm(parameter.value))
        distance = float(parameter.map.space(group).distance(parameter.value))
        distances[name] = distance / norm if norm else 0.0
    return distances


@dataclass(frozen=True)
class WeightParts:
    """Norms of one layer's weight.

    Args:
        layer: Its place, from 1.
        inside: Of its equivariant part, |P W|.
        outside: Of the rest, |W - P W|.
        confined: Of the path that is equivariant by construction, |P W_1|; None where there is no such path.
    """

    layer: int
    inside: float
    outside: float
    confined: float | None = None


@torch.no_grad()
def weight_parts(network: Network | ScaleCanonical) -> list[WeightParts]:
    """The parts of every linear layer of a network, with respect to its largest group.

    Example:
        >>> import softsym as ss
        >>> [parts.outside < 1e-5 for parts in weight_parts(ss.nn.EMLP("2V", "V", "O(3)", width=8, layers=2))]
        [True, True]
    """
    weights = {
        name.removesuffix(".weight"): pair for name, pair in network.linear_maps().items() if name.endswith(".weight")
    }
    parts = []
    for place, (name, (weight, tensor_map)) in enumerate(weights.items(), 1):
        inside = tensor_map.space(network.group).project(weight.double())
        layer = network.get_submodule(name)
        confined = _norm(get_weights(layer.first)[0]) if isinstance(layer, SumLinear) else None
        parts.append(WeightParts(place, _norm(inside), _norm(weight.double() - inside), confined))
    return parts


def _norm(weight: Tensor) -> float:
    return float(weight.double().norm())
