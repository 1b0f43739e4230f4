"""Training: one plain loop, deterministic, resumable, observable; the models that can be trained by name; runs in folders."""

from typing import TYPE_CHECKING

from softsym.lazy import lazy

if TYPE_CHECKING:
    from softsym.training.loop import Fitted, fit
    from softsym.training.record import RunResult
    from softsym.training.runner import run
    from softsym.training.settings import Settings
    from softsym.training.spec import Preset, RunSpec
    from softsym.training.zoo import MODELS, Built, Model, build

__all__ = [
    "MODELS",
    "Built",
    "Fitted",
    "Model",
    "Preset",
    "RunResult",
    "RunSpec",
    "Settings",
    "build",
    "fit",
    "run",
]
__getattr__, __dir__ = lazy(
    __name__,
    {
        "loop": "Fitted fit",
        "record": "RunResult",
        "runner": "run",
        "settings": "Settings",
        "spec": "Preset RunSpec",
        "zoo": "MODELS Built Model build",
    },
)
