"""The suite of spaces measures what it says, and its plain baseline finds the same spaces."""

import numpy as np

from softsym.reps import Rep
from softsym.spaces import invariants
from softsym_lab.benchmarks import spaces


def test_the_plain_way_finds_the_same_dimensions():
    for (group, tensor_type), rows in spaces.build_by_dense_svd().items():
        assert len(rows) == invariants(Rep(((1, tensor_type),)), group).dim


def test_every_layer_under_every_group_has_weights_and_biases():
    built = spaces.build_all()
    assert len(built) == 2 * 4 * len(spaces.GROUPS)
    assert [len(space.shape) for space in built[:4]] == [2, 1, 2, 1]
    assert built[2].shape == (384, 384)


def test_projections_are_measured_in_passes():
    numbers = spaces.project(rounds=1, calls=1)
    assert numbers["shape"] == [432, 384]
    assert np.isclose(numbers["passes"], numbers["project_microseconds"] / numbers["pass_microseconds"])


def test_growth_is_fitted_from_width_384_on():
    numbers = spaces.growth((96, 384, 500))
    assert [row["width"] for row in numbers["rows"]] == [96, 384, 500]
    assert np.isfinite(numbers["exponent_from_width_384"])
    assert all(row["stored_bytes_per_entry"] < 20 for row in numbers["rows"])
