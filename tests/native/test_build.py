"""Compiling, keeping, checking and doing without compiled code."""

import ctypes
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

import softsym as ss
from softsym.native import available, blocks, build, hidden_layer, torch_only
from softsym.native.build import Source, check_layout

SOURCES = (blocks.SOURCE, hidden_layer.SOURCE)
SCRIPT = """
import torch, softsym as ss
net = ss.nn.SoftMLP("2S + 3V", "S + V", ["O(2)@z"], width=24, layers=3)
net(torch.ones(4, 11)).sum().backward()
ss.EquivarianceRegularizer(net, ["O(2)@z"])().backward()
status = ss.native.status()
print(status.reason or "compiled")
print(*status.libraries, sep="\\n")
"""


def outcome(cache, **environment):
    """What a new process that has a cache folder of its own says: why there is no compiled code, and where it is kept."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), **environment},
    )
    assert not done.stderr
    reason, *libraries = done.stdout.strip().splitlines()
    return reason, libraries


def a_compiler(folder, script):
    """A folder for PATH with nothing but a compiler that is a shell script."""
    folder.mkdir()
    (folder / "cc").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "cc").chmod(0o755)
    return str(folder)


def results():
    """A network's output and a penalty, with their gradients."""
    net = ss.nn.SoftMLP("2S + 3V", "S + V", ["O(2)@z"], width=24, layers=3)
    out = net(torch.ones(4, 11))
    value = out.square().sum() + ss.EquivarianceRegularizer(net, ["O(2)@z", "O(2)@x"])()
    value.backward()
    return [value.detach(), *(p.grad for p in net.parameters())]


def test_the_same_without(compiled_code):
    ours = results()
    with torch_only():
        assert not available()
        theirs = results()
    assert available()
    for a, b in zip(ours, theirs, strict=True):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-6)


def test_kept_for_the_next_process(tmp_path, compiled_code):
    assert outcome(tmp_path)[0] == "compiled"
    kept = sorted((tmp_path / "softsym/native").glob("*.so"))
    assert [path.stem.split("-")[0] for path in kept] == ["blocks", "hidden_layer"]
    before = [path.stat().st_mtime_ns for path in kept]
    assert outcome(tmp_path) == ("compiled", [str(path) for path in kept])
    assert [path.stat().st_mtime_ns for path in kept] == before


@pytest.mark.parametrize("damage", ["cut", "zeroed", "empty", "no checksum"])
def test_a_damaged_library_is_compiled_again(tmp_path, damage, compiled_code):
    assert outcome(tmp_path)[0] == "compiled"
    kept = sorted((tmp_path / "softsym/native").glob("*.so"))
    before = [path.read_bytes() for path in kept]
    for path, data in zip(kept, before, strict=True):
        if damage == "no checksum":
            path.with_suffix(".checksum").unlink()
        path.write_bytes({"cut": data[:5000], "zeroed": bytes(len(data)), "empty": b""}.get(damage, data))
    assert outcome(tmp_path)[0] == "compiled"
    assert [path.read_bytes() for path in kept] == before


def test_without_a_compiler(tmp_path):
    assert outcome(tmp_path, PATH="/nowhere") == ("no C compiler (cc or gcc) was found", [])


def test_the_first_line_of_a_compiler_that_fails(tmp_path):
    path = a_compiler(tmp_path / "bin", "echo; echo no licence today >&2; echo more >&2; exit 1")
    reason, libraries = outcome(tmp_path, PATH=path)
    assert reason == f"blocks.c: {path}/cc failed: no licence today"
    assert libraries == []
    assert list((tmp_path / "softsym/native").iterdir()) == []


