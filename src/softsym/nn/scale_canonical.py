r"""ScaleCanonical: the PER network for candidates that scale.

Under scalings :math:`\lambda` vectors grow and scalars stay, so the only equivariant linear map from vectors to scalars is zero, and a
penalty on weights can only fade. But a scaling can be undone: with s the size of an input in terms of a usual one,

.. math:: \hat f(x) = \rho_{out}(s)\, f(\log s,\; \rho_{in}(s)^{-1} x) .

Every soft network f gives an ordinary function of x, and an exactly scale-equivariant one iff its first layer has no weight on log s. In
the words of :mod:`softsym.reps.scaling`, f is a network from ``Size`` and unscaled tensors to unscaled tensors: the regularizer treats
scalings as it treats every other group, and :math:`R_k` of a scaling is half the squared norm of that column of weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group, read_groups
from softsym.maps import TensorMap
from softsym.nn.network import Groups, HasPrior, Hidden, check_width, hidden_reps, largest_group
from softsym.nn.soft import SoftMLP
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.scaling import Size, is_scaling, preserves_angles, remove_scaling, scaling_degrees


class ScaleCanonical(nn.Module, HasPrior):
    """A soft network whose inputs are brought to one size, with their size as one more input.

    Args:
        rep_in: Representation of the input: scalars, vectors and tensors, some of which grow under scalings.
        rep_out: Representation of the output.
        groups: Candidate groups: rotations, reflections and, at least one of them, scalings.
        usual_size: The usual size of an input; :meth:`fit_size_` takes it from data. All other arguments as for :class:`SoftMLP`.

    Example:
        >>> import softsym as ss, torch
        >>> net = ss.nn.ScaleCanonical("3V", "V", ["SO(3)", "Scaling(3)"], width=16, layers=2).double()
        >>> per = ss.EquivarianceRegularizer(net, ["SO(3)", "Scaling(3)"])
        >>> change = per.project_("Scaling(3)")
        >>> x = torch.ones(5, 9, dtype=torch.float64)
        >>> torch.allclose(net(10 * x), 10 * net(x))
        True
    """

    degrees_in: Tensor
    degrees_out: Tensor
    usual_size: Tensor

    def __init__(
        self,
        rep_in: Rep | str,
        rep_out: Rep | str,
        groups: Groups,
        width: int = 384,
        layers: int = 4,
        *,
        largest: Group | str | None = None,
        hidden: Hidden = None,
        init: str = "standard",
        round_up: bool = False,
        usual_size: float = 1.0,
        seed: int | torch.Generator = 0,
    ) -> None:
        super().__init__()
        candidates, G = largest_group(groups, largest)
        self.rep_in, self.rep_out, self.group = read_rep(rep_in), read_rep(rep_out), G
        reason = why_not_canonical(self.rep_in, self.rep_out, [*candidates, G])
        if reason is not None:
            raise InputError(f"ScaleCanonical cannot undo sizes: {reason}; take SoftMLP")
        if not 0 < usual_size < torch.inf:
            raise InputError(f"the usual size of an input is a positive number, got {usual_size!r}")
        self.candidates, self.size_in = tuple(candidates), self.rep_in.size(G)
        between = hidden_reps(width, layers, G, hidden, round_up=round_up)
        source, target, *inside = map(remove_scaling, (self.rep_in, self.rep_out, *between))
        self.network = SoftMLP(
            Size + source, target, candidates, layers=layers, largest=G, hidden=inside, init=init, seed=seed
        )
        scaling = next(group for group in candidates if is_scaling(group))
        for name, rep in (("degrees_in", self.rep_in), ("degrees_out", self.rep_out)):
            self.register_buffer(name, torch.tensor(scaling_degrees(rep, scaling), dtype=torch.get_default_dtype()))
        self.register_buffer("usual_size", torch.tensor(float(usual_size)))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., size of rep_in) to (..., size of rep_out)."""
        check_width(x, self.size_in, self.rep_in, self.group)
        ratio = (input_sizes(x, self.degrees_in) / self.usual_size).unsqueeze(-1)
        scale = torch.where(ratio > 0, ratio, 1.0)
        out: Tensor = self.network(torch.cat([scale.log(), x / scale**self.degrees_in], dim=-1))
        return out * scale**self.degrees_out

    @torch.no_grad()
    def fit_size_(self, x: Tensor) -> None:
        """Takes the usual size, the median, from inputs (n, size of rep_in), those of training; one if that is zero."""
        check_width(x, self.size_in, self.rep_in, self.group)
        self.usual_size.fill_(float(input_sizes(x.to(self.degrees_in), self.degrees_in).median()) or 1.0)

    def prior(self) -> Tensor:
        """The prior of the network inside."""
        return self.network.prior()

    def linear_maps(self) -> dict[str, tuple[Tensor, TensorMap]]:
        """As :meth:`softsym.nn.Network.linear_maps`; the first column of the first weight is that of the size."""
        return {f"network.{name}": value for name, value in self.network.linear_maps().items()}

    def representations(self) -> dict[str, TensorMap]:
        """Which map every linear weight and bias is: what a regularizer needs to know."""
        return {name: tensor_map for name, (_, tensor_map) in self.linear_maps().items()}

    def extra_repr(self) -> str:
        return f"{self.rep_in} -> {self.rep_out}, {self.group.name}, usual size {float(self.usual_size):.3g}"


def soft_network(
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Groups,
    width: int = 384,
    layers: int = 4,
    *,
    largest: Group | str | None = None,
    **options: Any,
) -> SoftMLP | ScaleCanonical:
    """The PER network of the candidates: a :class:`ScaleCanonical` where sizes can be undone, else a :class:`SoftMLP`.

    Takes the arguments that both have.

    Example:
        >>> import softsym as ss
        >>> [type(ss.nn.soft_network("3V", "S", ["SO(3)", *more], width=8)).__name__ for more in ([], ["Scaling(3)"])]
        ['SoftMLP', 'ScaleCanonical']
    """
    acting = read_groups(groups) if largest is None else read_groups([*read_groups(groups), largest])
    kind = SoftMLP if why_not_canonical(read_rep(rep_in), read_rep(rep_out), acting) else ScaleCanonical
    return kind(rep_in, rep_out, groups, width, layers, largest=largest, **options)


def why_not_canonical(rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> str | None:
    """The reason why sizes cannot be undone; None where they can.

    Example:
        >>> import softsym as ss
        >>> why_not_canonical(ss.rep("3V"), ss.rep("S"), [ss.SL(3), ss.Scaling(3)])
        'SL(3) has more than rotations, reflections and scalings'
    """
    scaling = next((group for group in groups if is_scaling(group)), None)
    if scaling is None:
        return "no candidate group is one of scalings"
    for group in groups:
        if not preserves_angles(group):
            return f"{group.name} has more than rotations, reflections and scalings"
    try:
        remove_scaling(rep_in + rep_out)
    except InputError as error:
        return str(error)
    return None if (scaling_degrees(rep_in, scaling) > 0).any() else f"nothing in {rep_in} grows"


def input_sizes(x: Tensor, degrees: Tensor) -> Tensor:
    """How large inputs (..., n) of given degrees (n,) are, of degree one: from the coordinates that grow the least."""
    least = degrees[degrees > 0].min()
    norm = torch.linalg.norm(x[..., degrees == least], dim=-1)
    positive = torch.where(norm > 0, norm, 1.0)  # a root of zero has no gradient
    return torch.where(norm > 0, positive ** (1 / least), 0.0)
