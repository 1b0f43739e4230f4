r"""A symmetry group, given by generators.

A :class:`Group` is a closed group :math:`G` of invertible real :math:`d \times d` matrices. It is described by generators
:math:`A_i` of its Lie algebra (the continuous part) and by discrete generators :math:`h_j`:

.. math:: G = \langle \exp(t A_i),\; h_j \rangle .

The generators alone determine which maps are equivariant. A direct product acts on the Kronecker product of its *parts*; every
generator acts on one part and trivially on the others, so generators are stored part by part.
"""

from __future__ import annotations

import functools
import hashlib
import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from softsym.arrays import freeze, make_rng
from softsym.errors import InputError
from softsym.groups import sampling
from softsym.limits import limit
from softsym.tokens import shorten
from softsym.typing import Array

AXES = {"x": (1, 2), "y": (0, 2), "z": (0, 1)}


@dataclass(frozen=True, eq=False)
class Group:
    """A matrix group: an immutable value with ``==``, ``hash`` and a text form that :func:`softsym.group` reads back.

    Args:
        text: The text form.
        part_dims: Sizes of the Kronecker factors the group acts on; one number for a simple group.
        lie: Lie-algebra generators.
        discrete: Discrete generators.
        sampler: Draws elements, part by part.
        known_order: Number of elements, if the constructor provides it.
        label: A short name for tables; the text form if empty.
        composite: Whether the text is a join or a product and so needs parentheses inside a larger one.

    Example:
        >>> import softsym as ss
        >>> G = ss.O(2).about("z")
        >>> G
        O(2)@z
        >>> G.lie_algebra.shape, G.discrete_generators.shape
        ((1, 3, 3), (1, 3, 3))
    """

    text: str
    part_dims: tuple[int, ...]
    lie: tuple[Generator, ...]
    discrete: tuple[Generator, ...]
    sampler: sampling.Sampler
    known_order: int | None = None
    label: str = ""
    composite: bool = False

    @staticmethod
    def from_generators(
        lie_algebra: ArrayLike | None = None,
        discrete: ArrayLike | None = None,
        name: str = "custom",
        sampler: sampling.Sampler | None = None,
    ) -> Group:
        """Builds a group from its generators.

        Args:
            lie_algebra: Lie-algebra generators, shape (k, d, d).
            discrete: Discrete generators, shape (m, d, d), each invertible.
            name: A short name for tables and reports.
            sampler: How to draw elements. By default finite groups are sampled uniformly and others by a bounded random walk.

        Example:
            >>> import softsym as ss
            >>> ss.Group.from_generators(discrete=[[[0, 1], [1, 0]]], name="swap").order
            2
        """
        lie = read_generators(lie_algebra, "lie_algebra")
        steps = read_generators(discrete, "discrete")
        dims = {matrix.shape[-1] for matrix in (*lie, *steps)}
        if not dims:
            raise InputError(f"group {name!r} has no generators; pass `lie_algebra` or `discrete`, or use Trivial(d)")
        if len(dims) > 1:
            sizes = ", ".join(map(str, sorted(dims)))
            raise InputError(f"generators of group {name!r} have different sizes ({sizes}); all must be d x d")
        for j, h in enumerate(steps):
            if np.linalg.cond(h) > MAX_CONDITION:
                raise InputError(f"discrete generator {j} of group {name!r} is singular; it must be invertible")
        fields = {"lie_algebra": np.array(lie).tolist(), "discrete": np.array(steps).tolist()}
        shown = ", ".join(f"{key}={value}" for key, value in fields.items() if value)
        sampler = sampler or functools.partial(sampling.random_walk, lie=lie, discrete=steps)
        return make(f"Group({name!r}, {shown})", dims.pop(), lie, steps, sampler, label=name)

    @property
    def name(self) -> str:
        """Short name for tables: the text form, or the name given to :meth:`from_generators`."""
        return self.label or self.text

    @property
    def dim(self) -> int:
        """Size d of the matrices."""
        return math.prod(self.part_dims)

    @functools.cached_property
    def lie_algebra(self) -> Array:
        """Lie-algebra generators, shape (k, d, d)."""
        return self._expand(self.lie)

    @functools.cached_property
    def discrete_generators(self) -> Array:
        """Discrete generators, shape (m, d, d)."""
        return self._expand(self.discrete)

    @functools.cached_property
    def is_orthogonal(self) -> bool:
        """Whether every element is an orthogonal matrix, so that V and its dual coincide."""
        lie, discrete = ([g.matrix for g in each] for each in (self.lie, self.discrete))
        return sampling.generate_rotations(lie, discrete, rtol=0.0, atol=ORTHOGONAL_TOL)

    @functools.cached_property
    def is_permutation(self) -> bool:
        """Whether every element merely permutes coordinates (the trivial group does)."""
        return not self.lie and all(sampling.is_permutation(g.matrix) for g in self.discrete)

    @property
    def is_finite(self) -> bool:
        """Whether the group is known to be finite (see :attr:`order`)."""
        return self.order is not None and self.order != math.inf

    @functools.cached_property
    def order(self) -> float | None:
        """Number of elements: an int, ``math.inf``, or None where counting stopped at the enumeration limit.

        The elements of a direct product are counted as matrices on the Kronecker product, where (-1) * (-1) is the identity.
        """
        if self.lie or not all(sampling.has_finite_order_spectrum(g.matrix) for g in self.discrete):
            return math.inf
        if self.known_order is not None:
            return self.known_order
        if self.is_permutation:
            by_part = [[g.matrix for g in self.discrete if g.part == part] for part in range(len(self.part_dims))]
            return math.prod(sampling.permutation_group(matrices).order() for matrices in by_part if matrices)
        closed = sampling.closure(self.discrete_generators, self.dim)
        return None if closed is None else len(closed)

    @functools.cached_property
    def elements(self) -> Array:
        """All elements of a small finite group, shape (order, d, d), the identity first."""
        if self.lie:
            raise InputError(f"{self.name} has infinitely many elements; they are not listed, only sampled")
        most = min(sampling.MAX_ELEMENTS, sampling.MAX_ENTRIES // self.dim**2)
        is_small = self.known_order is None or self.known_order <= most
        closed = sampling.closure(self.discrete_generators, self.dim) if is_small else None
        if closed is None:
            raise InputError(f"{self.name} has more than {most} elements; they are not listed, only sampled")
        return freeze(closed)

    def sample(self, n: int, seed: int | np.random.Generator = 0) -> Array:
        """Draws group elements, shape (n, d, d); the same seed gives the same elements.

        Haar measure for orthogonal, unitary and finite groups and their embeddings and products. Non-compact groups have no
        uniform distribution; they are drawn from a bounded set that each constructor documents.
        """
        parts = self.sample_parts(n, seed)
        return functools.reduce(sampling.batched_kron, parts)

    def sample_parts(self, n: int, seed: int | np.random.Generator = 0) -> list[Array]:
        """The same elements as :meth:`sample`, as one array (n, d_p, d_p) for each part of a direct product."""
        if n < 0:
            raise InputError(f"cannot draw {n} elements; pass n >= 0")
        return self.sampler(n, make_rng(seed))

    def about(self, axis: str | Sequence[float]) -> Group:
        """A group of the plane as a group of space about an axis: ``O(2).about("z")`` acts on x and y and fixes z.

        Groups of the plane in homogeneous coordinates, such as ``SE(2)``, become groups of space in homogeneous coordinates.

        Args:
            axis: ``"x"``, ``"y"`` or ``"z"``, or any direction (3,); its length and sign do not matter.

        Example:
            >>> import softsym as ss
            >>> ss.O(2).about((0.1, 0.7, 0.7))
            O(2)@(0.1,0.7,0.7)
        """
        if isinstance(axis, str) and axis not in AXES:
            raise InputError(f"unknown axis {axis!r}; pass 'x', 'y' or 'z', or three numbers")
        homogeneous = self.dim == 3 and is_affine(self)
        if self.dim != 2 and not homogeneous:
            raise InputError(
                f"{self.name} acts on R^{self.dim}; .about needs a group of the plane, such as O(2) or SE(2)"
            )
        nearest, rotation = (axis, None) if isinstance(axis, str) else rotation_to_axis(axis)
        upright = self.embed(4, (*AXES[nearest], 3)) if homogeneous else self.embed(3, AXES[nearest])
        if homogeneous:
            upright = replace(upright, text=f"{_as_operand(self)}@{nearest}")
        if rotation is None:
            return upright
        if homogeneous:
            rotation = np.block([[rotation, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])
        assert not isinstance(axis, str)
        place = axis_text(read_axis(axis))
        return _conjugate(upright, rotation, self, place, place)

    def conjugated(self, matrix: ArrayLike) -> Group:
        """The same group in another basis: M g M^-1 for every g.

        Args:
            matrix: M, invertible, shape (d, d).

        Example:
            >>> import softsym as ss
            >>> squeezed = ss.SO(2).conjugated([[2, 0], [0, 1]])
            >>> str(squeezed), squeezed.is_orthogonal
            ('SO(2)@[[2,0],[0,1]]', False)
            >>> ss.group("SO(2)@[[2,0],[0,1]]") == squeezed
            True
        """
        M = read_basis(matrix, self.dim)
        text = "[" + ",".join(f"[{axis_text(row)[1:-1]}]" for row in M.tolist()) + "]"
        short = "#" + hashlib.sha256(M.tobytes()).hexdigest()[:6]  # for tables, different for different bases
        return _conjugate(flatten(self), M, self, text, short)

    def embed(self, dim: int, axes: Sequence[int]) -> Group:
        """The group acting on chosen coordinates of a larger space and leaving the others alone."""
        axes = tuple(operator.index(a) for a in axes)
        if len(axes) != self.dim or len(set(axes)) != len(axes) or not all(0 <= a < dim for a in axes):
            raise InputError(f"`axes` must be {self.dim} different coordinates in 0..{dim - 1}, got {axes}")
        self._check_size(len(self.lie) + len(self.discrete), dim)
        place, where = functools.partial(sampling.place, dim=dim, axes=axes), _axes_text(dim, axes)
        lie = [place(A, fill=0.0) for A in self.lie_algebra]
        discrete = [place(h, fill=1.0) for h in self.discrete_generators]
        draw = functools.partial(sampling.embedding, inner=self, dim=dim, axes=axes)
        label = f"{_as_operand(self, short=True)}@{where}" if self.label else ""
        return make(f"{_as_operand(self)}@{where}", dim, lie, discrete, draw, order=self.known_order, label=label)

    def __or__(self, other: Group | str) -> Group:
        """Joined: the group generated by both, so equivariance to both."""
        other = _read(other)
        if self.dim != other.dim:
            raise InputError(f"cannot join {self.name} on R^{self.dim} and {other.name} on R^{other.dim}")
        first, second = (self, other) if self.part_dims == other.part_dims else (flatten(self), flatten(other))
        joined = Group(
            text=f"{self.text} | {other.text}",
            part_dims=first.part_dims,
            lie=first.lie + second.lie,
            discrete=first.discrete + second.discrete,
            sampler=functools.partial(sampling.alternating_product, groups=(first, second)),
            label=f"{self.name} | {other.name}" if self.label or other.label else "",
            composite=True,
        )
        if joined.lie or len(joined.part_dims) > 1:
            return joined
        return replace(joined, sampler=functools.partial(sampling.finite, generators=joined.discrete_generators))

    def __mul__(self, other: Group | str) -> Group:
        """Direct product, acting on the Kronecker product of the two spaces."""
        other = _read(other)
        offset = len(self.part_dims)
        return Group(
            text=f"{_as_factor(self.text, self)} * {_as_operand(other)}",
            part_dims=self.part_dims + other.part_dims,
            lie=self.lie + tuple(Generator(g.part + offset, g.matrix) for g in other.lie),
            discrete=self.discrete + tuple(Generator(g.part + offset, g.matrix) for g in other.discrete),
            sampler=functools.partial(sampling.product, groups=(self, other)),
            label=f"{_as_factor(self.name, self)} * {_as_operand(other, True)}" if self.label or other.label else "",
            composite=True,
        )

    def factor(self, part: int) -> Group:
        """The group on one Kronecker factor, by the generators that act on it.

        Example:
            >>> import softsym as ss
            >>> (ss.O(3) * ss.S(5)).factor(0) == ss.O(3), (ss.O(3) * ss.S(5)).factor(1).order
            (True, 120)
        """
        if len(self.part_dims) == 1:
            return self
        lie, discrete = ([g.matrix for g in each if g.part == part] for each in (self.lie, self.discrete))
        draw = functools.partial(sampling.one_part, inner=self, part=part)
        text = f"factor {part} of {self.name}"
        return make(text, self.part_dims[part], lie, discrete, draw)

    @functools.cached_property
    def key(self) -> tuple[object, ...]:
        """The generators, bit by bit: equal for equal groups."""
        lie, discrete = (tuple((g.part, g.matrix.tobytes()) for g in each) for each in (self.lie, self.discrete))
        return self.part_dims, lie, discrete

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.name

    def _check_size(self, generators: int, dim: int) -> None:
        """Refuses matrices that would not fit into memory, before they are made."""
        size = max(generators, 1) * dim**2
        if size > max_generator_entries():
            raise InputError(
                f"the generators of {self.name} on R^{dim} would take about {8 * size / 1e9:,.1f} GB; pass a smaller space"
            )

    def _expand(self, generators: Sequence[Generator]) -> Array:
        if len(self.part_dims) > 1:
            self._check_size(len(generators), self.dim)
        eyes = [np.eye(d) for d in self.part_dims]
        factors = ([*eyes[: g.part], g.matrix, *eyes[g.part + 1 :]] for g in generators)
        matrices = [functools.reduce(sampling.batched_kron, each) for each in factors]
        return freeze(np.array(matrices).reshape(-1, self.dim, self.dim))


def make(
    text: str,
    dim: int,
    lie: Sequence[ArrayLike],
    discrete: Sequence[ArrayLike],
    sampler: sampling.Sampler,
    order: int | None = None,
    label: str = "",
) -> Group:
    """Builds a group with a single part; the catalogue's constructors all end here."""
    algebra, steps = (tuple(Generator(0, freeze(matrix)) for matrix in each) for each in (lie, discrete))
    return Group(text, (dim,), algebra, steps, sampler, known_order=order, label=label)


def flatten(group: Group) -> Group:
    """Views a direct product as a matrix group of one part."""
    if len(group.part_dims) == 1:
        return group
    draw = functools.partial(sampling.embedding, inner=group, dim=group.dim, axes=range(group.dim))
    return make(
        group.text, group.dim, list(group.lie_algebra), list(group.discrete_generators), draw, label=group.label
    )


def _conjugate(group: Group, M: Array, named: Group, place: str, short: str) -> Group:
    """A group of one part in the basis M, with the text of another group and a place."""
    lie = [conjugate_algebra(A, M) for A in group.lie_algebra]
    discrete = [conjugate_element(h, M) for h in group.discrete_generators]
    draw = functools.partial(sampling.conjugation, inner=group, matrix=M, back=inverse(M))
    label = f"{_as_operand(named, short=True)}@{short}" if named.label or short != place else ""
    return make(f"{_as_operand(named)}@{place}", group.dim, lie, discrete, draw, order=group.known_order, label=label)


def is_affine(group: Group) -> bool:
    """Whether the last row of every element is (0, ..., 0, 1), as homogeneous coordinates have it."""
    d, last_rows = group.dim, group.discrete_generators[:, -1]
    return d > 1 and not group.lie_algebra[:, -1].any() and bool((last_rows == np.eye(d)[-1]).all())


def _read(other: Group | str) -> Group:
    from softsym import groups  # its parser builds groups, so it cannot be imported above

    return groups.group(other)


def _as_operand(group: Group, short: bool = False) -> str:
    """The text (or the short name) in parentheses if it is a join or a product."""
    text = group.name if short else group.text
    return f"({text})" if group.composite else text


def _as_factor(text: str, group: Group) -> str:
    """The text of the first factors of a product, in parentheses if they are a join."""
    return f"({text})" if group.composite and (" | " in text or len(group.part_dims) == 1) else text


def _axes_text(dim: int, axes: tuple[int, ...]) -> str:
    named = {plane: name for name, plane in AXES.items()}
    if dim == 3 and axes in named:
        return named[axes]
    return f"{dim}[{','.join(map(str, axes))}]"


MEMORY_SHARE = 20  # generators of a group may take one part in so many of the memory limit: 0.2 GB of 4 GB by default


def max_generator_entries() -> int:
    """How many matrix entries all generators of a group may have together."""
    return int(limit().gigabytes * 1e9 / 8 / MEMORY_SHARE)


def read_dimension(name: str, n: int, growth: int = 4, factor: int = 1) -> int:
    """Checks a constructor's argument: a whole number of at least one whose generators fit into memory."""
    try:
        n = operator.index(n)
    except TypeError:
        raise InputError(f"{name}(n) needs a whole number n, got {n!r}") from None
    if n < 1:
        raise InputError(f"{name}(n) needs n >= 1, got {n}")
    entries = factor * n**growth
    if entries > max_generator_entries():
        most, size = int((max_generator_entries() / factor) ** (1 / growth) + 1e-9), 8 * entries / 1e9
        raise InputError(
            f"the generators of {name}({n}) would take about {size:,.1f} GB; {name}({most}) is the largest that is made, unless you "
            f"allow more: with softsym.spaces.at_most(gigabytes={MEMORY_SHARE * size:.2g})"
        )
    return n


@dataclass(frozen=True)
class Generator:
    """One generator: a matrix acting on one part of the group's space."""

    part: int
    matrix: Array


def read_generators(values: ArrayLike | None, name: str) -> list[Array]:
    """Checks a list of square finite matrices."""
    if values is None:
        return []
    try:
        matrices = [np.asarray(v, dtype=np.float64) for v in values]  # type: ignore[union-attr]
    except (TypeError, ValueError) as error:
        raise InputError(f"`{name}` must be a list of square real matrices, shape (k, d, d)") from error
    for i, matrix in enumerate(matrices):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
            raise InputError(f"`{name}[{i}]` has shape {matrix.shape}; generators must be square, (d, d)")
        if not np.isfinite(matrix).all():
            raise InputError(f"`{name}[{i}]` contains NaN or infinity")
    return matrices


AXIS_NAMES = "xyz"
ORTHOGONAL_TOL = 1e-12  # up to this a matrix counts as orthogonal
MAX_CONDITION = 1e12  # condition number from which a basis or a discrete generator is refused


def read_basis(matrix: ArrayLike, dim: int) -> Array:
    """Checks a basis: an invertible (d, d) matrix, or nested lists of its numbers."""
    try:
        M = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("a basis is a matrix of numbers, shape (d, d)") from None
    if M.shape != (dim, dim):
        raise InputError(f"a basis of R^{dim} has shape ({dim}, {dim}), got {M.shape}")
    if not np.isfinite(M).all() or np.linalg.cond(M) > MAX_CONDITION:
        raise InputError("a basis must be invertible and finite; this matrix is not")
    return freeze(M)


def inverse(M: Array) -> Array:
    """The inverse; of an orthogonal matrix its transpose, to the last bit."""
    return M.T.copy() if is_orthogonal(M) else np.asarray(np.linalg.inv(M), dtype=np.float64)


def is_orthogonal(M: Array) -> bool:
    """Whether a matrix is orthogonal."""
    return bool(np.allclose(M @ M.T, np.eye(len(M)), rtol=0.0, atol=ORTHOGONAL_TOL))


def conjugate_algebra(A: Array, M: Array) -> Array:
    """A generator (d, d) of the algebra in another basis; an antisymmetric one stays so exactly under an orthogonal M."""
    conjugated = np.asarray(M @ A @ inverse(M))
    if is_orthogonal(M) and np.allclose(A, -A.T, rtol=0.0, atol=ORTHOGONAL_TOL):
        return np.asarray((conjugated - conjugated.T) / 2)
    return conjugated


def conjugate_element(h: Array, M: Array) -> Array:
    """An element (d, d) in another basis; an orthogonal one stays so to the last digits under an orthogonal M."""
    conjugated = np.asarray(M @ h @ inverse(M))
    if is_orthogonal(M) and is_orthogonal(h) and not np.array_equal(conjugated @ conjugated.T, np.eye(len(h))):
        return np.asarray(conjugated @ (3 * np.eye(len(h)) - conjugated.T @ conjugated) / 2)
    return conjugated


def read_axis(axis: Sequence[float]) -> tuple[float, ...]:
    """Checks an axis of space: three numbers, not all zero."""
    try:
        numbers = tuple(float(value) for value in axis)
    except (TypeError, ValueError):
        raise InputError(
            f"unknown axis {shorten(repr(axis))}; pass 'x', 'y' or 'z', or three numbers such as (0.1, 0.7, 0.7)"
        ) from None
    if len(numbers) != 3 or not all(map(math.isfinite, numbers)) or not any(numbers):
        raise InputError(f"an axis is three finite numbers, not all zero; got {shorten(str(numbers))}")
    return numbers


def rotation_to_axis(axis: Sequence[float]) -> tuple[str, Array | None]:
    """The coordinate axis nearest to an axis, and the smallest rotation (3, 3) of the one to the other; None if they agree."""
    direction = np.array(read_axis(axis))
    nearest = int(np.abs(direction).argmax())
    direction = direction / direction[nearest]  # an axis has no sign; exact where multiples of it are
    if np.count_nonzero(direction) == 1:
        return AXIS_NAMES[nearest], None
    direction /= np.linalg.norm(direction)
    start = np.eye(3)[nearest]
    x, y, z = np.cross(start, direction)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    M = np.eye(3) + K + K @ K / (1 + start @ direction)
    return AXIS_NAMES[nearest], M @ (3 * np.eye(3) - M.T @ M) / 2


def axis_text(axis: Iterable[float]) -> str:
    """The shortest text of an axis, or of a row of a matrix, that reads back exactly."""
    return "(" + ",".join(repr(int(x)) if x == int(x) and abs(x) < 1e15 else repr(float(x)) for x in axis) + ")"
