"""The store of runs: found again by what was run, whole or not at all, after kills and with several writers."""

import json
import subprocess
import sys
from dataclasses import replace

import polars as pl
import pytest
from lab.tests.experiments.small import PAPER, record, small_runs

from softsym.errors import InputError
from softsym_lab.experiments import store as module
from softsym_lab.experiments.reproduce import plan
from softsym_lab.experiments.store import COLUMNS, TEXTS, Store, checksum, key, name, read_ledger, to_row, write_ledger
from softsym_lab.runs.spec import RunSpec


@pytest.fixture
def spec(tmp_path):
    return small_runs(tmp_path)[0]


def pending(folder):
    return sorted(path.name for path in (folder / "pending").glob("[!.]*"))


def test_a_record_comes_back(tmp_path, spec):
    store = Store(tmp_path / "store")
    store.save(record(spec, 0.5))
    assert Store(tmp_path / "store").record(spec) == record(spec, 0.5)  # pending
    assert pending(store.folder) == [f"{name(spec)}.json"]
    store.fold()
    assert pending(store.folder) == []
    assert Store(tmp_path / "store").record(spec) == record(spec, 0.5)
    assert Store(tmp_path / "store").record(replace(spec, seed=1)) is None


def test_everything_that_decides_a_result_is_in_the_key(spec):
    others = [
        replace(spec, seed=1),
        replace(spec, model="mlp"),
        replace(spec, group="O(3)"),
        replace(spec, task="inertia:soft"),
        replace(spec, groups=("O(3)",)),
        replace(spec, early_stopping=False),
        replace(spec, preset=spec.preset.model_copy(update={"gamma": 3.0})),
    ]
    assert len({key(spec), *map(key, others)}) == 1 + len(others)
    assert name(spec).startswith("inertia_Oz_2-per-quick-s0-")
    assert RunSpec.from_dict(json.loads(json.dumps(others[4].to_dict()))) == others[4]


def test_a_ledger_is_a_table_that_other_tools_can_read(tmp_path, spec):
    store = Store(tmp_path)
    for seed in (1, 0):
        store.save(record(replace(spec, seed=seed), 0.25))
    store.fold()
    table = pl.read_parquet(tmp_path / "quick.parquet")
    assert table.columns == list(COLUMNS)
    assert table["seed"].to_list() == [0, 1]
    assert table["test_error"].to_list() == [0.25, 0.25]
    assert json.loads(table["result"][0]) == record(spec, 0.25).result.to_dict()


def test_the_order_in_which_runs_finish_does_not_change_the_bytes(tmp_path, spec):
    for folder, seeds in (("one", (0, 1, 2)), ("two", (2, 0, 1))):
        store = Store(tmp_path / folder)
        for seed in seeds:
            store.save(record(replace(spec, seed=seed)))
            store.fold()
    assert (tmp_path / "one/quick.parquet").read_bytes() == (tmp_path / "two/quick.parquet").read_bytes()


def test_a_run_that_is_saved_again_replaces_its_row(tmp_path, spec):
    store = Store(tmp_path)
    for error in (0.5, 0.25):
        store.save(record(spec, error))
        store.fold()
    (row,) = read_ledger(tmp_path / "quick.parquet")
    assert row["test_error"] == 0.25


def test_results_stay_found_and_replaced_when_specs_get_new_fields(tmp_path, spec):
    row = to_row(record(spec))
    older = json.loads(row["spec"])
    del older["preset"]["layers"]  # as if it was added later, with its default
    row |= {"spec": json.dumps(older), "key": "0" * 16, "name": "an older name"}
    write_ledger(tmp_path / "quick.parquet", [row | {"checksum": checksum(row)}])
    assert Store(tmp_path).record(spec) == record(spec)
    store = Store(tmp_path)
    store.save(record(spec, 0.1))
    store.fold()
    assert [row["key"] for row in read_ledger(tmp_path / "quick.parquet")] == [key(spec)]


def test_each_preset_has_its_ledger(tmp_path):
    store = Store(tmp_path)
    assert store.presets() == []
    for preset in ("quick", "paper"):
        store.save(record(plan("progress", preset, 1, folder=PAPER).runs[0]))
    assert store.presets() == ["paper", "quick"]
    assert Store(tmp_path).presets() == ["paper", "quick"]
    store.fold()
    assert sorted(path.name for path in tmp_path.glob("*.parquet")) == ["paper.parquet", "quick.parquet"]
    assert Store(tmp_path).presets() == ["paper", "quick"]
    assert len(Store(tmp_path).records()) == 2


def test_the_stored_runs_are_read(tmp_path):
    store = Store(PAPER / "results")
    assert {preset: sum(each.spec.preset.name == preset for each in store.records()) for preset in store.presets()} == {
        "paper": 5,
        "code": 204,
        "quick": 39,
        "fast": 1571,
    }


