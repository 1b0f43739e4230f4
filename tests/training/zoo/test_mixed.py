import pytest

from softsym.groups import group
from softsym.tasks import task
from softsym.training.zoo import Blueprint
from softsym.training.zoo.mixed import exact_and_soft
from tests.training.small import preset
from tests.training.zoo.small import error_of, made


@pytest.mark.parametrize(
    ("variant", "given", "exact", "soft"),
    [
        ("Oz(2)", None, ["O(2)@z"], ["O(2)@x", "O(2)@y"]),
        ("Oz(2)", "O(2)@x", ["O(2)@x"], ["O(2)@y", "O(2)@z"]),
        ("O(3)", None, ["O(2)@x", "O(2)@y", "O(2)@z"], []),
        ("soft", None, ["O(2)@x", "O(2)@y", "O(2)@z"], ["O(2)@x", "O(2)@y", "O(2)@z"]),
    ],
)
def test_which_groups_are_exact(variant, given, exact, soft):
    inertia = task(f"inertia:{variant}")
    plan = Blueprint(inertia, preset(), 8, 0, given and group(given), inertia.groups)
    assert [[G.name for G in part] for part in exact_and_soft(plan)] == [exact, soft]


def test_it_is_equivariant_to_the_exact_ones_only():
    model = made("mixed").model
    assert error_of(model, "O(2)@z") < 1e-5
    assert error_of(model, "O(2)@x") > 1e-6
