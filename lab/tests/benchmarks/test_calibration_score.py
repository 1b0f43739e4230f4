import pytest

from softsym_lab.benchmarks.calibration_score import anchors, clopper_pearson, score


def pair(truth, verdict, interval, asymmetry=None, error=0.01):
    row = {
        "name": "G",
        "verdict": verdict,
        "interval": interval,
        "errors": [error] * 3,
        "asymmetry": asymmetry or interval[0],
    }
    return {"truth": truth, "row": row}


def record(*pairs, rows=300, noise=0.05):
    return {"target": "drag", "rows": rows, "noise": noise, "pairs": list(pairs)}


RECORDS = [
    record(pair(0.0, "exact", [0.0, 0.01]), pair(0.5, "absent", [0.4, 0.6])),
    record(pair(0.2, "exact", [0.0, 0.04]), pair(0.0, "soft", [0.1, 0.2])),
    record(pair(0.0, "undecided", [0.0, 0.4]), pair(0.1, "soft", [0.06, 0.2]), rows=1000),
]


def test_rates():
    rates = score(RECORDS)
    assert rates["pairs"] == 6
    assert rates["right_of_decided"]["count"] == 3
    assert rates["undecided"]["rate"] == pytest.approx(1 / 6)
    assert (rates["false_exact"]["count"], rates["false_exact"]["of"]) == (1, 3)
    assert (rates["false_refuted"]["count"], rates["false_refuted"]["of"]) == (1, 3)
    assert rates["intervals_cover"]["count"] == 4
    assert rates["power"]["0.05 to 0.1"]["rate"] == 1.0
    assert rates["by_rows_and_noise"]["1000 rows, noise 0.05"] == {
        "pairs": 2,
        "undecided": 0.5,
        "right_of_decided": 1.0,
    }
    assert rates["wrong"] == [
        "drag, 300 rows, noise 0.05, G: exact, truth 0.200",
        "drag, 300 rows, noise 0.05, G: soft, truth 0.000",
    ]


def test_an_exact_verdict_is_right_up_to_its_tolerance():
    near = [record(pair(0.08, "exact", [0.0, 0.09], error=0.2))]
    assert score(near)["false_exact"]["of"] == 0
    assert score(near)["false_exact_above_0.05"]["count"] == 1


def test_simpler_rules_are_scored_too():
    by_rule = anchors(RECORDS)
    assert by_rule["threshold"]["false_exact_above_0.05"]["count"] == 1
    assert by_rule["largest gap"]["exact_called_exact"]["count"] >= 1


def test_exact_binomial_intervals():
    assert clopper_pearson(5, 10) == pytest.approx((0.187, 0.813), abs=1e-3)
    assert clopper_pearson(10, 10)[1] == 1.0
