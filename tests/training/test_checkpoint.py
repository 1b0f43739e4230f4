import json

import pytest
import torch

from softsym import io
from softsym.errors import CheckpointWarning
from softsym.nn import SoftMLP
from softsym.regularize import EquivarianceRegularizer
from softsym.regularize.strengths import OneShot
from softsym.training.checkpoint import Checkpoint, TrainingState, latest, save
from softsym.training.history import EarlyStopping
from softsym.training.optim import WeightAverage


def make(epoch):
    generator = torch.Generator().manual_seed(epoch)
    return Checkpoint(epoch, {"w": torch.randn(3, 4, generator=generator)}, {"number": 0.1 + epoch, "none": None})


def test_round_trip(tmp_path):
    save(tmp_path, make(3))
    found = latest(tmp_path)
    assert found.epoch == 3
    assert torch.equal(found.tensors["w"], make(3).tensors["w"])
    assert found.state == {"number": 3.1, "none": None}


def test_nothing_there(tmp_path):
    assert latest(tmp_path / "nothing") is None


def test_the_previous_one_is_kept_and_older_ones_go(tmp_path):
    for epoch in (1, 2, 3):
        save(tmp_path, make(epoch))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["epoch-0000002", "epoch-0000003"]


@pytest.mark.parametrize(
    "damage", ["truncate", "flip", "no json", "cut json", "other format", "weaker", "a list", "no tensors"]
)
def test_a_damaged_checkpoint_is_passed_over_with_a_warning(tmp_path, damage):
    save(tmp_path, make(1))
    save(tmp_path, make(2))
    tensors, state = (tmp_path / "epoch-0000002" / name for name in ("tensors.safetensors", "state.json"))
    data = tensors.read_bytes()
    if damage == "truncate":
        tensors.write_bytes(data[:-5])
    elif damage == "flip":
        tensors.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    elif damage == "no json":
        state.unlink()
    elif damage == "cut json":
        state.write_text(state.read_text()[:20])
    elif damage == "other format":
        state.write_text(json.dumps({**json.loads(state.read_text()), "format": 99}))
    elif damage == "weaker":  # a number changed in a file that is otherwise as it was
        fields = json.loads(state.read_text())
        state.write_text(json.dumps({**fields, "state": {**fields["state"], "seconds": 0.1}}))
    elif damage == "a list":
        state.write_text("[1, 2]")
    else:
        tensors.unlink()
    with pytest.warns(CheckpointWarning, match="epoch-0000002 is damaged .* using the one before"):
        assert latest(tmp_path).epoch == 1


def test_a_crash_while_writing_leaves_the_old_one(tmp_path, monkeypatch):
    save(tmp_path, make(1))

    def crash(path):
        path.write_bytes(path.read_bytes()[:20])
        raise KeyboardInterrupt

    monkeypatch.setattr(io, "_to_disk", crash)
    with pytest.raises(KeyboardInterrupt):
        save(tmp_path, make(2))
    assert latest(tmp_path).epoch == 1
    assert [path.name for path in tmp_path.iterdir()] == ["epoch-0000001"]


def progress(seed):
    model = SoftMLP("2V", "V", ["O(3)", "O(2)@z"], width=12, layers=2, seed=seed)
    regularizer = EquivarianceRegularizer(model, ["O(3)", "O(2)@z"], strength=2.0)
    controller = OneShot(at_epoch=3, window=2)
    controller.begin(regularizer.strengths)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    return TrainingState(
        model, optimizer, regularizer, controller, EarlyStopping(patience=3, after=0), WeightAverage(model, 0.5)
    )


def steps(run, first, last):
    """Some epochs of a plain loop; returns the parameters at the end."""
    for epoch in range(first, last):
        run.optimizer.zero_grad()
        (run.model(torch.ones(4, 6)).square().mean() + run.regularizer()).backward()
        run.optimizer.step()
        run.average.update()
        run.regularizer.strengths = run.controller.on_epoch_end(run.regularizer.totals(), epoch)
        if run.stopping.improves(1.0 / epoch, epoch):
            run.note_best()
    return torch.cat([p.detach().reshape(-1) for p in run.model.parameters()])


def test_what_is_captured_and_put_back_goes_on_to_the_same_bits(tmp_path):
    whole, other = progress(seed=0), progress(seed=1)
    steps(whole, 1, 3)
    save(tmp_path, whole.capture(2, seconds=4.5))
    expected = steps(whole, 3, 6)
    saved = latest(tmp_path)
    other.restore(saved)
    assert saved.state["seconds"] == 4.5
    assert torch.equal(steps(other, 3, 6), expected)
    assert other.regularizer.strengths == whole.regularizer.strengths != {"O(3)": 2.0, "O(2)@z": 2.0}
    assert other.stopping.best_epoch == 5
    assert all(torch.equal(other.best[name], whole.best[name]) for name in whole.best)
    averages = other.average.tensors()
    assert all(torch.equal(averages[name], value) for name, value in whole.average.tensors().items())


def test_one_that_the_history_does_not_tell_of_is_passed_over(tmp_path):
    save(tmp_path, make(1))
    save(tmp_path, make(2))
    assert latest(tmp_path, last_epoch=2).epoch == 2
    with pytest.warns(CheckpointWarning, match="epoch-0000002 is damaged .its history ends at epoch 1"):
        assert latest(tmp_path, last_epoch=1).epoch == 1


def test_what_a_killed_process_left_is_swept(tmp_path):
    (tmp_path / ".epoch-0000001.0123456789ab").mkdir()
    save(tmp_path, make(2))
    assert [path.name for path in tmp_path.iterdir()] == ["epoch-0000002"]
