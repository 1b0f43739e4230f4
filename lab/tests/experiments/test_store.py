"""The run store: found again by what was run, whole or not at all."""

import json
from dataclasses import replace

import pytest
from lab.tests.experiments.small import record, small_runs

from softsym.errors import InputError
from softsym_lab.experiments.store import Store, key, name
from softsym_lab.runs.spec import RunSpec


@pytest.fixture
def spec(tmp_path):
    return small_runs(tmp_path)[0]


def test_a_record_comes_back(tmp_path, spec):
    Store(tmp_path / "store").save(record(spec, 0.5))
    again = Store(tmp_path / "store").record(spec)
    assert again == record(spec, 0.5)
    assert Store(tmp_path / "store").record(replace(spec, seed=1)) is None


def test_everything_that_decides_a_result_is_in_the_key(spec):
    others = [
        replace(spec, seed=1), replace(spec, model="mlp"), replace(spec, group="O(3)"), replace(spec, task="inertia:soft"),
        replace(spec, groups=("O(3)",)), replace(spec, early_stopping=False),
        replace(spec, preset=spec.preset.model_copy(update={"gamma": 3.0})),
    ]  # fmt: skip
    assert len({key(spec), *map(key, others)}) == 1 + len(others)
    assert name(spec).startswith("inertia_Oz_2-per-quick-s0-")
    assert RunSpec.from_dict(json.loads(json.dumps(others[4].to_dict()))) == others[4]


def test_results_stay_found_when_specs_get_new_fields(tmp_path, spec):
    store = Store(tmp_path)
    store.save(record(spec))
    path = tmp_path / "runs" / name(spec) / "result.json"
    fields = json.loads(path.read_text())
    del fields["spec"]["preset"]["layers"]  # as if it was added later, with its default
    fields["key"] = "0" * 16
    del fields["checksum"]  # earlier versions wrote none
    path.write_text(json.dumps(fields))
    assert Store(tmp_path).record(spec) is not None


def test_a_failure_is_kept_until_the_run_succeeds(tmp_path, spec):
    store = Store(tmp_path)
    store.fail(spec, "TrainingError: the loss became nan")
    left = tmp_path / "runs" / name(spec) / "error.json"
    assert json.loads(left.read_text())["error"] == "TrainingError: the loss became nan"
    assert store.record(spec) is None
    store.save(record(spec))
    assert not left.exists()


def test_a_half_written_result_does_not_count(tmp_path, spec):
    folder = tmp_path / "runs" / name(spec)
    folder.mkdir(parents=True)
    (folder / ".result.json.1.tmp").write_text("{")
    (folder / "history.json").write_text("[]")
    assert Store(tmp_path).records() == []


def test_a_damaged_result_is_named(tmp_path, spec):
    store = Store(tmp_path)
    store.save(record(spec))
    (tmp_path / "runs" / name(spec) / "result.json").write_text("{")
    with pytest.raises(InputError, match=r"result\.json: .*; remove its folder"):
        Store(tmp_path).records()


@pytest.mark.parametrize("file", ["result.json", "history.json"])
def test_a_changed_number_is_noticed(tmp_path, spec, file):
    Store(tmp_path).save(record(spec))
    path = tmp_path / "runs" / name(spec) / file
    path.write_text(path.read_text().replace("1", "2"))
    with pytest.raises(InputError, match=r"result\.json: .*checksum.*; remove its folder"):
        Store(tmp_path).records()


def test_the_work_folder_keeps_itself_out_of_version_control(tmp_path):
    Store(tmp_path / "s").prepare()
    assert (tmp_path / "s" / "work" / ".gitignore").read_text() == "*\n"
