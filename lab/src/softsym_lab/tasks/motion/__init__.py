"""Motion forecasting: recorded or simulated vehicles and recorded balls, and three normalisations of their trajectories."""

from softsym.metrics import TRAJECTORY as NORMALISATIONS
from softsym_lab.tasks.motion.flights import Flights
from softsym_lab.tasks.motion.normalise import Normaliser
from softsym_lab.tasks.motion.simulator import simulate
from softsym_lab.tasks.motion.task import Motion
from softsym_lab.tasks.motion.trajectories import MotionData

__all__ = ["NORMALISATIONS", "Flights", "Motion", "MotionData", "Normaliser", "simulate"]
