import sys
import types

import numpy as np
import pytest

from softsym.tasks.motion.waymo import crc
from tests.tasks.motion.waymo import writer

VECTORS = {
    b"": 0,
    b"a": 0xC1D04330,
    b"123456789": 0xE3069283,
    bytes(32): 0x8A9136AA,
    b"\xff" * 32: 0x62A8AB43,
    bytes(range(32)): 0x46DD794E,
    bytes(range(31, -1, -1)): 0x113FDB5C,
}


@pytest.mark.parametrize("name", ["numpy", "package"])
@pytest.mark.parametrize(("data", "expected"), VECTORS.items())
def test_known_vectors(name, data, expected):
    function = crc.crc32c_numpy if name == "numpy" else pytest.importorskip("crc32c").crc32c
    assert function(data) == expected
    assert writer.crc32c(data) == expected


@pytest.mark.parametrize("size", [*range(60, 80), 127, 128, 129, 1000, 4099])
def test_the_tree_agrees_with_the_bitwise_twin(size):
    data = np.random.default_rng(size).bytes(size)
    assert crc.crc32c_numpy(data) == writer.crc32c(data)
    assert crc.crc32c_numpy(memoryview(data)) == writer.crc32c(data)


@pytest.mark.parametrize("size", [199, 200, 201, 203, 300, 363, 364, 1000])
def test_blocks_join(size, monkeypatch):
    monkeypatch.setattr(crc, "_BLOCK", 100)
    data = np.random.default_rng(size).bytes(size)
    assert crc.crc32c_numpy(data) == writer.crc32c(data)


def test_mask():
    assert crc.masked_crc32c(b"abc") == int.from_bytes(writer.masked(b"abc"), "little")


@pytest.mark.parametrize("installed", [True, False])
def test_the_package_is_preferred_where_it_is_installed(installed, monkeypatch):
    package = types.ModuleType("crc32c")
    package.crc32c = lambda data: 7
    monkeypatch.setitem(sys.modules, "crc32c", package if installed else None)
    crc.implementation.cache_clear()
    try:
        assert crc.implementation() is (package.crc32c if installed else crc.crc32c_numpy)
    finally:
        crc.implementation.cache_clear()
