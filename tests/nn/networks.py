"""One network of every kind, and the measure of how far a function is from equivariance, written down from the definition."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

import softsym as ss

AXES = ["O(2)@x", "O(2)@y", "O(2)@z"]
REP_IN, REP_OUT, SIZE_IN, SIZE_OUT = "2S + 3V", "S + V", 11, 4
Build = Callable[[int], nn.Module]

NETWORKS: dict[str, Build] = {
    "MLP": lambda seed: ss.nn.MLP(REP_IN, REP_OUT, "O(3)", width=24, layers=3, seed=seed),
    "EMLP": lambda seed: ss.nn.EMLP(REP_IN, REP_OUT, "O(3)", width=40, layers=3, seed=seed),
    "RPP": lambda seed: ss.nn.RPP(REP_IN, REP_OUT, "SO(3)", width=40, layers=3, seed=seed),
    "MixedEMLP": lambda seed: ss.nn.MixedEMLP(REP_IN, REP_OUT, "O(2)@z", "O(2)@x", width=40, layers=3, seed=seed),
    "SoftMLP": lambda seed: ss.nn.SoftMLP(REP_IN, REP_OUT, AXES, width=40, layers=3, seed=seed),
    "FrameAveraged": lambda seed: ss.nn.FrameAveraged(
        ss.nn.MLP(REP_IN, REP_OUT, "O(3)", width=24, layers=3, seed=seed), REP_IN, REP_OUT, "O(3)"
    ),
}


def normal(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    """Standard normal numbers."""
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).to(dtype)


def transformed(rep: ss.Rep | str, G: ss.Group | str, x: Tensor, seed: int = 0) -> Tensor:
    """Every row of x transformed by a random element of its own."""
    G = ss.group(G)
    rho = torch.as_tensor(ss.rep(rep).rho(G, tuple(G.sample_parts(len(x), seed)))).to(x)
    return (rho @ x.unsqueeze(-1)).squeeze(-1)


def gap(
    f: Callable[[Tensor], Tensor],
    rep_in: ss.Rep | str,
    rep_out: ss.Rep | str,
    G: ss.Group | str,
    x: Tensor,
    seed: int = 0,
) -> float:
    """The largest |g f(x) - f(g x)|, relative to the larger of the two, over the parts of the output."""
    with torch.no_grad():
        expected, found = transformed(rep_out, G, f(x), seed), f(transformed(rep_in, G, x, seed))
    worst = 0.0
    for part in ss.rep(rep_out).segments(G):
        a, b = expected[:, part.start : part.stop], found[:, part.start : part.stop]
        size = max(float(a.norm()), float(b.norm()))
        worst = max(worst, float((a - b).norm()) / size if size else 0.0)
    return worst


def variation(y: Tensor) -> float:
    """How much the rows of y differ, relative to their size."""
    return float((y - y.mean(0)).norm() / y.norm())
