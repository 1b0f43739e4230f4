"""Compiled code for what torch has no fast operation for; everything runs without it too."""

from softsym.native.blocks import (
    Blocks,
    Projection,
    Quadratic,
    Resolvent,
    SmallMatrices,
    SmallSpectra,
    Subspace,
    project,
)
from softsym.native.build import full_precision, is_mixed, is_torch_only, torch_only
from softsym.native.hidden_layer import Copies, Gates, HiddenLayer, Plan, Term, run_hidden_layer
from softsym.native.status import (
    Status,
    announce,
    available,
    cores,
    environment,
    free_cores,
    status,
    step_threads,
)

# fmt: off
__all__ = [
    "Blocks", "Copies", "Gates", "HiddenLayer", "Plan", "Projection", "Quadratic", "Resolvent", "SmallMatrices", "SmallSpectra",
    "Status", "Subspace", "Term", "announce", "available", "cores", "environment", "free_cores", "full_precision", "is_mixed",
    "is_torch_only", "project", "run_hidden_layer", "status", "step_threads", "torch_only",
]
