import json
from pathlib import Path

import pytest
import torch

from softsym.errors import CheckpointWarning, InputError
from softsym.training import checkpoint
from softsym.training.checkpoint import Checkpoint, check_writable, latest, save


def make(epoch):
    generator = torch.Generator().manual_seed(epoch)
    return Checkpoint(
        epoch, {"w": torch.randn(3, 4, generator=generator)}, {"number": 0.1 + epoch, "none": None}
    )


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


@pytest.mark.parametrize("damage", ["truncate", "flip", "no json", "cut json", "other format", "no tensors"])
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
    else:
        tensors.unlink()
    with pytest.warns(CheckpointWarning, match="epoch-0000002 is damaged .* using the one before"):
        assert latest(tmp_path).epoch == 1


def test_a_crash_while_writing_leaves_the_old_one(tmp_path, monkeypatch):
    save(tmp_path, make(1))

    def crash(path: Path, data: bytes) -> None:
        path.write_bytes(data[: len(data) // 2])
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "_write", crash)
    with pytest.raises(KeyboardInterrupt):
        save(tmp_path, make(2))
    assert latest(tmp_path).epoch == 1


def test_unwritable_and_full_folders_are_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write to .*file.*pass another --out-dir"):
        check_writable(tmp_path / "file" / "runs", 0)
    with pytest.raises(InputError, match="MB free, this run needs about"):
        check_writable(tmp_path, 10**18)
