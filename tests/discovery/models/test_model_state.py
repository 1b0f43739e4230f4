"""Rungs in files: the same predictions to the bit."""

import numpy as np
import pytest

from softsym.discovery.models.model_state import KINDS, pack_model, unpack_model
from softsym.groups import group
from tests.discovery.models.test_protocol import MODELS, X, names


@pytest.mark.parametrize("name", [name for name in MODELS if name != names.NETWORK])
def test_there_and_back(name):
    model = MODELS[name]()
    about, arrays = pack_model(model)
    again = unpack_model(about, arrays)
    assert type(again) is type(model)
    assert (again.name, again.exact_groups) == (model.name, model.exact_groups)
    assert np.array_equal(again(X), model(X))
    assert np.array_equal(again.std(X), model.std(X))
    projected = model.project([group("O(2)@z")])
    if projected is not None:
        assert np.array_equal(unpack_model(*pack_model(projected))(X), projected(X))
        assert unpack_model(*pack_model(projected)).exact_groups == ("O(2)@z",)


def test_what_is_not_known_is_refused():
    with pytest.raises(TypeError, match="Networks is not stored here"):
        pack_model(MODELS[names.NETWORK]())
    with pytest.raises(ValueError, match="unknown kind 'forest'"):
        unpack_model({"kind": "forest"}, {})
    assert "process" in KINDS
