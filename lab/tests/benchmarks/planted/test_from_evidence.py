"""Strengths from the evidence, on planted symmetries."""

import softsym as ss
from softsym.regularize.strengths import from_evidence
from softsym_lab.benchmarks.planted.cases import cases


def test_planted_symmetries_come_out_in_their_order():
    case = cases()[0]
    (x, y), _ = case.draw(seed=300)
    found = from_evidence(
        ss.evidence(x.double().numpy(), y.double().numpy(), case.rep_in, case.rep_out, case.groups)
    )
    assert found.order() == list(case.groups)
    assert found.strengths[case.groups[0]] > 10
    assert found.strengths[case.groups[2]] == 0
