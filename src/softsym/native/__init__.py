"""Compiled code for what torch has no fast operation for; everything runs without it too."""

from softsym.native.blocks import Blocks, SmallMatrices
from softsym.native.library import available, compiled

__all__ = ["Blocks", "SmallMatrices", "available", "compiled"]
