r"""How far each layer of a network is from equivariant.

The relative distance of a weight or bias to the equivariant space of a group is

.. math:: \frac{|W - P_G W|}{|W|} \in [0, 1] .

Zero in all layers makes the network equivariant (apart from soft gates);
one means that nothing of the layer is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor, nn

from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.measure.maps import described
from softsym.nn import ParameterRep


def layer_distances(
    model: nn.Module | Mapping[str, ArrayLike | Tensor],
    group: Group | str,
    representations: Mapping[str, ParameterRep] | None = None,
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
    found: dict[str, float] = {}
    for name, parameter in described(model, representations).items():
        norm = float(np.linalg.norm(parameter.value))
        distance = float(parameter.space(group).distance(parameter.value))
        found[name] = distance / norm if norm else 0.0
    return found
