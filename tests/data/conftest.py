import numpy as np
import pytest


@pytest.fixture
def write(tmp_path):
    """Writes a file and gives its path."""

    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


@pytest.fixture
def pack(tmp_path):
    """Writes an archive and gives its path."""

    def packed(**arrays):
        path = tmp_path / "data.npz"
        np.savez(path, **arrays)
        return path

    return packed
