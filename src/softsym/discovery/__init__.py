"""The main job: which symmetries data have, how exactly, and a model that uses each just as much as it holds."""

from softsym.discovery.symmetries import Symmetries, Symmetry

__all__ = ["Symmetries", "Symmetry"]
