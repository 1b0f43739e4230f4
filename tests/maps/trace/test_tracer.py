"""Tracing a module."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.maps.families import RULES, attention, conv, linear, norm, recurrent
from softsym.maps.trace import rules
from softsym.maps.trace.tracer import Tracer
from softsym.maps.trace.unify import channel_axis, free_axis, new_variable


def test_functions_are_seen_with_the_module_that_calls_them():
    model = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 2)))
    tracer = Tracer(model, [ss.O(3)], RULES, False, {})
    x = torch.zeros(2, 3)
    tracer.set_layout(x, (free_axis(2), channel_axis(new_variable(3, rep=ss.rep("V")))))
    out = tracer.run(model, (x,))
    assert [use.parameter for use in tracer.uses] == ["0.weight", "0.bias", "1.1.weight", "1.1.bias"]
    assert tracer.layout(out)[-1].size == 2
    assert tracer.hidden["0"][0].variable.pointwise == ["relu in '1.0'"]
    assert tracer.where == ""


def test_hooks_are_gone_after_a_failure():
    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("no")

    model = Fails()
    tracer = Tracer(model, [ss.O(3)], RULES, False, {})
    with pytest.raises(ValueError, match="no"):
        tracer.run(model, (torch.zeros(1),))
    assert not model._forward_pre_hooks
    assert not model._forward_hooks
    assert tracer.where == ""


def test_no_function_is_in_two_tables():
    tables = [module.RULES for module in (rules, attention, conv, linear, norm, recurrent)]
    assert sum(map(len, tables)) == len(RULES)
    assert all(callable(rule) for rule in RULES.values())
