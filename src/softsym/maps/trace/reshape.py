"""Views: which axes of a tensor become which when numbers keep their order and the shape changes.

Axes of both shapes are matched block by block, each block with the same number of entries. A block of many axes that become one is a
flattening; a block of one that becomes many cuts it (the heads of attention).
"""

from __future__ import annotations

from collections.abc import Sequence

from softsym.groups import Group
from softsym.maps.trace.layout import Axis, Layout, carrying, free
from softsym.maps.trace.slots import Content, DisagreementError, equal_parts, tensored
from softsym.reps import Grid, Scalar


def reshaped(layout: Layout, shape: Sequence[int], group: Group) -> Layout:
    """The axes of the same numbers in another shape.

    Args:
        layout: The axes.
        shape: The new shape, without -1.
        group: Any of the groups.
    """
    made: list[Axis] = []
    for old, sizes in _blocks(layout, list(shape)):
        if [axis.size for axis in old] == sizes:
            made.extend(old)
        elif len(sizes) == 1:
            made.append(merged(old, group))
        elif len(old) == 1:
            made.extend(_divided(old[0], sizes, group))
        else:  # through one flat axis
            made.extend(_divided(merged(old, group), sizes, group))
    return tuple(made)


def merged(axes: Sequence[Axis], group: Group) -> Axis:
    """Several axes as one, the last running fastest."""
    axes = [axis for axis in axes if axis.size > 1 or axis.role == "carries"] or list(axes[:1])
    if len(axes) == 1:
        return axes[0]
    total = 1
    for axis in axes:
        total *= axis.size
    if all(axis.role == "free" for axis in axes):
        return free(total)
    content: Content | None = None
    copies, pixels = 1, []
    for axis in axes:
        if axis.role == "free" and content is None:
            copies *= axis.size
        elif axis.role == "free" and content is not None:
            content = tensored(content, axis.size * Scalar, axis.size)
        elif axis.role == "pixel":
            pixels.append(axis)
        elif pixels or content is not None:
            raise DisagreementError("channels behind pixels or other channels are flattened")
        else:
            content = axis.carry()
    if pixels:
        if [axis.pixel for axis in pixels] != list(range(len(pixels))):
            raise DisagreementError("some, not all, axes of an image are flattened")
        sizes = [axis.size for axis in pixels]
        count = total // copies // (1 if content is None else sum(part.size for part in content))
        if content is None:
            raise DisagreementError("pixels are flattened without their channels")
        content = tensored(content, Grid(*sizes), count)
    assert content is not None
    return carrying(content * copies)


def _divided(axis: Axis, sizes: list[int], group: Group) -> list[Axis]:
    """One axis as several: copies of the last one, or all of them free."""
    if axis.size == 1 or axis.role == "free":
        return [free(size) for size in sizes]
    if axis.role == "pixel":
        raise DisagreementError("an axis of an image is cut into several")
    copies = 1
    for size in sizes[:-1]:
        copies *= size
    return [*(free(size) for size in sizes[:-1]), carrying(equal_parts(axis.carry(), copies, group))]


def _blocks(layout: Layout, shape: list[int]) -> list[tuple[list[Axis], list[int]]]:
    """Runs of axes and of new sizes that hold the same number of entries."""
    old, new = list(layout), list(shape)
    blocks: list[tuple[list[Axis], list[int]]] = []
    while old or new:
        if not new or (old and old[0].size == 1 and new[0] != 1):  # an axis of one comes or goes
            old.pop(0)
            continue
        if not old or (new[0] == 1 and old[0].size != 1):
            blocks.append(([free(1)], [new.pop(0)]))
            continue
        axes, sizes = [old.pop(0)], [new.pop(0)]
        have, want = axes[0].size, sizes[0]
        while have != want:
            if have < want:
                axes.append(old.pop(0))
                have *= axes[-1].size
            else:
                sizes.append(new.pop(0))
                want *= sizes[-1]
        blocks.append((axes, sizes))
    return blocks
