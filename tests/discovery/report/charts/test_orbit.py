"""An orbit in pictures."""

from dataclasses import replace

import numpy as np

from softsym.discovery.report.charts.orbit import is_turn, orbits
from tests.discovery import stories


def test_orbit_is_labelled_in_degrees_only_if_it_is_a_turn():
    angles = np.linspace(0, 2 * np.pi, 13)
    assert is_turn(angles)
    assert is_turn(angles[:-1])
    assert not is_turn(np.linspace(-1, 1, 13))
    assert not is_turn(np.zeros(1))
    assert orbits(stories.story())[0]["labels"][12] == "90°"
    boost = replace(stories.story().orbits[0], angles=np.linspace(-1, 1, 49))
    assert orbits(replace(stories.story(), orbits=(boost,)))[0]["labels"][0] == "parameter −1.0"


def test_orbit_errors_are_those_of_the_predictions():
    exact, _, absent = orbits(stories.story())
    assert exact["errors"][0] == "0"
    moved = stories.story().orbits[2].moved
    still = replace(stories.story().orbits[2], predicted=-moved)
    assert set(orbits(replace(stories.story(), orbits=(still,)))[0]["errors"]) == {"1.0"}
    assert absent["vector"]["paths"] == 2


def test_the_output_that_moves_most_is_shown_first():
    orbit = stories.story().orbits[0]
    moved = np.zeros_like(orbit.moved)
    moved[:, 4] = np.linspace(0, 1, len(moved))
    (view,) = orbits(replace(stories.story(), orbits=(replace(orbit, moved=moved),)))
    assert view["first"] == 4


def test_without_a_vector_there_is_no_picture_of_one():
    orbit = replace(stories.story().orbits[0], vector=None)
    (view,) = orbits(replace(stories.story(), orbits=(orbit,)))
    assert view["vector"] is None
    assert view["inputs"]["paths"] == 5


def test_a_prediction_that_is_no_number_has_no_error():
    orbit = stories.story().orbits[0]
    (view,) = orbits(
        replace(stories.story(), orbits=(replace(orbit, predicted=np.full_like(orbit.predicted, np.nan)),))
    )
    assert set(view["errors"]) == {"—"}
