"""Histories on disk."""

from softsym.training.history import History, read


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
