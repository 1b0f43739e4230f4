"""Checks of inputs: effects of normalisations, orbit overlaps, and a recommendation that follows from them."""

import json

import numpy as np
import pytest

from softsym.errors import InputError
from softsym.metrics import normalisation
from softsym.metrics.normalisation import Break, NormalisationCheck, check_inputs, recommend

NAMES = ("x0", "x1", "x2")
KEPT, BROKEN = Break("O(2)@z", 0.0, 0.0, 0.0), Break("O(2)@x", 0.5, 0.1, 0.25)


@pytest.fixture(scope="module")
def flat():
    X = np.random.default_rng(0).standard_normal((300, 3)) * [1.23, 1.34, 0.05]
    return check_inputs(X, NAMES, "V", ["O(2)@x", "O(2)@z"])


def test_flat_data(flat):
    found = {check.name: check for check in flat.normalisations}
    assert list(found) == ["none", "per-axis", "common-scale"]
    assert found["common-scale"].keeps_all
    assert not found["per-axis"].keeps_all
    assert [overlap.grade for overlap in flat.overlaps] == ["partly", "well"]
    assert flat.recommended == "common-scale"
    assert flat.reason.startswith(r"it keeps O(2)@x and O(2)@z exactly; per-axis breaks O(2)@x by 0.")
    assert "column 'x2' is left with 0.0" in flat.reason
    assert "lesser evil for O(2)@z" in flat.reason


def test_fields_of_the_json(flat):
    found = json.loads(json.dumps(flat.to_dict()))
    per_axis = found["normalisations"][1]
    assert per_axis["name"] == "per-axis"
    assert set(per_axis["groups"][0]) == {"group", "map", "shift", "error", "keeps"}
    assert set(found["coverage"][0]) == {"group", "value", "grade", "meaning"}


def test_one_normalisation():
    X = np.random.default_rng(0).standard_normal((60, 3))
    found = check_inputs(X, NAMES, "V", ["O(3)"], normalisation="per-axis")
    assert [check.name for check in found.normalisations] == ["per-axis"]
    assert found.recommended == "common-scale"
    assert "per-axis breaks O(3) by" in found.reason


def test_progress_sees_every_group(monkeypatch):
    seen = []

    def track(groups, what, *, quiet):
        assert (what, quiet) == ("checking", False)
        for group in groups:
            seen.append(group.name)
            yield group

    monkeypatch.setattr(normalisation, "track", track)
    X = np.random.default_rng(0).standard_normal((60, 3))
    check_inputs(X, NAMES, "V", ["O(3)", "SO(3)"], quiet=False)
    assert seen == ["O(3)", "SO(3)"]


def test_groups_of_another_dimension_are_refused():
    X = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.raises(InputError, match="the same space"):
        check_inputs(X, NAMES, "V", ["O(3)", "O(2)"])


@pytest.mark.parametrize(
    ("checks", "name", "reason"),
    [
        ([("per-axis", KEPT, 1.0), ("common-scale", KEPT, 0.5)], "per-axis", "makes every column equally"),
        ([("per-axis", KEPT, 1.0), ("common-scale", KEPT, 1.0)], "common-scale", "keeps O(2)@z exactly"),
        ([("per-axis", BROKEN, 1.0), ("common-scale", KEPT, 0.5)], "common-scale", "breaks O(2)@x by 0.25"),
        ([("symmetry-aware", KEPT, 0.5)], "symmetry-aware", "keeps O(2)@z exactly"),
        ([("none", KEPT, 0.01)], "none", "column 'c' is left with 0.01"),
        ([("scale-aware", BROKEN, 1.0)], "common-scale", "by construction; scale-aware breaks O(2)@x"),
    ],
)
def test_recommendations(checks, name, reason):
    found = recommend([NormalisationCheck(each, (breaks,), even, "c") for each, breaks, even in checks])
    assert found[0] == name
    assert reason in found[1]
