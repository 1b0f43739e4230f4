"""Compiled code for what torch has no fast operation for; everything runs without it too."""

from softsym.native.blocks import Blocks, SmallMatrices
from softsym.native.library import available, compiled, torch_only
from softsym.native.quadratic import Quadratic

__all__ = ["Blocks", "Quadratic", "SmallMatrices", "available", "compiled", "torch_only"]
