"""Mini-batches from a Parquet file that need not fit into memory.

An epoch reads the file block by block, in an order drawn from seed and epoch; rows of a few blocks are shuffled together. So every row
comes once in an epoch, memory holds a few blocks whatever the file, and the same seed gives the same batches. Under a
:class:`~torch.utils.data.DataLoader` with several workers, or in several processes, each takes its share of the blocks. Workers must be
started afresh (``multiprocessing_context="spawn"``): the reader has threads, which a fork does not copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing import current_process
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from softsym.data.formats import open_file
from softsym.data.readers import ColumnarFile
from softsym.errors import InputError
from softsym.typing import Array

BLOCK_ROWS = 65_536
SHUFFLE_BLOCKS = 4


class ParquetRows(IterableDataset[tuple[Tensor, Tensor]]):
    """Batches of inputs (batch, p) and outputs (batch, q), in single precision.

    Pass ``batch_size=None`` to the loader: batches are made here.

    Args:
        path: The file.
        x_columns: Which columns are inputs, such as ``x0..x19``; see :mod:`softsym.data.columns`.
        y_columns: Which columns are outputs.
        batch: Rows per batch; the last one of an epoch may have fewer.
        seed: Seed of the order.
        block_rows: Rows that are read together.
        shuffle_blocks: Blocks whose rows are shuffled together and are in memory at a time.
        rank: Number of this process among those that share an epoch.
        processes: How many share it.

    Example:
        >>> import polars, tempfile, numpy as np
        >>> folder = tempfile.mkdtemp()
        >>> X = np.arange(60.0).reshape(20, 3)
        >>> polars.DataFrame(X, schema=["x", "y", "z"]).write_parquet(folder + "/rows.parquet")
        >>> rows = ParquetRows(folder + "/rows.parquet", "x,y", "z", batch=8, seed=1)
        >>> [(tuple(x.shape), tuple(y.shape)) for x, y in torch.utils.data.DataLoader(rows, batch_size=None)]
        [((8, 2), (8, 1)), ((8, 2), (8, 1)), ((4, 2), (4, 1))]
    """

    def __init__(
        self,
        path: Path | str,
        x_columns: str,
        y_columns: str,
        *,
        batch: int = 256,
        seed: int = 0,
        block_rows: int = BLOCK_ROWS,
        shuffle_blocks: int = SHUFFLE_BLOCKS,
        rank: int = 0,
        processes: int = 1,
    ) -> None:
        super().__init__()
        counts = {"batch": batch, "block_rows": block_rows, "shuffle_blocks": shuffle_blocks, "processes": processes}
        for name, value in counts.items():
            if value < 1:
                raise InputError(f"`{name}` must be at least 1, got {value}")
        if not 0 <= rank < processes:
            raise InputError(f"`rank` must lie between 0 and {processes - 1}, got {rank}")
        file = open_file(Path(path))
        if not isinstance(file, ColumnarFile):
            raise InputError(f"{path} cannot be read block by block; write it as .parquet")
        self._file = file
        self._x, self._y = file.choose(x_columns, y_columns, need_y=True)
        self.rows = file.count()
        self.batch, self.seed = batch, seed
        self.block_rows, self.shuffle_blocks = block_rows, shuffle_blocks
        self.rank, self.processes, self.epoch = rank, processes, 0

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch that comes next: its order is drawn from seed and number alone."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        """The batches of an epoch."""
        rng = np.random.default_rng([self.seed, self.epoch])
        starts = rng.permutation(np.arange(0, self.rows, self.block_rows))
        worker = get_worker_info()
        if worker is not None and type(current_process()).__name__ == "ForkProcess":  # it would wait forever
            raise InputError(
                "workers that are forked cannot read Parquet; pass multiprocessing_context='spawn' to the loader"
            )
        share, shares = (0, 1) if worker is None else (worker.id, worker.num_workers)
        own = starts[self.rank * shares + share :: self.processes * shares]
        left = np.empty((0, len(self._x) + len(self._y)))
        for k in range(0, len(own), self.shuffle_blocks):
            blocks = [self._read(start) for start in own[k : k + self.shuffle_blocks]]
            values = np.concatenate([left, *blocks])
            shuffle = np.random.default_rng([self.seed, self.epoch, int(own[k])])
            values = values[shuffle.permutation(len(values))]
            whole = len(values) - len(values) % self.batch
            for start in range(0, whole, self.batch):
                yield self._pair(values[start : start + self.batch])
            left = values[whole:]
        if len(left):
            yield self._pair(left)

    def _read(self, start: int) -> Array:
        return self._file.slice([*self._x, *self._y], int(start), int(start) + self.block_rows)

    def _pair(self, values: Array) -> tuple[Tensor, Tensor]:
        numbers = torch.from_numpy(values.astype(np.float32))
        return numbers[:, : len(self._x)], numbers[:, len(self._x) :]
