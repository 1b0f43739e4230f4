import numpy as np
import pytest

from softsym.errors import InputError
from softsym_lab.tasks.motion.waymo import CODE, HONEST, ExtractSettings, Scene
from softsym_lab.tasks.motion.waymo.windows import select


def scene_of(past_shift, future_shift=(0, 0, 0), kind=1):
    """One track whose points 0..5 (steps 0, 2, .., 10) span one shift and whose points 6..11 (steps 12, .., 22) another."""
    positions = np.full((1, 91, 3), 100.0)
    positions[0, 10] = positions[0, 0] + past_shift
    positions[0, 22] = positions[0, 12] + future_shift
    return Scene("s", np.array([7]), np.array([kind]), positions, np.ones((1, 91), bool))


def kept(scene, settings=HONEST):
    return len(select(scene, settings)[0]) == 1


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        ((0, 0, 0.0625), True),
        ((0, 0, -0.0625), True),
        ((4.9, -4.9, 0.1), True),
        ((0, 0, 0), False),
        ((0, 0, 0.04), False),
        ((5.0, 0, 0.1), False),
        ((-5.0, 0, 0.1), False),
        ((0, 5.0, 0.1), False),
        ((0, -6.0, 0.1), False),
        ((0, 0, 100), True),
    ],
)
def test_rule(shift, expected):
    assert kept(scene_of(shift)) is expected
    assert kept(scene_of((0, 0, 0), shift)) is False
    on_future = ExtractSettings(filter_on="future")
    assert kept(scene_of((0, 0, 0), shift), on_future) is expected
    assert kept(scene_of(shift), on_future) is False


def test_the_bounds_are_exclusive():
    settings = ExtractSettings(max_shift=4.0, min_ascent=0.25)
    assert not kept(scene_of((4.0, 0, 1)), settings)
    assert not kept(scene_of((0, 0, 0.25)), settings)
    assert kept(scene_of((3.75, 3.75, 0.375)), settings)


@pytest.mark.parametrize(
    ("kind", "honest", "code"), [(0, 0, 0), (1, 1, 1), (2, 0, 1), (3, 0, 1), (4, 0, 0), (-1, 0, 0)]
)
def test_kinds(kind, honest, code):
    scene = scene_of((0, 0, 1), kind=kind)
    assert (kept(scene), kept(scene, CODE)) == (honest, code)
    assert kept(scene, ExtractSettings(object_types=("other",))) is (kind == 4)


@pytest.mark.parametrize("step", range(91))
def test_the_twelve_points_must_be_valid_and_only_these(step):
    scene = scene_of((0, 0, 1))
    scene.valid[0, step] = False
    assert kept(scene) is (step > 22 or step % 2 == 1)


def test_points_are_every_second_of_the_first_24():
    scene = scene_of((0, 0, 0))
    scene.positions[0] = np.arange(91)[:, None] * [0.1, 0.2, 0.3]
    rows, points = select(scene, HONEST)
    assert rows.tolist() == [0]
    np.testing.assert_array_equal(points[0], scene.positions[0, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]])


def test_presets():
    assert ExtractSettings() == HONEST
    assert (HONEST.filter_on, HONEST.object_types) == ("past", ("vehicle",))
    assert (CODE.filter_on, CODE.object_types) == ("past", ("vehicle", "pedestrian", "cyclist"))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"steps": 92}, "`steps` must be 1..91"),
        ({"keep_every": 0}, "`keep_every` at least 1"),
        ({"past": 7}, "24 steps with every 2. kept are 12 points, got past=7 and future=6"),
        ({"past": 12, "future": 0}, "must be positive"),
        ({"filter_on": "both"}, "`filter_on` must be 'past' or 'future', got 'both'"),
        ({"max_shift": 0.0}, "`max_shift` must be positive"),
        ({"min_ascent": float("nan")}, "`min_ascent` not negative"),
        ({"object_types": ()}, "`object_types` must be a tuple of names out of vehicle"),
        ({"object_types": ("car",)}, r"got \('car',\)"),
        ({"object_types": "vehicle"}, "got 'vehicle'"),
    ],
)
def test_settings_that_make_no_sense(options, match):
    with pytest.raises(InputError, match=match):
        ExtractSettings(**options)
