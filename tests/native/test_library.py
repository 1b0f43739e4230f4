"""Compiling, keeping and doing without compiled code."""

import os
import subprocess
import sys

import pytest
import torch

from softsym.native import library

SCRIPT = """
import torch, softsym as ss
from softsym.native import available
net = ss.nn.SoftMLP("2S + 3V", "S + V", ["O(2)@z"], width=24, layers=3)
out = net(torch.ones(4, 11))
out.sum().backward()
per = ss.EquivarianceRegularizer(net, ["O(2)@z"])
print(available(), f"{out.sum().item():.5f} {per().item():.5f}")
"""


def outcome(tmp_path, **environment):
    """What a new process prints that has a cache folder of its own."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), **environment},
    )
    assert not done.stderr
    has, values = done.stdout.split(maxsplit=1)
    return has == "True", values


@pytest.mark.skipif(not library.available(), reason="no compiled code on this machine")
def test_the_same_with_and_without(tmp_path):
    has, values = outcome(tmp_path / "with")
    assert has
    for reason in ({"SOFTSYM_NATIVE": "0"}, {"CC": "no-such-compiler"}, {"CC": "false"}):
        assert outcome(tmp_path / "without", **reason) == (False, values)
    assert len(list((tmp_path / "with/softsym/native").glob("*.so"))) == 2


@pytest.mark.skipif(
    not library.available() or not hasattr(os, "getuid"), reason="no compiled code on this machine"
)
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path):
    folder = tmp_path / "softsym" / "native"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    assert not outcome(tmp_path)[0]
    assert list(folder.iterdir()) == []


def test_other_kinds_of_numbers_are_left_to_torch():
    assert library.compiled(library.Path(library.__file__).with_name("blocks.c"), torch.float16) is None
    assert library.matrix_product(torch.float16) is None
