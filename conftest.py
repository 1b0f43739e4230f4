"""Settings of all tests, doctests included: few threads, and a cache folder of their own."""

from __future__ import annotations

import os

# Many small products on shared cores: more threads only wait for each other.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from collections.abc import Iterator  # noqa: E402
from pathlib import Path  # noqa: E402

import pytest  # noqa: E402


@pytest.fixture(autouse=True, scope="session")
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    from softsym.spaces import cache_folder

    folder = tmp_path_factory.mktemp("spaces")
    with cache_folder(folder):
        yield folder
