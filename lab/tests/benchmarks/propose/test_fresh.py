"""Fresh laws are not the old ones."""

from softsym_lab.benchmarks.propose.earlier import EARLIER
from softsym_lab.benchmarks.propose.fresh import FRESH
from softsym_lab.benchmarks.propose.laws import APART, BROKEN, LAWS, UNNAMED


def test_names_are_new():
    assert not set(FRESH) & {*LAWS, *APART, *BROKEN, *UNNAMED, *EARLIER}
