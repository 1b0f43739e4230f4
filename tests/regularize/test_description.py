"""The table of regularised parameters."""

from torch import nn

import softsym as ss


def test_rows():
    chain = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 3, bias=False))
    description = ss.EquivarianceRegularizer(chain, ["O(3)", "O(2)@z"], "2V", "V", reps=["S + V"]).describe()
    shapes = {row.parameter: (row.shape, row.representation) for row in description.rows}
    assert shapes == {
        "0.weight": ((4, 6), "2V -> S + V"),
        "0.bias": ((4,), "S + V"),
        "2.weight": ((3, 4), "S + V -> V"),
    }
    assert description.rows[0].dimensions == {"O(3)": 2, "O(2)@z": 2 * (1 + 2)}
    assert description.rows[1].dimensions == {"O(3)": 1, "O(2)@z": 2}
    assert description.rows[2].dimensions == {"O(3)": 1, "O(2)@z": 1 + 2}


def test_printed_as_a_table():
    description = ss.EquivarianceRegularizer(nn.Linear(3, 3), ["O(3)", "SO(2)@z"], "V", "V").describe()
    assert str(description).splitlines() == [
        "parameter  shape  representation  O(3)  SO(2)@z",
        "weight     3 x 3  V -> V          1     3",
        "bias       3      V               0     1",
    ]
    assert repr(description) == str(description)
