import torch

from softsym_lab.tasks.motion import simulate
from softsym_lab.tasks.motion.simulator import drive, passes


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_every_window_passes_the_selection():
    windows = simulate(500, generator())
    assert windows.shape == (500, 12, 3)
    shift = (windows[:, 5] - windows[:, 0]).abs()
    assert (shift[:, :2] < 5).all()
    assert (shift[:, 2] > 0.05).all()
    assert not passes(drive(500, generator())).all()


def test_scales_are_those_of_roads():
    windows = simulate(2000, generator())
    centred = windows - windows.mean(1, keepdim=True)
    along = centred.std((0, 1))
    assert along[2] < 0.15 * along[:2].min()
    assert 150 < windows[..., 2].mean() < 350
    assert 50 < windows[:, 0, 2].std() < 200
    assert windows[..., :2].std() > 1000
    torch.testing.assert_close(along[0], along[1], rtol=0.1, atol=0)  # no direction is preferred


def test_vehicles_do_not_jump():
    steps = simulate(500, generator()).diff(dim=1).norm(dim=-1)
    assert steps.max() < 4.0  # 20 m/s


def test_seeds():
    assert torch.equal(simulate(5, generator(1)), simulate(5, generator(1)))
    assert not torch.equal(simulate(5, generator(1)), simulate(5, generator(2)))
    assert simulate(0, generator()).shape == (0, 12, 3)