def test_a_compiler_that_hangs_is_ended_once_and_remembered(tmp_path):
    path = a_compiler(tmp_path / "bin", f"echo asked >> {tmp_path}/asked; sleep 600")
    code = SCRIPT.replace(
        "import torch, softsym as ss", "import torch, softsym as ss, softsym.native.build as b; b.COMPILE_SECONDS = 1"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PATH": f"{path}:{os.environ['PATH']}"}
    for _ in range(2):
        began = time.monotonic()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        assert "cc did not finish within 1 s and is not asked for a day (remembered in " in done.stdout
        assert time.monotonic() - began < 40
    assert (tmp_path / "asked").read_text().split() == ["asked"]


def test_without_openmp_on_one_thread(tmp_path, compiled_code):
    """As Apple's compiler does: it refuses the flag."""
    real = shutil.which("cc") or shutil.which("gcc")
    refuses = f'case "$*" in *fopenmp*) echo "unsupported option -fopenmp" >&2; exit 1;; esac; exec {real} "$@"'
    path = a_compiler(tmp_path / "bin", refuses)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PATH": f"{path}:{os.environ['PATH']}"}
    code = "import softsym as ss; s = ss.native.status(); print(s.compiled, s.threaded, '-fopenmp' in s.flags)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["True", "False", "False"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of folders here")
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path, compiled_code):
    folder = tmp_path / "softsym" / "native"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    reason, libraries = outcome(tmp_path)
    assert reason == "compiled"
    assert list(folder.iterdir()) == []
    assert not any(Path(path).is_relative_to(tmp_path) or Path(path).exists() for path in libraries)


def test_a_temporary_folder_where_the_cache_cannot_be_written(tmp_path, compiled_code):
    (tmp_path / "softsym").mkdir()
    (tmp_path / "softsym" / "native").write_text("a file where a folder should be")
    reason, libraries = outcome(tmp_path)
    assert reason == "compiled"
    assert libraries
    assert not any(Path(path).exists() for path in libraries)  # gone with the process


def test_other_kinds_of_numbers_are_left_to_torch():
    assert not build.can_run(blocks.SOURCE, [torch.ones(2).half()])


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.path.stem)
def test_python_knows_the_structures_of_c(source, compiled_code):
    library = build.build(source, torch.float64).library
    check_layout(library, source, torch.float64)
    length = ctypes.c_int64.in_dll(library, "layout_length").value
    assert list((ctypes.c_int64 * length).in_dll(library, "layout")) == [8, *source.sizes.values()]
    with pytest.raises(build.LayoutError, match="size of a number is 8 there and 4 here"):
        check_layout(library, source, torch.float32)


@pytest.mark.parametrize(
    ("source", "before", "after", "message"),
    [
        (hidden_layer.SOURCE, "PADDING = 16", "PADDING = 32", "padding is 32 there and 16 here"),
        (hidden_layer.SOURCE, "terms, kept,", "terms, more, kept,", "size of Layer is 44 there and 40 here"),
        (blocks.SOURCE, "LARGEST = 1024", "LARGEST = 512", "largest matrix is 512 there and 1024 here"),
        (blocks.SOURCE, ", sizeof(Spectrum) }", " }", "4 sizes there and 5 here"),
        (blocks.SOURCE, "int64_t layout[]", "int64_t other[]", "does not say how its structures are laid out"),
    ],
)
def test_a_doctored_library_is_refused(source, before, after, message, tmp_path, monkeypatch, compiled_code):
    text = source.path.read_text()
    assert before in text
    if "other" in after:
        text = text.replace("sizeof layout / sizeof *layout", "1")
    doctored = tmp_path / source.path.name
    doctored.write_text(text.replace(before, after))
    monkeypatch.setattr(build, "cache_folder", lambda: tmp_path / "kept")
    monkeypatch.setattr(build, "ATTEMPTS", (("-std=c11", "-fPIC"),))  # it will never run
    built = build.build(Source(doctored, source.sizes), torch.float32)
    assert built.library is None
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(built.reason)


def test_a_source_that_does_not_compile(tmp_path, monkeypatch, compiled_code):
    (tmp_path / "wrong.c").write_text("int run(void) { return nonsense; }")
    monkeypatch.setattr(build, "cache_folder", lambda: tmp_path / "kept")
    built = build.build(Source(tmp_path / "wrong.c"), torch.float32)
    assert built.library is None
    assert built.reason.startswith("wrong.c: ")
    assert "failed: " in built.reason
    assert "\n" not in built.reason
