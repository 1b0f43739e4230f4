import math

import torch

from softsym.datasets.golfball import fly, last_velocity

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
