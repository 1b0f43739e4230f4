"""Benchmarks on files that others recorded or simulated: loaders take a path, nothing of the data is shipped."""

from softsym_lab.tasks.recorded.duct import Duct
from softsym_lab.tasks.recorded.mocap import Mocap

__all__ = ["Duct", "Mocap"]
