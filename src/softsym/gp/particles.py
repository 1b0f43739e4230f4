r"""Features of equal particles: sums over tuples of particles, equivariant by construction.

A direct product of a group K of space and of symmetric groups, one for every kind of particles, has the equivariant functions

.. math:: f(x) = \sum_{i} g_1(x_i) + \sum_{i \ne j} g_2(x_i, x_j) + \dots

with functions :math:`g` that are K-equivariant, whatever the number of particles: no average over permutations is formed. If outputs belong
to particles, sums have one particle fixed. Sums of invariants over pairs tell generic configurations apart (Boutin and Kemper, 2004), so
smooth functions of them, times such sums, follow what no sum over pairs does. Where particles are few, a sum over all their orders does.
Interactions depend on positions by their differences alone: sums over particles of functions of what is around each need far fewer rows.

References:
    Deep Sets (Zaheer et al., 2017), https://arxiv.org/abs/1703.06114; On reconstructing n-point configurations from the distribution of
    distances or areas (Boutin and Kemper, 2004), https://arxiv.org/abs/math/0304192
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softsym.gp.arrays import stored
from softsym.groups import Group, Trivial
from softsym.groups.sampling import permutation_group
from softsym.metrics.transform import torch_of
from softsym.reps import Rep, TensorType
from softsym.reps.atoms import Atom, Base, Particles, Sign
from softsym.reps.symmetric import Subspace
from softsym.spaces import invariants
from softsym.typing import Array, Index

Kinds = dict[int | None, list[tuple[Index, TensorType]]]
"""For every kind of particles, and None for what no particle has, columns (particles, repeats, size) and types of the inputs."""
MAX_TUPLES, MAX_ORDERS = 200, 240  # of particles, over which one sum runs, and orders of all particles
MEAN_ROWS = 200  # rows over which features of scalars are centred


@dataclass(frozen=True, eq=False)
class Tuples:
    """Columns of all tuples of particles of some kinds."""

    columns: Index  # of the inputs (tuples, inputs of a tuple), tuples of the same first particle together
    rep: Rep  # of the inputs of a tuple under the group of space
    matrix: Array | None = None  # from these to inputs with differences of positions, of which ``rep`` is then

    def rows(self, X: Array) -> Array:
        """Inputs of every tuple, those of a row of X (n, inputs) together."""
        rows = X[:, self.columns].reshape(-1, self.columns.shape[1])
        return rows if self.matrix is None else rows @ self.matrix

    def read(self, features: Any) -> Any:
        """Features of these inputs as features of the columns."""
        return features if self.matrix is None else RelativeFeatures(features, self.matrix)


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Inputs and outputs as particles.

    Sums are over tuples of each choice of kinds, for one particle, two particles and so on; without exchanged particles over all inputs.
    Targets are particles that have outputs of their own, or one if outputs belong to all together; repeats are outputs that no group mixes.
    """

    group: Group  # K, of space
    output: TensorType  # of the outputs of a target under K
    order: Index  # columns (targets, repeats, q) of the outputs
    sums: tuple[tuple[Tuples, ...], ...]
    whole: Tuples | None = None  # all particles in every order, where these are few
    relative: tuple[Tuples, ...] = ()  # pairs with differences of positions
    around: tuple[tuple[Tuples, ...], ...] = ()  # for every kind of particles such pairs with all others


