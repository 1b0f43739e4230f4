"""What goes into a model: an example to run it on, and what each axis of it is.

A representation of the input says what groups do to it. For vectors that is all; for images there are two ways to say it: the whole
image, ``"3Grid(32,32)"`` for three channels of 32 x 32 pixels, or the channels alone, ``"3S"`` (or ``"V"`` for a field of vectors),
and then pixels are moved by groups that act on a space of as many dimensions as the image has.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.conv import CONVOLUTIONS
from softsym.maps.trace.layout import Axis, Layout, carrying, free
from softsym.maps.trace.slots import fresh, tensored
from softsym.reps import Rep, TensorType
from softsym.reps.permutation import Points
from softsym.reps.rep import equal_part

SIDES = (32, 28, 64, 16, 8, 224, 20, 12)
"""Sides of images that are tried where none is given."""
LENGTH = 5
"""Length of sequences that are tried."""


def check_shapes(model: nn.Module) -> None:
    """Refuses lazy layers that do not know their shapes yet."""
    for name, parameter in model.named_parameters():
        if isinstance(parameter, nn.parameter.UninitializedParameter):
            raise InputError(
                f"{name!r} has no shape yet (a lazy layer); run the model once on an input before"
            )


def image_of(rep: Rep) -> tuple[Rep, tuple[int, ...]] | None:
    """Channels and pixels of a representation of whole images; None if it is none.

    Example:
        >>> import softsym as ss
        >>> image_of(ss.rep("3Grid(8,8)")), image_of(ss.rep("3S"))
        ((3S, (8, 8)), None)
    """
    lasts = {kind.atoms[-1] if kind.atoms else None for _, kind in rep}
    last = lasts.pop() if len(lasts) == 1 else None
    if not isinstance(last, Points) or not last.text.startswith("Grid("):
        return None
    sizes = tuple(map(int, last.text[5:-1].split(",")))
    return Rep(tuple((copies, TensorType(kind.atoms[:-1])) for copies, kind in rep)), sizes


def dimensions(model: nn.Module) -> int:
    """In how many dimensions the first convolution of a model works; zero if it has none."""
    kernels = (m.kernel_size for m in model.modules() if isinstance(m, CONVOLUTIONS))
    return next((len(kernel) for kernel in kernels), 0)


def moves_pixels(model: nn.Module, rep_in: Rep, groups: Sequence[Group]) -> bool:
    """Whether groups move pixels, where nobody says: if the input is a whole image, or the dimensions are the same."""
    return image_of(rep_in) is not None or groups[0].dim == dimensions(model)


def layout_of(example: Tensor, rep: Rep, group: Group, moves: bool, dims: int) -> Layout:
    """What the axes of an input (n, ...) are.

    Args:
        example: The input.
        rep: Its representation.
        group: Any of the groups.
        moves: Whether groups move pixels.
        dims: In how many dimensions convolutions work.
    """
    shape, image, size = tuple(example.shape), image_of(rep), rep.size(group)
    if image is not None and shape[1:] == (image[0].size(group), *image[1]):
        pixels = tuple(Axis(n, "pixel", None, k) for k, n in enumerate(image[1]))
        return (free(shape[0]), carrying(fresh(shape[1], "input", image[0])), *pixels)
    if image is not None and shape[1:] == (size,):
        channels = fresh(image[0].size(group), "input", image[0])
        trail = Rep(((1, TensorType(rep.terms[0][1].atoms[-1:])),))
        return (free(shape[0]), carrying(tensored(channels, trail, math.prod(image[1]))))
    if dims and len(shape) == dims + 2 and shape[1] == size:
        pixels = tuple(Axis(n, "pixel", None, k) if moves else free(n) for k, n in enumerate(shape[2:]))
        return (free(shape[0]), carrying(fresh(size, "input", rep)), *pixels)
    if len(shape) > 1 and shape[-1] == size:
        return (*map(free, shape[:-1]), carrying(fresh(size, "input", rep)))
    if len(shape) > 2 and math.prod(shape[1:]) == size:
        with contextlib.suppress(InputError):
            one = equal_part(rep, size // shape[-1], group)
            return (*map(free, shape[:-1]), carrying(fresh(shape[-1], "input", one)))
    raise InputError(f"`rep_in` is {rep} of size {size}, which is no axis of an input of shape {shape}")


def examples(model: nn.Module, rep: Rep, group: Group) -> Iterator[tuple[Any, ...]]:
    """Inputs to try a model on, the likely ones first."""
    size, image, dims = rep.size(group), image_of(rep), dimensions(model)
    like = next((p for p in model.parameters() if p.is_floating_point()), torch.zeros(()))

    def zeros(*shape: int) -> tuple[Tensor]:
        return (torch.zeros(2, *shape, dtype=like.dtype, device=like.device),)

    if image is not None:
        yield zeros(image[0].size(group), *image[1])
        yield zeros(size)
        return
    if dims:
        yield from (zeros(size, *(side,) * dims) for side in SIDES)
    words = any(isinstance(m, nn.Embedding | nn.EmbeddingBag) for m in model.modules())
    if words:
        yield (torch.zeros(2, LENGTH, dtype=torch.long, device=like.device),)
    sequences = any(isinstance(m, nn.RNNBase | nn.MultiheadAttention) for m in model.modules())
    shapes = [(LENGTH, size), (size,)] if sequences else [(size,), (LENGTH, size)]
    yield from (zeros(*shape) for shape in shapes)


@contextlib.contextmanager
def running(model: nn.Module) -> Iterator[None]:
    """Runs a model without leaving a trace: modes, buffers and random numbers are as before."""
    modes = [(module, module.training) for module in model.modules()]
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            model.train()  # in eval mode torch has shortcuts for whole layers, which nobody can look into
            yield
    finally:
        for module, mode in modes:
            module.training = mode
        with torch.no_grad():
            for buffer, before in buffers:
                buffer.copy_(before)
