"""What tests of compiled code need."""

import pytest

from softsym.native import available


@pytest.fixture
def compiled_code() -> None:
    """Leaves a test out where compiled code does not run, or is switched off by ``--torch-only``."""
    if not available():
        pytest.skip("no compiled code in this session")
