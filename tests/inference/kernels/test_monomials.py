import numpy as np
import pytest

from softsym.inference.kernels import Kernel
from softsym.inference.kernels.monomials import count, monomials


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("d", [1, 3, 7])
def test_inner_products_are_the_kernel(d, degree):
    rng = np.random.default_rng(d)
    left, right = rng.standard_normal((5, d)), rng.standard_normal((4, d))
    features = monomials(left, degree)
    assert features.shape == (5, count(d, degree))
    expected = Kernel("polynomial", degree).gram(left, right)
    np.testing.assert_allclose(features @ monomials(right, degree).T, expected, rtol=1e-12, atol=1e-12)
