r"""The family of recurrent layers: the rows of a weight are gates one after the other, each like the hidden state.

Of an RNN, a GRU and an LSTM :math:`W_{ih}` lives in :math:`(g\,\rho_h) \otimes \rho_{in}'` and :math:`W_{hh}` in
:math:`(g\,\rho_h) \otimes \rho_h'` with g = 1, 3 and 4 gates. Gates multiply the state number by number, which commutes with a group
that only permutes the hidden numbers; on other hidden representations the layer breaks the symmetry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.tensor_map import TensorMap, incoming, outgoing
from softsym.reps import Rep
from softsym.reps.rep import cut

GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "GRU": 3, "LSTM": 4}
_NAME = re.compile(r"(weight_ih|weight_hh|bias_ih|bias_hh|weight_hr)_l(\d+)(_reverse)?$")


def recurrent_parameter(
    name: str, gates: int, source: Rep, hidden: Rep, projected: Rep | None = None
) -> TensorMap:
    """What one parameter of a layer and direction is.

    Args:
        name: Its name in torch, such as ``weight_hh_l0``.
        gates: How many gates there are.
        source: Representation of what comes into the layer.
        hidden: Representation of the cell.
        projected: Representation of the state that is handed on, if it is a projection.

    Example:
        >>> import softsym as ss
        >>> print(recurrent_parameter("weight_ih_l0", 4, ss.rep("2V"), ss.rep("8S")))
        2V -> 32S
    """
    part = _NAME.match(name)
    if part is None:
        raise InputError(f"{name!r} is not a parameter of a recurrent layer")
    rows, state = outgoing(hidden, copies=gates), projected or hidden
    axes = {
        "weight_ih": (rows, incoming(source)),
        "weight_hh": (rows, incoming(state)),
        "weight_hr": (outgoing(state), incoming(hidden)),
    }
    return TensorMap(axes.get(part[1], (rows,)))


def read_recurrent(
    layer: str, module: nn.Module, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """What all parameters of a recurrent layer of torch are, every layer and direction with the same hidden representation.

    Args:
        layer: Its name in the model; empty if it is the model itself.
        module: The layer.
        rep_in: Representation of its input.
        rep_out: Representation of its output: of both directions one after the other, if there are two.
        groups: The groups.
    """
    if not isinstance(module, nn.RNNBase):
        raise InputError(f"{type(module).__name__} is not a recurrent layer of torch")
    directions = 2 if module.bidirectional else 1
    if module.proj_size:
        raise InputError(f"{layer or 'the layer'!r} projects its state; pass its parameters one by one")
    size = module.hidden_size
    states = cut(rep_out, [size] * directions, groups[0])
    prefix = f"{layer}." if layer else ""
    maps = {}
    for name, _ in module.named_parameters():
        part = _NAME.match(name)
        assert part is not None  # torch names them so
        source = rep_in if part[2] == "0" else rep_out
        maps[prefix + name] = recurrent_parameter(name, GATES[module.mode], source, states[bool(part[3])])
    return maps


def of_layer(names: Mapping[str, object], number: int, reverse: bool) -> list[str]:
    """The parameters of one layer and direction, among names in torch."""
    parts = {name: _NAME.search(name) for name in names}
    return [name for name, p in parts.items() if p and int(p[2]) == number and bool(p[3]) == reverse]
