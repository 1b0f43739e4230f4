"""An orbit in pictures."""

from dataclasses import replace

import numpy as np

from softsym.discovery.report.charts.orbit import is_rotation, orbits
from tests.discovery import example_reports


def test_orbit_is_labelled_in_degrees_only_if_it_is_a_rotation():
    angles = np.linspace(0, 2 * np.pi, 13)
    assert is_rotation(angles)
    assert is_rotation(angles[:-1])
    assert not is_rotation(np.linspace(-1, 1, 13))
    assert not is_rotation(np.zeros(1))
    assert orbits(example_reports.report())[0]["labels"][12] == "90°"
    boost = replace(example_reports.report().orbits[0], angles=np.linspace(-1, 1, 49))
    assert orbits(replace(example_reports.report(), orbits=(boost,)))[0]["labels"][0] == "parameter −1.0"


def test_orbit_errors_are_those_of_the_predictions():
    exact, _, absent = orbits(example_reports.report())
    assert exact["errors"][0] == "0"
    transformed = example_reports.report().orbits[2].transformed
    still = replace(example_reports.report().orbits[2], predicted=-transformed)
    assert set(orbits(replace(example_reports.report(), orbits=(still,)))[0]["errors"]) == {"1.0"}
    assert absent["vector"]["paths"] == 2


def test_the_output_that_moves_most_is_shown_first():
    orbit = example_reports.report().orbits[0]
    transformed = np.zeros_like(orbit.transformed)
    transformed[:, 4] = np.linspace(0, 1, len(transformed))
    (view,) = orbits(replace(example_reports.report(), orbits=(replace(orbit, transformed=transformed),)))
    assert view["first"] == 4


def test_without_a_vector_there_is_no_picture_of_one():
    orbit = replace(example_reports.report().orbits[0], vector=None)
    (view,) = orbits(replace(example_reports.report(), orbits=(orbit,)))
    assert view["vector"] is None
    assert view["inputs"]["paths"] == 5


def test_a_prediction_that_is_no_number_has_no_error():
    orbit = example_reports.report().orbits[0]
    (view,) = orbits(
        replace(
            example_reports.report(),
            orbits=(replace(orbit, predicted=np.full_like(orbit.predicted, np.nan)),),
        )
    )
    assert set(view["errors"]) == {"—"}