@functools.lru_cache(maxsize=256)
def read_exchanges(rep: Rep, output: TensorType, group: Group, largest: int) -> Exchanges | None:
    """Inputs and outputs as particles under a direct product or a large symmetric group; None where that is not possible.

    Args:
        rep: Representation of the inputs.
        output: Type of the outputs.
        group: The group.
        largest: Order up to which a symmetric group alone is averaged over instead.

    Example:
        >>> import softsym as ss
        >>> found = read_exchanges(ss.rep("5x(S + V)"), ss.rep("V[0]").terms[0][1], ss.O(3) * ss.S(5), 60)
        >>> [(each.rep, len(each.columns)) for sums in found.sums for each in sums]
        [(S + V, 5), (S + V + S + V, 20)]
    """
    factors = [group.factor(part) for part in range(len(group.part_dims))]
    exchanged = [part for part, each in enumerate(factors) if _is_symmetric(each)]
    if exchanged:  # particles of which there is one are a kind, too
        single = {kind.particles.part for _, kind in rep if kind.particles is not None and kind.particles.count == 1}
        exchanged = sorted({*exchanged, *single})
    space = [part for part, each in enumerate(factors) if part not in exchanged and (each.lie or each.discrete)]
    if len(space) > 1 or (len(factors) == 1 and (not exchanged or (group.order or 0) <= largest)):
        return None
    K = factors[space[0]] if space else Trivial(1)
    kinds: Kinds = {part: [] for part in (None, *exchanged)}
    for segment in rep.segments(group):
        for start in range(segment.start, segment.stop, segment.size):
            found = _split(segment.type, group, exchanged, space)
            if found is None:
                return None
            part, order, kind = found
            kinds[part].append((start + order, kind))
    outputs = _split(output, group, exchanged, space)
    if outputs is None:
        return None
    target, order, kind = outputs
    parts = [part for part in exchanged if kinds[part]]
    sums = [_sums(kinds, parts, target, size) for size in (1, 2, 3) if target is None or target in parts]
    chosen = [each for k, each in enumerate(sums) if each and (k < 2 or _needs_triples(each, kind, K))]
    if not chosen and target is None:
        chosen = [(Tuples(*_join(kinds[None], 1)),)]
    whole = _whole(kinds, sorted(parts, key=lambda part: part != target)) if parts else None
    placed = [part for part in parts if _position(kinds[part]) is not None]
    centres = [part for part in placed if target in (None, part)]
    relative = _sums(kinds, placed, target, 2, relative=True) if centres else ()
    around = tuple(filter(None, (_sums(kinds, placed, part, 2, relative=True) for part in centres)))
    return Exchanges(K, kind, order, tuple(chosen), whole, relative, around) if chosen else None


def _is_symmetric(group: Group) -> bool:
    """Whether a group consists of all permutations of at least two coordinates."""
    if group.dim < 2 or not group.discrete or not group.is_permutation:
        return False
    order = group.known_order or permutation_group(group.discrete_generators).order()
    return bool(order == math.factorial(group.dim))


def _split(
    kind: TensorType, group: Group, exchanged: list[int], space: list[int]
) -> tuple[int | None, Index, TensorType] | None:
    """Which particles a type counts, its coordinates (particles, repeats, size), and its type under the group of space."""
    inner: list[Atom] = []
    axes: tuple[list[int], list[int], list[int]] = ([], [], [])
    part = None
    for k, atom in enumerate(kind.atoms):
        place = _part(atom, len(group.part_dims) == 1)
        if place is None:
            return None
        if place in exchanged:
            if part is not None or not isinstance(atom, Base | Particles):
                return None
            part = place
            axes[0].append(k)
        elif place in space:
            inner.append(atom.on_part(None) if place == 0 else _as_whole(atom))
            axes[2].append(k)
        else:
            axes[1].append(k)
    shape = kind.shape(group)
    sizes = [math.prod(shape[k] for k in each) for each in axes]
    order = np.arange(math.prod(shape)).reshape(shape).transpose(*axes[0], *axes[1], *axes[2])
    return part, order.reshape(sizes), TensorType(tuple(inner))


def _part(atom: Atom, is_single: bool) -> int | None:
    """The Kronecker factor on which an atom lives; None if it is not one."""
    if isinstance(atom, Subspace):
        parts = {_part(each, is_single) for each in atom.inner.atoms}
        return parts.pop() if len(parts) == 1 else None
    if not isinstance(atom, Base | Sign | Particles):
        return None
    return 0 if atom.part is None and is_single else atom.part


def _as_whole(atom: Atom) -> Atom:
    """An atom of a factor that is not the first, as one of the whole space."""
    if isinstance(atom, Base):
        return Base(is_dual=atom.is_dual)
    return Sign() if isinstance(atom, Sign) else atom


def _sums(
    kinds: Kinds, parts: list[int], target: int | None, size: int, *, relative: bool = False
) -> tuple[Tuples, ...]:
    """Tuples of so many particles for every choice of their kinds, the first one being the target where there is one.

    If relative, with differences from the position of the first.
    """
    first, found = () if target is None else (target,), []
    for rest in itertools.combinations_with_replacement(parts, size - len(first)):
        each = *first, *rest
        counts = [len(kinds[part][0][0]) for part in each]
        if math.prod(counts) > 10 * MAX_TUPLES:
            continue
        places = itertools.product(*map(range, counts))
        indices = [own for own in places if len(set(zip(each, own, strict=True))) == size]
        if 0 < len(indices) <= MAX_TUPLES:
            tuples = _tuples(kinds, each, indices)
            found.append(_subtract_first(tuples, [kinds[part] for part in each]) if relative else tuples)
    return tuple(found)


def _position(pieces: list[tuple[Index, TensorType]]) -> int | None:
    """Which of a particle's quantities is its position: the first vector; None if it has none."""
    return next((k for k, (order, kind) in enumerate(pieces) if kind.atoms == (Base(),) and order.shape[1] == 1), None)


