r"""The reflection symmetry of a body: which joints it exchanges, and coordinates that are even or odd under it.

A skeleton is a tree. Two branches of one joint that have the same shape are a left and a right one; exchanging all such pairs
together with :math:`x \mapsto -x` is the reflection. In the coordinates

.. math:: (p_l \pm p_r) / \sqrt2 \text{ of a pair,} \qquad p \text{ of a joint in the middle,}

it multiplies every number by 1 or by -1, so that positions are scalars and vectors of O(1). The change of coordinates is orthogonal:
squared errors stay what they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.typing import Array


def reflect_joints(edges: Iterable[tuple[int, int]], joints: int) -> NDArray[np.intp]:
    """The reflection of every joint, shape (joints,); joints in the middle are their own.

    Args:
        edges: (joint, its parent) for all joints but the first, which is the root.
        joints: How many there are.

    Raises:
        InputError: The edges are no tree whose root is joint 0, or a joint has three branches of one shape.

    Example:
        >>> reflect_joints([(1, 0), (2, 0), (3, 0), (4, 1), (5, 2)], 6).tolist()
        [0, 2, 1, 3, 5, 4]
    """
    children: list[list[int]] = [[] for _ in range(joints)]
    parents: dict[int, int] = {}
    for child, parent in edges:
        if not (0 < child < joints and 0 <= parent < joints) or child in parents:
            raise InputError(f"edge ({child}, {parent}) does not fit a tree of {joints} joints with root 0")
        parents[child] = parent
        children[parent].append(child)
    order = [0]
    for joint in order:
        order += children[joint]
    if len(order) != joints:
        raise InputError(f"only {len(order)} of {joints} joints hang together with joint 0")
    shapes: dict[int, str] = {}
    for joint in reversed(order):
        shapes[joint] = "(" + "".join(sorted(shapes[child] for child in children[joint])) + ")"
    images = np.arange(joints, dtype=np.intp)
    for joint in order:
        alike: dict[str, list[int]] = {}
        for child in children[joint]:
            alike.setdefault(shapes[child], []).append(child)
        for branches in alike.values():
            if images[joint] != joint or len(branches) == 1:
                continue  # inside one of two branches: it has its image already
            if len(branches) > 2:
                raise InputError(f"joint {joint} has {len(branches)} branches of one shape; which are left and right?")
            _exchange(images, children, shapes, *branches)
    return images


def _exchange(
    images: NDArray[np.intp], children: list[list[int]], shapes: dict[int, str], left: int, right: int
) -> None:
    """Makes two branches of one shape each other's images."""
    images[left], images[right] = right, left
    pairs = zip(
        sorted(children[left], key=lambda joint: (shapes[joint], joint)),
        sorted(children[right], key=lambda joint: (shapes[joint], joint)),
        strict=True,
    )
    for one, other in pairs:
        _exchange(images, children, shapes, one, other)


def parity_basis(images: NDArray[np.intp]) -> tuple[Array, int]:
    """Orthonormal rows (3 joints, 3 joints) in which the reflection is diagonal, the even ones first, and how many those are.

    Example:
        >>> basis, even = parity_basis(np.array([0, 2, 1]))
        >>> even, bool(np.allclose(basis @ basis.T, np.eye(9)))
        (5, True)
    """
    rows: tuple[list[Array], list[Array]] = ([], [])
    unit = np.eye(3 * len(images))
    for joint, image in enumerate(images):
        for axis, sign in enumerate((-1, 1, 1)):
            here, there = unit[3 * joint + axis], unit[3 * int(image) + axis]
            if image == joint:
                rows[sign < 0].append(here)
            elif joint < image:
                rows[sign < 0].append((here + there) / math.sqrt(2))
                rows[sign > 0].append((here - there) / math.sqrt(2))
    return np.array([*rows[0], *rows[1]]), len(rows[0])
