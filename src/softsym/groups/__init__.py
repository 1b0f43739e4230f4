"""Matrix groups as immutable values, a catalogue of them, and their text form.

The named groups are those that ``classical`` and ``finite`` list.
"""

from softsym.groups.classical import *
from softsym.groups.finite import *
from softsym.groups.generators import Generator as Generator
from softsym.groups.group import Group as Group
from softsym.groups.parse_group import CATALOGUE as CATALOGUE
from softsym.groups.parse_group import group as group
from softsym.groups.parse_group import join_groups as join_groups
from softsym.groups.parse_group import read_groups as read_groups
from softsym.groups.sampling import gaussian as gaussian
