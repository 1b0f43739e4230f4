"""The evidence: training and validation rows alone, and nothing where there is nothing to look at."""

from dataclasses import replace

import numpy as np

from softsym.discovery.fit.fitted import Target
from softsym.discovery.selection.evidence_step import compute_evidence
from tests.discovery.fit.training_data import plan


def test_every_candidate_is_looked_at():
    asked = plan(rows=200)
    table = compute_evidence(asked)
    assert [row.name for row in table] == ["O(2)@x", "O(2)@z"]
    assert [row.verdict for row in table] == ["absent", "exact"]
    assert len(table.details["O(2)@z"].draws) > 100


def test_test_rows_decide_nothing():
    asked = plan(rows=200)
    Y = asked.Y.copy()
    Y[asked.parts.test] += 100.0
    one, other = (compute_evidence(each).to_dicts() for each in (asked, replace(asked, Y=Y)))
    for a, b in zip(one, other, strict=True):
        assert {key: a[key] for key in a if key != "seconds"} == {
            key: b[key] for key in b if key != "seconds"
        }


def test_rows_of_one_label_are_looked_at_together():
    asked = replace(plan(rows=200), row_groups=np.arange(200) // 5)
    assert [row.verdict for row in compute_evidence(asked)] == ["absent", "exact"]


def test_nothing_to_look_at():
    assert len(compute_evidence(plan(rows=200, target=Target.CLASSES))) == 0
    assert len(compute_evidence(plan(rows=200, shape=plan().shape.without_groups()))) == 0
    assert len(compute_evidence(replace(plan(rows=60), Y=np.zeros((60, 3))))) == 0
