"""Readers against the average over all elements, on the flattened parameter."""

import numpy as np
from torch import nn

import softsym as ss
from softsym.maps.families import layer_maps
from tests.twin import reynolds_projector


def check(module: nn.Module, rep_in: str, rep_out: str, G: str) -> dict[str, int]:
    """Compares every parameter of a layer with its dense twin; returns the dimensions of their spaces."""
    group = ss.group(G)
    maps = layer_maps(nn.ModuleDict({"layer": module}), "layer", rep_in, rep_out, [group])
    assert set(maps) == {f"layer.{name}" for name, _ in module.named_parameters()}
    dims = {}
    for name, parameter in module.named_parameters():
        one = maps[f"layer.{name}"]
        one.check(name, parameter.shape, [group])
        W = np.random.default_rng(0).standard_normal(parameter.shape)
        P = reynolds_projector(one.factors, group)
        assert np.allclose(one.space(group).project(W).ravel(), P @ W.ravel(), atol=1e-12)
        dims[name] = one.space(group).dim
        assert dims[name] == round(np.trace(P))
    return dims
