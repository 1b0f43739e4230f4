"""Motion forecasting: recorded or simulated vehicles and recorded balls, and three normalisations of their trajectories."""

from softsym.data.normalisation import TRAJECTORY as NORMALISATIONS
from softsym.tasks.motion.flights import Flights
from softsym.tasks.motion.normalise import Normaliser
from softsym.tasks.motion.simulator import simulate
from softsym.tasks.motion.task import Motion
from softsym.tasks.motion.trajectories import MotionData

__all__ = ["NORMALISATIONS", "Flights", "Motion", "MotionData", "Normaliser", "simulate"]
