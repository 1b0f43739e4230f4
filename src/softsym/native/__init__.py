"""Compiled code for what torch has no fast operation for; everything runs without it too."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
