"""Memory and time are estimated before anything is allocated."""

import resource
import subprocess
import sys
import tracemalloc
import warnings

import pytest

import softsym as ss
from softsym.errors import InputError, SlowSolveWarning
from softsym.spaces import at_most
from softsym.spaces.solvers import orbits, solver
from softsym.spaces.solvers.solver import Cost, check_cost

TOO_LARGE = [
    ("T(30)", "V", "O(3)"),
    ("T(2)", "T(2)", "S(200)"),
    ("T(12)", "T(12)", "S(3)"),
    ("T(6)", "T(6)", "O(3)"),
    ("1000000000V", "V", "O(3)"),
    ("T(3)", "T(3)", "GL(10)"),
]
LARGE_TYPES = [
    ("T(8)", "T(7)", "SO(3)"),
    ("T(8)", "T(8)", "O(3)"),
    ("2000V + T(7)", "2000V + T(8)", "SO(3)"),
    ("T(6)", "T(5)", "SO(5)"),
    ("T(7)", "T(7)", "Icosahedral()"),
]


@pytest.mark.parametrize(("rep_in", "rep_out", "group"), LARGE_TYPES)
def test_large_types_are_refused_before_anything_of_their_size_is_made(rep_in, rep_out, group):
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="would take about"):
            ss.equivariant_maps(rep_in, rep_out, group)
        assert tracemalloc.get_traced_memory()[1] < 3e8
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "rep"), [("SO(3)", "T(5)"), ("O(3)", "T(4)*V'"), ("O(4)", "T(3)"), ("Octahedral()", "T(3)")]
)
def test_signed_orbits_are_counted_by_characters(name, rep):
    group, tensor_type = ss.group(name), ss.rep(rep).terms[0][1]
    counted = orbits._count_by_characters(group, tensor_type)
    assert counted == orbits._signed_orbit_vectors(group, tensor_type).shape[1]


@pytest.mark.parametrize(("rep_in", "rep_out", "group"), TOO_LARGE)
def test_maps_that_would_fill_the_memory_are_refused_by_name(rep_in, rep_out, group):
    with pytest.raises(InputError, match=r"under .* would take about .* GB and .*at_most\("):
        ss.equivariant_maps(rep_in, rep_out, group)


def test_refusing_takes_no_memory_and_a_line():
    arguments = ["inspect", "--in", "T(30)", "--out", "V", "--groups", "O(3)"]
    done = subprocess.run(
        [sys.executable, "-m", "softsym", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000,) * 2),
    )
    assert done.returncode == 2
    assert done.stderr.startswith("softsym: error: T(30) -> V under O(3) would take about 2e+07 GB")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("rep", "group", "dim"),
    [
        ("T(2)", "O(12)", 3),
        ("V", "O(60)", 1),
        pytest.param("T(2)", "O(20)", 3, marks=pytest.mark.nightly),
        pytest.param("T(4)", "SO(4)", None, marks=pytest.mark.nightly),
    ],
)
def test_large_maps_that_are_possible_are_solved(rep, group, dim):
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


def test_slow_solves_are_announced():
    check_cost("it", Cost(1e3, 1e9))
    with pytest.warns(SlowSolveWarning, match=r"it will take about 8e-06 GB and 2\.8 min"):
        check_cost("it", Cost(1e3, 170e9))
    with pytest.raises(InputError, match=r"it would take about 8e-06 GB and 2\.8 h"):
        check_cost("it", Cost(1e3, 1e13))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2, "2 s"), (99, "99 s"), (600, "10 min"), (36_000, "10 h"), (1e6, "12 days"), (1e10, "3.2e+02 years")],
)
def test_times_have_readable_units(seconds, text):
    assert solver._format_time(seconds) == text


def test_slow_solves_are_announced_before_they_begin():
    with ss.spaces.cache_folder(None), warnings.catch_warnings():
        warnings.simplefilter("error", SlowSolveWarning)
        with pytest.raises(SlowSolveWarning, match=r"T\(10\) under O\(3\) .* will take about .* GB and .* min"):
            ss.equivariant_maps("T(5)", "T(5)", "O(3)")


def test_vectors_of_two_hundred_coordinates_are_solved():
    """``S(200)`` is refused only where its tensors are large."""
    with ss.spaces.cache_folder(None):
        assert ss.equivariant_maps("V", "V", "S(200)").dim == 2


@pytest.mark.parametrize(("rep_in", "rep_out"), [("T(40)", "T(40)"), ("T(64)", "S"), ("T(31)", "V")])
def test_more_indices_than_arrays_have_are_refused(rep_in, rep_out):
    with pytest.raises(InputError, match=r"under O\(1\) has \d+ tensor indices; at most 31 can be"):
        ss.equivariant_maps(rep_in, rep_out, "O(1)")


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "--in", "V", "--out", "V", "--groups", "O(3)", "--width", "1000000"),
        ("inspect", "--in", "V", "--out", "V", "--groups", "O(100000)"),
        ("discover", "inertia:Oz(2)", "--groups", "O(100000)"),
    ],
    ids=" ".join,
)
def test_sizes_at_the_command_line_are_refused_in_one_line(tmp_path, arguments):
    command = [sys.executable, "-m", "softsym", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 2
    assert " GB" in done.stderr
    assert done.stderr.count("\n") == 1
