import json

import numpy as np
import pytest

from softsym.data import check
from softsym.data.check import NormalisationCheck, check_data, recommend
from softsym.data.normalisation import Break
from softsym.data.table import Table
from softsym.errors import InputError

KEPT, BROKEN = Break("O(2)@z", 0.0, 0.0, 0.0), Break("O(2)@x", 0.5, 0.1, 0.25)


def table(X):
    return Table(X, None, tuple(f"x{k}" for k in range(X.shape[1])), (), "data.csv")


@pytest.fixture(scope="module")
def flat():
    X = np.random.default_rng(0).standard_normal((300, 3)) * [1.23, 1.34, 0.05]
    return check_data(table(X), "V", ["O(2)@x", "O(2)@z"])


def test_flat_data(flat):
    found = {check.name: check for check in flat.normalisations}
    assert list(found) == ["none", "per-axis", "common-scale"]
    assert found["common-scale"].keeps_all
    assert not found["per-axis"].keeps_all
    assert [one.grade for one in flat.coverage] == ["partly", "well"]
    assert flat.recommended == "common-scale"
    assert flat.reason.startswith(r"it keeps O(2)@x and O(2)@z exactly; per-axis breaks O(2)@x by 0.")
    assert "column 'x2' is left with 0.0" in flat.reason
    assert "lesser evil for O(2)@z" in flat.reason


def test_json(flat):
    found = json.loads(json.dumps(flat.to_dict()))
    assert (found["schema"], found["rows"], found["repeated"], found["rep_in"]) == (1, 300, 0, "V")
    per_axis = found["normalisations"][1]
    assert per_axis["name"] == "per-axis"
    assert set(per_axis["groups"][0]) == {"group", "map", "shift", "error", "keeps"}
    assert set(found["coverage"][0]) == {"group", "value", "grade", "meaning"}


def test_outputs_do_not_matter():
    X = np.random.default_rng(0).standard_normal((60, 3))
    constant = Table(X, np.ones((60, 1)), ("a", "b", "c"), ("f",), "data.csv")
    assert check_data(constant, "V", ["O(3)"]).rows == 60


def test_one_normalisation_and_repeated_rows():
    X = np.random.default_rng(0).standard_normal((60, 3))
    found = check_data(table(np.concatenate([X, X[:5]])), "V", ["O(3)"], normalisation="per-axis")
    assert [check.name for check in found.normalisations] == ["per-axis"]
    assert found.repeated == 5
    assert found.recommended == "common-scale"
    assert "per-axis breaks O(3) by" in found.reason


def test_progress_sees_every_group(monkeypatch):
    seen = []

    def track(groups, what, *, quiet):
        assert (what, quiet) == ("checking", False)
        for group in groups:
            seen.append(group.name)
            yield group

    monkeypatch.setattr(check, "track", track)
    inputs = table(np.random.default_rng(0).standard_normal((60, 3)))
    check_data(inputs, "V", ["O(3)", "SO(3)"], quiet=False)
    assert seen == ["O(3)", "SO(3)"]


def test_refusals():
    X = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.raises(InputError, match=r"2V under O\(3\) has size 6, X has 3 columns"):
        check_data(table(X), "2V", ["O(3)"])
    with pytest.raises(InputError, match="has 40 rows; at least 50"):
        check_data(table(X[:40]), "V", ["O(3)"])
    with pytest.raises(InputError, match="the same space"):
        check_data(table(X), "V", ["O(3)", "O(2)"])


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
    found = recommend([NormalisationCheck(one, (breaks,), even, "c") for one, breaks, even in checks])
    assert found[0] == name
    assert reason in found[1]
