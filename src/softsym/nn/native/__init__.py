"""Hidden layers in compiled code, where that is possible; everywhere else they run in ordinary torch operations."""

from softsym.nn.native.block import NativeBlock, can_run, native_plan

__all__ = ["NativeBlock", "can_run", "native_plan"]
