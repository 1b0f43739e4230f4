r"""The checksum of TFRecord files.

CRC-32C is the remainder of a message, read as a polynomial over GF(2), modulo the Castagnoli polynomial. Up to the start value it
is linear, so the registers of two neighbouring pieces combine as

.. math:: r(a b) = Z^{|b|} r(a) \oplus r(b) ,

where :math:`Z` is the effect of one zero byte. That makes it a tree of pairwise sums, which NumPy computes level by level. The package
``crc32c`` (extra ``[waymo]``) does the same in hardware and is preferred where it is installed.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Buffer = bytes | bytearray | memoryview

POLYNOMIAL = 0x82F63B78
ONES = 0xFFFFFFFF
_BLOCK = 1 << 18  # bytes summed at once: the work arrays stay in the processor's cache
_SHORT = 64  # below this a plain loop is quicker


def masked_crc32c(data: Buffer) -> int:
    """The checksum as TFRecord files store it: rotated by 15 bits, plus a constant."""
    crc = implementation()(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & ONES


@functools.cache
def implementation() -> Callable[[Buffer], int]:
    """The quickest CRC-32C at hand: the package ``crc32c``, or else :func:`crc32c_numpy`."""
    try:
        return importlib.import_module("crc32c").crc32c
    except ImportError:
        return crc32c_numpy


def crc32c_numpy(data: Buffer) -> int:
    """CRC-32C of bytes, in NumPy.

    Example:
        >>> hex(crc32c_numpy(b"123456789"))
        '0xe3069283'
    """
    register = ONES
    for start in range(0, len(data), _BLOCK):
        block = data[start : start + _BLOCK]
        register = _loop(block, register) if len(block) < _SHORT else _tree(block, register)
    return register ^ ONES


def _loop(block: Buffer, register: int) -> int:
    table = _first_table()
    for byte in block:
        register = table[(register ^ byte) & 255] ^ (register >> 8)
    return register


def _tree(block: Buffer, register: int) -> int:
    """Sums one block; zeros in front do not change the remainder, so odd lengths are filled up there."""
    fill = -len(block) % 8
    filled = np.zeros(fill + len(block), dtype=np.uint8)
    filled[fill:] = np.frombuffer(block, dtype=np.uint8)
    filled[fill : fill + 4] ^= np.frombuffer(register.to_bytes(4, "little"), dtype=np.uint8)
    columns, tables = filled.reshape(-1, 8), _byte_tables()
    words = tables[7][columns[:, 0]]
    for j in range(1, 8):
        words ^= tables[7 - j][columns[:, j]]
    level = 0
    while len(words) > 1:
        if len(words) % 2:
            words = np.concatenate([np.zeros(1, words.dtype), words])
        words = _shift(words[0::2], _zeros_tables(level)) ^ words[1::2]
        level += 1
    return int(words[0])


@functools.cache
def _byte_tables() -> Words:
    """Entry (k, v) is the register after byte v and k zero bytes, shape (8, 256)."""
    first = np.arange(256, dtype="<u4")
    for _ in range(8):
        first = (first >> 1) ^ (first & 1) * np.uint32(POLYNOMIAL)
    tables = [first]
    for _ in range(7):
        tables.append(first[tables[-1] & 255] ^ (tables[-1] >> 8))
    return np.array(tables, dtype="<u4")


@functools.cache
def _first_table() -> list[int]:
    return [int(word) for word in _byte_tables()[0]]


@functools.cache
def _zeros_tables(level: int) -> Words:
    """What ``8 * 2**level`` zero bytes make of each of a register's four bytes, shape (4, 256)."""
    if level == 0:
        return _byte_tables()[[7, 6, 5, 4]]
    half = _zeros_tables(level - 1)
    return _shift(half, half)


def _shift(words: Words, tables: Words) -> Words:
    parts = np.ascontiguousarray(words, dtype="<u4").view(np.uint8).reshape(*words.shape, 4)
    return (
        tables[0][parts[..., 0]]
        ^ tables[1][parts[..., 1]]
        ^ tables[2][parts[..., 2]]
        ^ tables[3][parts[..., 3]]
    )
