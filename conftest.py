"""Settings of all tests, doctests included: few threads, a cache folder of their own, ``--torch-only`` and ``--stop-at``."""

from __future__ import annotations

import os
import time

# Many small products on shared cores: more threads only wait for each other.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from collections.abc import Iterator  # noqa: E402
from contextlib import nullcontext  # noqa: E402
from pathlib import Path  # noqa: E402

import pytest  # noqa: E402


@pytest.fixture(autouse=True, scope="session")
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    from softsym.spaces import cache_folder

    folder = tmp_path_factory.mktemp("spaces")
    with cache_folder(folder):
        yield folder


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the functions below."""
    parser.addoption("--torch-only", action="store_true", help="run everything without compiled code")
    parser.addoption("--stop-at", type=float, metavar="SECONDS", help="skip what begins after this time (since 1970)")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what is left when a run on a slow machine has no time for it; the summary says how many tests that is."""
    end = item.config.getoption("--stop-at")
    if end is not None and time.time() > end:
        pytest.skip("not run: the time of this run is over")


@pytest.fixture(autouse=True, scope="session")
def _compiled_code_or_not(request: pytest.FixtureRequest) -> Iterator[None]:
    """Switches compiled code off for the whole session if asked: what systems without a compiler get."""
    from softsym.native import torch_only

    with torch_only() if request.config.getoption("--torch-only") else nullcontext():
        yield
