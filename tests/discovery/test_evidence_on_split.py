"""The evidence before torch: the same numbers as in the main job, and without what takes long to import."""

import subprocess
import sys

import numpy as np
import pytest

from softsym.data.table import Table
from softsym.discovery.evidence_on_split import evidence_on_split
from softsym.discovery.regressor import SoftEquivariantRegressor
from softsym.discovery.selection.evidence_step import compute_evidence
from tests.discovery.small import rows

GROUPS = ["O(2)@x", "O(2)@z"]


def table(row_groups=None):
    X, Y = rows()
    return Table(X, Y, tuple("abcdef"), tuple("uvw"), "rows", row_groups)


def numbers(found):
    return [{**row, "seconds": 0} for row in found.to_dicts()]


@pytest.mark.parametrize("labels", [False, True])
def test_it_is_the_first_look_of_the_main_job(labels):
    given = table(np.arange(240) // 4 if labels else None)
    early = evidence_on_split(given, "2V", "V", GROUPS, seed=3)
    est = SoftEquivariantRegressor("2V", "V", GROUPS, random_state=3)
    later = compute_evidence(est.plan(given.X, given.Y, groups=given.row_groups, duplicates=given.duplicates))
    assert numbers(early) == numbers(later)
    assert len(early) == 2


def test_where_the_job_begins_otherwise_there_is_none():
    assert evidence_on_split(table(), "2V", "V", [], seed=0) is None
    assert evidence_on_split(table(), "2P", "D", ["SE(3)"], seed=0) is None
    X = np.random.default_rng(0).standard_normal((60, 3))
    assert not evidence_on_split(
        Table(X, np.ones((60, 1)), ("x",) * 3, ("y",), "rows"), "V", "S", ["O(3)"], seed=0
    )


def test_nothing_heavy_is_imported():
    code = (
        "import sys, numpy as np\n"
        "from softsym.data.table import Table\n"
        "from softsym.discovery.evidence_on_split import evidence_on_split\n"
        "X = np.random.default_rng(0).standard_normal((80, 6))\n"
        "found = evidence_on_split(Table(X, X[:, :3], tuple('abcdef'), tuple('uvw'), 'rows'), '2V', 'V', ['O(3)', 'O(2)@z'], seed=0)\n"
        "print(len(found), [name for name in ('torch', 'sklearn', 'scipy.stats', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "2 []\n"
