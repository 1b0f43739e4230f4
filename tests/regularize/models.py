"""Models with their groups, and the regularizer written down from its definition with dense bases."""

import torch
from torch import Tensor, nn

import softsym as ss
from softsym.maps import TensorMap

AXES = ["O(2)@x", "O(2)@y", "O(2)@z"]
ROUTE = ("S + 2V", "V + T(2)")
GROUPS = {
    "one": ["O(2)@z"],
    "axes": AXES,
    "eight": [*AXES, "SO(2)@z", "SO(3)", "O(3)", "S(3)", "Scaling(3)"],
    "rotations and scale": ["SO(3)", "Scaling(3)", "SO(3) | Scaling(3)"],
    "not orthogonal": ["SL(2)@z", "Scaling(3)", "O(2)@x"],
    "joined": ["O(2)@x | O(2)@z", "SL(2)@z | Scaling(3)"],
    "permutations": ["S(3)", "Z(3)", "A(3)", "S(2)@3[0,1]"],
    "plane": ["SL(2)", "SO(2)", "C(4)"],
    "motions": ["SE(2)", "O(2)@z", "Translation(2)"],
    "product": ["SO(2) * S(2)"],
    "Lorentz": ["Lorentz()", "SO(3)@4[1,2,3]", "O(4)"],
    "trivial": ["Trivial(3)", "O(3)"],
}


def soft_model(groups: list[str], seed: int = 0, width: int = 14) -> ss.nn.SoftMLP:
    return ss.nn.SoftMLP(*ROUTE, groups, width=width, layers=3, seed=seed).double()


def dense_bases(model: nn.Module, maps: dict[str, TensorMap], group: str) -> dict[str, Tensor]:
    """An orthonormal basis (size of the parameter, dim) for every parameter."""
    return {name: torch.tensor(one.space(group).basis()) for name, one in maps.items()}


def outside(model: nn.Module, bases: dict[str, Tensor]) -> list[Tensor]:
    """v - Q Q^T v for every parameter."""
    rest = []
    for name, Q in bases.items():
        v = model.get_parameter(name).flatten()
        Q = Q.to(v)
        rest.append(v - Q @ (Q.T @ v))
    return rest


def dense_residual(model: nn.Module, bases: dict[str, Tensor]) -> Tensor:
    """R = 1/2 sum |v - Q Q^T v|^2."""
    return 0.5 * sum(rest.square().sum() for rest in outside(model, bases))
