r"""Inference of representations: a map for every parameter of any module.

The module is run once on an example and traced (:mod:`softsym.maps.trace`): the representations of input and output are given, those in
between are inferred by unification, and proposed where they stay undetermined.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import C, D, Group, join_groups, read_groups
from softsym.groups import group as read_group
from softsym.maps.families import RULES
from softsym.maps.families.conv import CONVOLUTIONS
from softsym.maps.families.norm import non_permuting
from softsym.maps.tensor_map import Axis, Override, Proposal, TensorMap, check_initialized, incoming, outgoing
from softsym.maps.trace.rules import merge_axes
from softsym.maps.trace.tracer import Inputs, Tracer, flatten
from softsym.maps.trace.unify import (
    Layout,
    Term,
    TracedAxis,
    TraceError,
    Variable,
    channel_axis,
    free_axes,
    free_axis,
    new_variable,
    substitute,
    tensor_product,
    unify,
)
from softsym.reps import Grid, Permutation, Regular, Rep, Scalar, TensorType, hidden_rep
from softsym.reps import rep as read_rep
from softsym.reps.atoms import discrete_elements, lie_elements
from softsym.reps.permutation import Points, orbit
from softsym.reps.rep import cut, equal_part

Example = Tensor | Sequence[Any] | Mapping[str, Any]

SIDES = (32, 28, 64, 16, 8, 224, 20, 12)  # sides of images that are tried where none is given
LENGTH = 5  # length of sequences that are tried


def infer_reps(
    model: nn.Module,
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Group | str | Sequence[Group | str],
    reps: Mapping[str, Override] | None = None,
    *,
    example: Example | None = None,
    output: Callable[[Any], Tensor] | None = None,
    moves_grid: bool | None = None,
    hidden: Hidden = "scalars",
) -> Proposal:
    """Proposes a map for every parameter of a module, and warns of those that it has none for.

    Args:
        model: Any module; it is run once and left unchanged.
        rep_in: Representation of the input. Of images: of the whole image, ``"3Grid(32,32)"``, or of its channels, ``"3S"`` or ``"V"``. Of
            sequences: of one element, or of all one after the other. Of several inputs of real numbers: their direct sum, or that of the
            first, if the others are invariant.
        rep_out: Representation of the output, likewise.
        groups: The candidate groups.
        reps: Representations that you choose: {module name: representation of its output}, {module name: (of its input, of its
            output)}, {parameter name: its map}.
        example: An input to run on (or several, in a tuple or a dict); needed only where none can be guessed from ``rep_in``.
        output: Takes the tensor out of what the model gives, if that is an object: ``lambda out: out.logits``.
        moves_grid: Whether groups act on pixels. By default they do if ``rep_in`` is a whole image, or if they act on a space of as many
            dimensions as convolutions work in.
        hidden: For continuous groups, the representation of numbers that go through a pointwise nonlinearity: ``"scalars"``, or
            ``"mixed"``: scalars, vectors and tensors, on which the nonlinearity breaks the symmetry.

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
    check_initialized(model)
    acting = read_groups(groups)
    proposer = Proposer(tuple(acting), hidden)
    source, target = read_rep(rep_in), read_rep(rep_out)
    for group in acting:
        source.size(group)
        target.size(group)
    given = dict(reps or {})
    names = {name for name, _ in model.named_modules()} | {name for name, _ in model.named_parameters()}
    for name in given:
        if name not in names:
            raise InputError(f"`reps` names {name!r}, which is neither a module nor a parameter of the model")
    maps = {name: each for name, each in given.items() if isinstance(each, TensorMap)}
    ends: dict[str, tuple[Rep | None, Rep]] = {
        name: (read_rep(each[0]), read_rep(each[1])) if isinstance(each, tuple) else (None, read_rep(each))
        for name, each in given.items()
        if not isinstance(each, TensorMap)
    }
    if moves_grid is None:
        moves_grid = split_image(source) is not None or acting[0].dim == convolution_dims(model)
    tracer = _trace(model, source, target, acting, moves_grid, ends, example, output)
    proposal = build_proposal(model, tracer, proposer, maps)
    proposal.warn()
    return proposal


