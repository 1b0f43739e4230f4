import numpy as np
import pytest

from softsym.errors import InputError
from softsym.inference.kernels import GRID, Kernel, squares
from softsym.inference.kernels.base import TILE

X = np.random.default_rng(0).standard_normal((30, 4))


@pytest.mark.parametrize("kernel", GRID, ids=map(str, GRID))
def test_is_a_kernel(kernel):
    gram = kernel.gram(X, X)
    assert np.allclose(gram, gram.T)
    assert np.linalg.eigvalsh(gram)[0] > -1e-10 * len(X)


@pytest.mark.parametrize("kernel", GRID, ids=map(str, GRID))
def test_no_orthogonal_map_changes_it(kernel):
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]
    assert np.allclose(kernel.gram(X @ Q, X @ Q), kernel.gram(X, X))


@pytest.mark.parametrize("kernel", GRID, ids=map(str, GRID))
@pytest.mark.parametrize(
    ("n", "m"), [(30, 3), (30, 200), (TILE[0], TILE[1]), (2 * TILE[0] + 1, 2 * TILE[1] + 1)]
)
def test_products_need_no_matrix(kernel, n, m):
    rng = np.random.default_rng(2)
    new, right, values = rng.standard_normal((n, 4)), rng.standard_normal((m, 4)), rng.standard_normal((m, 3))
    expected = kernel.gram(new, right) @ values
    assert np.allclose(kernel.function(right, values)(new), expected, atol=1e-9 * np.abs(expected).max())
    assert kernel.function(right, values)(new[:0]).shape == (0, 3)


def test_against_formulas():
    x, y = X[:1], X[1:2]
    u, r = (x @ y.T).item() / 4, np.linalg.norm(x - y) / 2
    z = np.sqrt(5) * r / 2.5
    assert Kernel("polynomial", 3).gram(x, y).item() == pytest.approx((1 + u) ** 3)
    assert Kernel("rbf", 0.7).gram(x, y).item() == pytest.approx(np.exp(-(r**2) / (2 * 0.49)))
    assert Kernel("matern", 2.5).gram(x, y).item() == pytest.approx((1 + z + z**2 / 3) * np.exp(-z))
    assert Kernel("rbf+linear", 1.0).gram(x, y).item() == pytest.approx((np.exp(-(r**2) / 2) + 1 + u) / 2)
    assert Kernel("rbf*linear", 1.0).gram(x, y).item() == pytest.approx(np.exp(-(r**2) / 2) * (1 + u))


def test_lengths():
    assert squares(np.array([[3.0, 4.0]])) == pytest.approx([12.5])


def test_refusals():
    with pytest.raises(InputError, match="unknown kernel 'cosine'; pass one of polynomial"):
        Kernel("cosine", 1.0)
    with pytest.raises(InputError, match="must be positive, got 0"):
        Kernel("rbf", 0)
