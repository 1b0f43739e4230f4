"""Fresh laws are not the old ones."""

from softsym.benchmarks.propose.earlier import EARLIER
from softsym.benchmarks.propose.fresh import FRESH
from softsym.benchmarks.propose.laws import APART, BROKEN, LAWS, UNNAMED


def test_names_are_new():
    assert not set(FRESH) & {*LAWS, *APART, *BROKEN, *UNNAMED, *EARLIER}
