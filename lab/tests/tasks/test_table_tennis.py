import numpy as np
import pytest
import torch
from lab.tests.tasks.flights import DT, GRAVITY, write_flights

from softsym.errors import InputError
from softsym_lab.tasks.table_tennis import TableTennis


def write(path, flights=12, samples=60, bounce=None):
    """Parabolas, each with its own speed along x, so that a window tells its flight."""
    t = 0.01 * np.arange(samples)
    states = []
    for flight in range(flights):
        z, vz = 3 * t - 4.9 * t**2, 3 - 9.8 * t
        if bounce is not None:
            vz[bounce:] += 6.0
        one = np.stack([0.1 * flight * t, -4 * t, z, 0.1 * flight + 0 * t, -4 + 0 * t, vz], axis=1)
        states.append(one)
    np.savez(path, states=np.concatenate(states), length=np.full(flights, samples))
    return TableTennis(str(path))


def test_windows(tmp_path):
    task = write(tmp_path / "a.npz")
    windows, flights = task.windows()
    assert windows.shape == (12 * 9, 12, 3)  # 34 samples of 60, every third start
    assert np.bincount(flights).tolist() == [9] * 12
    np.testing.assert_allclose(windows[1, :, 1], -4 * 0.01 * (3 + 3 * np.arange(12)))


def test_bounces_are_left_out(tmp_path):
    windows, _ = write(tmp_path / "a.npz", bounce=45).windows()
    assert len(windows) == 12 * 4  # starts 0, 3, 6, 9: the last sample before the hit is 44
    with pytest.raises(InputError, match="no 34 samples in a row without a bounce; pass a smaller `every` than 3"):
        write(tmp_path / "b.npz", bounce=30).windows()


def test_a_flight_is_in_one_split_only(tmp_path):
    task = write(tmp_path / "a.npz")
    splits = task.splits(0, (40, 10, 10))
    assert splits.sizes == (40, 10, 10)
    seen = []
    for x, _ in (splits.train, splits.val, splits.test):
        points = x.reshape(-1, 6, 3)
        assert torch.allclose(points.mean(1), torch.zeros(len(x), 3), atol=1e-6)
        speed = (points[:, -1, 0] - points[:, 0, 0]) / 0.15
        seen.append(set((speed / 0.1).round().int().tolist()))
    assert sum(map(len, seen)) == len(set.union(*seen)) > 6


def test_constant_velocity_and_gravity_survive_centring(tmp_path):
    x, y = write(tmp_path / "a.npz").sample(20, 0)
    path = torch.cat([x, y], 1).reshape(-1, 12, 3)
    second = path[:, 2:] - 2 * path[:, 1:-1] + path[:, :-2]
    torch.testing.assert_close(second[..., 2], torch.full((20, 10), -9.8 * 0.03**2), atol=1e-5, rtol=0)


def test_missing_and_odd_files(tmp_path):
    def message(match, **arrays):
        path = tmp_path / "odd.npz"
        np.savez(path, **arrays)
        with pytest.raises(InputError, match=match):
            TableTennis(str(path)).windows()

    with pytest.raises(InputError, match=r"there is no file .*none\.npz; pass an \.npz of recorded flights"):
        TableTennis(str(tmp_path / "none.npz")).windows()
    good = np.zeros((80, 6))
    message("has no array `length`", states=good)
    message("has no array `states`", length=np.array([80]))
    message(
        r"`states` must be numbers of shape \(N, 6\), got float64 \(80, 3\)", states=good[:, :3], length=np.array([80])
    )
    message("adds up to 70, but `states` has 80 rows", states=good, length=np.array([70]))
    message("positive whole numbers", states=good, length=np.array([80.0]))
    message("NaN or infinity", states=good * np.nan, length=np.array([80]))
    message(r"is no \.npz of numbers", states=np.array([object()], dtype=object), length=np.array([1]))
    for name, content in {"text.npz": b"no zip", "empty.npz": b"", "cut.npz": b"PK\x03\x04rest"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=r"is no \.npz of numbers"):
            TableTennis(str(tmp_path / name)).windows()
    np.save(tmp_path / "array.npy", good)
    with pytest.raises(InputError, match=r"is no \.npz of numbers"):
        TableTennis(str(tmp_path / "array.npy")).windows()
    with pytest.raises(InputError, match=r"is no \.npz of numbers"):
        TableTennis(str(tmp_path)).windows()


def test_flights_as_they_are_recorded(tmp_path):
    task = TableTennis(write_flights(tmp_path / "flights.npz"))
    windows, flights = task.windows()
    assert len(set(flights.tolist())) == 40
    assert len(windows) > 300
    sizes = task.splits(0).sizes
    assert sum(sizes) == len(windows)
    assert sizes.train > sizes.val > 0
    second = windows[:, 2:] - 2 * windows[:, 1:-1] + windows[:, :-2]
    acceleration = (second / (3 * DT) ** 2).mean((0, 1))
    assert acceleration[2].item() == pytest.approx(GRAVITY, abs=1)  # drag slows it down, and no bounce is left
    assert (second[..., 2] < 0).all()
    assert "recorded flights" in task.origin


def test_observations_of_one_flight_have_one_label(tmp_path):
    task = write(tmp_path / "a.npz")
    (x, _), labels = task.observations(3), task.row_groups(3)
    speed = (x.reshape(-1, 6, 3)[:, -1, 0] - x.reshape(-1, 6, 3)[:, 0, 0]) / 0.15
    flight = (speed / 0.1).round().int().numpy()
    assert len(labels) == len(x)
    np.testing.assert_array_equal(labels[:, None] == labels, flight[:, None] == flight)
    assert set(labels.tolist()) == set(range(labels.max() + 1))
