r"""How far each layer of a network is from equivariant, and what that means for the whole: a certified bound of its error on a ball.

The relative distance of a weight or bias to the equivariant space of a group is

.. math:: \frac{|W - P_G W|}{|W|} \in [0, 1], \qquad |W|^2 = |P_G W|^2 + |W - P_G W|^2 .

Zero in all layers makes the network equivariant (apart from soft gates); one means that nothing of the layer is. An RPP has two
matrices per layer, :math:`W = P W_1 + W_2`, and for it the confined path :math:`|P W_1|` is reported too.

Let :math:`e` bound :math:`|\rho(g) h(x) - h(\rho(g) x)|` and r bound |h| before a layer, for all :math:`|x| \le R` and all g. With
:math:`|\rho(g)| \le \bar\rho` (one for orthogonal groups) a linear layer gives

.. math:: e' \le |W| e + 2 \bar\rho\, r\, |W - P W| + (\bar\rho + 1)\, |b - P b|, \qquad r' \le |W| r + |b| ,

an equivariant activation with Lipschitz constant L gives :math:`e' \le L e`, and what breaks the symmetry (a soft gate) adds its size
twice. Unrolled, the error is at most :math:`C \sum_l |W_l - P W_l| + |b_l - P b_l|` with an explicit C. The bound is loose, the more so
the deeper the network.

Lipschitz constants of the nonlinear layers are bounded from their weights. A bilinear form with :math:`|B(u, v)| \le \beta |u| |v|`
makes :math:`x + s B(x, x)` Lipschitz with :math:`1 + s \beta (|x| + |x'|)`. The form of a :class:`~softsym.nn.Bilinear` layer is a sum
of terms, each a small weight tensor :math:`M_{t k a}` times a product of tensors whose norms multiply; its norm is at most the operator
norm of any unfolding of M into a matrix, so the least of the three is taken. The same holds for the array of the terms' norms over
(output, input, acting) types. A gate multiplies a value v by :math:`\sigma(g)`: the derivative :math:`\sigma\,dv + v \sigma' dg` has
norm at most :math:`\sqrt{1 + |v|^2 / 16}`, because :math:`\sigma \le 1` and :math:`\sigma' \le 1/4`.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), appendix, https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.maps import MapValue, TensorMap, as_array, map_values
from softsym.nn import Bilinear, Gated, Network, ScaleCanonical
from softsym.nn.bilinear import SCALE
from softsym.nn.linear import SumLinear, get_weights
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.typing import Array

SWISH_SLOPE = 1.0999  # the largest derivative of swish is 1.09984
Layer = tuple[ArrayLike | Tensor, ArrayLike | Tensor | None]


@dataclass(frozen=True)
class Bound:
    """An upper bound of the equivariance error on a ball.

    Args:
        value: The bound.
        contributions: How much each layer adds to it, by name.
        constant: The C of the proposition: linear layers add at most C times the sum of their distances to equivariance.
        distance: That sum, of |W - P W| + |b - P b| over the linear layers.
        radius: Radius of the ball of inputs.
    """

    value: float
    contributions: dict[str, float]
    constant: float
    distance: float
    radius: float


@dataclass(frozen=True)
class Step:
    """One layer on a ball."""

    name: str  # name of the layer
    radius: float  # radius after the layer
    lipschitz: float  # how much an error before the layer can grow
    added: float = 0.0  # error that the layer adds
    slope: float = 0.0  # for a linear layer, the most that one unit of distance to equivariance can add
    distance: float = 0.0  # for a linear layer, its distance


def equivariance_bound(
    model: Network | Sequence[Layer],
    group: Group | str,
    radius: float,
    *,
    reps: Sequence[Rep | str] | None = None,
    lipschitz: float = 1.0,
    at_zero: float = 0.0,
    rho_bound: float | None = None,
) -> Bound:
    r"""Bounds :math:`|\rho_{out}(g) f(x) - f(\rho_{in}(g) x)|` over all g and all :math:`|x| \le` ``radius``.

    Args:
        model: A network of :mod:`softsym.nn` with representations in every layer, or a list of (W, b) with weights (n_out, n_in) and
            biases (n_out,) or None, between which an equivariant activation acts.
        group: The group.
        radius: Radius of the ball of inputs.
        reps: For a list: the representations of the input, of each hidden layer and of the output.
        lipschitz: For a list: the Lipschitz constant of the activation.
        at_zero: For a list: the norm of the activation at zero.
        rho_bound: An upper bound of the operator norm of the group elements in all representations of the network. It is one for
            orthogonal groups, and must be given for others (whose elements may have to be restricted to be bounded at all).

    Example:
        >>> import numpy as np
        >>> layers = [(np.diag([1.0, 1.0, 1.01]), None), (np.eye(3), None)]
        >>> round(equivariance_bound(layers, "O(3)", radius=2.0, reps=["V", "V", "V"]).value, 4)
        0.0267
    """
    group = read_group(group)
    rho = _rho_bound(group, rho_bound)
    if not (math.isfinite(radius) and radius >= 0):
        raise InputError(f"`radius` must be a non-negative number, got {radius}")
    layers = _Layers(group, rho, radius * rho)  # transformed inputs lie in the larger ball
    if isinstance(model, Network):
        if reps is not None:
            raise InputError("`reps` belong to a list of (W, b); a network knows its own")
        _add_network(layers, model)
    else:
        _add_list(layers, model, reps, lipschitz, at_zero)
    return layers.unroll(radius)


@dataclass
class _Layers:
    """The layers so far, and the ball after them."""

    group: Group
    rho: float
    radius: float
    steps: list[Step] = field(default_factory=list)

    def add(self, step: Step) -> None:
        self.steps.append(step)
        self.radius = step.radius

    def add_linear(self, name: str, weight: MapValue, bias: MapValue | None) -> None:
        W, slope = weight.value, 2 * self.rho * self.radius
        residual = weight.map.space(self.group).residual(W)
        b = np.zeros(len(W)) if bias is None else bias.value
        off = 0.0 if bias is None else float(bias.map.space(self.group).distance(b))
        norm = operator_norm(W)
        radius = norm * self.radius + float(np.linalg.norm(b))
        added = slope * operator_norm(residual) + (self.rho + 1) * off
        distance = float(np.linalg.norm(residual)) + off
        self.add(Step(name, radius, norm, added=added, slope=max(slope, self.rho + 1), distance=distance))

    def unroll(self, radius: float) -> Bound:
        contributions: dict[str, float] = {}
        constant, later = 0.0, 1.0
        for step in reversed(self.steps):
            if step.added or step.slope:
                contributions[step.name] = step.added * later
            constant = max(constant, step.slope * later)
            later *= step.lipschitz
        ordered = dict(reversed(contributions.items()))
        distance = sum(step.distance for step in self.steps)
        return Bound(sum(ordered.values()), ordered, constant, distance, radius)


def _add_list(
    layers: _Layers, model: Sequence[Layer], reps: Sequence[Rep | str] | None, lipschitz: float, at_zero: float
) -> None:
    if not isinstance(model, Sequence):
        raise InputError(
            f"{type(model).__name__} has no representations in its hidden layers; "
            "pass a network such as SoftMLP, or a list of (W, b) with `reps`"
        )
    if reps is None or len(reps) != len(model) + 1:
        given = "none" if reps is None else str(len(reps))
        raise InputError(f"{len(model)} layers have {len(model) + 1} representations, got {given}; pass `reps`")
    if lipschitz < 0 or at_zero < 0:
        raise InputError(f"`lipschitz` and `at_zero` must not be negative, got {lipschitz} and {at_zero}")
    known = [read_rep(item) for item in reps]
    for k, (W, b) in enumerate(model):
        weight = MapValue(as_array(W), TensorMap.linear(known[k], known[k + 1]))
        bias = None if b is None else MapValue(as_array(b), TensorMap.vector(known[k + 1]))
        layers.add_linear(f"layer {k}", weight, bias)
        if k + 1 < len(model):
            layers.add(Step(f"activation {k}", lipschitz * layers.radius + at_zero, lipschitz))


def _add_network(layers: _Layers, model: Network) -> None:
    _check_layers(model, layers.group)
    maps, rho = map_values(model), layers.rho
    for k, block in enumerate(model.blocks):
        name = f"blocks.{k}"
        layers.add_linear(f"{name}.linear", maps[f"{name}.linear.weight"], maps[f"{name}.linear.bias"])
        beta, radius = SCALE * bilinear_norm(cast(Bilinear, block.bilinear)), layers.radius
        layers.add(Step(f"{name}.bilinear", radius + beta * radius**2, 1 + beta * (1 + rho) * radius))
        gated, radius = cast(Gated, block.gated), layers.radius
        c = gate_constants(gated, model.hidden[k], model.group, layers.group, rho * radius)
        layers.add(Step(f"{name}.gated", c.growth * radius, c.lipschitz, added=2 * rho * c.broken * radius))
    layers.add_linear("last", maps["last.weight"], maps["last.bias"])


def _check_layers(model: Network, group: Group) -> None:
    """Contractions of V with V are equivariant to orthogonal groups only, those of V with V' to all."""
    largest = model.group
    if group.dim != largest.dim:
        raise InputError(f"the network is for {largest.name} on R^{largest.dim}, not for {group.name} on R^{group.dim}")
    if largest.is_orthogonal and not group.is_orthogonal:
        raise InputError(
            f"the bilinear layers are those of {largest.name}, not equivariant to {group.name}; "
            f"build the network with `largest` a group that contains it"
        )


