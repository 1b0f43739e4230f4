"""The main job, step by step."""

from softsym.discovery.fit.train import Session
from softsym.discovery.steps import run_fit
from tests.discovery.fit.training_data import plan


def test_every_step_leaves_its_result():
    computed = []
    done = run_fit(plan(rows=150, model="auto", seeds=1), Session(), on_evidence=computed.append)
    assert computed == [done.evidence]
    assert [row.name for row in done.symmetries] == ["O(2)@x", "O(2)@z"]
    assert done.fit.ensemble is not None


def test_at_rest_nothing_is_judged():
    done = run_fit(plan(rows=150, model="gp", seeds=1), Session(), skip_verdicts=True)
    assert len(done.evidence) == len(done.symmetries) == 0
    assert done.fit.ensemble is not None
