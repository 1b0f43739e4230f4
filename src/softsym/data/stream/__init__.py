"""Rows of files that are larger than memory, as mini-batches."""

from softsym.data.stream.rows import ParquetRows

__all__ = ["ParquetRows"]
