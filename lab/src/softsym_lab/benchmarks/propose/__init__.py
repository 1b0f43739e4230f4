"""How often proposals are right: target functions, their symmetries, the run and its score."""

from softsym_lab.benchmarks.propose.sets import run

__all__ = ["run"]
