"""Kernels and their derivatives, against finite differences."""

import numpy as np
import pytest

from softsym.inference.propose.fits.smooth import Gaussian, Matern, Polynomial, SmoothKernel

KERNELS = [
    SmoothKernel(Polynomial(3)), SmoothKernel(radial=Gaussian(0.8)), SmoothKernel(radial=Matern(1.3)),
    SmoothKernel(Polynomial(2), Gaussian(1.5), 0.3), SmoothKernel(Polynomial(1), Matern(2.0), 0.7),
    SmoothKernel(Polynomial(2), Gaussian(1.5), 0.3, has_gain=True), SmoothKernel(radial=Matern(1.3), has_gain=True),
]  # fmt: skip
RNG = np.random.default_rng(0)
A, B, U = RNG.standard_normal((4, 3)), RNG.standard_normal((5, 3)), RNG.standard_normal((4, 3))
H = 1e-5


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_derivatives_along_directions(kernel):
    numeric = (kernel.gram(A + H * U, B) - kernel.gram(A - H * U, B)) / (2 * H)
    assert np.allclose(kernel.along(A, U, B), numeric, atol=1e-8)
    slopes = kernel.jacobian(A, B, np.eye(5))  # one function for each row of B
    assert np.allclose(np.einsum("nmd,nd->nm", slopes, U), numeric, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_second_derivatives(kernel):
    both = kernel.along_both(A, U)
    for i in range(4):
        for j in range(4):
            if i == j and isinstance(kernel.radial, Matern):
                continue  # finite differences straddle the kink of the fourth derivative
            there = [kernel.along(A[i : i + 1], U[i : i + 1], A[j : j + 1] + s * H * U[j]) for s in (1, -1)]
            assert both[i, j] == pytest.approx(float((there[0] - there[1]).item() / (2 * H)), abs=1e-6)
    assert np.linalg.eigvalsh(both).min() > -1e-10


def test_grams_are_positive():
    for kernel in KERNELS:
        assert np.linalg.eigvalsh(kernel.gram(A, A)).min() > -1e-10


def test_a_gain_is_a_factor():
    gained, plain = (SmoothKernel(Polynomial(2), Gaussian(1.5), has_gain=has) for has in (True, False))
    expected = plain.gram(A[:, :2], B[:, :2]) * A[:, 2:] * B[:, 2]
    assert np.allclose(gained.gram(A, B), expected)