def _trace(
    model: nn.Module,
    rep_in: Rep,
    rep_out: Rep,
    groups: list[Group],
    on_pixels: bool,
    given: Mapping[str, tuple[Rep | None, Rep]],
    example: Example | None,
    output: Callable[[Any], Tensor] | None,
) -> Tracer:
    """Traces the model on the example, or on the first guess on which it runs."""
    guesses: Iterator[Inputs] = examples(model, rep_in, groups[0])
    if example is not None:
        guesses = iter([example if isinstance(example, Mapping | tuple | list) else (example,)])
    reason: Exception | None = None
    shapes: list[str] = []
    for inputs in guesses:
        tracer = Tracer(model, groups, RULES, on_pixels, given)
        try:
            with restore_after(model):
                tensors = [item for item in flatten(inputs) if isinstance(item, Tensor)]
                _set_inputs(tracer, model, tensors, rep_in)
                out = tracer.run(model, inputs, output)
        except InputError:
            raise
        except Exception as error:  # a model may raise anything on an input of a wrong shape
            reason, shapes = reason or error, [*shapes, *(str(tuple(tensor.shape)) for tensor in tensors)]
            continue
        _unify_output(tracer, out, rep_out)
        return tracer
    raise InputError(
        f"the model does not run on inputs of shape {', '.join(shapes)} ({reason}); pass an input as `example`"
    ) from reason


def _set_inputs(tracer: Tracer, model: nn.Module, inputs: Sequence[Tensor], rep: Rep) -> None:
    """Inputs of real numbers carry the representation, or its pieces; others are tokens, or indices, on which no group acts."""
    if not inputs:
        raise InputError("`example` holds no tensor; pass the inputs of the model as tensors")
    numbers = [each for each in inputs if each.is_floating_point() and each.dim()]
    sizes = [each.shape[-1] for each in numbers]
    reps = [rep]
    if len(sizes) > 1 and sum(sizes) == rep.size(tracer.group):
        reps = cut(rep, sizes, tracer.group)
    for each in inputs:
        tracer.set_layout(each, free_axes(each.shape))
    if not inputs[0].is_floating_point() and rep.size(tracer.group) not in (*sizes[:1], sum(sizes)):
        tracer.vocabularies[rep.size(tracer.group)] = rep
        return
    dims = convolution_dims(model)
    for each, part in zip(numbers, reps, strict=False):
        tracer.set_layout(each, input_layout(each, part, tracer.group, tracer.acts_on_pixels, dims))


def _unify_output(tracer: Tracer, out: Any, rep: Rep) -> None:
    """Unifies the channels of the output with its representation."""
    first = out[0] if isinstance(out, tuple | list) else out
    if not isinstance(first, Tensor):
        kind = type(first).__name__
        raise InputError(f"the model gives a {kind}; pass `output`, a function that takes the tensor out of it")
    layout, size = tracer.layout(first), rep.size(tracer.group)
    tracer.mark_products(layout)
    channels = [axis for axis in layout if axis.size == size and axis.role in ("channel", "open")]
    try:
        if channels:
            unify(channels[-1].channels(), new_variable(size, rep), tracer.group)
        elif math.prod(first.shape[1:]) == size > 1:
            unify(merge_axes(layout[1:]).channels(), new_variable(size, rep), tracer.group)
        elif size > 1 or rep != Scalar:
            raise TraceError("no axis has that size")
    except TraceError as error:
        shape = tuple(first.shape)
        raise InputError(f"`rep_out` is {rep} of size {size}, the model gives shape {shape}: {error}") from error


def split_image(rep: Rep) -> tuple[Rep, tuple[int, ...]] | None:
    """Channels and pixels of a representation of whole images; None for any other representation."""
    lasts = {kind.atoms[-1] if kind.atoms else None for _, kind in rep}
    last = lasts.pop() if len(lasts) == 1 else None
    if not isinstance(last, Points) or not last.text.startswith("Grid("):
        return None
    sizes = tuple(map(int, last.text[5:-1].split(",")))
    return Rep(tuple((copies, TensorType(kind.atoms[:-1])) for copies, kind in rep)), sizes


def convolution_dims(model: nn.Module) -> int:
    """The number of dimensions of the first convolution of a model; zero if it has none."""
    kernels = (m.kernel_size for m in model.modules() if isinstance(m, CONVOLUTIONS))
    return next((len(kernel) for kernel in kernels), 0)


