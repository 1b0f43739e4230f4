"""The paper's data errors: 13 perturbations of the inertia tensor under rotations about three axes."""

import csv

import numpy as np
import pytest

from softsym.measure import data_error
from tests.measure.test_correlation import TABLE

DIRECTIONS = {"eps_1": (1, 0, 0), "eps_2": (0, 1, 0), "eps_3": (0, 0, 1), "eps_4": (-1, 1, 0)}
# The published numbers are averages over few elements: the same quantity, by symmetry, is printed as 0.0534 for x and as 0.0585 to 0.0599
# for y and z. The x column is the outlier, 10 to 18 % below the converged value (0.0633); the others are within 11 % of it.
TOLERANCE = {"x": 0.20, "y": 0.15, "z": 0.15}
with TABLE.open() as file:
    ROWS = {row["noise"]: row for row in csv.DictReader(file)}


def inertia(D):
    """I + I D for masses and positions of five particles."""

    def target(x):
        m, p = x[:, :5], x[:, 5:].reshape(-1, 5, 3)
        squares = np.einsum("nk,nkd,nkd->n", m, p, p)[:, None, None]
        tensor = squares * np.eye(3) - np.einsum("nk,nka,nkb->nab", m, p, p)
        return (tensor + tensor @ np.diag(D)).reshape(-1, 9)

    return target


def perturbation(noise):
    if noise == "0":
        return np.zeros(3)
    c, direction = noise.split("*")
    return float(c) * np.array(DIRECTIONS[direction])


@pytest.fixture(scope="module")
def x():
    """Masses and positions alike are standard normal, as in the published measurement."""
    return np.random.default_rng(1).standard_normal((400, 20))


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("noise", list(ROWS))
def test_published_data_errors(noise, axis, x):
    published = float(ROWS[noise][f"data_O{axis}"])
    target, n = inertia(perturbation(noise)), 400 if published > 1e-6 else 10
    found = data_error(target, x, "5S + 5V", "T(2)", f"O(2)@{axis}", n, sampler="gaussian", seed=1)
    if published < 1e-6:
        assert found < 1e-6
    else:
        assert found == pytest.approx(published, rel=TOLERANCE[axis])


def test_the_published_table_is_a_draw_of_few_elements():
    """With twenty elements per cell, a fair share of draws has all 27 cells within 15 % of print, the x column included."""
    within = 0
    for seed in range(12):
        x = np.random.default_rng(100 + seed).standard_normal((200, 20))
        ratios = [
            data_error(
                inertia(perturbation(noise)), x, "5S + 5V", "T(2)", f"O(2)@{axis}", 20, sampler="gaussian", seed=seed
            )
            / float(row[f"data_O{axis}"])
            for noise, row in ROWS.items()
            for axis in "xyz"
            if float(row[f"data_O{axis}"]) > 1e-6
        ]  # fmt: skip
        assert len(ratios) == 27
        within += max(abs(ratio - 1) for ratio in ratios) <= 0.15
    assert within >= 2


def test_the_printed_only_soft_target_is_exact_about_y(x):
    assert data_error(inertia([-0.3, 0.3, -0.3]), x, "5S + 5V", "T(2)", "O(2)@y") < 1e-12
    assert data_error(inertia([-0.3, 0.3, 0.0]), x, "5S + 5V", "T(2)", "O(2)@y") > 0.01
