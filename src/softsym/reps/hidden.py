r"""The hidden representation of a given width.

A width of c coordinates is distributed evenly over tensor ranks 0..r, where r is the largest rank with :math:`(r+1)\,d^r \le c`, and
the remainder in the same way until nothing is left. For groups that are not orthogonal the tensors of rank r are distributed over
T(k, r-k) like binomial coefficients.

Reference:
    A Practical Method for Constructing Equivariant Multilayer Perceptrons (Finzi et al., 2021), https://arxiv.org/abs/2104.09459
"""

from __future__ import annotations

import math
import operator

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps.rep import Rep, T


def hidden_rep(width: int, group: Group | str, *, round_up: bool = False, duals: bool = True) -> Rep:
    """A representation of the given size with tensors of several ranks.

    Args:
        width: Number of coordinates.
        group: The (largest) group of the network.
        round_up: Distribute whole multiples of the largest rank's share, as the published PER code does: at least ``width`` coordinates.
        duals: Whether non-orthogonal groups get lower indices too.

    Example:
        >>> import softsym as ss
        >>> ss.hidden_rep(384, "O(3)")
        102S + 34V + 11T(2) + 3T(3)
        >>> ss.hidden_rep(128, "O(3)", round_up=True)
        54S + 18V + 6T(2) + 2T(3)
    """
    group = read_group(group)
    width = operator.index(width)
    if width < 1:
        raise InputError(f"a hidden representation needs width >= 1, got {width}")
    mixed = duals and not group.is_orthogonal
    copies = enumerate(_distribute(width, group.dim, round_up))
    return sum((_tensors_of_rank(rank, count, mixed=mixed) for rank, count in copies), Rep(()))


def _distribute(width: int, d: int, round_up: bool) -> list[int]:
    """Copies of each rank 0..r: exactly ``width`` coordinates, or at least so many."""
    copies = [0] * (_top_rank(width, d) + 1)
    while width > 0:
        top = _top_rank(width, d)
        share = (top + 1) * d**top
        rounds = math.ceil(width / share) if round_up else width // share
        for rank in range(top + 1):
            copies[rank] += rounds * d ** (top - rank)
        width -= rounds * share
    return copies


def _top_rank(width: int, d: int) -> int:
    if d == 1:  # every rank has size one: scalars and vectors suffice
        return min(1, width - 1)
    rank = 0
    while (rank + 2) * d ** (rank + 1) <= width:
        rank += 1
    return rank


def _tensors_of_rank(rank: int, count: int, *, mixed: bool) -> Rep:
    """Tensors of one rank; mixed ones are T(rank - k, k) by the largest remainder of their binomial share."""
    if not mixed or rank == 0:
        return count * T(rank)
    shares = [count * math.comb(rank, k) / 2**rank for k in range(rank + 1)]
    counts = [math.floor(share) for share in shares]
    by_remainder = sorted(range(rank + 1), key=lambda k: (counts[k] - shares[k], k))
    for k in by_remainder[: count - sum(counts)]:
        counts[k] += 1
    return sum((n * T(rank - k, k) for k, n in enumerate(counts)), Rep(()))
