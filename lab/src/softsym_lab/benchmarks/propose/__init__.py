"""How often proposals are right: laws, their truth, the run and its score."""

from softsym_lab.benchmarks.propose.sets import run

__all__ = ["run"]