def _subtract_first(tuples: Tuples, own: Sequence[list[tuple[Index, TensorType]]]) -> Tuples:
    """The same tuples with differences from the position of the first particle; of every particle its quantities."""
    kinds = [kind for copies, kind in tuples.rep for _ in range(copies)]
    matrix, start, found = np.eye(tuples.columns.shape[1]), 0, []
    for pieces in own:
        sizes, place = [order[0].size for order, _ in pieces], _position(pieces) or 0
        found.append(start + np.arange(sizes[place]) + sum(sizes[:place]))
        start += sum(sizes)
    first, *others = found
    for each in others:
        matrix[first, each] = -1.0
    del kinds[sum(order.shape[1] for order, _ in own[0][: _position(own[0])])]
    return Tuples(tuples.columns, Rep(tuple((1, kind) for kind in kinds)), np.delete(matrix, first, axis=1))


def _whole(kinds: Kinds, parts: list[int]) -> Tuples | None:
    """All particles in every order, those of the first kind slowest; None if there are too many orders."""
    counts = [len(kinds[part][0][0]) for part in parts]
    if math.prod(map(math.factorial, counts)) > MAX_ORDERS:
        return None
    orders = itertools.product(*(itertools.permutations(range(count)) for count in counts))
    each = tuple(part for part, count in zip(parts, counts, strict=True) for _ in range(count))
    return _tuples(kinds, each, [tuple(itertools.chain(*order)) for order in orders])


def _tuples(kinds: Kinds, parts: tuple[int, ...], indices: list[tuple[int, ...]]) -> Tuples:
    """Tuples of particles of given kinds and numbers, each with all inputs that no particle has."""
    columns, rep = [], Rep(())
    for k, part in enumerate(parts):
        own, each = _join(kinds[part], len(kinds[part][0][0]))
        columns.append(own[[places[k] for places in indices]])
        rep = rep + each
    shared, each = _join(kinds[None], 1)
    columns.append(np.tile(shared, (len(indices), 1)))
    return Tuples(np.concatenate(columns, axis=1), rep + each)


def _join(pieces: list[tuple[Index, TensorType]], count: int) -> tuple[Index, Rep]:
    """Columns (count, inputs) of pieces (count, repeats, size), and their representation."""
    if not pieces:
        return np.zeros((count, 0), dtype=np.int64), Rep(())
    columns = np.concatenate([order.reshape(count, -1) for order, _ in pieces], axis=1)
    return columns, Rep(tuple((order.shape[1], kind) for order, kind in pieces))


def _needs_triples(sums: tuple[Tuples, ...], output: TensorType, K: Group) -> bool:
    """Whether three vectors have a determinant that no two of them have: under rotations alone, or for pseudo-outputs."""
    if K.dim != 3 or not any(kind.size(K) == K.dim for each in sums for _, kind in each.rep):
        return False
    is_pseudo = any(isinstance(atom, Sign) for atom in output.atoms)
    return is_pseudo or invariants(Rep(((1, TensorType((Base(),) * 3)),)), K).dim > 0


