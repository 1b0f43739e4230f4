"""Solutions on disk: hits, damage, places that cannot be written, and several processes at once."""

import os
import subprocess
import sys

import numpy as np
import pytest

import softsym as ss
from softsym import limits
from softsym.errors import CacheWarning
from softsym.spaces import cache, cache_folder, forget
from softsym.spaces import space as space_module
from softsym.spaces.solution import dense
from softsym.spaces.solvers import auto
from softsym.spaces.space import invariants_of_type

T3 = ss.rep("T(3)").terms[0][1]
G = ss.SO(3)


@pytest.fixture
def folder(tmp_path):
    forget()
    with cache_folder(tmp_path / "cache"):
        yield tmp_path / "cache"
    forget()


@pytest.fixture
def solved(monkeypatch):
    """How often something was solved."""
    calls, solve = [], auto.solve

    def counting(*args):
        calls.append(args)
        return solve(*args)

    monkeypatch.setattr(auto, "solve", counting)
    return calls


def projector(solution):
    Q = dense(solution.basis)
    return Q @ Q.T


@pytest.mark.parametrize(
    ("group", "method"), [(G, "weights"), (ss.S(3), "orbits"), (ss.D(3), "reynolds"), (ss.Translation(2), "dense")]
)
def test_a_new_process_finds_what_was_solved(folder, solved, group, method):
    first = invariants_of_type(group, T3)
    assert len(list(folder.iterdir())) == 1
    forget()
    again = invariants_of_type(group, T3)
    assert len(solved) == 1
    assert again.reason == "read from the cache"
    assert again.method == first.method == method
    assert (again.residual, again.below, again.above, again.rank) == (
        first.residual,
        first.below,
        first.above,
        first.rank,
    )
    assert type(again.basis) is type(first.basis)
    assert np.array_equal(projector(again), projector(first))


def test_memory_comes_before_the_disk(folder, solved):
    first = invariants_of_type(G, T3)
    for file in folder.iterdir():
        file.unlink()
    assert invariants_of_type(G, T3) is first
    assert len(solved) == 1


