"""Motion forecasting: recorded or simulated vehicles, and three normalisations of their trajectories."""

from softsym.data.normalisation import TRAJECTORY as NORMALISATIONS
from softsym.tasks.motion.normalise import Normaliser
from softsym.tasks.motion.simulator import simulate
from softsym.tasks.motion.task import Motion, MotionData

__all__ = ["NORMALISATIONS", "Motion", "MotionData", "Normaliser", "simulate"]
