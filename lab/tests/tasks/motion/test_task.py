import numpy as np
import pytest
import torch
from lab.tests.tasks.motion.waymo import writer

from softsym.datasets import task
from softsym.errors import InputError
from softsym_lab.tasks.motion import NORMALISATIONS, Motion
from softsym_lab.tasks.motion.waymo import cache as store
from softsym_lab.tasks.recordings import ade


def ascending(name, n, types=None, ascent=0.05, seed=0):
    """A scene whose tracks ascend steadily, each at its own speed."""
    rng = np.random.default_rng(seed)
    rise = np.arange(91)[None, :, None] * (rng.uniform(0.01, 0.2, (n, 1, 3)) * [1, 1, 0] + [0, 0, ascent])
    positions = rng.normal(size=(n, 1, 3)) * 100 + 300 + rise
    return name, np.arange(n), np.ones(n, int) if types is None else types, positions, np.ones((n, 91), bool)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "default_folder", lambda: tmp_path / "cache")


@pytest.fixture
def records(tmp_path):
    pytest.importorskip("crc32c", reason="needs the extra [waymo]")
    pytest.importorskip("google.protobuf", reason="needs the extra [waymo]")
    (tmp_path / "records").mkdir()
    kinds = np.array([1, 1, 2])
    scenes = [writer.scenario(*ascending(f"s{k}", 3, kinds, seed=k)) for k in range(30)]
    writer.write(tmp_path / "records" / "training.tfrecord-00000-of-00001", scenes)
    return str(tmp_path / "records")


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_the_error_is_in_metres(normalisation):
    motion = Motion(normalisation)
    splits, data = motion.splits(0, (200, 20, 20)), motion.data(0, (200, 20, 20))
    x, y = splits.test
    still = x[:, -3:].repeat(1, 6)
    restored = data.normaliser.restore(still.double().reshape(-1, 6, 3), data.normaliser.centre(data.test))
    by_hand = (restored - data.test[:, 6:]).norm(dim=-1).mean().item()
    assert splits.error(still, y).item() == pytest.approx(by_hand, rel=1e-4)
    assert ade(restored.flatten(1), data.test[:, 6:].flatten(1)).item() == pytest.approx(by_hand)


def test_statistics_are_those_of_the_training_set_only():
    motion = Motion("scale-aware")
    one, other = motion.data(0, (200, 20, 20)), motion.data(0, (200, 300, 400))
    assert torch.equal(one.train, other.train)
    assert len(one.test) != len(other.test)
    assert torch.equal(one.normaliser.mean, other.normaliser.mean)
    assert torch.equal(one.normaliser.scale, other.normaliser.scale)
    assert not torch.equal(motion.data(1, (200, 20, 20)).normaliser.scale, one.normaliser.scale)


def test_simulated_data_say_so():
    assert Motion().origin == "simulated vehicles, not Waymo's records"
    assert Motion().target is None
    assert dict(Motion().expected) == {}
    assert Motion().sizes == (4000, 1000, 1000)


def test_records(records):
    motion = task(f"motion:scale-aware,records={records}")
    assert motion.sizes == (16814, 3339, 3563)
    assert motion.origin.startswith("Waymo Open Motion Dataset, records of")
    data = motion.data(0)  # fewer than the paper's: as many as there are
    assert len(data.train) + len(data.val) + len(data.test) == 60
    assert min(len(data.val), len(data.test)) >= 4
    assert motion.splits(0, (20, 4, 4)).sizes == (20, 4, 4)
    with pytest.raises(InputError, match=r"the train split should have 500 examples, but of the 60 in 30 scenarios"):
        motion.splits(0, (500, 4, 4))


def test_tracks_of_one_scenario_stay_together(records):
    data = Motion("scale-aware", records, progress=False).data(0)
    heights = [set(np.round(part[:, 0, 0].numpy(), 6)) for part in (data.train, data.val, data.test)]
    for k in range(30):
        pair = set(np.round(ascending("", 3, seed=k)[3][:2, 0, 0], 6))
        assert sum(bool(pair & seen) for seen in heights) == 1


def test_code_keeps_pedestrians_and_centres_on_everything(records):
    code = Motion("scale-aware", records, "code", progress=False)
    data = code.data(0)
    assert len(data.train) + len(data.val) + len(data.test) == 90
    assert data.normaliser.centring == "all"
    assert Motion("scale-aware").data(0, (20, 0, 0)).normaliser.centring == "past"


@pytest.mark.usefixtures("records")
def test_nothing_passes(tmp_path):
    flat = tmp_path / "flat"
    flat.mkdir()
    writer.write(flat / "a.tfrecord", [writer.scenario(*ascending("s", 3, ascent=0.0))])
    with pytest.raises(InputError, match=r"no track of the records in .*flat passes the selection"):
        Motion("scale-aware", str(flat), progress=False).splits(0)
    with pytest.raises(InputError, match="there is no file or folder"):
        Motion("scale-aware", str(tmp_path / "none")).splits(0)
