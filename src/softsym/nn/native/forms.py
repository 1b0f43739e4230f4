"""Terms of a bilinear layer as trilinear forms, the one kind of small product that compiled code knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.nn.bilinear_step import Plan, Term


@dataclass(frozen=True)
class Form:
    """The sum over i, k, j of z[row i + column k] left[i, j] right[k, j].

    Which left and right are depends on the term. Scaled: the sum and the coefficients. Inner: the products and x. Mixed: the sum and
    what the weight made of x, or what was contracted and x.

    Args:
        through: The type of z, what acts.
        inner: How many copies j left and right have.
        row: Offset in z of each row of left.
        column: Offset in z of each row of right.
    """

    through: int
    inner: int
    row: list[int]
    column: list[int]


def form_of(plan: Plan, term: Term) -> Form:
    """The form of a term, for parts laid out as (size, copies)."""
    through, source, target = (plan.types[kind] for kind in (term.through, term.source, term.target))
    index: NDArray[np.int64] = np.arange(through.size)
    if term.axes is not None:
        index = index.reshape(through.shape).transpose(term.axes)
    index = index.reshape(target.size, source.size) * through.count
    of_target, of_source, of_copy = index[:, 0], index[0], np.arange(term.n)
    if term.source == plan.scalar:
        return Form(term.through, target.count, of_target.tolist(), of_copy.tolist())
    if term.target == plan.scalar:
        return Form(term.through, source.count, of_copy.tolist(), of_source.tolist())
    if term.weight_first:
        return Form(
            term.through, target.count, of_target.tolist(), np.add.outer(of_source, of_copy).ravel().tolist()
        )
    return Form(
        term.through, source.count, np.add.outer(of_target, of_copy).ravel().tolist(), of_source.tolist()
    )
