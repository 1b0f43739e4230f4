"""The suite that compares compiled code with torch, in miniature."""

import pytest

from softsym_lab.benchmarks import native


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(native, "SPIN", "import time; time.sleep(60)")  # tests share their cores with others


def test_every_comparison_is_there():
    compared = native.compare(8, 4, 2)
    assert compared["threads"] == 1
    assert set(compared["ratios"]) == {
        "torch_only_over_compiled",
        "prox_torch_only_over_compiled",
        "one_thread_over_all",
        "busy_over_quiet",
    }
    assert all(value > 0 for value in compared["ratios"].values())
    assert {"compiled", "torch_only", "prox_compiled", "prox_torch_only", "quiet", "busy"} <= set(
        compared["milliseconds"]
    )


def test_the_busy_process_ends(monkeypatch):
    started = []
    real = native.subprocess.Popen
    monkeypatch.setattr(native.subprocess, "Popen", lambda *a, **k: started.append(real(*a, **k)) or started[-1])
    with native._one_busy_core():
        assert started[0].poll() is None
    assert started[0].poll() is not None
