"""What an estimator was given, checked."""

import numpy as np
import pytest

import softsym as ss
from softsym.discovery.plan.checks import check_numbers, make_shape
from softsym.errors import InputError

GIVEN = ss.SoftEquivariantRegressor("V", "V", ["O(3)"])._parameters()
X = np.zeros((4, 3))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "forest"}, "unknown model 'forest'; pass one of auto, linear, gp, network"),
        ({"seeds": 0}, "`seeds` must be a whole number"),
        ({"held_out": 0.7}, "`held_out` must lie between"),
        ({"budget": -1.0}, "`budget` must be a positive"),
        ({"budget": 1.0, "epochs": 3}, "`epochs` or `budget`, not both"),
        ({"n_jobs": 0}, "`n_jobs` must be a whole number"),
    ],
)
def test_numbers(changes, message):
    check_numbers(GIVEN, classes=False)
    with pytest.raises(InputError, match=message):
        check_numbers(GIVEN | changes, classes=False)


def test_classes_are_learned_by_networks():
    with pytest.raises(InputError, match="classes are learned by networks"):
        check_numbers(GIVEN | {"model": "gp"}, classes=True)


def test_shapes():
    assert str(make_shape(GIVEN, X, X, [ss.O(3)], classes=False, free=False).rep_in) == "V"
    assert make_shape(GIVEN, X, X, [], classes=False, free=True).sizes == (3, 3)
    with pytest.raises(InputError, match="pass `rep_out`"):
        make_shape(GIVEN | {"rep_out": None}, X, X, [ss.O(3)], classes=False, free=False)
    with pytest.raises(InputError, match="X has 2 columns; pass another `rep_in`"):
        make_shape(GIVEN, X[:, :2], X, [ss.O(3)], classes=False, free=False)