@stored
@dataclass(frozen=True, eq=False)
class PooledFeatures:
    """Features of tuples, summed over tuples.

    Sums of many nearly equal terms differ little from row to row. So for scalars, whose mean is modelled apart, their mean is subtracted.
    """

    name: str
    columns: tuple[Index, ...]  # for every choice of kinds those of the tuples (tuples, inputs of one)
    maps: tuple[Any, ...]  # for every choice the features of a tuple
    order: Index  # columns (targets, repeats, q) of the outputs
    mean: Any = 0.0  # of the features over some rows (features,)

    def centre(self, X: Array) -> PooledFeatures:
        """The same with the mean over at most ``MEAN_ROWS`` of the rows subtracted."""
        return replace(self, mean=self.values(X[:: -(-len(X) // MEAN_ROWS)]).mean(axis=(0, 1, 2)))

    def __call__(self, X: Any) -> list[tuple[Any, Any]]:
        """Parts of scaled rows (n, inputs)."""
        return place(self.values(X), self.order)

    def values(self, X: Any) -> Any:
        """Features written out for each target (n, targets, q, features)."""
        xp, (targets, _, q) = torch_of(X) or np, self.order.shape
        found = []
        for columns, each in zip(self.columns, self.maps, strict=True):
            n, size = X.shape[0], len(columns) // targets
            for C, phi in each(X[:, columns].reshape(n * len(columns), -1)):
                J, M = C.shape[2], phi.shape[1]
                left = C.reshape(n * targets, size, q * J)
                right = phi.reshape(n * targets, size, M) / size**0.5
                total = (left * right).sum(1) if M == 1 else xp.swapaxes(left, 1, 2) @ right
                found.append(total.reshape(n, targets, q, J * M))
        return xp.concatenate(found, axis=3) - self.mean


@stored
@dataclass(frozen=True, eq=False)
class RelativeFeatures:
    """Features of linear functions of the inputs, such as differences of positions."""

    features: Any
    matrix: Array  # (inputs, inputs of the features)

    @property
    def name(self) -> str:
        """What it is."""
        return f"{self.features.name} between particles"

    def __call__(self, X: Any) -> list[tuple[Any, Any]]:
        """Parts of rows (n, inputs)."""
        return list(self.features(X @ self.matrix))


@stored
@dataclass(frozen=True, eq=False)
class Invariants:
    """Sums of scalars over tuples, and inner products of sums of the same type, for groups that keep these."""

    sums: tuple[PooledFeatures, ...]

    def values(self, X: Any) -> Any:
        """Written out for each target (n, targets, 1, invariants)."""
        xp, found = torch_of(X) or np, []
        for each in self.sums:
            values = each.values(X)
            first, second = np.triu_indices(values.shape[3])
            found += [values] if values.shape[2] == 1 else []
            found.append((xp.swapaxes(values, 2, 3) @ values)[:, :, first, second][:, :, None])
        return xp.concatenate(found, axis=3)


@stored
@dataclass(frozen=True, eq=False)
class ManyBodyFeatures:
    """Sums over tuples times smooth functions of invariants of such sums."""

    name: str
    factors: PooledFeatures | None  # equivariant sums; None for one
    lengths: Array  # root mean squares of these
    scalars: PooledFeatures | Invariants
    mean: Array  # of these
    axes: Array  # leading principal axes of these (invariants, coordinates)
    inducing: Any  # functions of these coordinates
    order: Index  # columns (targets, repeats, q) of the outputs

    def __call__(self, X: Any) -> list[tuple[Any, Any]]:
        """Parts of scaled rows (n, inputs)."""
        return place(self.values(X), self.order)

    def values(self, X: Any) -> Any:
        """Features written out for each target (n, targets, q, features)."""
        sums = self.scalars.values(X)
        n, targets, _, _ = sums.shape
        functions = self.inducing((sums.reshape(n * targets, -1) - self.mean) @ self.axes)
        values = functions.reshape(n, targets, 1, -1)
        if self.factors is None:
            return values
        C = self.factors.values(X) / self.lengths
        return (C[..., None] * values[:, :, :, None]).reshape(n, targets, C.shape[2], -1)


@stored
@dataclass(frozen=True, eq=False)
class SurroundingFeatures:
    """Smooth functions of what is around each particle, summed over particles of all kinds if outputs do not belong to particles."""

    name: str
    maps: tuple[ManyBodyFeatures, ...]  # for every kind
    order: Index  # columns (targets, repeats, q) of the outputs

    def __call__(self, X: Any) -> list[tuple[Any, Any]]:
        """Parts of scaled rows (n, inputs)."""
        values = [each.values(X) for each in self.maps]
        if len(self.order) == 1:
            values = [each.sum(1)[:, None] for each in values]
        return place((torch_of(X) or np).concatenate(values, axis=3), self.order)


def place(values: Any, order: Index) -> list[tuple[Any, Any]]:
    """Parts of features (n, targets, q, features) at the columns (targets, repeats, q) of the outputs."""
    xp, (n, targets, q, F), repeats = torch_of(values) or np, values.shape, order.shape[1]
    if targets * q == 1:
        return [(None, values.reshape(n, F))]
    one = values[:, 0, 0, :1] * 0.0 + 1.0
    if repeats > 1:
        eye = values.new_tensor(np.eye(repeats)) if xp is not np else np.eye(repeats)
        values = xp.einsum("ntqf,rs->ntrqfs", values, eye)
    flat = values.reshape(n, order.size, -1)
    return [(flat[:, np.argsort(order.ravel())], one)]


def principal_axes(values: Array, most: int, least: float = 1e-4) -> tuple[Array, Array]:
    """Mean and leading principal axes (features, coordinates) of rows (n, features), scaled to a mean variance of one."""
    mean = values.mean(axis=0)
    _, sizes, axes = np.linalg.svd(values - mean, full_matrices=False)
    kept = max(1, int((sizes[:most] > least * sizes[0]).sum()))
    scale = float(np.sqrt((sizes[:kept] ** 2).mean() / len(values))) + 1e-300
    return mean, axes[:kept].T / scale
