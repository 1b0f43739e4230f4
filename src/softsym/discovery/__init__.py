"""The main job: which symmetries data have, how exactly, and a model that uses each as much as it holds."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
