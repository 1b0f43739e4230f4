"""Soft equivariance of any module: the regularizer and the controllers of its strengths."""

from softsym.regularize import strengths
from softsym.regularize.regularizer import EquivarianceRegularizer

__all__ = ["EquivarianceRegularizer", "strengths"]
