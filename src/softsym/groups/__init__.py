"""Matrix groups as immutable values, a catalogue of them (:mod:`softsym.groups.catalogue`), and their text form."""

from softsym.groups.catalogue import *
from softsym.groups.group import Generator as Generator
from softsym.groups.group import Group as Group
from softsym.groups.parse_group import CATALOGUE as CATALOGUE
from softsym.groups.parse_group import group as group
from softsym.groups.parse_group import join_groups as join_groups
from softsym.groups.parse_group import read_groups as read_groups
from softsym.groups.sampling import gaussian as gaussian
