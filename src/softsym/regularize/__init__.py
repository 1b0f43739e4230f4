"""Soft equivariance of any module: the regularizer, the controllers of its strengths, and what can be had from transformed samples."""

from typing import TYPE_CHECKING

from softsym.lazy import lazy
from softsym.regularize import strengths

if TYPE_CHECKING:
    from softsym.regularize.lie import JacobianPenalty
    from softsym.regularize.regularizer import EquivarianceRegularizer
    from softsym.regularize.sample import GroupAugmentation, SamplePenalty

__all__ = ["EquivarianceRegularizer", "GroupAugmentation", "JacobianPenalty", "SamplePenalty", "strengths"]
__getattr__, __dir__ = lazy(
    __name__,
    {
        "lie": "JacobianPenalty",
        "regularizer": "EquivarianceRegularizer",
        "sample": "GroupAugmentation SamplePenalty",
    },
)
