"""Charts of the evidence."""

import json

import numpy as np

from softsym.discovery.report.charts.evidence_charts import (
    DEEPEST,
    LEAST_SHARE,
    likelihoods,
    randomizations,
    violations,
)
from softsym.inference import EvidenceDetail, EvidenceRow, EvidenceTable
from softsym.inference.verdict import ABSENT_ABOVE, TOLERANCE

RNG = np.random.default_rng(0)
TABLE = EvidenceTable(
    [
        EvidenceRow("O(2)@z", "exact", 0.6, 300.0, 0.0, (0.0, 0.01), 0.01, 0.9, rows=300),
        EvidenceRow("<b>x</b>", "absent", 0.0005, -900.0, 0.5, (0.45, 0.55), 0.55, 0.9, rows=300),
        EvidenceRow("SL(3)", "undecided", note="there is no finite subgroup"),
    ],
    {
        "O(2)@z": EvidenceDetail([0.0, 0.1, 0.9], [0.0, -3.0, -400.0], 1 + 0.1 * RNG.random(200), 1.05),
        "<b>x</b>": EvidenceDetail([0.0, 0.5], [-900.0, 0.0], 3 + RNG.random(200), 1.0),
        "SL(3)": EvidenceDetail(),
    },
    2.1,
)


def test_intervals_stand_against_the_tolerance():
    figure = violations(TABLE)
    assert [trace["name"] for trace in figure["data"]] == ["● exact", "○ absent"]
    assert figure["data"][0]["x"] == [LEAST_SHARE]
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == [TOLERANCE, ABSENT_ABOVE]
    assert len(figure["layout"]["yaxis"]["ticktext"]) == 2  # nothing is known of the third
    assert "&lt;b&gt;" in figure["layout"]["yaxis"]["ticktext"][1]


def test_likelihoods_end_where_nothing_is_left_to_tell():
    first, second = likelihoods(TABLE)["data"]
    assert first["y"] == [0.0, -3.0, DEEPEST]
    assert second["y"] == [DEEPEST, 0.0]
    assert first["x"][0] == LEAST_SHARE


def test_each_test_has_a_histogram_and_the_rows_as_they_are():
    figure = randomizations(TABLE)
    bars, line, other, _ = figure["data"]
    assert sum(bars["y"]) == 200
    assert line["x"] == [1.0, 1.0]
    assert min(other["x"]) > 2.9  # in terms of the loss at rest
    assert {"xaxis", "xaxis2", "yaxis", "yaxis2"} <= set(figure["layout"])


def test_nothing_is_drawn_of_nothing():
    for chart in (violations, likelihoods, randomizations):
        assert chart(EvidenceTable()) is None
        assert chart(EvidenceTable([TABLE[2]], {"SL(3)": EvidenceDetail()})) is None
        json.dumps(chart(TABLE), allow_nan=False)
