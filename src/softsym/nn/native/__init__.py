"""Hidden layers in compiled code, where a C compiler is at hand; everywhere else they run in ordinary torch operations."""

from softsym.nn.native.block import NativeBlock, can_run, native_plan
from softsym.nn.native.library import available

__all__ = ["NativeBlock", "available", "can_run", "native_plan"]
