"""Strengths by the evidence of rows: what data support becomes strong, what they speak against is dropped."""

import math
from dataclasses import dataclass

import pytest

from softsym.errors import InputError
from softsym.regularize.strengths.from_evidence import MAX_STRENGTH, from_evidence


@dataclass(frozen=True)
class Row:
    name: str
    log_evidence: float
    interval: tuple[float, float]
    verdict: str = "undecided"

    @property
    def tolerance(self):
        return self.interval[1]


def test_a_strength_is_the_ratio_of_what_has_the_symmetry_and_what_has_not():
    supported = from_evidence([Row("a", 5.0, (0.0, 0.1)), Row("b", 1.0, (0.2, 0.5)), Row("c", 1.0, (0.9, 1.0))])
    assert supported.strengths == pytest.approx({"a": 99.0, "b": 3.0, "c": 0.0})
    assert supported.order() == ["a", "b", "c"]
    assert list(supported.selected) == ["a", "b"]


def test_what_data_speak_against_is_dropped_however_small_its_violation():
    supported = from_evidence([Row("a", -0.1, (0.0, 0.1)), Row("b", math.nan, (0.0, 0.2))])
    assert supported.strengths == {"a": 0.0, "b": 0.0}
    assert str(supported).splitlines()[1].endswith("a, dropped")


def test_a_strength_is_finite():
    supported = from_evidence([Row("a", 5.0, (0.0, 0.0)), Row("b", 5.0, (0.0, 1e-4)), Row("c", 5.0, (0.0, 0.01))])
    assert supported.strengths["a"] == supported.strengths["b"] == pytest.approx(MAX_STRENGTH)
    assert supported.strengths["c"] == pytest.approx(9_999)
    assert "dropped" not in str(supported)


def test_no_rows():
    with pytest.raises(InputError, match="no rows"):
        from_evidence([])


def test_the_old_name_of_selected_warns():
    supported = from_evidence([Row("a", 5.0, (0.0, 0.1))])
    with pytest.warns(DeprecationWarning, match="selected"):
        assert supported.kept == supported.selected


def test_what_is_absent_is_dropped():
    assert from_evidence([Row("a", 5.0, (0.0, 0.1), "absent")]).strengths == {"a": 0.0}
