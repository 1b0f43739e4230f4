r"""The family of convolutions: a kernel lives in :math:`\rho_{out} \otimes \rho_{in}' \otimes \pi`.

Here :math:`\pi` is what the group does to the k (x k (x k)) offsets of the kernel: it permutes them where it moves pixels, and leaves
them alone where it acts on channels only. A transposed convolution has its first two axes exchanged. A convolution in g separate groups
of channels maps each of g equal parts of its input to one of g equal parts of its output; if every channel is a group of its own, the
kernel is diagonal, and equivariant if the group only permutes channels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.tensor_map import Axis, TensorMap, incoming, outgoing
from softsym.reps import Grid, Rep, Scalar
from softsym.reps.rep import equal_part

CONVOLUTIONS = (
    nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d,
)  # fmt: skip


@dataclass(frozen=True)
class Convolution:
    """What is particular about a convolution.

    Args:
        kernel: Sizes of the kernel.
        parts: In how many separate groups of channels it works.
        is_transposed: Whether it is transposed.
        moves: Whether groups move pixels.
    """

    kernel: tuple[int, ...]
    parts: int = 1
    is_transposed: bool = False
    moves: bool = True

    @property
    def offsets(self) -> Axis:
        """What the axes of the kernel's offsets carry."""
        rep = Grid(*self.kernel) if self.moves else math.prod(self.kernel) * Scalar
        return incoming(rep, shape=self.kernel)

    def weight(self, rep_in: Rep, rep_out: Rep, group: Group) -> TensorMap:
        """What the kernel is.

        Args:
            rep_in: Representation of the input's channels.
            rep_out: Representation of the output's channels.
            group: Any of the groups, for sizes.
        """
        n_in, n_out = rep_in.size(group), rep_out.size(group)
        if (
            self.parts == n_in > 1
        ):  # a diagonal: which channel of the output it is says which one of the input
            copies = outgoing((n_out // n_in) * Scalar)
            axes = (outgoing(rep_in), copies) if self.is_transposed else (outgoing(rep_out), outgoing(Scalar))
            return TensorMap((*axes, self.offsets))
        source, target = (equal_part(rep, self.parts, group) for rep in (rep_in, rep_out))
        if self.is_transposed:
            return TensorMap((incoming(source, copies=self.parts), outgoing(target), self.offsets))
        return TensorMap((outgoing(target, copies=self.parts), incoming(source), self.offsets))


def conv_parameters(
    layer: str,
    rep_in: Rep,
    rep_out: Rep,
    convolution: Convolution,
    group: Group,
    *,
    bias: bool = True,
) -> dict[str, TensorMap]:
    """What kernel and bias of a convolution are, by their names in the model.

    Args:
        layer: The layer's name; empty if it is the model itself.
        rep_in: Representation of the input's channels.
        rep_out: Representation of the output's channels.
        convolution: What is particular about it.
        group: Any of the groups, for sizes.
        bias: Whether it has one.

    Example:
        >>> import softsym as ss
        >>> one = conv_parameters("lift", ss.rep("3S"), ss.rep("V"), Convolution((3, 3)), ss.group("C(4)"))
        >>> {name: str(each) for name, each in one.items()}
        {'lift.weight': '(3S) * Grid(3,3) -> V', 'lift.bias': 'V'}
    """
    prefix = f"{layer}." if layer else ""
    maps = {f"{prefix}weight": convolution.weight(rep_in, rep_out, group)}
    if bias:
        maps[f"{prefix}bias"] = TensorMap.vector(rep_out)
    return maps


def read_conv(
    layer: str, module: nn.Module, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """What the parameters of a convolution of torch are; groups move pixels if they act on a space of its dimension."""
    if not isinstance(module, CONVOLUTIONS):
        raise InputError(f"{type(module).__name__} is not a convolution of torch")
    kernel = tuple(module.kernel_size)
    details = Convolution(kernel, module.groups, module.transposed, moves=groups[0].dim == len(kernel))
    return conv_parameters(layer, rep_in, rep_out, details, groups[0], bias=module.bias is not None)
