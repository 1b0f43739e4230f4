r"""Projection-based equivariance regularization.

A linear map :math:`W` is equivariant to a group :math:`G` iff it lies in the range of the orthogonal projector :math:`P_G`. Half its
squared distance to that space,

.. math:: R_G(W) = \tfrac12 \lVert W - P_G W \rVert^2 ,

is zero exactly for equivariant maps and can be summed over groups whose spaces need not be nested.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

import functools
import math
import warnings
from collections import UserDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import torch
from torch import Tensor, nn

from softsym.errors import InputError, shorten
from softsym.groups import Group, read_groups
from softsym.maps import GivenReps, Proposal, TensorMap, parameter_maps
from softsym.regularize.operator import (
    JointOperator,
    Penalty,
    Proximal,
    StackedParameters,
    precision,
    projector,
    value_and_gradient,
)
from softsym.reps import Rep, TensorType
from softsym.spaces import Packed
from softsym.typing import Index

LONG_STEP = 1e6  # a proximal step so long that it ends in the intersection of all spaces
MIN_SHARE = 0.01
"""A weight that keeps a smaller share of its norm is not projected: scaling it up would amplify rounding error."""


class EquivarianceRegularizer:
    """Pulls the linear maps of a model towards the equivariant spaces of several groups.

    Args:
        model: Any module. The project's own networks know their representations, a chain of linear layers is read as a whole, and
            any other module is traced (:func:`softsym.infer_reps`); :meth:`describe` shows the representations.
        groups: The candidate groups.
        rep_in: Representation of the input; the project's own networks know theirs. Of images: of the whole image, ``"3Grid(32,32)"``,
            or of its channels, ``"3S"``.
        rep_out: Representation of the output.
        reps: Representations that you choose: {module name: representation of its output}, {layer name: (rep_in, rep_out)},
            {parameter name: its map}, the hidden representations of a chain, or a whole proposal of :func:`softsym.infer_reps`. Without
            ``rep_in`` and ``rep_out`` only parameters named here are regularised.
        strength: The initial strength of all groups, or {group: strength}.
        example: Inputs to run the model on, where none can be guessed from ``rep_in``: a tensor, or several in a tuple or a dict.
        output: Takes the tensor out of what the model gives, if that is an object: ``lambda out: out.logits``.
        dimensionless: Divide R_k by |w|^2 and by the share of dimensions outside the group's space, so that one strength means
            the same for networks and tasks of any size.

    Example:
        >>> import softsym as ss, torch
        >>> net = torch.nn.Linear(6, 3, bias=False)
        >>> per = ss.EquivarianceRegularizer(net, ["O(2)@z", "O(3)"], rep_in="2V", rep_out="V")
        >>> loss = per()
        >>> loss.backward()
        >>> distance = per.project_("O(3)")
        >>> per.residuals()["O(3)"]["linear"] < 1e-12
        True
    """

    def __init__(
        self,
        model: nn.Module,
        groups: Group | str | Sequence[Group | str],
        rep_in: Rep | str | None = None,
        rep_out: Rep | str | None = None,
        reps: GivenReps | None = None,
        strength: float | Mapping[str, float] = 1.0,
        *,
        example: Any = None,
        output: Callable[[Any], Tensor] | None = None,
        dimensionless: bool = False,
    ) -> None:
        self.groups = tuple(read_groups(groups))
        names = [group.name for group in self.groups]
        if len(set(names)) < len(names):
            raise InputError(f"every group must be given once, got {', '.join(names)}")
        self._model = model
        self.proposal = parameter_maps(model, self.groups, rep_in, rep_out, reps, example=example, output=output)
        if not self.proposal:
            raise InputError("; ".join(["no parameter of the model can be regularised", *self.proposal.remarks()]))
        self.dimensionless = dimensionless
        self._strengths = StrengthMap(names, strength)
        self._derive()

    def _derive(self) -> None:
        """What is computed from the model and its maps, some of it later."""
        self.stacked = StackedParameters.from_model(self._model, self.proposal)
        self._buffers = {name: self._model.get_buffer(name) for name in self.proposal.buffers}
        self._projectors: dict[Group, Packed] = {}
        self._proximal: tuple[tuple[float, ...], Proximal] | None = None

    @property
    def strengths(self) -> StrengthMap:
        """The strength of each group, by name; items can be set."""
        return self._strengths

    @strengths.setter
    def strengths(self, values: Mapping[str, float]) -> None:
        self._strengths.replace(values)

    def __call__(self) -> Tensor:
        """sum_k lambda_k R_k, a differentiable scalar."""
        # Value and gradient are closed forms, which need no tracing; the first call prepares them.
        penalty = torch.compiler.disable(self._penalty) if torch.compiler.is_compiling() else self._penalty
        value: Tensor = penalty()
        return value

    def _penalty(self) -> Any:
        return Penalty.apply(self._operator, self._weights(), self.dimensionless, *self.stacked.check())

    @torch.no_grad()
    def residuals(self) -> dict[str, dict[str, float]]:
        """Unweighted R_k = 1/2 |W - P_k W|^2 + 1/2 |b - P_k b|^2 for each group and layer, computed from W - P_k W itself."""
        w = self.stacked.flat()
        by_group = {}
        for group in self.groups:
            outside = w - self._projector(group).project(w[None])[0]
            squares = torch.stack([piece.square().sum() for piece in self.stacked.split(outside)])
            by_group[group.name] = self.stacked.sum_by_layer((0.5 * squares.double()).tolist())
        return by_group

    def totals(self) -> dict[str, float]:
        """Unweighted R_k of the whole model, for each group."""
        return {group: sum(layers.values()) for group, layers in self.residuals().items()}

    def by_layer(self) -> dict[str, EquivarianceRegularizer]:
        """One regularizer for each layer, with strengths of its own: a strength for each group and layer."""
        parts: dict[str, dict[str, TensorMap]] = {}
        for name, tensor_map, layer in zip(self.stacked.names, self.stacked.maps, self.stacked.layers, strict=True):
            parts.setdefault(layer, {})[name] = tensor_map
        options: dict[str, Any] = {"strength": dict(self.strengths), "dimensionless": self.dimensionless}
        make = functools.partial(EquivarianceRegularizer, self._model, self.groups, **options)
        return {layer: make(reps=Proposal(maps)) for layer, maps in parts.items()}

    @torch.no_grad()
    def step_(self, lr: float) -> None:
        """The decoupled form: adds -lr times the gradient of the penalty to the parameters, after ``optimizer.step()``."""
        step, parameters = _read_number(lr, "step_ needs a learning rate"), self.stacked.check()
        _, gradient = value_and_gradient(self._operator, self._weights(), self.dimensionless, parameters)
        trained = [(p, g) for p, g in zip(parameters, gradient, strict=True) if p.requires_grad]
        if trained:
            torch._foreach_sub_([p for p, _ in trained], [g for _, g in trained], alpha=step)

    @torch.no_grad()
    def prox_(self, step: float) -> None:
        """The proximal form, after ``optimizer.step()``: a strength means the same with any optimiser, also if it rescales gradients.

        Replaces the parameters w0 by the exact minimiser of |w - w0|^2 / (2 step) + sum_k lambda_k R_k(w); the step length is usually
        the optimiser's learning rate.
        """
        if self.dimensionless:
            raise InputError("prox_ has no closed form for a dimensionless penalty; make it without dimensionless=True")
        step, parameters = _read_number(step, "prox_ needs a step"), self.stacked.check()
        strengths = self._weights()
        if step == 0 or not any(strengths):
            return
        if self._proximal is None or self._proximal[0] != strengths:
            self._proximal = strengths, Proximal(self._operator, strengths)
        self._proximal[1].apply_(_copy_frozen(parameters), step)

    @torch.no_grad()
    def initialize_(self) -> None:
        """Makes initial weights equivariant to all groups of positive strength at once, before training.

        Training then departs from symmetry only as far as the data require. A projection makes random weights smaller, and signals vanish
        in a network of small weights, so every weight is rescaled to its norm before; a weight with almost no equivariant part is not
        changed.
        """
        active = tuple(float(strength > 0) for strength in self._weights())
        if not any(active):
            return
        parameters = _copy_frozen(self.stacked.check())
        before = [parameter.clone() for parameter in parameters]
        Proximal(self._operator, active).apply_(parameters, LONG_STEP)
        for parameter, old in zip(parameters, before, strict=True):
            if parameter.dim() < 2:  # biases and scales of norms keep their size
                continue
            norms = [torch.linalg.vector_norm(w, dtype=precision(w)) for w in (parameter, old)]
            share = (norms[0] / norms[1].clamp_min(torch.finfo(norms[1].dtype).tiny)).item()
            if share > MIN_SHARE:
                parameter.div_(share)
            else:
                parameter.copy_(old)

    def start_(self) -> None:
        """Deprecated name of :meth:`initialize_`."""
        warnings.warn("start_ is now initialize_", DeprecationWarning, stacklevel=2)
        self.initialize_()

    @torch.no_grad()
    def project_(self, group: Group | str) -> float:
        """Projects all maps onto one group's equivariant space; returns the distance from the parameters before."""
        acting = read_groups(group)[0]
        if acting.dim != self.groups[0].dim:
            raise InputError(f"{acting.name} acts on R^{acting.dim}, the model's groups on R^{self.groups[0].dim}")
        w = self.stacked.flat()
        inside = self._projector(acting).project(w[None])[0]
        pieces = list(zip(self.stacked.names, self.stacked.parameters, self.stacked.split(inside), strict=True))
        for name, parameter, piece in pieces:
            if not parameter.requires_grad and not torch.allclose(piece, parameter.to(piece), rtol=1e-4, atol=1e-6):
                raise InputError(
                    f"{name} is frozen and not equivariant to {acting.name}; call requires_grad_(True) on it first"
                )
        for _, parameter, piece in pieces:
            if parameter.requires_grad:
                parameter.copy_(piece)
        for name, buffer in self._buffers.items():  # running statistics enter the forward pass like parameters
            buffer.copy_(self.proposal.buffers[name].space(acting).project(buffer))
        return float((w - inside).double().norm())

    def describe(self) -> Description:
        """Every regularised parameter: shape, representation, dimension of its space under each group; and the parameters left out."""
        rows, remarks, stacked = [], self.proposal.remarks(), self.stacked
        for name, parameter, tensor_map in zip(stacked.names, stacked.parameters, stacked.maps, strict=True):
            dimensions = {group.name: tensor_map.space(group).dim for group in self.groups}
            rows.append(Row(name, tuple(parameter.shape), str(tensor_map), dimensions))
            empty = [group for group, dim in dimensions.items() if dim == 0]
            if empty and parameter.dim() > 1:
                remarks.append(
                    f"only zero is equivariant to {', '.join(empty)}: {name}; give its layer's representations with `reps`"
                )
        return Description(tuple(rows), tuple(remarks))

    def state_dict(self) -> dict[str, Any]:
        """The strengths, for checkpoints."""
        return {"strengths": dict(self.strengths)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores the strengths."""
        self.strengths = state["strengths"]

    @functools.cached_property
    def _positions(self) -> dict[TensorType, Index]:
        """Flat positions of each tensor type, by which all projectors are built."""
        return self.stacked.positions(self.groups)

    @functools.cached_property
    def _operator(self) -> JointOperator:
        return JointOperator(self.stacked, self.groups, self._positions)

    @functools.cached_property
    def _shares_outside(self) -> dict[str, float]:
        """The share of all dimensions that lies outside each group's spaces."""
        return {group.name: 1 - self._projector(group).dim / self.stacked.size for group in self.groups}

    def _weights(self) -> tuple[float, ...]:
        if not self.dimensionless:
            return tuple(self._strengths.values())
        return tuple(value / max(self._shares_outside[name], 1e-12) for name, value in self._strengths.items())

    def _projector(self, group: Group) -> Packed:
        """The projector of one of the groups, or of any other group of the same space, on the flat vector."""
        if group not in self._projectors:
            positions = self._positions if group in self.groups else self.stacked.positions((group,))
            self._projectors[group] = projector(group, positions, self.stacked.size)
        return self._projectors[group]

    def __getstate__(self) -> dict[str, Any]:
        """Everything that cannot be computed from the rest; compiled code cannot be copied."""
        return {name: getattr(self, name) for name in ("groups", "_model", "proposal", "dimensionless", "_strengths")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes the parameters of the copied model, so that a copy regularises the copy of the model."""
        self.__dict__.update(state)
        self._derive()

    def __repr__(self) -> str:
        strengths = ", ".join(f"{name}: {value:g}" for name, value in self._strengths.items())
        return f"EquivarianceRegularizer({len(self.stacked.names)} parameters; {strengths})"


def _read_number(value: Any, what: str) -> float:
    """A finite number of at least zero, of any type of Python, NumPy or torch."""
    if isinstance(value, Real) or (isinstance(value, Tensor) and value.ndim == 0 and value.is_floating_point()):
        number = float(value)
        if 0 <= number < math.inf:
            return number
    raise InputError(f"{what} that is finite and at least 0, got {value!r}")


def _copy_frozen(parameters: Sequence[Tensor]) -> list[Tensor]:
    """The parameters, with copies in place of frozen ones, which nothing may change."""
    return [p if p.requires_grad else p.detach().clone() for p in parameters]


class StrengthMap(UserDict[str, float]):
    """The strength of each group: a mapping with fixed keys that accepts only finite numbers of at least zero."""

    def __init__(self, names: Sequence[str], start: float | Mapping[str, float]) -> None:
        super().__init__()
        self.data = dict.fromkeys(names, 0.0)
        if not isinstance(start, Mapping):
            start = dict.fromkeys(names, start)
        elif missing := [name for name in names if name not in start]:
            raise InputError(f"`strength` lacks {', '.join(missing)}; give one for each group or one number for all")
        self.replace(start)

    def __setitem__(self, name: str, value: float) -> None:
        self.replace({name: value})

    def replace(self, values: Mapping[str, float]) -> None:
        """Sets several strengths, all of them or, if one is wrong, none."""
        for name in values:
            if name not in self.data:
                raise InputError(f"unknown group {name!r}; the groups are {', '.join(self.data)}")
        self.data |= {
            name: _read_number(value, f"the strength of {name} must be a number") for name, value in values.items()
        }

    def __delitem__(self, name: str) -> None:
        raise InputError("a group cannot be removed; set its strength to 0")


LONGEST = 60  # characters of a representation in the table


@dataclass(frozen=True)
class Row:
    """One parameter: name, shape, representation, and the dimension of its equivariant space by group."""

    parameter: str
    shape: tuple[int, ...]
    representation: str
    dimensions: dict[str, int]


@dataclass(frozen=True)
class Description:
    """All regularised parameters; prints as a table."""

    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [["parameter", "shape", "representation", *(self.rows[0].dimensions if self.rows else ())]]
        for row in self.rows:
            shape, representation = " x ".join(map(str, row.shape)), shorten(row.representation, LONGEST)
            lines.append([row.parameter, shape, representation, *map(str, row.dimensions.values())])
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        table = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]
        return "\n".join([*table, *self.remarks])

    def __repr__(self) -> str:
        return str(self)
