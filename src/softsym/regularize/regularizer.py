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
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from softsym.errors import BrokenSymmetryWarning, InputError
from softsym.groups import Group, read_groups
from softsym.maps import GivenReps, Proposal, TensorMap, parameter_maps
from softsym.regularize.description import Description, describe
from softsym.regularize.joint import JointOperator
from softsym.regularize.penalty import Penalty, value_and_gradient
from softsym.regularize.proximal import Proximal
from softsym.regularize.stacked import Stacked
from softsym.regularize.strength_map import StrengthMap
from softsym.reps import Rep
from softsym.spaces import Packed

FAR = 1e6
"""A proximal step so long that it ends in the intersection of all spaces."""
LEAST_LEFT = 0.01
"""The least share of a weight's length that must survive for the rest to be worth scaling up."""


class EquivarianceRegularizer:
    """Pulls the linear maps of a model towards the equivariant spaces of several groups.

    Args:
        model: Any module. The project's own networks know what their parameters are, a chain of linear layers is read as a whole, and
            any other module is run once to find out (:func:`softsym.infer_reps`); :meth:`describe` shows what was found.
        groups: The candidate groups.
        rep_in: Representation of the input; the project's own networks know theirs. Of images: of the whole image, ``"3Grid(32,32)"``,
            or of its channels, ``"3S"``.
        rep_out: Representation of the output.
        reps: What you know better: {module name: representation of what it gives}, {layer name: (rep_in, rep_out)}, {parameter name:
            its map}, the hidden representations of a chain, or all of it from :func:`softsym.infer_reps`. Without ``rep_in`` and
            ``rep_out`` only what is named here is regularised.
        strength: The strength of all groups at the start, or {group: strength}.
        dimensionless: Divide R_k by |w|^2 and by the share of dimensions outside the group's space, so that one strength means
            the same for networks and tasks of any size.

    Example:
        >>> import softsym as ss, torch
        >>> net = torch.nn.Linear(6, 3, bias=False)
        >>> per = ss.EquivarianceRegularizer(net, ["O(2)@z", "O(3)"], rep_in="2V", rep_out="V")
        >>> loss = per()
        >>> loss.backward()
        >>> moved = per.project_("O(3)")
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
        dimensionless: bool = False,
    ) -> None:
        self.groups = tuple(read_groups(groups))
        names = [group.name for group in self.groups]
        if len(set(names)) < len(names):
            raise InputError(f"every group must be given once, got {', '.join(names)}")
        self._model = model
        self.proposal = parameter_maps(model, self.groups, rep_in, rep_out, reps)
        if not self.proposal:
            raise InputError(
                "; ".join(["no parameter of the model can be regularised", *self.proposal.remarks()])
            )
        if self.proposal.breaks and self.proposal is not reps:  # who passes a proposal has seen it
            warnings.warn("; ".join(self.proposal.breaks), BrokenSymmetryWarning, stacklevel=2)
        self.stacked = Stacked.of(model, self.proposal)
        self._buffers = {name: model.get_buffer(name) for name in self.proposal.buffers}
        self.dimensionless = dimensionless
        self._strengths = StrengthMap(names, strength)
        self._packs: dict[Group, Packed] = {}
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
        apply = Penalty.apply
        if (
            torch.compiler.is_compiling()
        ):  # its gradient is a closed form already, which no compiler has to look into
            apply = torch.compiler.disable(apply)
        value: Tensor = apply(self._operator, self._weights(), self.dimensionless, *self.stacked.parameters)
        return value

    @torch.no_grad()
    def residuals(self) -> dict[str, dict[str, float]]:
        """Unweighted R_k = 1/2 |W - P_k W|^2 + 1/2 |b - P_k b|^2 for each group and layer, computed from W - P_k W itself."""
        w = self.stacked.flat()
        by_group = {}
        for group in self.groups:
            outside = w - self._packed(group).project(w[None])[0]
            squares = torch.stack([piece.square().sum() for piece in self.stacked.split(outside)])
            by_group[group.name] = self.stacked.by_layer((0.5 * squares.double()).tolist())
        return by_group

    def totals(self) -> dict[str, float]:
        """Unweighted R_k of the whole model, for each group."""
        return {group: sum(layers.values()) for group, layers in self.residuals().items()}

    def by_layer(self) -> dict[str, EquivarianceRegularizer]:
        """One regularizer for each layer, with strengths of its own: a strength for each group and layer."""
        parts: dict[str, dict[str, TensorMap]] = {}
        for name, one, layer in zip(self.stacked.names, self.stacked.maps, self.stacked.holders, strict=True):
            parts.setdefault(layer, {})[name] = one
        return {
            layer: EquivarianceRegularizer(
                self._model,
                self.groups,
                reps=Proposal(maps),
                strength=dict(self.strengths),
                dimensionless=self.dimensionless,
            )
            for layer, maps in parts.items()
        }

    @torch.no_grad()
    def step_(self, lr: float) -> None:
        """The decoupled form: moves the parameters by -lr times the gradient of the penalty, after ``optimizer.step()``."""
        parameters = self.stacked.parameters
        _, gradient = value_and_gradient(self._operator, self._weights(), self.dimensionless, parameters)
        torch._foreach_sub_(parameters, gradient, alpha=lr)

    @torch.no_grad()
    def prox_(self, step: float) -> None:
        """The proximal form, after ``optimizer.step()``: a strength means the same with any optimiser.

        Moves the parameters from w0 to the exact minimiser of |w - w0|^2 / (2 step) + sum_k lambda_k R_k(w).

        Args:
            step: The step length, usually the optimiser's learning rate.
        """
        if self.dimensionless:
            raise InputError(
                "prox_ has no closed form for a dimensionless penalty; make the regularizer without dimensionless=True"
            )
        if not 0 <= step < math.inf:
            raise InputError(f"prox_ needs a step of at least 0, got {step!r}")
        strengths = self._weights()
        if step == 0 or not any(strengths):
            return
        if self._proximal is None or self._proximal[0] != strengths:
            self._proximal = strengths, Proximal(self._operator, strengths)
        self._proximal[1].apply_(self.stacked.parameters, step)

    @torch.no_grad()
    def start_(self) -> None:
        """Makes initial weights equivariant to all groups of positive strength at once, before training.

        What is learned then departs from symmetry only as far as data ask for it. A projection makes random weights shorter, and signals
        die out in a network of short weights, so every weight is made as long as it was; one of which nothing would be left is kept.
        """
        active = tuple(float(strength > 0) for strength in self._weights())
        if not any(active):
            return
        parameters = self.stacked.parameters
        before = [parameter.clone() for parameter in parameters]
        Proximal(self._operator, active).apply_(parameters, FAR)
        for parameter, old in zip(parameters, before, strict=True):
            if parameter.dim() < 2:  # biases and scales of norms mean what they are
                continue
            share = (parameter.norm() / old.norm().clamp_min(torch.finfo(old.dtype).tiny)).item()
            if share > LEAST_LEFT:
                parameter.div_(share)
            else:
                parameter.copy_(old)

    @torch.no_grad()
    def project_(self, group: Group | str) -> float:
        """Snaps all maps onto one group's equivariant space; returns the distance the parameters moved."""
        w = self.stacked.flat()
        inside = self._packed(self._find(group)).project(w[None])[0]
        for parameter, piece in zip(self.stacked.parameters, self.stacked.split(inside), strict=True):
            parameter.copy_(piece)
        for (
            name,
            buffer,
        ) in self._buffers.items():  # running statistics count as they do in the model's forward
            buffer.copy_(self.proposal.buffers[name].space(self._find(group)).project(buffer))
        return float((w - inside).double().norm())

    def describe(self) -> Description:
        """Every regularised parameter: shape, representation, and the dimension of its space under each group; and what is left alone."""
        return describe(self.stacked, self.groups, self.proposal)

    def state_dict(self) -> dict[str, Any]:
        """The strengths, for checkpoints."""
        return {"strengths": dict(self.strengths)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores the strengths."""
        self.strengths = state["strengths"]

    @functools.cached_property
    def _operator(self) -> JointOperator:
        return JointOperator(self.stacked, self.groups)

    @functools.cached_property
    def _shares_outside(self) -> dict[str, float]:
        """The share of all dimensions that lies outside each group's spaces."""
        return {group.name: 1 - self._packed(group).dim / self.stacked.size for group in self.groups}

    def _weights(self) -> tuple[float, ...]:
        if not self.dimensionless:
            return tuple(self._strengths.values())
        shares = self._shares_outside
        return tuple(value / max(shares[name], 1e-12) for name, value in self._strengths.items())

    def _packed(self, group: Group) -> Packed:
        if group not in self._packs:
            self._packs[group] = self.stacked.packed(group)
        return self._packs[group]

    def _find(self, group: Group | str) -> Group:
        wanted = read_groups(group)[0]
        if wanted.dim != self.groups[0].dim:
            raise InputError(
                f"{wanted.name} acts on R^{wanted.dim}, the model's groups on R^{self.groups[0].dim}"
            )
        return wanted

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what is computed from the rest when it is needed, some of which is compiled code."""
        made = ("_packs", "_proximal", "_operator", "_shares_outside", "stacked", "_buffers")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes parameters from the model that came along, so that a copy pulls on the copy of the model."""
        self.__dict__.update(state)
        self.stacked = Stacked.of(self._model, self.proposal)
        self._buffers = {name: self._model.get_buffer(name) for name in self.proposal.buffers}
        self._packs, self._proximal = {}, None

    def __repr__(self) -> str:
        strengths = ", ".join(f"{name}: {value:g}" for name, value in self._strengths.items())
        return f"EquivarianceRegularizer({len(self.stacked.names)} parameters; {strengths})"
