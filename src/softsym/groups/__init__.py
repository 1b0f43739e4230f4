"""Matrix groups as immutable values, a catalogue of them (:mod:`softsym.groups.catalogue`), and their text form."""

from softsym.groups.catalogue import *
from softsym.groups.catalogue import CATALOGUE as CATALOGUE
from softsym.groups.catalogue import group as group
from softsym.groups.catalogue import join_groups as join_groups
from softsym.groups.catalogue import read_groups as read_groups
from softsym.groups.catalogue import read_named_groups as read_named_groups
from softsym.groups.group import Generator as Generator
from softsym.groups.group import Group as Group
from softsym.groups.sampling import gaussian as gaussian
