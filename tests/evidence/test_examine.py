import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.evidence.examine import Examined, plain_predictor
from softsym.evidence.kernels import Kernel
from softsym.evidence.look import Look

CUBIC = [Kernel("polynomial", 3)]
V = ss.rep("V")


def looked(n=80):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    Y = X * np.sum(X**2, axis=1, keepdims=True) + 0.05 * rng.standard_normal((n, 3))
    return X, Y, Look.at(X, Y, V, V, [ss.O(3)], kernels=CUBIC)


def test_the_predictor_sees_one_half_and_predicts_the_other():
    X, Y, _ = looked()
    predictor, held, _ = plain_predictor(X, Y, V, V, [ss.O(3)], CUBIC, None, 0)
    assert len(held) == 40
    assert np.mean((predictor(X[held]) - Y[held]) ** 2) < 0.05 * Y.var()
    with pytest.raises(InputError, match="all rows are of one source"):
        plain_predictor(X, Y, V, V, [ss.O(3)], CUBIC, np.zeros(80, dtype=np.int64), 0)


def test_everything_is_measured():
    X, Y, look = looked()
    predictor, held, _ = plain_predictor(X, Y, V, V, [ss.O(3)], CUBIC, None, 0)
    one = Examined.of(ss.O(3), look, predictor, X, Y, held, None, 0)
    assert one.ratio_p == 1.0
    assert 0 < one.test_p <= 1
    assert one.coverage > 0.9
    assert one.seconds > 0


def test_nothing_is_known_of_a_group_that_was_not_looked_at():
    one = Examined(ss.O(3))
    assert np.isnan(one.test_p)
    assert np.isnan(one.ratio_p)
