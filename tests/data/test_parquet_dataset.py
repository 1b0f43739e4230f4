"""Rows from disk: every row once in an epoch, in an order that the seed knows, whoever shares it; and a network that learns from them."""

import numpy as np
import polars
import pytest
import torch
from torch.utils.data import DataLoader

from softsym.data import ParquetRows
from softsym.errors import InputError
from softsym.nn import SoftMLP
from softsym.regularize import EquivarianceRegularizer

SIZES = {"batch": 30, "block_rows": 64, "shuffle_blocks": 2}


@pytest.fixture
def path(tmp_path):
    X = np.random.default_rng(0).standard_normal((1000, 6))
    Y = X[:, :3] + 2 * X[:, 3:]
    names = [*"abcdef", *"uvw", "number"]
    values = np.hstack([X, Y, np.arange(1000.0)[:, None]])
    polars.DataFrame(values, schema=names).write_parquet(tmp_path / "rows.parquet", row_group_size=150)
    return tmp_path / "rows.parquet"


def numbers(rows, workers=0):
    context = "spawn" if workers else None
    loader = DataLoader(rows, batch_size=None, num_workers=workers, multiprocessing_context=context)
    return [y[:, 0].int().tolist() for _, y in loader]


def flat(batches):
    return [number for batch in batches for number in batch]


def test_every_row_comes_once_in_an_order_of_the_seed(path):
    rows = ParquetRows(path, "a..f", "number", **SIZES, seed=3)
    first = numbers(rows)
    assert [len(batch) for batch in first] == [30] * 33 + [10]
    assert sorted(flat(first)) == list(range(1000))
    assert numbers(rows) == first
    assert numbers(ParquetRows(path, "a..f", "number", **SIZES, seed=3)) == first
    rows.set_epoch(1)
    assert sorted(flat(numbers(rows))) == list(range(1000))
    assert numbers(rows) != first
    assert numbers(ParquetRows(path, "a..f", "number", **SIZES, seed=4)) != first


def test_rows_are_shuffled_beyond_their_block(path):
    rows = ParquetRows(path, "a..f", "number", **SIZES)
    blocks = [len({number // 64 for number in batch}) for batch in numbers(rows)]
    assert np.median(blocks) >= 2
    steps = np.diff(flat(numbers(rows)))
    assert (steps == 1).mean() < 0.05


def test_workers_and_processes_share_the_rows(path):
    shared = [ParquetRows(path, "a..f", "number", **SIZES, rank=rank, processes=3) for rank in range(3)]
    parts = [flat(numbers(rows)) for rows in shared]
    assert sorted(flat(parts)) == list(range(1000))
    assert all(parts)
    assert sorted(flat(numbers(ParquetRows(path, "a..f", "number", **SIZES), workers=2))) == list(range(1000))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a fork in a process with threads
def test_forked_workers_are_refused(path):
    rows = ParquetRows(path, "a..f", "number", **SIZES)
    with pytest.raises(InputError, match="pass multiprocessing_context='spawn' to the loader"):
        next(iter(DataLoader(rows, batch_size=None, num_workers=1, multiprocessing_context="fork")))


def test_only_a_few_blocks_are_in_memory(path, monkeypatch):
    rows, live = ParquetRows(path, "a..f", "number", **SIZES), []
    read = rows._read
    monkeypatch.setattr(rows, "_read", lambda start: live.append(start) or read(start))
    batches = iter(rows)
    next(batches)
    assert len(live) == SIZES["shuffle_blocks"]


def test_a_network_learns_from_disk(path):
    torch.manual_seed(0)
    rows = ParquetRows(path, "a..f", "u..w", batch=50, block_rows=128)
    net = SoftMLP("2V", "V", ["O(3)"], 16, 2, seed=0)
    per = EquivarianceRegularizer(net, ["O(3)"], strength=0.01)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    losses = []
    for epoch in range(12):
        rows.set_epoch(epoch)
        for x, y in DataLoader(rows, batch_size=None):
            loss = torch.nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            (loss + per()).backward()
            optimizer.step()
            losses.append(float(loss.detach()))
    assert np.mean(losses[-20:]) < 0.02 * np.mean(losses[:5])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch": 0}, "`batch` must be at least 1, got 0"),
        ({"rank": 2, "processes": 2}, "`rank` must lie between 0 and 1, got 2"),
    ],
)
def test_what_makes_no_sense_is_refused(path, options, message):
    with pytest.raises(InputError, match=message):
        ParquetRows(path, "a..f", "u", **options)


def test_other_files_and_bad_rows_are_refused(path, tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"rows\.csv cannot be read block by block; write it as \.parquet"):
        ParquetRows(tmp_path / "rows.csv", "a", "b")
    frame = polars.read_parquet(path)
    frame[700, "a"] = float("nan")
    frame.write_parquet(path)
    with pytest.raises(InputError, match="row 701: column 'a' is nan"):
        numbers(ParquetRows(path, "a..f", "number", **SIZES))
