r"""The family of norms, and whatever scales numbers one by one.

A shift is a vector of :math:`\rho`. A scale is a diagonal map, and commutes with a group that permutes the numbers iff it is an
invariant vector of the permutations; where a group does more than permute, one scale for each number breaks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.tensor_map import TensorMap
from softsym.reps import Rep

NORMS = (
    nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d,
    nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d,
)  # fmt: skip


def not_permuting(rep: Rep, groups: Iterable[Group]) -> list[str]:
    """The groups that do more to a representation than permute its coordinates, by name.

    Example:
        >>> import softsym as ss
        >>> not_permuting(ss.rep("3S + V"), [ss.group("S(3)"), ss.group("O(3)")])
        ['O(3)']
    """
    return [group.name for group in groups if not all(kind.is_permutation(group) for _, kind in rep)]


def read_norm(
    layer: str, module: nn.Module, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """What scale and shift of a norm of torch are.

    Args:
        layer: Its name in the model; empty if it is the model itself.
        module: The layer.
        rep_in: Representation of the channels, before as after.
        rep_out: The same.
        groups: The groups, which may only permute the channels.
    """
    if not isinstance(module, NORMS):
        raise InputError(f"{type(module).__name__} is not a norm of torch")
    if rep_in != rep_out:
        raise InputError(f"{layer!r} maps a representation to itself, got {rep_in} and {rep_out}")
    others = not_permuting(rep_in, groups)
    if others and module.weight is not None:
        raise InputError(
            f"{layer!r} scales each coordinate of {rep_in} by itself, which breaks {', '.join(others)}"
        )
    prefix = f"{layer}." if layer else ""
    return {prefix + name: TensorMap.vector(rep_in) for name, _ in module.named_parameters()}
