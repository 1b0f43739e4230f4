"""Compiling, keeping and doing without compiled code."""

import os
import shutil
import subprocess
import sys

import pytest
import torch

import softsym as ss
from softsym.native import library
from softsym.native.blocks import SOURCE

needed = pytest.mark.skipif(not library.available(), reason="no compiled code on this machine")
SCRIPT = """
import torch, softsym as ss
from softsym.native import available
net = ss.nn.SoftMLP("2S + 3V", "S + V", ["O(2)@z"], width=24, layers=3)
net(torch.ones(4, 11)).sum().backward()
ss.EquivarianceRegularizer(net, ["O(2)@z"])().backward()
print(available())
"""


def outcome(cache, **environment):
    """Whether a new process uses compiled code that has a cache folder of its own."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), **environment},
    )
    assert not done.stderr
    return done.stdout.strip() == "True"


def results():
    """A network's output and a penalty, with their gradients."""
    net = ss.nn.SoftMLP("2S + 3V", "S + V", ["O(2)@z"], width=24, layers=3)
    out = net(torch.ones(4, 11))
    value = out.square().sum() + ss.EquivarianceRegularizer(net, ["O(2)@z", "O(2)@x"])()
    value.backward()
    return [value.detach(), *(p.grad for p in net.parameters())]


@needed
def test_the_same_without():
    ours = results()
    with library.torch_only():
        assert not library.available()
        theirs = results()
    assert library.available()
    for a, b in zip(ours, theirs, strict=True):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-6)


@needed
def test_kept_for_the_next_process(tmp_path):
    assert outcome(tmp_path)
    kept = sorted((tmp_path / "softsym/native").glob("*"))
    assert [path.suffix for path in kept] == [".so", ".so"]
    before = [path.stat().st_mtime_ns for path in kept]
    assert outcome(tmp_path)
    assert [path.stat().st_mtime_ns for path in kept] == before


def test_without_a_compiler(tmp_path):
    assert not outcome(tmp_path, PATH="/nowhere")


@pytest.mark.skipif(not shutil.which("false"), reason="no false")
def test_with_a_compiler_that_fails(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cc").symlink_to(shutil.which("false"))
    assert not outcome(tmp_path, PATH=str(tmp_path / "bin"))
    assert list((tmp_path / "softsym/native").iterdir()) == []


@needed
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of folders here")
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path):
    folder = tmp_path / "softsym" / "native"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    assert not outcome(tmp_path)
    assert list(folder.iterdir()) == []


def test_other_kinds_of_numbers_are_left_to_torch():
    assert library.compiled(SOURCE, torch.float16) is None
    assert library.matrix_product(torch.float16) is None
