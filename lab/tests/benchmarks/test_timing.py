"""Timing side by side."""

import time

import pytest

from softsym_lab.benchmarks.timing import (
    cpu_rounds,
    forget_peak,
    median_seconds,
    page_faults,
    peak_megabytes,
    ratio,
    seconds,
    time_rounds,
)


def test_actions_alternate_after_one_warm_up():
    calls = []
    times = time_rounds({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=2, calls=3)
    assert "".join(calls) == "ab" + 2 * ("aaa" + "bbb")
    assert {name: len(values) for name, values in times.items()} == {"a": 2, "b": 2}


def test_seconds_are_those_of_one_call():
    def wait():
        time.sleep(0.02)

    assert seconds(wait) >= 0.02
    assert 0.02 <= median_seconds({"wait": wait}, 3, calls=2)["wait"] < 0.2


def test_a_slow_spell_hits_both_sides():
    assert ratio([2.0, 20.0, 6.0], [1.0, 10.0, 3.0]) == 2.0
    with pytest.raises(ValueError, match="zip"):
        ratio([1.0], [1.0, 2.0])


def test_memory_that_was_used_is_seen():
    import numpy as np

    forget_peak()
    before = peak_megabytes()
    block = np.ones(8_000_000)
    assert block.sum() == 8_000_000
    assert peak_megabytes() >= max(before, 60)


def test_processor_time_is_taken_in_both_directions():
    calls = []
    times = cpu_rounds({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=2, calls=2)
    assert "".join(calls) == "bbaa" + "aabb" + "bbaa"
    assert [len(taken) for taken in times.values()] == [2, 2]


def test_fresh_memory_comes_page_by_page():
    assert page_faults(lambda: b"1" * 64_000_000) >= 16  # pages are large where the system likes large ones
