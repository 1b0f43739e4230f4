"""Histories on disk."""

import pytest

from softsym.training.history import History, last_epoch, read


def test_history_survives_a_cut_last_line(tmp_path):
    history = History(tmp_path / "h.jsonl")
    for epoch in (1, 2, 3):
        history.append({"epoch": epoch})
    with (tmp_path / "h.jsonl").open("a") as file:
        file.write('{"epoch": 4, "lo')
    fresh = History(tmp_path / "h.jsonl")
    fresh.restart(2)
    assert [row["epoch"] for row in read(tmp_path / "h.jsonl")] == [1, 2]
    assert fresh.rows == [{"epoch": 1}, {"epoch": 2}]


def test_rows_are_there_at_once_and_without_a_file_in_memory_only(tmp_path):
    kept, memory = History(tmp_path / "h.jsonl"), History(None)
    for history in (kept, memory):
        history.restart(0)
        history.append({"epoch": 1, "loss": 0.5})
        assert history.rows == [{"epoch": 1, "loss": 0.5}]
    assert read(tmp_path / "h.jsonl") == kept.rows
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
    assert read(tmp_path / "h.jsonl") == [{"epoch": 1, "loss": 0.25}]
    assert last_epoch(tmp_path / "h.jsonl") == 1
    assert last_epoch(tmp_path / "none.jsonl") == 0


def test_a_missing_row_ends_the_history(tmp_path):
    history = History(tmp_path / "h.jsonl")
    for epoch in (1, 3):
        history.append({"epoch": epoch})
    assert last_epoch(tmp_path / "h.jsonl") == 1
