"""Compiled code for what torch has no fast operation for; everything runs without it too."""

from softsym.native.blocks import Blocks, Quadratic, SmallMatrices
from softsym.native.build import torch_only
from softsym.native.hidden_layer import HiddenLayer
from softsym.native.ops import project, run_hidden_layer
from softsym.native.plan import Copies, Gates, Plan, Run, Term
from softsym.native.projection import Projection, Subspace
from softsym.native.resolvent import Resolvent, SmallSpectra
from softsym.native.status import Status, announce, available, environment, status
from softsym.native.threads import step_threads

__all__ = [
    "Blocks", "Copies", "Gates", "HiddenLayer", "Plan", "Projection", "Quadratic", "Resolvent", "Run", "SmallMatrices", "SmallSpectra",
    "Status", "Subspace", "Term", "announce", "available", "environment", "project", "run_hidden_layer", "status", "step_threads",
    "torch_only",
]  # fmt: skip
