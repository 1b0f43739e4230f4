"""Scores of records."""

from softsym_lab.benchmarks.propose.score import score, wilson

RIGHT = {
    "target": "a",
    "frame": 0,
    "rows": 1_000,
    "noise": 0.02,
    "dimension": 3,
    "name": "so(3)",
    "found": 3,
    "name_found": "so(3)",
    "angle": 0.5,
    "violation": 0.01,
    "seconds": 1.0,
}


def test_shares():
    missed = {**RIGHT, "found": 0, "name_found": "none", "angle": None, "violation": 0.0}
    false = {**RIGHT, "rows": 300, "violation": 0.2, "name_found": "so(2,1)"}
    scored = score([RIGHT, missed, false])
    assert scored["dimension_right_at_1000_rows_2_percent"]["rate"] == 0.5
    assert scored["sets_with_a_false_generator"]["count"] == 1
    assert scored["sets_with_a_wrong_name"]["count"] == 1
    assert scored["angle_median_degrees"] == 0.5
    assert len(scored["wrong_at_1000_rows_2_percent"]) == len(scored["false"]) == 1


def test_no_name_is_no_wrong_name():
    assert score([{**RIGHT, "name_found": "unnamed, dimension 3"}])["sets_with_a_wrong_name"]["count"] == 0


def test_wilson_of_nothing():
    assert wilson(0, 0)["rate"] is None
    assert wilson(0, 100)["interval"][1] < 0.04
