"""The input of a model: an example to run it on, and the role of each of its axes.

The representation of an image is that of the whole image, ``"3Grid(32,32)"`` for three channels of 32 x 32 pixels, or that of its
channels alone, ``"3S"`` (or ``"V"`` for a field of vectors); then groups act on pixels if they act on a space of as many dimensions.
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
from softsym.maps.families.conv import CONVOLUTIONS
from softsym.maps.trace.unify import Layout, TracedAxis, channel_axis, free_axis, new_variable, tensor_product
from softsym.reps import Rep, TensorType
from softsym.reps.permutation import Points
from softsym.reps.rep import equal_part

SIDES = (32, 28, 64, 16, 8, 224, 20, 12)
"""Sides of images that are tried where none is given."""
LENGTH = 5
"""Length of sequences that are tried."""


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
    """The axes of an input (n, ...).

    Args:
        example: The input.
        rep: Its representation.
        group: Any of the groups.
        on_pixels: Whether groups act on pixels.
        dims: The number of dimensions of convolutions.
    """
    shape, image, size = tuple(example.shape), split_image(rep), rep.size(group)
    if image is not None and shape[1:] == (image[0].size(group), *image[1]):
        pixels = tuple(TracedAxis(n, "pixel", None, k) for k, n in enumerate(image[1]))
        return (free_axis(shape[0]), channel_axis(new_variable(shape[1], "input", image[0])), *pixels)
    if image is not None and shape[1:] == (size,):
        channels = new_variable(image[0].size(group), "input", image[0])
        grid = Rep(((1, TensorType(rep.terms[0][1].atoms[-1:])),))
        return (free_axis(shape[0]), channel_axis(tensor_product(channels, grid, math.prod(image[1]))))
    if dims and len(shape) == dims + 2 and shape[1] == size:
        pixels = tuple(
            TracedAxis(n, "pixel", None, k) if on_pixels else free_axis(n) for k, n in enumerate(shape[2:])
        )
        return (free_axis(shape[0]), channel_axis(new_variable(size, "input", rep)), *pixels)
    if len(shape) > 1 and shape[-1] == size:
        return (*map(free_axis, shape[:-1]), channel_axis(new_variable(size, "input", rep)))
    if len(shape) > 2 and math.prod(shape[1:]) == size:
        with contextlib.suppress(InputError):
            element = equal_part(rep, size // shape[-1], group)
            return (*map(free_axis, shape[:-1]), channel_axis(new_variable(shape[-1], "input", element)))
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
