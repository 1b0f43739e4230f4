r"""Where the weights of a trained network lie: how much of each is in the equivariant space of its group, and how much is not.

.. math:: |W|^2 = |P W|^2 + |W - P W|^2

PER has one matrix per layer; an RPP has two, :math:`W = P W_1 + W_2`, and for it the confined path :math:`|P W_1|` is told apart.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from softsym.training import MODELS, RunSpec

FILE = "model.safetensors"
WeightRows = list[dict[str, Any]]


@dataclass(frozen=True)
class WeightParts:
    """Norms of one layer's weight.

    Args:
        layer: Its place, from 1.
        inside: Of its equivariant part, |P W|.
        outside: Of the rest, |W - P W|.
        confined: Of the path that is equivariant by construction, |P W_1|; None where there is no such path.
    """

    layer: int
    inside: float
    outside: float
    confined: float | None = None


def weight_rows(spec: RunSpec, folder: Path) -> WeightRows:
    """The parts of every layer of a finished run, from the weights that it left; empty where there is nothing to tell.

    Args:
        spec: The run.
        folder: Where it worked.
    """
    if not MODELS[spec.model].is_free or not (folder / FILE).exists():
        return []
    return [asdict(parts) for parts in weight_parts(trained(spec, folder / FILE))]


def weight_parts(network: Any) -> list[WeightParts]:
    """The parts of every linear layer of a network, with respect to its largest group."""
    import torch

    from softsym.nn.linear import SumLinear, weights_of
    from softsym.nn.network import routes
    from softsym.spaces import equivariant_maps

    linears = [*(block.linear for block in network.blocks), network.last]
    between = routes(network.rep_in, network.rep_out, network.hidden, network.group)
    found = []
    with torch.no_grad():
        for place, (linear, (source, target)) in enumerate(zip(linears, between, strict=True), 1):
            space = equivariant_maps(source, target, network.group)
            weight = weights_of(linear)[0].double()
            inside = space.project(weight)
            confined = _norm(weights_of(linear.first)[0].double()) if isinstance(linear, SumLinear) else None
            found.append(WeightParts(place, _norm(inside), _norm(weight - inside), confined))
    return found


def _norm(weight: Any) -> float:
    """Six digits are enough for a figure."""
    return float(f"{float(weight.norm()):.6g}")


def trained(spec: RunSpec, path: Path) -> Any:
    """The network of a finished run, from its file of weights."""
    from safetensors.torch import load_file

    from softsym.tasks.parse import task as read_task

    model = spec.build(read_task(spec.task)).model
    model.load_state_dict(load_file(path))
    return model
