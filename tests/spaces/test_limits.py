"""Sizes are checked before anything is allocated."""

import resource
import subprocess
import sys

import pytest

import softsym as ss
from softsym.errors import InputError, SlowSolveWarning
from softsym.spaces import limits
from softsym.spaces.limits import Cost, at_most, check

ENDLESS = [("T(30)", "V", "O(3)"), ("T(2)", "T(2)", "S(200)"), ("T(12)", "T(12)", "S(3)"), ("T(6)", "T(6)", "O(3)"),
           ("1000000000V", "V", "O(3)"), ("T(3)", "T(3)", "GL(10)")]  # fmt: skip


@pytest.mark.parametrize(("rep_in", "rep_out", "group"), ENDLESS)
def test_what_would_fill_the_memory_is_refused_by_name(rep_in, rep_out, group):
    with pytest.raises(InputError, match=r"under .* would take about .* GB and .*at_most\("):
        ss.equivariant_maps(rep_in, rep_out, group)


def test_refusing_takes_no_memory_and_a_line():
    arguments = ["inspect", "--in", "T(30)", "--out", "V", "--groups", "O(3)"]
    done = subprocess.run(
        [sys.executable, "-m", "softsym", *arguments], capture_output=True, text=True, timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000,) * 2),
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("softsym: error: T(30) -> V under O(3) would take about 2e+07 GB")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("rep", "group", "dim"), [("T(2)", "O(20)", 3), ("T(4)", "SO(4)", None), ("V", "O(60)", 1)]
)
def test_large_ones_that_are_possible_come_back(rep, group, dim):
    with ss.spaces.cache_folder(None):
        space = ss.equivariant_maps(rep, rep, group)
    assert space.dim == dim or (dim is None and space.dim > 105)  # 105 are those of O(n)


def test_the_limit_can_be_raised_and_lowered():
    with ss.spaces.cache_folder(None), at_most(gigabytes=1e-5):
        with pytest.raises(InputError, match=r"more than the limit of 1e-05 GB and 30 min"):
            ss.invariants("T(5)", "SO(3)")
        with at_most(gigabytes=1):
            assert ss.invariants("T(5)", "SO(3)").dim == 6
    with pytest.raises(InputError, match="limits must be positive"), at_most(minutes=0):
        pass


def test_what_takes_long_is_said():
    check("it", Cost(1e3, 1e9))
    with pytest.warns(SlowSolveWarning, match=r"it will take about 8e-06 GB and 2\.8 min"):
        check("it", Cost(1e3, 170e9))
    with pytest.raises(InputError, match=r"it would take about 8e-06 GB and 2\.8 h"):
        check("it", Cost(1e3, 1e13))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2, "2 s"), (99, "99 s"), (600, "10 min"), (36_000, "10 h"), (1e6, "12 days"), (1e10, "3.2e+02 years")],
)
def test_times_are_for_people(seconds, text):
    assert limits._time(seconds) == text