def input_layout(example: Tensor, rep: Rep, group: Group, on_pixels: bool, dims: int) -> Layout:
    """The axes of an input (n, ...)."""
    shape, image, size = tuple(example.shape), split_image(rep), rep.size(group)
    if image is not None and shape[1:] == (image[0].size(group), *image[1]):
        rep, size, on_pixels, dims = image[0], shape[1], True, len(image[1])
    elif image is not None and shape[1:] == (size,):
        channels = new_variable(image[0].size(group), image[0])
        grid = Rep(((1, TensorType(rep.terms[0][1].atoms[-1:])),))
        return (free_axis(shape[0]), channel_axis(tensor_product(channels, grid, math.prod(image[1]))))
    if dims and len(shape) == dims + 2 and shape[1] == size:
        pixels = tuple(TracedAxis(n, "pixel", None, k) if on_pixels else free_axis(n) for k, n in enumerate(shape[2:]))
        return (free_axis(shape[0]), channel_axis(new_variable(size, rep)), *pixels)
    if len(shape) > 1 and shape[-1] == size:
        return (*map(free_axis, shape[:-1]), channel_axis(new_variable(size, rep)))
    if len(shape) > 2 and math.prod(shape[1:]) == size:
        with contextlib.suppress(InputError):
            element = equal_part(rep, size // shape[-1], group)
            return (*map(free_axis, shape[:-1]), channel_axis(new_variable(shape[-1], element)))
    raise InputError(f"`rep_in` is {rep} of size {size}, which is no axis of an input of shape {shape}")


def examples(model: nn.Module, rep: Rep, group: Group) -> Iterator[tuple[Any, ...]]:
    """Inputs to try a model on, the likely ones first."""
    size, image, dims = rep.size(group), split_image(rep), convolution_dims(model)
    like = next((p for p in model.parameters() if p.is_floating_point()), torch.zeros(()))

    def zeros(*shape: int) -> tuple[Tensor]:
        return (torch.zeros(2, *shape, dtype=like.dtype, device=like.device),)

    if image is not None:
        yield zeros(image[0].size(group), *image[1])
        yield zeros(size)
        return
    if dims:
        yield from (zeros(size, *(side,) * dims) for side in SIDES)
    if any(isinstance(m, nn.Embedding | nn.EmbeddingBag) for m in model.modules()):
        yield (torch.zeros(2, LENGTH, dtype=torch.long, device=like.device),)
    has_sequences = any(isinstance(m, nn.RNNBase | nn.MultiheadAttention) for m in model.modules())
    shapes = [(LENGTH, size), (size,)] if has_sequences else [(size,), (LENGTH, size)]
    yield from (zeros(*shape) for shape in shapes)


@contextlib.contextmanager
def restore_after(model: nn.Module) -> Iterator[None]:
    """Runs a model in training mode; afterwards modes, buffers and random numbers are as before."""
    modes = [(module, module.training) for module in model.modules()]
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            model.train()  # in eval mode torch fuses whole layers, which cannot be traced
            yield
    finally:
        for module, mode in modes:
            module.training = mode
        with torch.no_grad():
            for buffer, before in buffers:
                buffer.copy_(before)


Hidden = Literal["scalars", "mixed"]
LARGEST_ORDER = 64
"""The largest order of a group whose regular representation is proposed; orbits of special points are smaller."""


@dataclass(frozen=True)
class Proposer:
    """Proposes hidden representations for some candidates."""

    groups: Sequence[Group]  # the candidates
    hidden: Hidden = "scalars"
    known: dict[Variable, Rep] = field(default_factory=dict)  # the variables of a trace that it was asked for

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
            copies, rest = divmod(size, block.size(largest))
            return copies * block + rest * Scalar
        if pointwise and self.hidden == "scalars":
            return size * Scalar
        return hidden_rep(size, largest)

    def find(self, term: Term) -> Rep:
        """The representation of a term, whose variables are known, or get one when they are first asked for."""
        total = Rep(())
        for summand in substitute(term):
            variable = summand.variable
            if variable not in self.known:
                self.known[variable] = variable.rep or self.rep(variable.size, pointwise=bool(variable.pointwise))
            rep = self.known[variable]
            total = total + (rep if summand.factor is None else rep * summand.factor)
        return total


def _largest_orbit(group: Group, size: int) -> Rep:
    """The permutation representation of the largest orbit that fits; a scalar if none does."""
    if len(group.elements) <= min(size, LARGEST_ORDER):
        return Regular(_find_name(group))
    corners = [np.array(p) for p in itertools.product((0.0, 1.0), repeat=group.dim) if any(p)]
    orbits = [points for points in (orbit(group, p) for p in corners) if 1 < len(points) <= size]
    return Permutation(max(orbits, key=len)) if orbits else Scalar


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


def build_proposal(model: nn.Module, tracer: Tracer, reps: Proposer, given: Mapping[str, TensorMap]) -> Proposal:
    """The maps of all parameters of a traced model; ``given`` maps override them."""
    maps, left_alone = _read_uses(model, tracer, reps)
    for name, layout in tracer.parameters.items():
        if name not in maps and name not in left_alone and any(axis.role != "open" for axis in layout):
            maps[name] = _read_layout(layout, reps)
    for name, parameter in model.named_parameters():
        if ".parametrizations." in f".{name}":
            left_alone[name] = "a weight is computed from it (parametrised)"
        elif name not in maps and name not in left_alone:
            left_alone[name] = tracer.reasons.get(name, "is used by nothing that softsym reads")
        elif not parameter.requires_grad and name not in left_alone:
            left_alone[name] = "is frozen (requires_grad is False)"
    maps = {name: tensor_map for name, tensor_map in maps.items() if name not in left_alone} | dict(given)
    return Proposal(
        maps,
        {name: why for name, why in left_alone.items() if name not in maps},
        hidden={name: reps.find(term) for name, term in tracer.hidden.items() if name},
        buffers={name: TensorMap.vector(reps.find(term)) for name, term in tracer.buffers.items()},
        breaks=_find_breaks(tracer, reps),
        not_understood=tuple(dict.fromkeys(f"{where or 'the model'}: {why}" for where, why in tracer.unknown)),
    )


def _read_uses(model: nn.Module, tracer: Tracer, reps: Proposer) -> tuple[dict[str, TensorMap], dict[str, str]]:
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


def _read_layout(layout: Layout, reps: Proposer) -> TensorMap:
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


def _find_breaks(tracer: Tracer, reps: Proposer) -> tuple[str, ...]:
    """Where pointwise functions and windows on the grid break symmetries, one line each."""
    lines = []
    for term in tracer.marked:
        reps.find(term)
    for variable, rep in reps.known.items():
        names = ", ".join(non_permuting(rep, tracer.groups))
        places = variable.pointwise + variable.normed if names else []
        lines += [f"breaks {names} here: {where} acts on each number of {rep}" for where in places]
    groups = [group.name for group in tracer.groups if not group.is_finite or group.order != 1]
    lines += [f"breaks {', '.join(groups)} here: {where or 'the model'} {why}" for where, why in tracer.grids]
    for name, value, layout in tracer.constants:
        if ".parametrizations." in f".{name}":  # of which another warning says that they are not followed
            continue
        changing = [group.name for group in tracer.groups if not _is_invariant(value, layout, reps, group)]
        if changing:
            lines.append(f"breaks {', '.join(changing)} here: {name} is a constant that is not invariant")
    return tuple(dict.fromkeys(lines))


def _is_invariant(value: Tensor, layout: Layout, reps: Proposer, group: Group) -> bool:
    """Whether a group leaves a constant as it is."""
    if all(axis.role in ("free", "open") for axis in layout):
        return True
    numbers = value.to(torch.float64).nan_to_num(posinf=1.0, neginf=-1.0)
    try:
        distance = _read_layout(layout, reps).space(group).distance(numbers)
    except InputError:  # one axis of an image without the others, say
        return False
    return float(distance) <= 1e-5 * float(numbers.norm())


def _check_action(tensor_map: TensorMap, group: Group) -> None:
    """Refuses a group that does not map a grid to itself, such as rotations by 90 degrees of a kernel that is not square."""
    for atom in (atom for factor in tensor_map.factors for _, kind in factor for atom in kind.atoms):
        for A in lie_elements(group):
            atom.drho(group, A)
        for h in discrete_elements(group):
            atom.rho(group, h)


def _have_same_spaces(a: TensorMap, b: TensorMap, groups: Sequence[Group]) -> bool:
    """Whether two maps are equal, or equal but for duals where groups are orthogonal."""
    if a == b or not all(group.is_orthogonal for group in groups):
        return a == b
    first, second = ([(n, kind.canonical(groups)[0]) for rep in each.factors for n, kind in rep] for each in (a, b))
    return first == second
