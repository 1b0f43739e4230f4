import numpy as np
import pytest

from softsym.metrics import data_error
from softsym_lab.benchmarks.evidence import draw_rows, noise, null, timing


def test_the_target_functions_have_the_symmetry():
    for seed in range(4):
        X, Y = draw_rows(seed, 50, 0.0)
        again, _ = draw_rows(seed, 50, 0.2)
        assert np.array_equal(X, again)

        def truth(rows, seed=seed):
            a, b = rows[:, :3], rows[:, 3:]
            inner, gap = np.sum(a * b, 1, keepdims=True), a - b
            return [np.cross(a, b), gap / (0.5 + np.sum(gap**2, 1, keepdims=True)), a * inner + b, np.tanh(inner) * a][
                seed
            ]

        assert np.allclose(truth(X), Y)
        assert data_error(truth, X, "2V", "V", "SO(3)") < 1e-12


def test_a_short_calibration():
    found = null(sets=6, n=40)
    assert found["verdicts"]["absent"] == 0
    assert found["intervals_with_zero"] >= 0.5
    assert 0 <= found["kolmogorov_smirnov_p"] <= 1


def test_noise_has_no_symmetry():
    counts = noise(sets=2, n=40)
    assert counts["exact"] == 0
    assert sum(counts.values()) == 4


@pytest.mark.slow
def test_times_and_memory():
    times = timing(n=20, growth=(20, 30))
    assert list(times["cpu_seconds_by_rows"]) == ["20", "30"]
    assert times["ratio_to_kernel_ridge"] > 0
    assert 0 < times["peak_megabytes"] < 1000
