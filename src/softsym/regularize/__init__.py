"""Soft equivariance of any module: the regularizer, the controllers of its strengths, and penalties on transformed samples."""

from typing import TYPE_CHECKING

from softsym.lazy import lazy
from softsym.regularize import strengths

if TYPE_CHECKING:
    from softsym.regularize.regularizer import EquivarianceRegularizer
    from softsym.regularize.sample import GroupAugmentation, JacobianPenalty, SamplePenalty

__all__ = ["EquivarianceRegularizer", "GroupAugmentation", "JacobianPenalty", "SamplePenalty", "strengths"]
__getattr__, __dir__ = lazy(
    __name__,
    {
        "regularizer": "EquivarianceRegularizer",
        "sample": "GroupAugmentation JacobianPenalty SamplePenalty",
    },
)
