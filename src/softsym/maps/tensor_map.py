r"""What a parameter is: an element of a tensor product of representations, axis by axis.

A linear weight lives in :math:`\rho_{out} \otimes \rho_{in}'`, a bias in :math:`\rho_{out}`, the kernel of a convolution in
:math:`\rho_{out} \otimes \rho_{in}' \otimes \pi` with the permutation representation :math:`\pi` of its k x k offsets, packed attention
weights in :math:`3 \rho \otimes \rho'`. In all of them the equivariant parameters are the ones that the group leaves alone, so to know
what each axis carries is to know the space.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps import Rep, TensorType
from softsym.reps import rep as read_rep
from softsym.spaces import EquivariantSpace, invariant_tensors, positions
from softsym.typing import Index


@dataclass(frozen=True)
class Axis:
    """One factor of the product; :func:`outgoing` and :func:`incoming` make it.

    Axes are equal if groups act on them in the same way, whatever their text.

    Args:
        factor: The representation, all copies included and as a dual on the side of inputs.
        shape: The axes of the parameter that the representation covers together, such as (3, 3) for the offsets of a kernel; None for
            a single one.
        text: How it is written.
        is_incoming: Whether it is on the side of inputs.
    """

    factor: Rep
    shape: tuple[int, ...] | None = None
    text: str = field(default="", compare=False)
    is_incoming: bool = field(default=False, compare=False)

    def sizes(self, group: Group) -> tuple[int, ...]:
        """Sizes of the axes of the parameter that it covers."""
        size = self.factor.size(group)
        if self.shape is None:
            return (size,)
        if math.prod(self.shape) != size:
            raise InputError(
                f"{self.text} has size {size} under {group.name}, which is not that of {self.shape}"
            )
        return self.shape


def outgoing(rep: Rep | str, *, copies: int = 1, shape: Sequence[int] | None = None) -> Axis:
    """An axis on the side of outputs, on which a group acts as on ``rep``.

    Args:
        rep: The representation.
        copies: How many of them, one after the other: 3 for packed queries, keys and values, 4 for the gates of an LSTM.
        shape: The axes that the representation covers together, if they are several.
    """
    return _axis(read_rep(rep), copies, shape, is_incoming=False)


def incoming(rep: Rep | str, *, copies: int = 1, shape: Sequence[int] | None = None) -> Axis:
    """An axis on the side of inputs, on which a group acts as on the dual of ``rep``; arguments as for :func:`outgoing`."""
    return _axis(read_rep(rep), copies, shape, is_incoming=True)


@dataclass(frozen=True)
class TensorMap:
    """What each axis of a parameter carries: an immutable value, equal to others of which the same parameters are equivariant.

    Args:
        axes: The factors in the order of the parameter's axes.

    Example:
        >>> from softsym.maps import TensorMap, incoming, outgoing
        >>> weight = TensorMap.linear("5S + 5V", "T(2)")
        >>> print(weight, weight.shape("O(3)"), weight.space("O(3)").dim)
        5S + 5V -> T(2) (9, 20) 5
        >>> kernel = TensorMap((outgoing("2V"), incoming("S"), incoming("Grid(3,3)", shape=(3, 3))))
        >>> print(kernel, kernel.shape("C(4)"), kernel.space("C(4)").dim)
        S * Grid(3,3) -> 2V (4, 1, 3, 3) 8
    """

    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", tuple(self.axes))
        if not self.axes:
            raise InputError("a parameter has at least one axis; a single number is equivariant by itself")

    @staticmethod
    def linear(rep_in: Rep | str, rep_out: Rep | str) -> TensorMap:
        """A matrix (n_out, n_in) from ``rep_in`` to ``rep_out``."""
        return TensorMap((outgoing(rep_out), incoming(rep_in)))

    @staticmethod
    def vector(rep: Rep | str) -> TensorMap:
        """A vector (n,) of ``rep``, such as a bias."""
        return TensorMap((outgoing(rep),))

    @property
    def factors(self) -> tuple[Rep, ...]:
        """The representation of each axis, on the side of inputs as a dual."""
        return tuple(axis.factor for axis in self.axes)

    def shape(self, group: Group | str) -> tuple[int, ...]:
        """The shape of the parameter."""
        group = read_group(group)
        return tuple(size for axis in self.axes for size in axis.sizes(group))

    def space(self, group: Group | str) -> EquivariantSpace:
        """The space of equivariant parameters."""
        space, shape = invariant_tensors(self.factors, group), self.shape(group)
        return space if space.shape == shape else replace(space, shape=shape)

    def positions(self, groups: Sequence[Group]) -> dict[TensorType, Index]:
        """Flat positions (copies, size) of each tensor type in the parameter; see :func:`softsym.spaces.positions`."""
        return positions(self.factors, tuple(groups))

    def check(self, name: str, shape: Sequence[int], groups: Sequence[Group]) -> None:
        """Refuses a parameter of another shape, and groups that cannot act on it.

        Args:
            name: The parameter's name, for the message.
            shape: Its shape.
            groups: The groups.
        """
        for group in groups:
            try:
                expected = self.shape(group)
            except InputError as error:
                raise InputError(
                    f"parameter {name!r}: {group.name} cannot act on its representation: {error}"
                ) from error
            if expected != tuple(shape):
                raise InputError(
                    f"parameter {name!r} has shape {tuple(shape)}, but {self} under {group.name} has {expected}"
                )

    def __str__(self) -> str:
        sources, targets = (
            _product([axis for axis in self.axes if axis.is_incoming is side]) for side in (True, False)
        )
        return f"{sources} -> {targets or 'S'}" if sources else targets


def _axis(rep: Rep, copies: int, shape: Sequence[int] | None, *, is_incoming: bool) -> Axis:
    if copies < 1:
        raise InputError(f"an axis has at least one copy of {rep}, got copies={copies}")
    text = f"{copies}({rep})" if copies > 1 and len(rep.terms) > 1 else str(copies * rep)
    factor = copies * (rep.dual if is_incoming else rep)
    return Axis(factor, None if shape is None else tuple(shape), text, is_incoming)


def _product(axes: Sequence[Axis]) -> str:
    """The product of one side's axes, as :func:`softsym.rep` reads it."""
    if len(axes) == 1:
        return axes[0].text
    return " * ".join(f"({axis.text})" if _is_loose(axis) else axis.text for axis in axes)


def _is_loose(axis: Axis) -> bool:
    """Whether a text falls apart, or binds wrongly, as a factor of a product."""
    return len(axis.factor.terms) > 1 or axis.text[:1].isdigit()
