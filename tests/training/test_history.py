"""Histories on disk, and early stopping."""

import math

import pytest

from softsym.training.history import EarlyStopping, History, last_epoch, read_history


def test_history_survives_a_cut_last_line(tmp_path):
    history = History(tmp_path / "h.jsonl")
    for epoch in (1, 2, 3):
        history.append({"epoch": epoch})
    with (tmp_path / "h.jsonl").open("a") as file:
        file.write('{"epoch": 4, "lo')
    fresh = History(tmp_path / "h.jsonl")
    fresh.restart(2)
    assert [row["epoch"] for row in read_history(tmp_path / "h.jsonl")] == [1, 2]
    assert fresh.rows == [{"epoch": 1}, {"epoch": 2}]


def test_rows_are_there_at_once_and_without_a_file_in_memory_only(tmp_path):
    kept, memory = History(tmp_path / "h.jsonl"), History(None)
    for history in (kept, memory):
        history.restart(0)
        history.append({"epoch": 1, "loss": 0.5})
        assert history.rows == [{"epoch": 1, "loss": 0.5}]
    assert read_history(tmp_path / "h.jsonl") == kept.rows
    assert [path.name for path in tmp_path.iterdir()] == ["h.jsonl"]


@pytest.mark.parametrize("change", [b'"loss": 0.5', b'{"epoch": 2', b"not json", b"\xff\xfe"])
def test_a_damaged_row_ends_the_history(tmp_path, change):
    history = History(tmp_path / "h.jsonl")
    for epoch in (1, 2, 3):
        history.append({"epoch": epoch, "loss": 0.25})
    history.to_disk()
    lines = (tmp_path / "h.jsonl").read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b'"loss": 0.25', change) if b"loss" in change else change
    (tmp_path / "h.jsonl").write_bytes(b"\n".join(lines))
    assert read_history(tmp_path / "h.jsonl") == [{"epoch": 1, "loss": 0.25}]
    assert last_epoch(tmp_path / "h.jsonl") == 1
    assert last_epoch(tmp_path / "none.jsonl") == 0


def test_a_missing_row_ends_the_history(tmp_path):
    history = History(tmp_path / "h.jsonl")
    for epoch in (1, 3):
        history.append({"epoch": epoch})
    assert last_epoch(tmp_path / "h.jsonl") == 1


def test_early_stopping_counts_only_after_its_epoch():
    stopping = EarlyStopping(patience=3, after=10)
    assert not stopping.improves(0.1, 10)
    assert not stopping.is_over(10)
    assert stopping.improves(1.0, 11)
    assert not stopping.improves(1.0, 12)
    assert not stopping.is_over(13)
    assert stopping.is_over(14)
    copy = EarlyStopping(patience=3, after=10)
    copy.load_state_dict(stopping.state_dict())
    assert (copy.best, copy.best_epoch) == (1.0, 11)
    assert not EarlyStopping(3, 10, enabled=False).is_over(100)
    assert EarlyStopping(3, 10).state_dict()["best"] is None
    assert math.isinf(EarlyStopping(3, 10).best)


def test_only_a_smaller_loss_is_better():
    stopping = EarlyStopping(patience=2, after=0)
    assert stopping.improves(1.0, 1)
    assert not stopping.improves(math.nan, 2)
    assert not stopping.improves(1.0, 3)
    assert stopping.best_epoch == 1


def test_patience_begins_where_validation_begins_to_count():
    stopping = EarlyStopping(patience=3, after=10)
    assert [stopping.is_over(epoch) for epoch in (10, 12, 13)] == [False, False, True]
