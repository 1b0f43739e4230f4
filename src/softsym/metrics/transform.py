r"""Transforming data by group elements.

A representation acts on every copy of a tensor type by the same small matrix, so a batch of elements :math:`g_1, \dots, g_t` transforms
samples :math:`x_1, \dots, x_n` block by block,

.. math:: \mathrm{out}_{ij} = \rho(g_i)\, x_j ,

and the (size, size) matrix of the whole representation is never formed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from softsym.arrays import make_rng, read_numbers
from softsym.errors import InputError
from softsym.groups import Group, gaussian
from softsym.groups import group as read_group
from softsym.reps import Rep, TensorType
from softsym.reps import rep as read_rep
from softsym.reps.atoms import group_element
from softsym.typing import Array

SAMPLERS = ("haar", "gaussian")
ENTRIES = 4_000_000
"""Largest number of matrix entries that are computed at once."""


def act(rep: Rep | str, group: Group | str, parts: Array | Sequence[Array], x: Any) -> Any:
    """Transforms every sample by every group element.

    Args:
        rep: Representation of the samples.
        group: The group.
        parts: Elements as :meth:`~softsym.Group.sample_parts` gives them, one array (t, d_p, d_p) for each part of a direct
            product; or whole matrices (t, d, d).
        x: Samples (n, size), a NumPy array or a torch tensor (differentiable).

    Returns:
        Transformed samples (t, n, size), of the kind, dtype and device of ``x``.

    Example:
        >>> import numpy as np, softsym as ss
        >>> G = ss.O(3)
        >>> x = np.random.default_rng(0).standard_normal((8, 20))
        >>> act("5S + 5V", G, G.sample_parts(4, seed=0), x).shape
        (4, 8, 20)
    """
    rep, group = read_rep(rep), read_group(group)
    x = check_samples(x, rep, group, "rep", "x")
    element = group_element(group, parts if isinstance(parts, np.ndarray) else tuple(parts))
    if element.whole.ndim != 3:
        d = group.dim
        raise InputError(f"`parts` must be a batch of elements (t, {d}, {d}), got {element.whole.shape}")
    t, n = len(element.whole), len(x)
    matrices: dict[TensorType, Any] = {}
    pieces = []
    for segment in rep.segments(group):
        block = x[:, segment.start : segment.stop]
        if segment.type.rank == 0:
            pieces.append(_repeat(block, t))
            continue
        if segment.type not in matrices:
            matrices[segment.type] = _like(segment.type.rho(group, element).swapaxes(-1, -2), x)
        product = block.reshape(n * segment.copies, segment.size) @ matrices[segment.type]
        pieces.append(product.reshape(t, n, segment.copies * segment.size))
    return _join(pieces, x, (t, n, 0))


def transforms(
    group: Group, n: int, seed: int | np.random.Generator = 0, sampler: str = "haar"
) -> list[Array]:
    """Draws elements, one array (n, d_p, d_p) for each part of the group."""
    if n < 1:
        raise InputError(f"`n_transforms` must be at least 1, got {n}")
    if sampler not in SAMPLERS:
        raise InputError(f"unknown sampler {sampler!r}; pass 'haar' or 'gaussian'")
    rng = make_rng(seed)
    if sampler == "haar":
        return group.sample_parts(n, rng)
    return [_gaussian_part(group, part, n, rng) for part in range(len(group.part_dims))]


def sample_nontrivial(rep: Rep, group: Group, n: int, rng: np.random.Generator) -> list[Array] | None:
    """Elements that do not act as the identity, one array (n, d_p, d_p) for each part; None if there are none.

    At least half of all elements act non-trivially if any does. With the others a group of two elements would seem to overlap
    any data.
    """
    parts = group.sample_parts(2 * n + 32, rng)
    probe = np.tile(rng.standard_normal(rep.size(group)), (len(parts[0]), 1))
    gap = np.linalg.norm(transform_rows(rep, group, parts, probe) - probe, axis=1)
    moving = np.flatnonzero(gap > 1e-9 * (1.0 + np.linalg.norm(probe[0])))
    return [part[np.resize(moving, n)] for part in parts] if len(moving) else None


def transform_rows(rep: Rep, group: Group, parts: list[Array], X: Array) -> Array:
    """Each row transformed by an element of its own, shape (n, size); equal elements are represented once."""
    flat = np.concatenate([part.reshape(len(X), -1) for part in parts], axis=1)
    _, first, which = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    rows_of = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    out = X.copy()
    for segment in rep.segments(group):
        if segment.type.rank == 0:
            continue
        columns, step = slice(segment.start, segment.stop), max(1, ENTRIES // segment.size**2)
        for start in range(0, len(first), step):
            chunk = first[start : start + step]
            matrices = segment.type.rho(group, group_element(group, tuple(part[chunk] for part in parts)))
            for matrix, rows in zip(matrices, rows_of[start : start + step], strict=True):
                block = X[rows, columns].reshape(-1, segment.size)
                out[rows, columns] = (block @ matrix.T).reshape(len(rows), -1)
    return out


def check_samples(x: Any, rep: Rep, group: Group, rep_name: str, name: str) -> Any:
    """Samples (n, size) checked against their representation; lists and whole numbers become floating point."""
    torch = torch_of(x)
    if torch is None:
        is_float = type(x) is np.ndarray and x.dtype.kind == "f"
        x = x if is_float else read_numbers(x, name)
    elif not x.is_floating_point():
        if x.is_complex():
            raise InputError(f"`{name}` must hold real numbers, got a tensor of {x.dtype}")
        x = x.to(torch.get_default_dtype())
    size = rep.size(group)
    if x.ndim != 2 or x.shape[1] != size:
        raise InputError(
            f"`{rep_name}` has size {size}, got `{name}` of shape {tuple(x.shape)}; "
            f"pass shape (n, {size}) for {rep} under {group.name}"
        )
    return x


def _gaussian_part(group: Group, part: int, n: int, rng: np.random.Generator) -> Array:
    lie = [g.matrix for g in group.lie if g.part == part]
    discrete = [g.matrix for g in group.discrete if g.part == part]
    if not lie and not discrete:
        return np.tile(np.eye(group.part_dims[part]), (n, 1, 1))
    return gaussian(Group.from_generators(lie, discrete), n, rng)


def torch_of(x: Any) -> Any:
    """Torch if this is one of its tensors, else None; torch is not imported for it, since a tensor exists only after an import."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else None


def _like(values: Array, x: Any) -> Any:
    torch = torch_of(x)
    if torch is not None:
        return torch.tensor(values, dtype=x.dtype, device=x.device)
    return values.astype(x.dtype)


def _repeat(block: Any, t: int) -> Any:
    if torch_of(block) is not None:
        return block.expand(t, *block.shape)
    return np.broadcast_to(block, (t, *block.shape))


def _join(pieces: list[Any], x: Any, empty: tuple[int, ...]) -> Any:
    torch = torch_of(x)
    if torch is not None:
        return torch.cat(pieces, dim=-1) if pieces else x.new_zeros(empty)
    return np.concatenate(pieces, axis=-1) if pieces else np.zeros(empty, dtype=x.dtype)
