r"""ScaleFramed: the PER network for candidates that scale.

Under scalings :math:`\lambda` vectors grow and scalars stay, so the only equivariant linear map from vectors to scalars is zero, and a
penalty on weights can only fade. But a scaling can be undone: with s the size of an input in terms of a usual one,

.. math:: \hat f(x) = \rho_{out}(s)\, f(\log s,\; \rho_{in}(s)^{-1} x) .

Every soft network f gives an ordinary function of x, and an exactly scale-equivariant one iff its first layer has no weight on log s. In
the words of :mod:`softsym.reps.scaling`, f is a network from ``Size`` and unscaled tensors to unscaled tensors: the regularizer treats
scalings as it treats every other group, and :math:`R_k` of a scaling is half the squared norm of that column of weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group, join_groups, read_groups
from softsym.maps import TensorMap
from softsym.nn.network import check_width, hidden_reps, read_hidden
from softsym.nn.prior import HasPrior
from softsym.nn.soft import SoftMLP
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.scaling import Size, is_scaling, preserves_angles, remove_scaling, scaling_degrees


class ScaleFramed(nn.Module, HasPrior):
    """A soft network that sees its inputs at one size, and their size beside them.

    Args:
        rep_in: Representation of the input: scalars, vectors and tensors, some of which grow under scalings.
        rep_out: Representation of the output.
        groups: Candidate groups: rotations, reflections and, at least one of them, scalings.
        width: Size of the hidden layers.
        layers: Number of linear layers.
        largest: Group of the gates and bilinear layers; the candidates joined by default.
        hidden: Hidden representations, if not proposed by width.
        init: As for :class:`~softsym.nn.SoftMLP`.
        round_up: As for :class:`~softsym.nn.SoftMLP`.
        usual_size: The usual size of an input; :meth:`fit_size_` takes it from data.
        seed: Seed or generator of the initial weights.

    Example:
        >>> import softsym as ss, torch
        >>> net = ss.nn.ScaleFramed("3V", "V", ["SO(3)", "Scaling(3)"], width=16, layers=2).double()
        >>> per = ss.EquivarianceRegularizer(net, ["SO(3)", "Scaling(3)"])
        >>> moved = per.project_("Scaling(3)")
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
        groups: Group | str | Sequence[Group | str],
        width: int = 384,
        layers: int = 4,
        *,
        largest: Group | str | None = None,
        hidden: Rep | str | Sequence[Rep | str] | None = None,
        init: str = "standard",
        round_up: bool = False,
        usual_size: float = 1.0,
        seed: int | torch.Generator = 0,
    ) -> None:
        super().__init__()
        candidates = read_groups(groups)
        G = join_groups(candidates) if largest is None else read_groups([largest, *candidates])[0]
        self.rep_in, self.rep_out, self.group = read_rep(rep_in), read_rep(rep_out), G
        reason = why_not_framed(self.rep_in, self.rep_out, [*candidates, G])
        if reason is not None:
            raise InputError(f"ScaleFramed cannot undo sizes: {reason}; take SoftMLP")
        if not 0 < usual_size < torch.inf:
            raise InputError(f"the usual size of an input is a positive number, got {usual_size!r}")
        self.candidates, self.size_in = tuple(candidates), self.rep_in.size(G)
        between = hidden_reps(width, layers, G, read_hidden(hidden), round_up=round_up)
        self.network = SoftMLP(
            Size + remove_scaling(self.rep_in), remove_scaling(self.rep_out), candidates, width, layers, largest=G,
            hidden=[remove_scaling(rep) for rep in between], init=init, seed=seed,
        )  # fmt: skip
        scaling = next(group for group in candidates if is_scaling(group))
        for name, rep in (("degrees_in", self.rep_in), ("degrees_out", self.rep_out)):
            self.register_buffer(
                name, torch.tensor(scaling_degrees(rep, scaling), dtype=torch.get_default_dtype())
            )
        self.register_buffer("usual_size", torch.tensor(float(usual_size)))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., size of rep_in) to (..., size of rep_out)."""
        check_width(x, self.size_in, self.rep_in, self.group)
        scale = scales(x, self.degrees_in, self.usual_size)
        out: Tensor = self.network(torch.cat([scale.log(), x / scale**self.degrees_in], dim=-1))
        return out * scale**self.degrees_out

    @torch.no_grad()
    def fit_size_(self, x: Tensor) -> None:
        """Takes the usual size from inputs (n, size of rep_in), those of training."""
        check_width(x, self.size_in, self.rep_in, self.group)
        self.usual_size.fill_(usual_size(x.to(self.degrees_in), self.degrees_in))

    def prior(self) -> Tensor:
        """That of the network inside."""
        return self.network.prior()

    def linear_maps(self) -> dict[str, tuple[Tensor, TensorMap]]:
        """As :meth:`softsym.nn.Network.linear_maps`; the first column of the first weight is that of the size."""
        return {f"network.{name}": value for name, value in self.network.linear_maps().items()}

    def representations(self) -> dict[str, TensorMap]:
        """Which map every linear weight and bias is: what a regularizer needs to know."""
        return {name: one for name, (_, one) in self.linear_maps().items()}

    def extra_repr(self) -> str:
        """Shown by print(network)."""
        return f"{self.rep_in} -> {self.rep_out}, {self.group.name}, usual size {float(self.usual_size):.3g}"


def soft_network(
    rep_in: Rep | str,
    rep_out: Rep | str,
    groups: Group | str | Sequence[Group | str],
    width: int = 384,
    layers: int = 4,
    *,
    largest: Group | str | None = None,
    hidden: Rep | str | Sequence[Rep | str] | None = None,
    init: str = "standard",
    round_up: bool = False,
    seed: int | torch.Generator = 0,
) -> SoftMLP | ScaleFramed:
    """The PER network of the candidates: a :class:`ScaleFramed` one where sizes can be undone, else a :class:`SoftMLP`.

    Takes the arguments of both.

    Example:
        >>> import softsym as ss
        >>> [type(ss.nn.soft_network("3V", "S", ["SO(3)", *more], width=8)).__name__ for more in ([], ["Scaling(3)"])]
        ['SoftMLP', 'ScaleFramed']
    """
    acting = read_groups(groups) if largest is None else read_groups([*read_groups(groups), largest])
    is_plain = why_not_framed(read_rep(rep_in), read_rep(rep_out), acting) is not None
    return (SoftMLP if is_plain else ScaleFramed)(
        rep_in, rep_out, groups, width, layers,
        largest=largest, hidden=hidden, init=init, round_up=round_up, seed=seed,
    )  # fmt: skip


def why_not_framed(rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> str | None:
    """The reason why sizes cannot be undone; None where they can.

    Example:
        >>> import softsym as ss
        >>> why_not_framed(ss.rep("3V"), ss.rep("S"), [ss.SL(3), ss.Scaling(3)])
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


def sizes(x: Tensor, degrees: Tensor) -> Tensor:
    """How large inputs (..., n) of given degrees (n,) are, of degree one: from the coordinates that grow the least.

    Example:
        >>> sizes(torch.tensor([[7.0, 3.0, 4.0]]), torch.tensor([0.0, 1.0, 1.0]))
        tensor([5.])
    """
    least = degrees[degrees > 0].min()
    norm = torch.linalg.norm(x[..., degrees == least], dim=-1)
    positive = torch.where(norm > 0, norm, 1.0)  # a root of zero has no gradient
    return torch.where(norm > 0, positive ** (1 / least), 0.0)


def scales(x: Tensor, degrees: Tensor, usual: Tensor | float) -> Tensor:
    """The scaling that leads from the usual size to that of each input (..., n), shape (..., 1); one for inputs of size zero."""
    scale = (sizes(x, degrees) / usual).unsqueeze(-1)
    return torch.where(scale > 0, scale, 1.0)


def usual_size(x: Tensor, degrees: Tensor) -> float:
    """The median size of inputs (rows, n); one if that is zero."""
    return float(sizes(x, degrees).median()) or 1.0