def _rho_bound(group: Group, rho_bound: float | None) -> float:
    if rho_bound is None:
        if not group.is_orthogonal:
            raise InputError(
                f"{group.name} is not orthogonal, so its elements have no common norm; pass `rho_bound`, "
                "an upper bound of |rho(g)| for the elements that matter"
            )
        return 1.0
    if not (math.isfinite(rho_bound) and rho_bound >= 1):
        raise InputError(f"`rho_bound` must be at least 1 (the identity's norm), got {rho_bound}")
    return float(rho_bound)


def operator_norm(matrix: Array) -> float:
    """The largest singular value; zero for an empty matrix."""
    return float(np.linalg.norm(matrix, 2)) if matrix.size else 0.0


def multilinear_norm(tensor: Array) -> float:
    """An upper bound of the largest value of a three-way tensor on unit vectors: the least operator norm of its unfoldings."""
    unfolded = (np.moveaxis(tensor, axis, 0).reshape(tensor.shape[axis], -1) for axis in range(3))
    return min(operator_norm(matrix) for matrix in unfolded)


def bilinear_norm(layer: Bilinear) -> float:
    r"""An upper bound :math:`\beta` of the bilinear form W(u) v of a layer: :math:`|W(u) v| \le \beta |u| |v|`."""
    norms = np.zeros((len(layer.plan.types),) * 3)
    for term, weight in layer.term_weights():
        norms[term.target, term.source, term.through] = multilinear_norm(as_array(weight))
    return multilinear_norm(norms)


