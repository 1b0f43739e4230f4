import numpy as np
import pytest

import softsym as ss
from softsym.data.scaler import SymmetricScaler
from softsym_lab.benchmarks.calibration_evidence import Case, cases, discoveries, measure, violation

NOTHING = SymmetricScaler(np.zeros(3), np.ones(3))


def test_the_true_violation_of_a_stretch():
    """diag(1, 1, 1 + 3c) = (1 + c) I + c diag(-1, -1, 2): orthogonal parts, and the second is what O(3) does not have."""
    X = np.random.default_rng(0).standard_normal((2000, 3))
    c = 0.2
    found = violation(lambda X: X * [1, 1, 1 + 3 * c], X, ss.rep("V"), ss.rep("V"), ss.O(3), NOTHING)
    assert found == pytest.approx(np.sqrt(6 * c**2 / (2 + (1 + 3 * c) ** 2)), rel=0.05)
    assert violation(lambda X: 2 * X, X, ss.rep("V"), ss.rep("V"), ss.O(3), NOTHING) == 0.0


def test_enough_pairs():
    assert sum(len(cases(part)) for part in ("adjusted", "fresh")) * 2 >= 500
    assert len({case.file for case in cases("fresh")}) == len(cases("fresh"))


@pytest.mark.parametrize("target", ["drag in wind", "golfball:wind=z,gravity=3.0"])
def test_records_are_kept_and_read_again(tmp_path, target, monkeypatch):
    case = Case(target, 30, 0.05)
    (record,) = measure([case], tmp_path)
    truths = {pair["row"]["name"]: pair["truth"] for pair in record["pairs"]}
    assert truths["O(2)@z"] == 0.0
    assert truths["O(2)@x"] > 0.05
    monkeypatch.setattr("softsym_lab.benchmarks.calibration_evidence.measure_case", None)
    assert measure([case], tmp_path) == [record]


def test_verdicts_of_whole_discovery(tmp_path):
    (record,) = measure([Case("pushed spring", 60, 0.0, whole=True)], tmp_path)
    assert [pair["row"]["name"] for pair in record["pairs"]] == ["O(3)", "O(2)@z"]
    assert {pair["row"]["verdict"] for pair in record["pairs"]} <= {"exact", "soft", "absent", "undecided"}
    assert all(case.whole for case in discoveries())
