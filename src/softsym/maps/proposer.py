"""Hidden representations, and with them the maps of all parameters of a traced module.

Where the candidates together generate a finite group, hidden numbers carry its regular representation: channels in orbits that every
candidate permutes, so that every pointwise nonlinearity commutes with them. For continuous groups numbers that go through a nonlinearity
are scalars, and others are scalars, vectors and tensors in equal shares.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from torch import nn

from softsym.errors import InputError
from softsym.groups import C, D, Group, join_groups
from softsym.groups import group as read_group
from softsym.maps.families.norm import non_permuting
from softsym.maps.tensor_map import Axis, Proposal, TensorMap, incoming, outgoing
from softsym.maps.trace.tracer import Tracer
from softsym.maps.trace.unify import Layout, Term, Variable, substitute
from softsym.reps import Grid, Permutation, Regular, Rep, Scalar, hidden_rep
from softsym.reps.atoms import discrete_elements, lie_elements
from softsym.reps.permutation import orbit

Hidden = Literal["scalars", "mixed"]
LARGEST_ORDER = 64
"""The largest order of a group whose regular representation is proposed; orbits of special points are smaller."""


@dataclass(frozen=True)
class Proposer:
    """Proposes hidden representations for some candidates.

    Example:
        >>> import softsym as ss
        >>> Proposer((ss.group("C(4)"), ss.group("O(1)@2[0]"))).rep(20, pointwise=True)
        2Regular(D(4)) + 4S
        >>> Proposer((ss.group("O(2)@z"),)).rep(20, pointwise=True), Proposer((ss.group("O(2)@z"),)).rep(20, pointwise=False)
        (20S, 11S + 3V)
    """

    groups: Sequence[Group]  # the candidates
    hidden: Hidden = "scalars"

    def __post_init__(self) -> None:
        if self.hidden not in ("scalars", "mixed"):
            raise InputError(f"`hidden` is 'scalars' or 'mixed', got {self.hidden!r}")

    def rep(self, size: int, *, pointwise: bool) -> Rep:
        """A representation of a given size; ``pointwise`` if a nonlinearity acts on each number by itself."""
        largest = join_groups(dict.fromkeys(self.groups))
        if largest.is_permutation and size > 1:
            return hidden_rep(size, largest)
        if largest.is_finite:
            block = _largest_orbit(largest, size)
            if block is None:
                return size * Scalar
            copies, rest = divmod(size, block.size(largest))
            return copies * block + rest * Scalar
        if pointwise and self.hidden == "scalars":
            return size * Scalar
        return hidden_rep(size, largest)


def _largest_orbit(group: Group, size: int) -> Rep | None:
    """The permutation representation of the largest orbit that fits; None if none does."""
    if len(group.elements) <= min(size, LARGEST_ORDER):
        return Regular(_find_name(group))
    corners = [np.array(p) for p in itertools.product((0.0, 1.0), repeat=group.dim) if any(p)]
    orbits = [points for points in (orbit(group, p) for p in corners) if 1 < len(points) <= size]
    return Permutation(max(orbits, key=len)) if orbits else None


def _find_name(group: Group) -> Group:
    """An equal group of the catalogue, which has a short name; the group itself if there is none."""
    order = len(group.elements)
    catalogue = [C(order), D(order // 2)] if group.dim == 2 and order > 1 else []
    if group.dim == 3:
        catalogue = [read_group("Octahedral()")]
    elements = _elements(group)
    return next((known for known in catalogue if _elements(known) == elements), group)


def _elements(group: Group) -> set[tuple[float, ...]]:
    """The matrices of all elements, rounded."""
    return set(map(tuple, (group.elements.reshape(len(group.elements), -1).round(6) + 0.0).tolist()))


def build_proposal(
    model: nn.Module, tracer: Tracer, proposer: Proposer, given: Mapping[str, TensorMap]
) -> Proposal:
    """The maps of all parameters of a traced model; ``given`` maps override them."""
    reps = _Representations(proposer)
    maps, left_alone = _read_uses(model, tracer, reps)
    for name, layout in tracer.parameters.items():
        if name not in maps and name not in left_alone and any(axis.role != "open" for axis in layout):
            maps[name] = _read_layout(layout, reps)
    for name, parameter in model.named_parameters():
        if ".parametrizations." in f".{name}":
            left_alone[name] = "a weight is computed from it (parametrised)"
        elif name not in maps and name not in left_alone:
            left_alone[name] = tracer.notes.parameters.get(name, "is used by nothing that softsym reads")
        elif not parameter.requires_grad and name not in left_alone:
            left_alone[name] = "is frozen (requires_grad is False)"
    maps = {name: tensor_map for name, tensor_map in maps.items() if name not in left_alone} | dict(given)
    return Proposal(
        maps,
        {name: why for name, why in left_alone.items() if name not in maps},
        hidden={name: reps.find(term) for name, term in tracer.hidden.items() if name},
        buffers={name: TensorMap.vector(reps.find(term)) for name, term in tracer.buffers.items()},
        breaks=_find_breaks(tracer, reps),
        not_understood=tuple(
            dict.fromkeys(f"{where or 'the model'}: {why}" for where, why in tracer.notes.unknown)
        ),
    )


@dataclass
class _Representations:
    """The representation of every variable: known, or proposed when it is first asked for."""

    proposer: Proposer
    known: dict[int, tuple[Variable, Rep]] = field(default_factory=dict)

    def find(self, term: Term) -> Rep:
        """The representation of a term."""
        total = Rep(())
        for summand in substitute(term):
            rep = self._find_variable(summand.variable)
            total = total + (rep if summand.factor is None else rep * summand.factor)
        return total

    def _find_variable(self, variable: Variable) -> Rep:
        if id(variable) not in self.known:
            is_pointwise = bool(variable.pointwise)
            rep = variable.rep or self.proposer.rep(variable.size, pointwise=is_pointwise)
            self.known[id(variable)] = variable, rep
        return self.known[id(variable)][1]


def _read_uses(
    model: nn.Module, tracer: Tracer, reps: _Representations
) -> tuple[dict[str, TensorMap], dict[str, str]]:
    """The maps of the parameters of layers, and why others have none."""
    maps: dict[str, TensorMap] = {}
    left_alone: dict[str, str] = {}
    for use in tracer.uses:
        name = use.parameter
        try:
            tensor_map = use.read(*map(reps.find, use.terms))
            tensor_map.check(name, model.get_parameter(name).shape, tracer.groups)
            for group in tracer.groups:
                _check_action(tensor_map, group)
            if name in maps and not _have_same_spaces(maps[name], tensor_map, tracer.groups):
                raise InputError(f"is used as {maps[name]} and as {tensor_map}")
            maps[name] = tensor_map
        except InputError as reason:
            left_alone[name] = str(reason).removeprefix(f"parameter {name!r}: ")
    return maps, left_alone


def _read_layout(layout: Layout, reps: _Representations) -> TensorMap:
    """The map of a parameter that no layer has, by the axes that unification gave it."""
    axes: list[Axis] = []
    pixels = [axis.size for axis in layout if axis.role == "pixel"]
    for axis in layout:
        if axis.role == "channel":
            side = incoming if axis.sign == "in" else outgoing
            axes.append(side(reps.find(axis.channels())))
        elif axis.role == "pixel" and axis.pixel == 0:
            axes.append(outgoing(Grid(*pixels), shape=tuple(pixels)))
        elif axis.role != "pixel":
            axes.append(outgoing(axis.size * Scalar))
    return TensorMap(tuple(axes))


def _find_breaks(tracer: Tracer, reps: _Representations) -> tuple[str, ...]:
    """Where pointwise functions and windows on the grid break symmetries, one line each."""
    lines = []
    for variable, rep in reps.known.values():
        others = non_permuting(rep, tracer.groups)
        if others:
            lines += [
                f"breaks {', '.join(others)} here: {where} acts on each number of {rep}"
                for where in variable.pointwise + variable.normed
            ]
    groups = [group.name for group in tracer.groups if not group.is_finite or group.order != 1]
    lines += [
        f"breaks {', '.join(groups)} here: {where or 'the model'} {why}" for where, why in tracer.notes.grids
    ]
    return tuple(dict.fromkeys(lines))


def _check_action(tensor_map: TensorMap, group: Group) -> None:
    """Refuses a group that does not map a grid to itself, such as rotations by 90 degrees of a kernel that is not square."""
    for factor in tensor_map.factors:
        factor.segments(group)
        for _, tensor_type in factor:
            for atom in tensor_type.atoms:
                for A in lie_elements(group):
                    atom.drho(group, A)
                for h in discrete_elements(group):
                    atom.rho(group, h)


def _have_same_spaces(a: TensorMap, b: TensorMap, groups: Sequence[Group]) -> bool:
    """Whether two maps are equal, or equal but for duals where groups are orthogonal."""
    if a == b:
        return True
    types = [
        [(copies, kind.canonical(groups)[0]) for factor in tensor_map.factors for copies, kind in factor]
        for tensor_map in (a, b)
    ]
    return all(group.is_orthogonal for group in groups) and types[0] == types[1]
