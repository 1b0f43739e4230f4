r"""The maps of a model: the representation on every axis of each parameter.

A linear weight lives in :math:`\rho_{out} \otimes \rho_{in}'`, a bias in :math:`\rho_{out}`, the kernel of a convolution in
:math:`\rho_{out} \otimes \rho_{in}' \otimes \pi` with the permutation representation :math:`\pi` of its k x k offsets, packed attention
weights in :math:`3 \rho \otimes \rho'`. In all of them the equivariant parameters are the invariant tensors, so the representations of
the axes determine the space.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor, nn

from softsym.errors import BrokenSymmetryWarning, InputError, UntracedWarning
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps import Rep, TensorType
from softsym.reps import rep as read_rep
from softsym.spaces import EquivariantSpace, invariant_tensors, positions
from softsym.typing import Array, Index


@dataclass(frozen=True)
class Axis:
    """One factor of the tensor product; :func:`outgoing` and :func:`incoming` make it.

    Axes are equal if groups act on them in the same way, whatever their text.

    Args:
        factor: The representation, all copies included and as a dual on the side of inputs.
        shape: The axes of the parameter that the representation covers together, such as (3, 3) for the offsets of a kernel; None for
            a single one.
        text: The representation as text, not dualised.
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
            raise InputError(f"{self.text} has size {size} under {group.name}, which is not that of {self.shape}")
        return self.shape


def outgoing(rep: Rep | str, *, copies: int = 1, shape: Sequence[int] | None = None) -> Axis:
    """An axis on the side of outputs, on which a group acts as on ``rep``.

    Args:
        rep: The representation.
        copies: The number of copies, one after the other: 3 for packed queries, keys and values, 4 for the gates of an LSTM.
        shape: The axes that the representation covers together, if they are several.
    """
    return _axis(read_rep(rep), copies, shape, is_incoming=False)


def incoming(rep: Rep | str, *, copies: int = 1, shape: Sequence[int] | None = None) -> Axis:
    """An axis on the side of inputs, on which a group acts as on the dual of ``rep``; arguments as for :func:`outgoing`."""
    return _axis(read_rep(rep), copies, shape, is_incoming=True)


@dataclass(frozen=True)
class TensorMap:
    """The representation on each axis of a parameter: an immutable value, equal to others with the same equivariant parameters.

    Args:
        axes: The factors, in the order of the parameter's axes.

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
        acting = read_group(group)
        return tuple(size for axis in self.axes for size in axis.sizes(acting))

    def space(self, group: Group | str) -> EquivariantSpace:
        """The space of equivariant parameters."""
        acting = read_group(group)
        space, shape = invariant_tensors(self.factors, acting), self.shape(acting)
        return space if space.shape == shape else replace(space, shape=shape)

    def positions(self, groups: Sequence[Group]) -> dict[TensorType, Index]:
        """Flat positions (copies, size) of each tensor type in the parameter; see :func:`softsym.spaces.positions`."""
        return positions(self.factors, tuple(groups))

    def check(self, name: str, shape: Sequence[int], groups: Sequence[Group]) -> None:
        """Refuses a parameter of another shape, and groups that cannot act on it; ``name`` is for the message."""
        what = f"parameter {name!r}"
        for group in groups:
            try:
                expected = self.shape(group)
            except InputError as error:
                raise InputError(f"{what}: {group.name} cannot act on its representation: {error}") from error
            if expected != tuple(shape):
                raise InputError(f"{what} has shape {tuple(shape)}, but {self} under {group.name} has {expected}")

    def __str__(self) -> str:
        sources = _product([axis for axis in self.axes if axis.is_incoming])
        targets = _product([axis for axis in self.axes if not axis.is_incoming])
        return f"{sources} -> {targets or 'S'}" if sources else targets


def _axis(rep: Rep, copies: int, shape: Sequence[int] | None, *, is_incoming: bool) -> Axis:
    if copies < 1:
        raise InputError(f"an axis has at least one copy of {rep}, got copies={copies}")
    text = f"{copies}({rep})" if copies > 1 and len(rep.terms) > 1 else str(copies * rep)
    factor = copies * (rep.dual if is_incoming else rep)
    return Axis(factor, None if shape is None else tuple(shape), text, is_incoming)


def _product(axes: Sequence[Axis]) -> str:
    """The product of one side's axes, as text that :func:`softsym.rep` parses."""
    if len(axes) == 1:
        return axes[0].text
    needs_brackets = [len(axis.factor.terms) > 1 or axis.text[:1].isdigit() for axis in axes]
    pairs = zip(axes, needs_brackets, strict=True)
    return " * ".join(f"({axis.text})" if needed else axis.text for axis, needed in pairs)


Override = Rep | str | tuple[Rep | str, Rep | str] | TensorMap
GivenReps = Mapping[str, Override] | Sequence[Rep | str]


def weight_and_bias(module: Any, weight: TensorMap, rep_out: Rep) -> dict[str, TensorMap]:
    """The maps of the weight of a layer and of its bias, if it has one."""
    return {"weight": weight} | ({} if module.bias is None else {"bias": TensorMap.vector(rep_out)})


