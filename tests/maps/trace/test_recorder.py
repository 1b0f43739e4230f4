"""Watching a module run."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.maps.trace.handlers import HANDLERS
from softsym.maps.trace.layout import carrying, free
from softsym.maps.trace.recorder import Recorder
from softsym.maps.trace.slots import fresh


def test_functions_are_seen_with_the_module_that_calls_them():
    model = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 2)))
    recorder = Recorder(model, [ss.O(3)], HANDLERS, False, {})
    x = torch.zeros(2, 3)
    recorder.put(x, (free(2), carrying(fresh(3, rep=ss.rep("V")))))
    out = recorder.run(model, (x,))
    assert [use.parameters for use in recorder.uses] == [
        ("0.weight",),
        ("0.bias",),
        ("1.1.weight",),
        ("1.1.bias",),
    ]
    assert recorder.layout(out)[-1].size == 2
    assert recorder.hidden["0"][0].slot.pointwise == ["relu in '1.0'"]
    assert recorder.where == ""


def test_hooks_are_gone_after_a_failure():
    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("no")

    model = Fails()
    recorder = Recorder(model, [ss.O(3)], HANDLERS, False, {})
    with pytest.raises(ValueError, match="no"):
        recorder.run(model, (torch.zeros(1),))
    assert not model._forward_pre_hooks
    assert not model._forward_hooks
    assert recorder.where == ""
