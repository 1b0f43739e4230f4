"""Comparisons over seeds: clear ones are decided, others stay open."""

import numpy as np
import pytest
from lab.tests.experiments.small import record, summaries

from softsym_lab.experiments.claims.comparisons import against, alike, all_below, paired, student, unpaired, variances


def cells(folder, per, mlp):
    """PER and MLP of the frame-averaging table with these errors by seed."""
    errors = {"per": per, "mlp": mlp}
    found = summaries(
        folder, "frame-averaging", seeds=len(per), make=lambda run: record(run, errors.get(run.model, per)[run.seed])
    )
    by_label = {s.column.label: s for s in found}
    return by_label["PER"], by_label["MLP"]


def test_pairs_of_seeds_decide_what_means_do_not(tmp_path):
    hard = np.array([1.0, 4.0, 0.3, 9.0, 2.0])  # data differ far more than the models do
    one, other = cells(tmp_path / "a", list(0.8 * hard), list(hard * [1.0, 1.02, 0.98, 1.01, 0.99]))
    found = paired(one, other)
    assert found.verdict() == "holds"
    assert found.ratio == pytest.approx(0.8, rel=0.01)
    assert found.count == 5
    assert unpaired(one.values, other.values).verdict() == "undecided"
    assert paired(other, one).verdict() == "does not hold"


def test_two_seeds_that_disagree_decide_nothing(tmp_path):
    one, other = cells(tmp_path, [1.0, 2.0], [2.0, 1.0])
    assert all_below([(one, other)]) == ("undecided", "PER over MLP 1 times, p = 1")


def test_one_that_is_better_is_enough_to_refute(tmp_path):
    one, other = cells(tmp_path, [1.0, 1.1, 0.9], [0.1, 0.11, 0.09])
    verdict, why = all_below([(one, other)])
    assert verdict == "does not hold"
    assert why.startswith("PER over MLP 10 times")


def test_alike_is_within_two_deviations(tmp_path):
    one, other = cells(tmp_path / "a", [1.0, 1.2, 0.8], [1.3, 1.5, 1.1])
    assert alike([one, other], one) == "holds"
    one, other = cells(tmp_path / "b", [1.0, 1.2, 0.8], [3.0, 3.6, 2.4])
    assert alike([one, other], one) == "does not hold"
    one, other = cells(tmp_path / "c", [1.0, 1.02, 0.98], [0.9, 4.0, 1.0])
    assert alike([one, other], one) == "undecided"


def test_single_numbers_and_constants():
    assert student([5.0]) == 1.0
    assert student([0.0, 0.0]) == 1.0
    assert against([1.0], 2.0).verdict() == "undecided"
    assert against([1.0, 1.01, 0.99], 2.0).verdict() == "holds"
    assert variances([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]).verdict() == "holds"
    assert variances([1.0], [1.0, 2.0]).p == 1.0
    assert unpaired([1.0, 1.0], [1.0, 1.0]).verdict() == "undecided"


def test_a_wrong_model_is_called_better_as_often_as_the_level_says():
    draw = np.random.default_rng(0)
    wrong = [student(draw.normal(size=5)) < 0.05 for _ in range(2000)]
    assert 0.035 < np.mean(wrong) < 0.065
