"""Training: one plain loop, deterministic, resumable, observable."""

from softsym.training.loop import Fitted, fit
from softsym.training.models import MODELS, build
from softsym.training.run import RunResult, run
from softsym.training.settings import Settings
from softsym.training.spec import RunSpec

__all__ = ["MODELS", "Fitted", "RunResult", "RunSpec", "Settings", "build", "fit", "run"]