@dataclass(frozen=True)
class GateConstants:
    """Constants of a gated nonlinearity on a ball."""

    growth: float  # |output| is at most this times |input|
    lipschitz: float  # the Lipschitz constant
    broken: float  # the part that ignores the symmetry has norm at most this times |input|


def gate_constants(layer: Gated, rep: Rep, largest: Group, group: Group, radius: float) -> GateConstants:
    """The constants of a gated nonlinearity on a ball."""
    soft = np.zeros(layer.size) if layer.soft is None else as_array(layer.soft)
    gated_slope = math.sqrt(1 + radius**2 / 16)
    growth, lipschitz, broken = 0.0, 0.0, 0.0
    for segment in rep.segments(largest):
        w = soft[segment.start : segment.stop].reshape(segment.copies, segment.size)
        gates_itself = segment.type.is_permutation(largest)
        swish = 1 + w if gates_itself else w  # the weight of swish in each channel
        largest_weight = float(np.abs(swish).max(initial=0.0))
        growth = max(growth, largest_weight + (not gates_itself))
        lipschitz = max(lipschitz, SWISH_SLOPE * largest_weight + (0.0 if gates_itself else gated_slope))
        if segment.type.is_permutation(group):  # swish commutes with permutations, unequal weights do not
            swish = swish - swish.mean(axis=1, keepdims=True)
        broken = max(broken, float(np.abs(swish).max(initial=0.0)))
    return GateConstants(growth, lipschitz, broken)


def layer_distances(
    model: nn.Module | Mapping[str, ArrayLike | Tensor],
    group: Group | str,
    representations: Mapping[str, TensorMap] | None = None,
) -> dict[str, float]:
    """The relative distance of every described parameter to its equivariant space; a parameter that is zero has distance zero.

    Args:
        model: A network of :mod:`softsym.nn`, any module with a ``representations()`` method, any other module, or parameters by name.
        group: The group.
        representations: What each parameter is, by name; needed unless the model knows.

    Example:
        >>> import softsym as ss
        >>> net = ss.nn.SoftMLP("2S + 2V", "V", ["O(2)@z", "O(3)"], width=12, layers=2)
        >>> list(layer_distances(net, "O(3)"))
        ['blocks.0.linear.weight', 'blocks.0.linear.bias', 'last.weight', 'last.bias']
    """
    group = read_group(group)
    distances: dict[str, float] = {}
    for name, parameter in map_values(model, representations).items():
        norm = float(np.linalg.norm(parameter.value))
        distance = float(parameter.map.space(group).distance(parameter.value))
        distances[name] = distance / norm if norm else 0.0
    return distances


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


@torch.no_grad()
def weight_parts(network: Network | ScaleCanonical) -> list[WeightParts]:
    """The parts of every linear layer of a network, with respect to its largest group.

    Example:
        >>> import softsym as ss
        >>> [parts.outside < 1e-5 for parts in weight_parts(ss.nn.EMLP("2V", "V", "O(3)", width=8, layers=2))]
        [True, True]
    """
    weights = [(name, *pair) for name, pair in network.linear_maps().items() if name.endswith(".weight")]
    parts = []
    for place, (name, weight, tensor_map) in enumerate(weights, 1):
        inside = tensor_map.space(network.group).project(weight.double())
        outside, layer = weight.double() - inside, network.get_submodule(name.removesuffix(".weight"))
        confined = float(get_weights(layer.first)[0].double().norm()) if isinstance(layer, SumLinear) else None
        parts.append(WeightParts(place, float(inside.norm()), float(outside.norm()), confined))
    return parts
