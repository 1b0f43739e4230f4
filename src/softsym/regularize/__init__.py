"""Soft equivariance of any module: the regularizer, the controllers of its strengths, and penalties on transformed samples."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
