"""What `softsym inspect` counts."""

import json

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.spaces.inspection import inspect
from tests.twin import twin_basis


def test_every_layer_under_every_group():
    report = inspect("2S + V", "T(2)", ["O(3)", "O(2)@z"], width=12)
    assert [each.group for each in report.groups] == ["O(3)", "O(2)@z"]
    hidden = ss.hidden_rep(12, "O(3)")
    assert report.hidden == str(hidden)
    for each in report.groups:
        assert (each.size_in, each.size_out) == (5, 9)
        assert [layer.maps for layer in each.layers] == [
            "in -> out",
            "in -> hidden",
            "hidden -> hidden",
            "hidden -> out",
        ]
        first = each.layers[0]
        assert (first.size, first.bias_size) == (45, 9)
        assert first.dim == twin_basis(ss.rep("2S + V"), ss.T(2), ss.group(each.group)).shape[1]
        assert max(layer.residual for layer in each.layers) < 1e-10
        assert all(layer.methods for layer in each.layers)
    small, large = (each.layers for each in report.groups)
    assert all(a.dim <= b.dim for a, b in zip(small, large, strict=True))  # O(2)@z asks for less


def test_solver_and_tolerance_are_passed_on():
    report = inspect("V", "V", ["O(3)"], width=6, solver="dense", tol=1e-3)
    assert report.groups[0].layers[0].methods == ["dense"]
    with pytest.raises(InputError, match="unknown solver 'magic'"):
        inspect("V", "V", ["O(3)"], width=6, solver="magic")


def test_numbers_for_json_and_a_table_for_people():
    report = inspect("V", "V", ["O(3)"], width=6)
    numbers = json.loads(json.dumps(report.to_dict()))
    assert numbers["schema"] == 1
    assert numbers["groups"][0]["layers"][0]["dim"] == 1
    table = report.table()
    assert "sizes 3 -> 3" in str(table.title)
    assert table.row_count == 4
    share = next(iter(table.columns[4].cells))
    assert share == f"{1 / 9:.1%}"
    assert np.isfinite(report.groups[0].seconds)
