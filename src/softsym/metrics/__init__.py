"""How exactly a symmetry holds: for a function, for data, for the layers of a network, and as a certified bound."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
