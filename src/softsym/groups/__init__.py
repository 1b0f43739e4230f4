"""What a symmetry is: matrix groups as immutable values, a catalogue of them, and their text form.

The named groups are those that ``affine``, ``classical`` and ``finite`` list.
"""

from softsym.groups.affine import *
from softsym.groups.classical import *
from softsym.groups.finite import *
from softsym.groups.generators import Generator as Generator
from softsym.groups.group import Group as Group
from softsym.groups.parse import CATALOGUE as CATALOGUE
from softsym.groups.parse import group as group
from softsym.groups.sampling import gaussian as gaussian
from softsym.groups.several import joined as joined
from softsym.groups.several import read_groups as read_groups