def linear_parameters(layer: str, rep_in: Rep | str, rep_out: Rep | str, *, bias: bool = True) -> dict[str, TensorMap]:
    """The maps of weight and bias of a linear layer, by their names in the model.

    Args:
        layer: The layer's name; empty if it is the model itself.
        rep_in: Representation of its input.
        rep_out: Representation of its output.
        bias: Whether it has one.

    Example:
        >>> {name: str(tensor_map) for name, tensor_map in linear_parameters("last", "2V", "V").items()}
        {'last.weight': '2V -> V', 'last.bias': 'V'}
    """
    prefix, weight = f"{layer}." if layer else "", TensorMap.linear(rep_in, rep_out)
    return {f"{prefix}weight": weight} | ({f"{prefix}bias": TensorMap.vector(rep_out)} if bias else {})


def check_initialized(model: nn.Module) -> None:
    """Refuses lazy layers, whose shapes are not known yet."""
    for name, parameter in model.named_parameters():
        if isinstance(parameter, nn.parameter.UninitializedParameter):
            raise InputError(f"{name!r} has no shape yet (a lazy layer); run the model once on an input before")


@dataclass(frozen=True, eq=False)
class Proposal(Mapping[str, TensorMap]):
    """The maps of a model's parameters, with remarks on the others; a mapping that ``EquivarianceRegularizer`` takes as ``reps``.

    Args:
        maps: The map of each parameter that is understood, by its name.
        left_alone: Why each of the other parameters is left alone.
        breaks: Where a group's symmetry is broken for all parameters, one line for each place.
        not_understood: Functions of the model without a rule, one line for each place.
        hidden: The representation of each module's output, by its name.
        buffers: The maps of running statistics, by name; they are projected with the parameters.
    """

    maps: Mapping[str, TensorMap]
    left_alone: Mapping[str, str] = field(default_factory=dict)
    breaks: tuple[str, ...] = ()
    not_understood: tuple[str, ...] = ()
    hidden: Mapping[str, Rep] = field(default_factory=dict)
    buffers: Mapping[str, TensorMap] = field(default_factory=dict)

    def __getitem__(self, name: str) -> TensorMap:
        return self.maps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.maps)

    def __len__(self) -> int:
        return len(self.maps)

    def remarks(self) -> list[str]:
        """Remarks for the user: parameters left alone, functions not understood, broken symmetries."""
        alone = [f"left alone: {name}: {reason}" for name, reason in self.left_alone.items()]
        return [*alone, *(f"not understood: {line}" for line in self.not_understood), *self.breaks]

    def warn(self) -> None:
        """Warns, in one line each, of what is not followed, with module and parameter, and of broken symmetries."""
        by_reason: dict[str, list[str]] = {}
        for name, reason in self.left_alone.items():
            by_reason.setdefault(reason, []).append(name)
        left_alone = [f"{', '.join(names)}: {reason}" for reason, names in by_reason.items()]
        frame, level = sys._getframe(), 1
        while frame.f_back and frame.f_globals["__name__"].startswith("softsym."):
            frame, level = frame.f_back, level + 1
        for lines, start, category in (
            (left_alone, "parameters that are not regularised: ", UntracedWarning),
            (self.not_understood, "regularised as if these were equivariant: ", UntracedWarning),
            (self.breaks, "", BrokenSymmetryWarning),
        ):
            if lines:
                warnings.warn(start + "; ".join(lines), category, stacklevel=level)

    def __str__(self) -> str:
        width = max(map(len, self.maps), default=0)
        lines = [f"{name.ljust(width)}  {tensor_map}" for name, tensor_map in self.maps.items()]
        return "\n".join([*lines, *self.remarks()])

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class MapValue:
    """The value of a weight (n_out, n_in), a bias (n_out,) or any other parameter, and its map."""

    value: Array
    map: TensorMap


@runtime_checkable
class KnowsRepresentations(Protocol):
    """A model that gives the maps of its parameters."""

    def representations(self) -> Mapping[str, TensorMap]:
        """The map of each named parameter; parameters without one are not regularised."""


@runtime_checkable
class KnowsMaps(Protocol):
    """A model that gives the maps that its layers compute; the networks of :mod:`softsym.nn` with representations in every layer do.

    The map of a layer that is the sum of two is the sum.
    """

    def linear_maps(self) -> Mapping[str, tuple[Tensor, TensorMap]]:
        """The value of each map and the map, by name, in the order of the layers."""


def map_values(
    model: nn.Module | Mapping[str, ArrayLike | Tensor], representations: Mapping[str, TensorMap] | None = None
) -> dict[str, MapValue]:
    """All maps of a model by name, in the order of its layers, as float64 arrays.

    Args:
        model: A network of :mod:`softsym.nn`, any module with a ``representations()`` method, any other module, or parameters by name.
        representations: The map of each parameter, by name; needed unless the model gives it.
    """
    if representations is None and isinstance(model, KnowsMaps):
        maps = model.linear_maps()
        return {name: MapValue(as_array(value), tensor_map) for name, (value, tensor_map) in maps.items()}
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
        raise InputError(f"`representations` names {missing[0]!r}, which is not among the parameters {list(values)}")
    return {name: MapValue(as_array(values[name]), tensor_map) for name, tensor_map in representations.items()}


def as_array(value: ArrayLike | Tensor) -> Array:
    """A float64 copy on the CPU."""
    if isinstance(value, Tensor):
        value = value.detach().cpu().double().numpy()
    return np.array(value, dtype=np.float64)
