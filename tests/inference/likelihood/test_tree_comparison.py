import numpy as np
import pytest

from softsym.inference import evidence
from softsym.inference.likelihood.tree_comparison import unexplained_by_gp


def jumps(n=300, seed=0):
    """A function of signs, which trees follow and smooth kernels do not."""
    X = np.random.default_rng(seed).standard_normal((n, 3))
    return X, np.sign(X[:, :1]) * np.array([[1.0, 2.0]])


def test_what_trees_explain_and_a_fit_does_not():
    X, Y = jumps()
    assert unexplained_by_gp(X, Y, unexplained=0.5) == pytest.approx(np.sqrt(0.5), abs=0.1)
    assert unexplained_by_gp(X, Y, unexplained=0.01) == 0.0


def test_noise_is_missed_by_nobody():
    X, Y = jumps()
    noise = np.random.default_rng(1).standard_normal(Y.shape)
    assert unexplained_by_gp(X, noise, unexplained=1.0) == 0.0


def test_rows_of_one_row_group_do_not_predict_each_other():
    rng = np.random.default_rng(0)
    row_groups = np.repeat(np.arange(30), 10)
    X = rng.standard_normal((30, 3))[row_groups] + 1e-3 * rng.standard_normal((300, 3))
    Y = rng.standard_normal((30, 1))[row_groups]  # predictable from another row of the group
    assert unexplained_by_gp(X, Y, unexplained=1.0) > 0.9
    assert unexplained_by_gp(X, Y, unexplained=1.0, row_groups=row_groups) == 0.0
    assert unexplained_by_gp(X, Y, unexplained=1.0, row_groups=np.zeros(300, dtype=np.int64)) == 0.0


def test_a_poor_fit_that_trees_beat_decides_nothing(monkeypatch):
    """Sizes over four decades: a kernel follows the largest inputs only, and takes the others for noise, and a jump with them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 3)) * 10 ** rng.uniform(-2, 2, (600, 1))
    Y = np.log10(np.linalg.norm(X, axis=1, keepdims=True)) + 0.1 * np.sign(X[:, :1])
    row = evidence(X, Y, "V", "S", ["SO(3)"])[0]
    assert row.verdict == "undecided"
    assert "decision trees predict better than the fit" in row.note
    monkeypatch.setattr("softsym.inference.candidate_tests.unexplained_by_gp", lambda *_: 0.0)
    row = evidence(X, Y, "V", "S", ["SO(3)"])[
        0
    ]  # the likelihood alone would call it exact, the score test does not
    assert row.verdict == "soft"
