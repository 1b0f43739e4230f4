"""Rungs in files: the same predictions to the bit."""

import numpy as np
import pytest

from softsym.discovery.models.model_state import KINDS, packed, unpacked
from softsym.groups import group
from tests.discovery.models.test_protocol import RUNGS, X, names


@pytest.mark.parametrize("name", [name for name in RUNGS if name != names.NETWORK])
def test_there_and_back(name):
    rung = RUNGS[name]()
    about, arrays = packed(rung)
    again = unpacked(about, arrays)
    assert type(again) is type(rung)
    assert (again.name, again.has) == (rung.name, rung.has)
    assert np.array_equal(again(X), rung(X))
    assert np.array_equal(again.spread(X), rung.spread(X))
    snapped = rung.snapped([group("O(2)@z")])
    if snapped is not None:
        assert np.array_equal(unpacked(*packed(snapped))(X), snapped(X))
        assert unpacked(*packed(snapped)).has == ("O(2)@z",)


def test_what_is_not_known_is_refused():
    with pytest.raises(TypeError, match="Networks is not stored here"):
        packed(RUNGS[names.NETWORK]())
    with pytest.raises(ValueError, match="unknown kind 'forest'"):
        unpacked({"kind": "forest"}, {})
    assert "process" in KINDS