def test_a_failure_is_noted_until_the_run_succeeds(tmp_path, spec):
    store = Store(tmp_path)
    store.fail(spec, "TrainingError: the loss became nan")
    left = tmp_path / "work" / name(spec) / "error.json"
    assert json.loads(left.read_text())["error"] == "TrainingError: the loss became nan"
    assert store.record(spec) is None
    store.save(record(spec))
    assert not left.exists()


def test_what_is_half_written_does_not_count_and_is_removed(tmp_path, spec):
    store = Store(tmp_path)
    store.save(record(spec))
    left = [tmp_path / "pending" / ".a-run.0123456789ab.json", tmp_path / ".quick.0123456789ab.parquet"]
    for path in left:
        path.write_text("{")
    assert len(Store(tmp_path).records()) == 1
    store.fold()
    assert not any(path.exists() for path in left)
    assert len(Store(tmp_path).records()) == 1


@pytest.mark.parametrize("moment", ["write_ledger", "unlink"])
def test_a_process_that_is_killed_while_it_folds_loses_nothing(tmp_path, spec, monkeypatch, moment):
    class Killed(BaseException):
        pass

    def die(*_):
        raise Killed

    store = Store(tmp_path)
    store.save(record(spec))
    with monkeypatch.context() as patched:
        patched.setattr(*((module.Path, "unlink") if moment == "unlink" else (module, moment)), die)
        with pytest.raises(Killed):
            store.fold()
    assert Store(tmp_path).record(spec) == record(spec)
    Store(tmp_path).fold()
    assert Store(tmp_path).record(spec) == record(spec)
    assert len(read_ledger(tmp_path / "quick.parquet")) == 1
    assert pending(tmp_path) == []


SAVE_AND_FOLD = """
import json, sys
from pathlib import Path
from softsym_lab.experiments.store import RunRecord, Store
store = Store(Path(sys.argv[1]))
for fields in json.load(sys.stdin):
    store.save(RunRecord.from_dict(fields))
    store.fold()
"""


def test_processes_that_share_a_store_lose_nothing(tmp_path, spec):
    specs = [replace(spec, seed=seed) for seed in range(8)]
    workers = []
    for first in range(2):
        worker = subprocess.Popen(
            [sys.executable, "-c", SAVE_AND_FOLD, str(tmp_path / "store")], stdin=subprocess.PIPE, text=True
        )
        worker.stdin.write(json.dumps([record(each).to_dict() for each in specs[first::2]]))
        worker.stdin.close()
        workers.append(worker)
    assert [worker.wait(120) for worker in workers] == [0, 0]
    assert len(read_ledger(tmp_path / "store" / "quick.parquet")) == 8
    assert all(Store(tmp_path / "store").record(each) == record(each) for each in specs)


def test_the_lock_of_a_killed_process_is_free(tmp_path, spec):
    code = (
        "import os, sys; from pathlib import Path; from softsym_lab.experiments.store import Store\n"
        "with Store(Path(sys.argv[1]))._lock(): os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=120).returncode == 9
    store = Store(tmp_path)
    store.save(record(spec))
    store.fold()
    assert Store(tmp_path).record(spec) is not None


def test_damage_is_named(tmp_path, spec):
    store = Store(tmp_path)
    store.save(record(spec))
    (tmp_path / "pending" / f"{name(spec)}.json").write_text("{")
    with pytest.raises(InputError, match=r"pending.*\.json: .*; remove it to run it again"):
        Store(tmp_path).records()
    (tmp_path / "pending" / f"{name(spec)}.json").unlink()
    (tmp_path / "quick.parquet").write_text("{")
    with pytest.raises(InputError, match=r"quick\.parquet: .*; restore it from version control"):
        Store(tmp_path).records()


@pytest.mark.parametrize("column", TEXTS)
def test_a_changed_number_is_noticed(tmp_path, spec, column):
    row = to_row(record(spec))
    write_ledger(tmp_path / "quick.parquet", [row | {column: row[column] + " "}])
    with pytest.raises(InputError, match=rf"quick\.parquet: the checksum of the run {row['name']}"):
        Store(tmp_path).records()


def test_a_changed_number_of_a_pending_run_is_noticed(tmp_path, spec):
    Store(tmp_path).save(record(spec))
    path = tmp_path / "pending" / f"{name(spec)}.json"
    path.write_text(path.read_text().replace("1", "2"))
    with pytest.raises(InputError, match="checksum"):
        Store(tmp_path).records()


def test_folders_of_a_store_keep_themselves_out_of_version_control(tmp_path, spec):
    store = Store(tmp_path / "s")
    store.prepare()
    store.save(record(spec))
    for folder in ("work", "pending"):
        assert (tmp_path / "s" / folder / ".gitignore").read_text() == "*\n"