DAMAGE = {
    "flipped": lambda data: data[:-3] + bytes([data[-3] ^ 1]) + data[-2:],
    "digest": lambda data: bytes([data[0] ^ 1]) + data[1:],
    "truncated": lambda data: data[: len(data) // 2],
    "short": lambda data: data[:10],
    "empty": lambda data: b"",
    "longer": lambda data: data + b"x",
    "noise": lambda data: np.random.default_rng(0).bytes(500),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_damage_is_noticed_and_repaired(folder, damage):
    first = invariants_of_type(G, T3)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    forget()
    with pytest.warns(CacheWarning, match=r"cache entry .* is damaged or answers another question; solving again"):
        again = invariants_of_type(G, T3)
    assert np.allclose(projector(again), projector(first), atol=1e-14)
    assert file.read_bytes() == whole
    forget()
    assert invariants_of_type(G, T3).reason == "read from the cache"


SPACES = [
    ("5S + 5V", "T(2) + V", "O(2)@z"),
    ("V + S", "2T(2)", "S(4)"),
    ("V", "T(3)", "Octahedral()"),
    ("V", "V'", "SL(3)"),
    (None, "S + T(2)", "O(3)"),
]


def space_of(source, target, name):
    return ss.invariants(target, name) if source is None else ss.equivariant_maps(source, target, name)


@pytest.mark.parametrize("asked", SPACES, ids=str)
def test_a_new_process_finds_whole_spaces(folder, solved, monkeypatch, asked):
    first = space_of(*asked)
    forget()
    monkeypatch.setattr(space_module, "positions", None)  # positions are not computed again
    count = len(solved)
    again = space_of(*asked)
    assert len(solved) == count
    assert again.shape == first.shape
    assert np.array_equal(again.basis(), first.basis())
    assert again.residual_bound == first.residual_bound
    assert {name: each.method for name, each in again.evidence.items()} == {
        name: each.method for name, each in first.evidence.items()
    }


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_a_damaged_space_is_noticed_and_repaired(folder, damage):
    first = space_of(*SPACES[0])
    (file,) = folder.glob("*.space")
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    forget()
    with pytest.warns(CacheWarning, match=r"cache entry .* is damaged or answers another question; solving again"):
        again = space_of(*SPACES[0])
    assert np.array_equal(again.basis(), first.basis())
    assert len(file.read_bytes()) == len(whole)


def test_exchanged_entries_are_solved_again(folder):
    """Each file is given the name of the next: whole, but the answer to another question."""
    questions = [*SPACES, ("2V", "V", "SO(3)"), ("2V", "V", "O(3)"), ("V", "2V", "SO(3)")]
    expected = [space_of(*asked) for asked in questions]
    for suffix in ("basis", "space"):
        files = sorted(folder.glob(f"*.{suffix}"))
        contents = [file.read_bytes() for file in files]
        for file, content in zip(files, contents[1:] + contents[:1], strict=True):
            file.write_bytes(content)
    forget()
    with pytest.warns(CacheWarning, match="answers another question"):
        again = [space_of(*asked) for asked in questions]
    for ours, space in zip(again, expected, strict=True):
        assert np.allclose(ours.basis(), space.basis())


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of folders here")
@pytest.mark.parametrize("open_one", ["cache", "."])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path, open_one):
    folder = tmp_path / "mine" / "cache"
    with cache_folder(folder):
        forget()
        invariants_of_type(G, T3)
        (file,) = folder.iterdir()
        (folder.parent / open_one).chmod(0o777)
        forget()
        with pytest.warns(CacheWarning, match="can be written to by others"):
            assert invariants_of_type(G, T3).rank == 1
    assert list(folder.iterdir()) == [file]
    forget()


@pytest.mark.skipif(os.name == "nt", reason="no pipes, links and owners here")
def test_a_pipe_in_the_cache_is_not_waited_for(folder):
    invariants_of_type(G, T3)
    (file,) = folder.iterdir()
    file.unlink()
    os.mkfifo(file)
    forget()
    with pytest.warns(CacheWarning, match="a pipe or a device"):
        assert invariants_of_type(G, T3).rank == 1


def test_large_spaces_are_not_stored(folder, monkeypatch):
    monkeypatch.setattr(cache, "MAX_POSITIONS", 10)
    assert ss.equivariant_maps("5S", "5S", "O(3)").dim == 25
    assert ss.equivariant_maps("3S", "3S", "O(3)").dim == 9
    assert len(list(folder.glob("*.space"))) == 1


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    forget()
    with cache_folder(tmp_path / "file" / "cache"), pytest.warns(CacheWarning) as caught:
        assert ss.invariants("T(3)", G).dim == 1
    assert "cannot write the cache entry" in str(caught[-1].message)


def test_an_entry_that_cannot_be_read(folder):
    path = cache.entry_path(G, T3, None, "auto")
    path.mkdir(parents=True)
    with pytest.warns(CacheWarning) as caught:
        assert invariants_of_type(G, T3).rank == 1
    first, second = (str(w.message) for w in caught)
    assert first.startswith("cannot read")
    assert first.endswith("solving again")
    assert second.startswith("cannot write the cache entry")
    assert list(folder.iterdir()) == [path]  # no temporary file is left behind


def test_no_folder_writes_nothing(folder, solved):
    with cache_folder(None):
        assert limits.current_folder() is None
        assert cache.entry_path(G, T3, None, "auto") is None
        invariants_of_type(G, T3)
    assert not folder.exists()
    assert len(solved) == 1


def test_the_folder_is_restored(tmp_path):
    before = limits.current_folder()
    with cache_folder(tmp_path):
        assert limits.current_folder() == tmp_path
    assert limits.current_folder() == before
    assert before != limits.default_folder()  # tests never touch the user's


def test_the_name_depends_on_the_whole_question(folder):
    noisy = ss.Group.from_generators(lie_algebra=G.lie_algebra + 1e-16 * (1 - np.eye(3)), name="SO(3)")
    questions = [
        (G, T3, None, "auto"),
        (G, T3, 1e-2, "auto"),
        (G, T3, 1e-3, "auto"),
        (G, T3, None, "dense"),
        (ss.O(3), T3, None, "auto"),
        (G, ss.rep("T(4)").terms[0][1], None, "auto"),
        (G, ss.rep("T(2,1)").terms[0][1], None, "auto"),
        (noisy, T3, None, "auto"),
        (ss.SO(3) | ss.S(3), T3, None, "auto"),
    ]
    assert len({cache.entry_path(*args) for args in questions}) == len(questions)
    assert cache.entry_path(*questions[0]) == cache.entry_path(ss.group("SO(3)"), T3, None, "auto")


def test_points_at_different_places_have_different_names(folder):
    squares = [ss.Permutation([[s, 0], [0, s], [-s, 0], [0, -s]]).terms[0][1] for s in (1.0, 2.0)]
    assert cache.entry_path(ss.C(4), squares[0], None, "auto") != cache.entry_path(ss.C(4), squares[1], None, "auto")


WRITER = """
import sys
from pathlib import Path
import softsym as ss
from softsym.spaces import cache_folder, forget
with cache_folder(sys.argv[1]):
    for _ in range(4):
        for path in Path(sys.argv[1]).glob("[!.]*.[bs]*"):
            path.unlink(missing_ok=True)
        forget()
        assert [ss.invariants(f"T({k})", "SO(3)").dim for k in range(2, 6)] == [1, 1, 3, 6]
"""


def test_two_processes_write_at_once(folder):
    command = [sys.executable, "-W", "error", "-c", WRITER, str(folder)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
    assert {file.suffix for file in folder.iterdir()} == {".basis", ".space"}
    forget()
    assert [ss.invariants(f"T({k})", "SO(3)").dim for k in range(2, 6)] == [1, 1, 3, 6]


def test_blocks_from_different_files_are_still_shared(folder):
    def blocks():
        forget()
        net = ss.nn.SoftMLP("2S + 2V", "T(2)", ["O(2)@z"], width=24, layers=3)
        return len(ss.EquivarianceRegularizer(net, ["O(2)@z"])._projector(ss.group("O(2)@z")).blocks)

    assert blocks() == blocks()
