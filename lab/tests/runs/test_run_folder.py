"""Folders belong to one run, and tell when it is done."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from lab.tests.experiments.small import record
from lab.tests.runs.small import spec
from safetensors.torch import load_file
from torch import nn

from softsym.errors import BusyError, InputError
from softsym.io import load_with_checksum
from softsym_lab.runs.run_folder import RunFolder
from softsym_lab.runs.runner import run
from softsym_lab.runs.spec import RunSpec


def test_a_folder_is_claimed_by_one_run(tmp_path):
    folder = RunFolder(tmp_path / "new" / "run")
    folder.claim(spec(), resume=False)
    stored = load_with_checksum((folder.path / "spec.json").read_text())
    assert RunSpec.from_dict(stored) == spec()
    folder.claim(spec(), resume=True)
    with pytest.raises(InputError, match="holds a run already; pass --resume"):
        folder.claim(spec(), resume=False)
    with pytest.raises(InputError, match="holds another run"):
        folder.claim(spec(seed=1), resume=True)


def test_other_processes_of_a_run_claim_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    folder = RunFolder(tmp_path / "run")
    folder.claim(spec(), resume=False)
    folder.finish(nn.Linear(2, 2), record(spec()).result)
    assert not folder.path.exists()


def test_it_is_done_when_the_result_is_there(tmp_path):
    folder, model, result = RunFolder(tmp_path), nn.Linear(2, 2), record(spec()).result
    assert folder.result() is None
    folder.finish(model, result)
    assert folder.result() == result
    assert load_file(tmp_path / "model.safetensors").keys() == model.state_dict().keys()
    assert {path.name for path in tmp_path.iterdir()} == {"model.safetensors", "result.json"}


def test_unwritable_and_full_folders_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write to .*file.*pass another --out-dir"):
        RunFolder(tmp_path / "file" / "runs").check_space(0)
    with pytest.raises(InputError, match="MB free, this run needs about"):
        RunFolder(tmp_path).check_space(10**18)


@pytest.mark.parametrize("damage", ["{", "[]", "{}", "changed"])
@pytest.mark.parametrize("name", ["spec.json", "result.json"])
def test_damaged_files_are_named_in_one_line(tmp_path, name, damage):
    folder = RunFolder(tmp_path)
    folder.claim(spec(), resume=False)
    folder.finish(nn.Linear(2, 2), record(spec()).result)
    file = tmp_path / name
    changed = {**json.loads(file.read_text()), "seed": 77}
    file.write_text(json.dumps(changed) if damage == "changed" else damage)
    read = folder.result if name == "result.json" else partial(folder.claim, spec(), resume=True)
    with pytest.raises(InputError, match=rf"{name} is damaged|holds another run") as caught:
        read()
    assert "\n" not in str(caught.value)


def test_damaged_weights_are_noticed(tmp_path):
    folder = RunFolder(tmp_path)
    folder.finish(nn.Linear(2, 2), record(spec()).result)
    weights = tmp_path / "model.safetensors"
    data = weights.read_bytes()
    weights.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(InputError, match=r"model.safetensors is damaged .*weights does not match"):
        folder.result()


def test_a_folder_that_another_process_is_at_is_left_alone(tmp_path):
    place = RunFolder(tmp_path / "run")
    with (
        place.lock(),
        ThreadPoolExecutor(1) as other,
        pytest.raises(BusyError, match=r"run is being written by process \d+ on"),
    ):
        other.submit(lambda: run(spec(), tmp_path / "run", quiet=True)).result()
    assert not list((tmp_path / "run").iterdir())
