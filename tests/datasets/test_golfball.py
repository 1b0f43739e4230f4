"""The golf ball: flights, and symmetries that physics predicts."""

import math

import pytest
import torch

from softsym.datasets import GolfBall, task
from softsym.datasets.builtin import verdict
from softsym.datasets.golfball import FUTURE, LENGTH, PAST, fly, last_velocity
from softsym.errors import InputError
from tests.datasets.truth import data_error

PHYSICS = {  # what O(2)@x, O(2)@y, O(2)@z are
    "golfball": ("absent", "absent", "exact"),
    "golfball:gravity=0": ("exact", "exact", "exact"),
    "golfball:wind=x": ("absent", "absent", "soft"),
    "golfball:wind=y": ("absent", "absent", "soft"),
    "golfball:wind=z": ("absent", "absent", "exact"),
    "golfball:wind=x,gravity=0": ("exact", "soft", "soft"),
    "golfball:wind=y,gravity=0": ("soft", "exact", "soft"),
    "golfball:wind=z,gravity=0": ("soft", "soft", "exact"),
    "golfball:wind=y,speed=15,gravity=0": ("absent", "exact", "absent"),
    "golfball:wind=y,drag=0": ("absent", "absent", "exact"),
    "golfball:wind=y,speed=0": ("absent", "absent", "exact"),
    "golfball:gravity=1.6": ("soft", "soft", "exact"),
}


@pytest.mark.parametrize("text", PHYSICS)
def test_expected_is_what_is_measured(text):
    ball = task(text)
    assert tuple(ball.expected.values()) == PHYSICS[text]
    for group, breaking in ball.breaking.items():
        error = data_error(ball, group)
        if breaking == 0:
            assert error < 1e-12
        else:
            assert 1 / 1.5 < error / breaking < 1.5
            assert verdict(error) == ball.expected[group]


def test_without_drag_past_and_future_are_one_parabola():
    ball = GolfBall(drag=0.0)
    x = ball.inputs(5, torch.Generator().manual_seed(0))
    past, future = (LENGTH * points.unflatten(-1, (6, 3)) for points in (x, ball.target(x)))
    velocity = (past[:, 1] - past[:, 0]) / PAST + PAST / 2 * torch.tensor([0.0, 0.0, 9.8])
    for k in range(6):
        t = 5 * PAST + (k + 1) * FUTURE
        there = past[:, 0] + velocity * t - torch.tensor([0.0, 0.0, 4.9], dtype=torch.float64) * t * t
        torch.testing.assert_close(future[:, k], there)


def test_wind_carries_the_ball():
    calm, windy = GolfBall(gravity=0.0), GolfBall("y", gravity=0.0)
    x = calm.inputs(50, torch.Generator().manual_seed(0))
    drift = (windy.target(x) - calm.target(x)).unflatten(-1, (6, 3))
    assert (drift[..., 1] > 0).all()
    assert (drift[:, 1:, 1] > drift[:, :-1, 1]).all()


def test_float32_and_batches():
    ball = GolfBall("x")
    x = ball.inputs(6, torch.Generator().manual_seed(0))
    y = ball.target(x.float().reshape(2, 3, 18))
    assert (y.dtype, y.shape) == (torch.float32, (2, 3, 18))
    torch.testing.assert_close(y.reshape(6, 18).double(), ball.target(x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("golfball:wind=w", "`wind` must be none, x, y or z, got 'w'"),
        ("golfball:drag=-1", "`drag` must not be negative"),
        ("golfball:drag=3", "`drag` must be at most 1"),
        ("golfball:speed=3", "`speed` is the wind's"),
        ("golfball:gravity=much", "the option 'gravity' must be a number, got 'much'"),
        ("golfball:gravity=inf", "must be a number"),
        ("golfball:wnd=x", "unknown option 'wnd'; golfball takes wind, speed, drag, gravity"),
        ("golfball:windy", "did not expect 'windy'"),
        ("golfball:wind=x,wind=y", "'wind' is given twice"),
    ],
)
def test_bad_parameters(text, message):
    with pytest.raises(InputError, match=message):
        task(text)


F64 = torch.float64
NONE = torch.zeros(3, dtype=F64)
DOWN = torch.tensor([0.0, 0.0, -9.8], dtype=F64)


def parabola(start, velocity, times):
    return start[..., None, :] + velocity[..., None, :] * times[:, None] + DOWN / 2 * times[:, None] ** 2


def test_without_drag_and_wind_a_parabola():
    start, velocity = torch.randn(2, 7, 3, dtype=F64, generator=torch.Generator().manual_seed(0))
    path = fly(start, velocity, gravity=DOWN, wind=NONE, drag=0.0, dt=0.3, points=5)
    torch.testing.assert_close(path, parabola(start, velocity, 0.3 * torch.arange(1, 6, dtype=F64)))


def test_drag_alone_has_a_closed_form():
    # v' = -k v^2 along a line: x = log(1 + k v0 t) / k
    velocity = torch.tensor([15.0, 0.0, 0.0], dtype=F64)
    path = fly(NONE, velocity, gravity=NONE, wind=NONE, drag=0.02, dt=0.4, points=6)
    for k, place in enumerate(path, start=1):
        assert math.isclose(place[0].item(), math.log1p(0.02 * 15 * 0.4 * k) / 0.02, rel_tol=1e-6)
        assert place[1:].tolist() == [0.0, 0.0]


def test_a_ball_at_rest_in_the_air_drifts_with_it():
    wind = torch.tensor([0.0, 5.0, 0.0], dtype=F64)
    path = fly(NONE, wind, gravity=NONE, wind=wind, drag=0.02, dt=0.4, points=3)
    torch.testing.assert_close(path[-1], 1.2 * wind)


def test_terminal_velocity():
    path = fly(NONE, NONE, gravity=DOWN, wind=NONE, drag=0.5, dt=0.2, points=100)
    fall = (path[-2] - path[-1])[2].item() / 0.2
    assert math.isclose(fall, math.sqrt(9.8 / 0.5), rel_tol=1e-6)


def test_velocity_of_a_cubic_is_exact():
    times = 0.1 * torch.arange(6, dtype=F64)
    points = torch.stack([times, times**2, times**3], -1)
    torch.testing.assert_close(last_velocity(points, 0.1), torch.tensor([1.0, 1.0, 0.75], dtype=F64))
