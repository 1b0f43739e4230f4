"""The paper again: specs of its tables and figures, engines that run them, a store of results, and what is rendered from it."""

from softsym.experiments.artefact import ORDER, Artefact, artefact
from softsym.experiments.engines.engine import Engine
from softsym.experiments.engines.local import Local
from softsym.experiments.reproduce import RunPlan, claims, plan, render, reproduce
from softsym.experiments.store import RunRecord, Store

__all__ = [
    "ORDER", "Artefact", "Engine", "Local", "RunPlan", "RunRecord", "Store", "artefact", "claims", "plan", "render", "reproduce",
]  # fmt: skip
