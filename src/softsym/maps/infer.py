r"""Inference of representations: a map for every parameter of any module.

The module is run once on an example and traced (:mod:`softsym.maps.trace`): the representations of input and output are given, those in
between are inferred by unification, and proposed where they stay undetermined (:mod:`softsym.maps.proposer`).

The representation of an image is that of the whole image, ``"3Grid(32,32)"`` for three channels of 32 x 32 pixels, or that of its
channels alone, ``"3S"`` (or ``"V"`` for a field of vectors); then groups act on pixels if they act on a space of as many dimensions.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group, read_groups
from softsym.maps.families import RULES
from softsym.maps.families.conv import CONVOLUTIONS
from softsym.maps.proposer import Hidden, Proposer, build_proposal
from softsym.maps.tensor_map import Override, Proposal, TensorMap, check_initialized
from softsym.maps.trace.shapes import merge_axes
from softsym.maps.trace.tracer import Tracer
from softsym.maps.trace.unify import (
    Layout,
    TracedAxis,
    TraceError,
    channel_axis,
    free_axis,
    new_variable,
    open_axes,
    tensor_product,
    unify,
)
from softsym.reps import Rep, TensorType
from softsym.reps import rep as read_rep
from softsym.reps.permutation import Points
from softsym.reps.rep import equal_part

SIDES = (32, 28, 64, 16, 8, 224, 20, 12)
"""Sides of images that are tried where none is given."""
LENGTH = 5
"""Length of sequences that are tried."""


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
    """Proposes a map for every parameter of a module.

    Args:
        model: Any module; it is run once and left unchanged.
        rep_in: Representation of the input. Of images: of the whole image, ``"3Grid(32,32)"``, or of its channels, ``"3S"``. Of
            sequences: of one element, or of all one after the other.
        rep_out: Representation of the output, likewise.
        groups: The candidate groups.
        reps: Representations that you choose: {module name: representation of its output}, {module name: (of its input, of its
            output)}, {parameter name: its map}.
        example: An input to run on (or several, in a tuple); needed only where none can be guessed from ``rep_in``.
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
    ends = {name: _read_ends(each) for name, each in given.items() if not isinstance(each, TensorMap)}
    on_pixels = groups_act_on_pixels(model, source, acting) if moves_grid is None else moves_grid
    tracer = _trace(model, source, target, acting, on_pixels, ends, example)
    return build_proposal(model, tracer, proposer, maps)


def _read_ends(given: Rep | str | tuple[Rep | str, Rep | str]) -> tuple[Rep | None, Rep]:
    if isinstance(given, tuple):
        return read_rep(given[0]), read_rep(given[1])
    return None, read_rep(given)


def _trace(
    model: nn.Module,
    rep_in: Rep,
    rep_out: Rep,
    groups: list[Group],
    on_pixels: bool,
    given: Mapping[str, tuple[Rep | None, Rep]],
    example: Tensor | Sequence[Any] | None,
) -> Tracer:
    """Traces the model on the example, or on the first guess on which it runs."""
    guesses = examples(model, rep_in, groups[0])
    if example is not None:
        guesses = iter([(example,) if isinstance(example, Tensor) else tuple(example)])
    reason: Exception | None = None
    shapes: list[str] = []
    for inputs in guesses:
        tracer = Tracer(model, groups, RULES, on_pixels, given)
        try:
            with restore_after(model):
                _set_inputs(tracer, model, inputs, rep_in)
                out = tracer.run(model, inputs)
        except InputError:
            raise
        except Exception as error:  # a model may raise anything on an input of a wrong shape
            reason, shapes = reason or error, [*shapes, str(tuple(inputs[0].shape))]
            continue
        _unify_output(tracer, out, rep_out)
        return tracer
    raise InputError(
        f"the model does not run on inputs of shape {', '.join(shapes)} ({reason}); pass an input as `example`"
    ) from reason


def _set_inputs(tracer: Tracer, model: nn.Module, inputs: Sequence[Any], rep: Rep) -> None:
    first = inputs[0]
    if first.is_floating_point():
        dims = convolution_dims(model)
        tracer.set_layout(first, input_layout(first, rep, tracer.group, tracer.acts_on_pixels, dims))
    else:
        tracer.vocabularies[rep.size(tracer.group)] = rep
    for other in inputs[1:]:
        if isinstance(other, Tensor):
            tracer.set_layout(other, open_axes(tuple(other.shape)))


def _unify_output(tracer: Tracer, out: Any, rep: Rep) -> None:
    """Unifies the channels of the output with its representation."""
    first = out[0] if isinstance(out, tuple | list) else out
    if not isinstance(first, Tensor):
        raise InputError(f"the model gives a {type(first).__name__}; softsym reads models that give a tensor")
    layout, size = tracer.layout(first), rep.size(tracer.group)
    channels = [axis for axis in layout if axis.size == size and axis.role in ("channel", "open")]
    try:
        if channels:
            unify(channels[-1].channels(), new_variable(size, rep), tracer.group)
        elif math.prod(first.shape[1:]) == size > 1:
            unify(merge_axes(layout[1:]).channels(), new_variable(size, rep), tracer.group)
        elif size > 1:
            raise TraceError("no axis has that size")
    except TraceError as error:
        shape = tuple(first.shape)
        raise InputError(
            f"`rep_out` is {rep} of size {size}, the model gives shape {shape}: {error}"
        ) from error


def split_image(rep: Rep) -> tuple[Rep, tuple[int, ...]] | None:
    """Channels and pixels of a representation of whole images; None for any other representation.

    Example:
        >>> import softsym as ss
        >>> split_image(ss.rep("3Grid(8,8)")), split_image(ss.rep("3S"))
        ((3S, (8, 8)), None)
    """
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


def groups_act_on_pixels(model: nn.Module, rep_in: Rep, groups: Sequence[Group]) -> bool:
    """Whether groups act on pixels by default: if the input is a whole image, or the dimensions agree."""
    return split_image(rep_in) is not None or groups[0].dim == convolution_dims(model)


def input_layout(example: Tensor, rep: Rep, group: Group, on_pixels: bool, dims: int) -> Layout:
    """The axes of an input (n, ...)."""
    shape, image, size = tuple(example.shape), split_image(rep), rep.size(group)
    if image is not None and shape[1:] == (image[0].size(group), *image[1]):
        pixels = tuple(TracedAxis(n, "pixel", None, k) for k, n in enumerate(image[1]))
        return (free_axis(shape[0]), channel_axis(new_variable(shape[1], image[0])), *pixels)
    if image is not None and shape[1:] == (size,):
        channels = new_variable(image[0].size(group), image[0])
        grid = Rep(((1, TensorType(rep.terms[0][1].atoms[-1:])),))
        return (free_axis(shape[0]), channel_axis(tensor_product(channels, grid, math.prod(image[1]))))
    if dims and len(shape) == dims + 2 and shape[1] == size:
        pixels = tuple(
            TracedAxis(n, "pixel", None, k) if on_pixels else free_axis(n) for k, n in enumerate(shape[2:])
        )
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
    has_tokens = any(isinstance(m, nn.Embedding | nn.EmbeddingBag) for m in model.modules())
    if has_tokens:
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
