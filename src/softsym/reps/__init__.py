"""Representations as immutable values, their text form, and hidden representations."""

from softsym.reps.hidden import hidden_rep as hidden_rep
from softsym.reps.parse_rep import rep as rep
from softsym.reps.permutation import Grid as Grid
from softsym.reps.permutation import Permutation as Permutation
from softsym.reps.permutation import Regular as Regular
from softsym.reps.rep import Rep as Rep
from softsym.reps.rep import Scalar as Scalar
from softsym.reps.rep import Segment as Segment
from softsym.reps.rep import T as T
from softsym.reps.rep import TensorType as TensorType
from softsym.reps.rep import Vector as Vector
from softsym.reps.rep import part_vector as part_vector
