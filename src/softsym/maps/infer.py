r"""Representations for every hidden axis of any module.

The module is run once on an example while every function is watched (:mod:`softsym.maps.trace`). What its ends carry is given; what lies
between must agree where it meets, and is proposed where nothing says otherwise (:mod:`softsym.maps.propose`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group, read_groups
from softsym.maps.inputs import check_shapes, dimensions, examples, layout_of, moves_pixels, running
from softsym.maps.norm import not_permuting
from softsym.maps.proposal import Proposal
from softsym.maps.propose import Hidden, Proposer, check_hidden
from softsym.maps.tensor_map import TensorMap, incoming, outgoing
from softsym.maps.trace.handlers import HANDLERS
from softsym.maps.trace.layout import open_axes
from softsym.maps.trace.recorder import Recorder
from softsym.maps.trace.reshape import merged
from softsym.maps.trace.slots import Content, DisagreementError, Slot, fresh, resolved, unify
from softsym.reps import Grid, Rep, Scalar
from softsym.reps import rep as read_rep
from softsym.reps.atoms import discrete_elements, lie_elements

Override = Rep | str | tuple[Rep | str, Rep | str] | TensorMap


def infer_reps(
    model: nn.Module,
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Group | str | Sequence[Group | str],
    reps: Mapping[str, Override] | None = None,
    *,
    example: Tensor | Sequence[Any] | None = None,
    moves_grid: bool | None = None,
    hidden: Hidden = "scalars",
) -> Proposal:
    """Proposes what every parameter of a module is.

    Args:
        model: Any module; it is run once and left as it was.
        rep_in: Representation of the input. Of images: of the whole image, ``"3Grid(32,32)"``, or of its channels, ``"3S"``. Of
            sequences: of one element, or of all one after the other.
        rep_out: Representation of the output, likewise.
        groups: The candidate groups.
        reps: What you know better: {module name: representation of what it gives}, {module name: (of what it takes, of what it
            gives)}, {parameter name: its map}.
        example: An input to run on (or several, in a tuple); needed only where none can be guessed from ``rep_in``.
        moves_grid: Whether groups move pixels. By default they do if ``rep_in`` is a whole image, or if they act on a space of as many
            dimensions as convolutions work in.
        hidden: For continuous groups, what numbers are that go through a pointwise nonlinearity: ``"scalars"``, or ``"mixed"``:
            scalars, vectors and tensors, on which the nonlinearity breaks the symmetry.

    Example:
        >>> import softsym as ss, torch
        >>> model = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1),
        ...                             torch.nn.Flatten(), torch.nn.Linear(8, 10))
        >>> print(ss.infer_reps(model, "S", "10S", ["C(4)", "O(1)@2[0]"]))
        0.weight  S * Grid(3,3) -> Regular(D(4))
        0.bias    Regular(D(4))
        4.weight  Regular(D(4)) -> 10S
        4.bias    10S
    """
    check_hidden(hidden)
    check_shapes(model)
    acting = read_groups(groups)
    ends = read_rep(rep_in), read_rep(rep_out)
    for end in ends:
        for group in acting:
            end.size(group)
    known = dict(reps or {})
    names = {name for name, _ in model.named_modules()} | {name for name, _ in model.named_parameters()}
    for name in known:
        if name not in names:
            raise InputError(f"`reps` names {name!r}, which is neither a module nor a parameter of the model")
    given = {name: _ends(one) for name, one in known.items() if not isinstance(one, TensorMap)}
    moves = moves_pixels(model, ends[0], acting) if moves_grid is None else moves_grid
    recorder = _run(model, ends, acting, moves, given, example)
    proposal = _Answers(recorder, Proposer(tuple(acting), hidden)).proposal(model)
    maps = dict(proposal.maps) | {name: one for name, one in known.items() if isinstance(one, TensorMap)}
    alone = {name: why for name, why in proposal.left_alone.items() if name not in maps}
    return Proposal(maps, alone, proposal.breaks, proposal.not_understood, proposal.hidden, proposal.buffers)


def _ends(given: Rep | str | tuple[Rep | str, Rep | str]) -> tuple[Rep | None, Rep]:
    if isinstance(given, tuple):
        return read_rep(given[0]), read_rep(given[1])
    return None, read_rep(given)


def _run(
    model: nn.Module,
    ends: tuple[Rep, Rep],
    groups: list[Group],
    moves: bool,
    given: Mapping[str, tuple[Rep | None, Rep]],
    example: Tensor | Sequence[Any] | None,
) -> Recorder:
    """Runs the model on the example, or on the first guess on which it runs."""
    tries = examples(model, ends[0], groups[0])
    if example is not None:
        tries = iter([(example,) if isinstance(example, Tensor) else tuple(example)])
    reason: Exception | None = None
    tried: list[str] = []
    for inputs in tries:
        recorder = Recorder(model, groups, HANDLERS, moves, given)
        try:
            with running(model):
                _put_inputs(recorder, model, inputs, ends[0], moves)
                out = recorder.run(model, inputs)
        except InputError:
            raise
        except Exception as error:  # whatever a model raises on an input that is none of its
            reason, tried = reason or error, [*tried, str(tuple(inputs[0].shape))]
            continue
        _match_output(recorder, out, ends[1], groups[0])
        return recorder
    raise InputError(
        f"the model does not run on inputs of shape {', '.join(tried)} ({reason}); pass an input as `example`"
    ) from reason


def _put_inputs(recorder: Recorder, model: nn.Module, inputs: Sequence[Any], rep: Rep, moves: bool) -> None:
    first = inputs[0]
    if first.is_floating_point():
        recorder.put(first, layout_of(first, rep, recorder.group, moves, dimensions(model)))
    else:
        recorder.vocabularies[rep.size(recorder.group)] = rep
    for other in inputs[1:]:
        if isinstance(other, Tensor):
            recorder.put(other, open_axes(tuple(other.shape), "input"))


def _match_output(recorder: Recorder, out: Any, rep: Rep, group: Group) -> None:
    """Says what the output carries."""
    first = out[0] if isinstance(out, tuple | list) else out
    if not isinstance(first, Tensor):
        raise InputError(f"the model gives a {type(first).__name__}; softsym reads models that give a tensor")
    layout, size = recorder.layout(first), rep.size(group)
    channels = [axis for axis in layout if axis.size == size and axis.role in ("carries", "open")]
    try:
        if channels:
            unify(channels[-1].carry("output"), fresh(size, "output", rep), group)
        elif math.prod(first.shape[1:]) == size > 1:
            unify(merged(layout[1:], group).carry("output"), fresh(size, "output", rep), group)
        elif size > 1:
            raise DisagreementError("no axis has that size")
    except DisagreementError as error:
        shape = tuple(first.shape)
        raise InputError(
            f"`rep_out` is {rep} of size {size}, the model gives shape {shape}: {error}"
        ) from error


class _Answers:
    """Representations of all axes of a run, and with them the maps of all parameters."""

    def __init__(self, recorder: Recorder, proposer: Proposer) -> None:
        self.recorder, self.proposer = recorder, proposer
        self._reps: dict[int, Rep] = {}
        self._slots: list[Slot] = []

    def rep(self, content: Content) -> Rep:
        """What an axis carries."""
        whole = Rep(())
        for part in resolved(content):
            one = self._rep_of(part.slot)
            whole = whole + (one if part.trail is None else one * part.trail)
        return whole

    def _rep_of(self, slot: Slot) -> Rep:
        if id(slot) not in self._reps:
            self._slots.append(slot)
            self._reps[id(slot)] = slot.rep or self.proposer.rep(slot.size, pointwise=bool(slot.pointwise))
        return self._reps[id(slot)]

    def proposal(self, model: nn.Module) -> Proposal:
        """Everything together."""
        recorder = self.recorder
        maps: dict[str, TensorMap] = {}
        alone: dict[str, str] = {}
        for use in recorder.uses:
            try:
                made = use.read(*map(self.rep, use.contents))
                for name, one in made.items():
                    one.check(name, model.get_parameter(name).shape, recorder.groups)
                    for group in recorder.groups:
                        can_act(one, group)
                    if name in maps and not _alike(maps[name], one, recorder.groups):
                        raise InputError(f"is used as {maps[name]} and as {one}")
                    maps[name] = one
            except InputError as reason:
                alone |= {name: _short(str(reason), name) for name in use.parameters}
        for name, layout in recorder.parameters.items():
            if name not in maps and name not in alone and any(axis.role != "open" for axis in layout):
                maps[name] = self._raw(layout)
        for name, parameter in model.named_parameters():
            if (
                ".parametrizations." in f".{name}"
            ):  # what it is follows from what is made of it, which nobody knows
                alone[name] = "a weight is computed from it (parametrised)"
            if name in alone or name not in maps:
                maps.pop(name, None)
                why = recorder.notes.parameters.get(name, "is used by nothing that softsym reads")
                alone.setdefault(name, why)
            elif not parameter.requires_grad:
                del maps[name]
                alone[name] = "is frozen (requires_grad is False)"
        hidden = {name: self.rep(content) for name, content in recorder.hidden.items() if name}
        buffers = {name: TensorMap.vector(self.rep(content)) for name, content in recorder.buffers.items()}
        unknown = tuple(
            dict.fromkeys(f"{where or 'the model'}: {why}" for where, why in recorder.notes.unknown)
        )
        return Proposal(maps, alone, self._breaks(), unknown, hidden, buffers)

    def _raw(self, layout: Any) -> TensorMap:
        """A parameter that stands by itself: what its axes turned out to be."""
        axes, pixels = [], [axis.size for axis in layout if axis.role == "pixel"]
        for axis in layout:
            if axis.role == "carries":
                make = incoming if axis.sign == "in" else outgoing
                axes.append(make(self.rep(axis.content)))
            elif axis.role == "pixel" and axis.pixel == 0:
                axes.append(outgoing(Grid(*pixels), shape=tuple(pixels)))
            elif axis.role != "pixel":
                axes.append(outgoing(axis.size * Scalar))
        return TensorMap(tuple(axes))

    def _breaks(self) -> tuple[str, ...]:
        lines = []
        for slot in self._slots:
            others = not_permuting(self._reps[id(slot)], self.recorder.groups)
            if others:
                rep = self._reps[id(slot)]
                lines += [
                    f"breaks {', '.join(others)} here: {where} acts on each number of {rep}"
                    for where in slot.pointwise + slot.normed
                ]
        groups = [G.name for G in self.recorder.groups if not G.is_finite or G.order != 1]
        lines += [
            f"breaks {', '.join(groups)} here: {where or 'the model'} {why}"
            for where, why in self.recorder.notes.grids
        ]
        return tuple(dict.fromkeys(lines))


def can_act(one: TensorMap, group: Group) -> None:
    """Refuses a group that moves a grid off its points, such as a quarter turn of a kernel that is not square."""
    for factor in one.factors:
        factor.segments(group)
        for _, kind in factor:
            for atom in kind.atoms:
                for A in lie_elements(group):
                    atom.drho(group, A)
                for h in discrete_elements(group):
                    atom.rho(group, h)


def _alike(a: TensorMap, b: TensorMap, groups: Sequence[Group]) -> bool:
    """Whether two maps have the same spaces: equal, or equal but for duals where groups are orthogonal."""
    if a == b:
        return True
    sides = [
        [(copies, kind.canonical(groups)[0]) for f in one.factors for copies, kind in f] for one in (a, b)
    ]
    return all(group.is_orthogonal for group in groups) and sides[0] == sides[1]


def _short(reason: str, name: str) -> str:
    return reason.removeprefix(f"parameter {name!r}: ")
