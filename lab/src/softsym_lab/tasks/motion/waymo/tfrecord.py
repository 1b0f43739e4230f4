"""A TFRecord file: byte strings, one after the other, each in a frame with two checksums.

A frame is the length (8 bytes, little endian), the masked CRC-32C of those 8 bytes, the data, and the masked CRC-32C of the data.
Both checksums are verified and the length is compared with what is left of the file before anything is allocated: a damaged
file is an error that names the byte where the damaged frame starts, never a shorter list of records.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from softsym.errors import InputError
from softsym_lab.tasks.motion.waymo.schema import check_extra

MAX_RECORD = 1 << 30
"""Longest record that is read, in bytes; those of the Waymo Open Motion Dataset hold a few million."""

_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")
_AGAIN = "download the file again"


@dataclass(frozen=True)
class Record:
    """One record: where its frame starts in the file, and its data."""

    offset: int
    data: bytes

    @property
    def end(self) -> int:
        """Where its frame ends."""
        return self.offset + _HEADER.size + len(self.data) + _FOOTER.size


def read_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Reads the records of a file in order, holding one at a time.

    Args:
        path: An uncompressed TFRecord file.

    Raises:
        InputError: The file cannot be opened, is empty, cut off or damaged, or the extra ``[waymo]`` is not installed.
    """
    path = Path(path)
    check_extra()
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0:
                raise InputError(f"{path} is empty; {_AGAIN}")
            offset = 0
            while offset < size:
                record = Record(offset, _read_data(file, path, offset, size))
                offset = record.end
                yield record
                del record  # before the next one is read
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; pass a file you may read") from error


def masked_crc32c(data: bytes) -> int:
    """The checksum as TFRecord files store it: CRC-32C rotated by 15 bits, plus a constant."""
    from crc32c import crc32c

    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _read_data(file: BinaryIO, path: Path, offset: int, size: int) -> bytes:
    length = _read_length(file, path, offset)
    left = size - offset - _HEADER.size
    if length > MAX_RECORD:
        raise InputError(
            f"{path}: the record at byte {offset} claims {length} bytes, more than the limit of {MAX_RECORD}; {_AGAIN}"
        )
    if length > left:
        raise InputError(
            f"{path}: the record at byte {offset} claims {length} bytes of data but {left} are left: the file is cut off; {_AGAIN}"
        )
    data, footer = file.read(length), file.read(_FOOTER.size)
    if len(data) < length or len(footer) < _FOOTER.size:
        raise InputError(
            f"{path}: the file is cut off in the record at byte {offset}, before its last checksum ends; {_AGAIN}"
        )
    if masked_crc32c(data) != _FOOTER.unpack(footer)[0]:
        raise InputError(f"{path}: wrong checksum of the data of the record at byte {offset}; {_AGAIN}")
    return data


def _read_length(file: BinaryIO, path: Path, offset: int) -> int:
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size:
        raise InputError(f"{path}: the file is cut off in the header of the record at byte {offset}; {_AGAIN}")
    length, checksum = _HEADER.unpack(header)
    if masked_crc32c(header[:8]) == checksum:
        return int(length)
    if header.startswith(b"\x1f\x8b"):
        raise InputError(f"{path}: compressed with gzip at byte {offset}; unpack it with gunzip")
    cure = _AGAIN if offset else f"{_AGAIN}, or pass a TFRecord file if it is none"
    raise InputError(f"{path}: wrong checksum of the length of the record at byte {offset}; {cure}")
