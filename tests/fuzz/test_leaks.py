"""Many fits in one process take no more memory, files and threads than some: every night."""

import pytest

from tests.fuzz import leaks


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_five_hundred_fits_leave_nothing():
    grown = leaks.run(500)["grown"]
    assert grown["megabytes"] < leaks.GROWTH
    assert grown["files"] <= 2
    assert grown["threads"] <= 2
