r"""The linear family: a weight is a map :math:`\rho_{in} \to \rho_{out}`, a bias a vector of :math:`\rho_{out}`.

A chain of linear layers with pointwise nonlinearities between them is read as a whole: its ends are given, and what is between two
layers is given too or proposed by its width.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group, join_groups
from softsym.maps.tensor_map import TensorMap
from softsym.reps import Rep, hidden_rep
from softsym.reps import rep as read_rep

POINTWISE = (
    nn.ReLU, nn.LeakyReLU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.ELU, nn.Softplus, nn.Mish, nn.Identity, nn.Dropout,
)  # fmt: skip


def linear_parameters(
    layer: str, rep_in: Rep | str, rep_out: Rep | str, *, bias: bool = True
) -> dict[str, TensorMap]:
    """What weight and bias of a linear layer are, by their names in the model.

    Args:
        layer: The layer's name; empty if it is the model itself.
        rep_in: Representation of its input.
        rep_out: Representation of its output.
        bias: Whether it has one.

    Example:
        >>> {name: str(one) for name, one in linear_parameters("last", "2V", "V").items()}
        {'last.weight': '2V -> V', 'last.bias': 'V'}
    """
    prefix = f"{layer}." if layer else ""
    maps = {f"{prefix}weight": TensorMap.linear(rep_in, rep_out)}
    if bias:
        maps[f"{prefix}bias"] = TensorMap.vector(rep_out)
    return maps


def chain_maps(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None,
    rep_out: Rep | str | None,
    hidden: Sequence[Rep | str] | None,
) -> dict[str, TensorMap]:
    """What the parameters of a single linear layer, or of a chain of them, are.

    Args:
        model: The layer or chain.
        groups: The candidate groups, for which hidden representations are proposed.
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        hidden: Representations between the layers; None to have them proposed.
    """
    linears = _linear_chain(model)
    if rep_in is None or rep_out is None:
        raise InputError("pass `rep_in` and `rep_out`: this model does not know its representations")
    if hidden is None:
        largest = join_groups(groups)
        between = [hidden_rep(linear.out_features, largest) for _, linear in linears[:-1]]
    else:
        between = [read_rep(item) for item in hidden]
    if len(between) != len(linears) - 1:
        raise InputError(
            f"{len(linears)} linear layers have {len(linears) - 1} hidden representations, got {len(between)}"
        )
    maps: dict[str, TensorMap] = {}
    for (name, linear), source, target in zip(linears, [rep_in, *between], [*between, rep_out], strict=True):
        maps |= linear_parameters(name, source, target, bias=linear.bias is not None)
    return maps


def is_chain(model: nn.Module) -> bool:
    """Whether a model is a linear layer, or linear layers in a row with pointwise nonlinearities between them.

    Layers that are used twice, frozen or have weights that are computed from others are not simply in a row.

    Example:
        >>> is_chain(nn.Sequential(nn.Linear(3, 4), nn.ReLU())), is_chain(nn.Sequential(nn.Conv2d(3, 4, 3)))
        (True, False)
    """
    layers = list(model) if isinstance(model, nn.Sequential) else [model]
    linears = [layer for layer in layers if isinstance(layer, nn.Linear)]
    understood = (nn.Linear, nn.Flatten, *POINTWISE)
    if not linears or not all(isinstance(layer, understood) for layer in layers):
        return False
    own = [
        parameter for layer in linears for parameter in layer._parameters.values() if parameter is not None
    ]
    are_plain = all("weight" in layer._parameters for layer in linears) and all(p.requires_grad for p in own)
    return are_plain and len(set(map(id, own))) == len(own)


def _linear_chain(model: nn.Module) -> list[tuple[str, nn.Linear]]:
    if isinstance(model, nn.Linear) and is_chain(model):
        return [("", model)]
    if not is_chain(model):
        raise InputError(
            f"{type(model).__name__} is no chain of linear layers, which a list of hidden representations is for; pass `rep_in` and "
            "`rep_out`, and reps={'module name': representation, ...} for what you know better"
        )
    return [(name, m) for name, m in model.named_children() if isinstance(m, nn.Linear)]
