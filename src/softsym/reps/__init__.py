"""Representations as immutable values, their text form, and hidden representations."""

from softsym.reps.hidden import hidden_rep as hidden_rep
from softsym.reps.parse_rep import rep as rep
from softsym.reps.permutation import Grid as Grid
from softsym.reps.permutation import Permutation as Permutation
from softsym.reps.permutation import Quotient as Quotient
from softsym.reps.permutation import Regular as Regular
from softsym.reps.rep import Pseudoscalar as Pseudoscalar
from softsym.reps.rep import Rep as Rep
from softsym.reps.rep import Scalar as Scalar
from softsym.reps.rep import Segment as Segment
from softsym.reps.rep import T as T
from softsym.reps.rep import TensorType as TensorType
from softsym.reps.rep import Vector as Vector
from softsym.reps.rep import part_vector as part_vector
from softsym.reps.rep import pseudo as pseudo
from softsym.reps.symmetric import irrep as irrep
from softsym.reps.symmetric import irreps_text as irreps_text
from softsym.reps.symmetric import spherical_harmonics as spherical_harmonics
from softsym.reps.symmetric import symmetry_power as symmetry_power
from softsym.reps.symmetric import tensor_basis as tensor_basis
