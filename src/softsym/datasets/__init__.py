"""Built-in data sets: target functions whose symmetries are known, for examples, tests and ``softsym discover`` without a file."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
