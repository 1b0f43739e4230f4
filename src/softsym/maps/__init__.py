"""Which parameter is which map: the representation on every axis of a weight, given or read off a module."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
