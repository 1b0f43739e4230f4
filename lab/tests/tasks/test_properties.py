"""The properties of every task, for those of the laboratory."""

import numpy as np
import pytest
from lab.tests.tasks.recorded.made_up import write_flow

from softsym.datasets import task
from tests.datasets.test_task import *  # noqa: F403


@pytest.fixture(params=["motion:scale-aware", "table_tennis", "duct"])
def each(request, tmp_path):
    if request.param == "duct":
        return task("duct:file=" + write_flow(tmp_path / "flow.npz"))
    if request.param != "table_tennis":
        return task(request.param)
    rng = np.random.default_rng(0)
    path = tmp_path / "flights.npz"
    np.savez(path, states=rng.normal(size=(800, 6)) * [1, 1, 1, 1, 1, 0.01], length=np.full(20, 40))
    return task(f"table_tennis:{path}")
