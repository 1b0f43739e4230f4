"""Fresh target functions are not the old ones."""

from softsym_lab.benchmarks.propose.earlier import EARLIER
from softsym_lab.benchmarks.propose.fresh import FRESH
from softsym_lab.benchmarks.propose.targets import APART, BROKEN, TARGETS, UNNAMED


def test_names_are_new():
    assert not set(FRESH) & {*TARGETS, *APART, *BROKEN, *UNNAMED, *EARLIER}
