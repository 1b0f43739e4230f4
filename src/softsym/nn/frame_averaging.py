r"""Frame averaging: any network made exactly equivariant by averaging over a small input-dependent set of group elements.

.. math:: \frac{1}{|F(x)|} \sum_{g \in F(x)} \rho_{out}(g)\, f(\rho_{in}(g)^{-1} x)

A frame F is equivariant itself, F(h x) = h F(x), which makes the average equivariant. For O(n) and SO(n) the frame is the principal axes of
the input's vectors with every choice of signs (and, for SO(n), determinant one); for S(n) it is the permutation that sorts the input.

Reference:
    Frame Averaging for Invariant and Equivariant Network Design (Puny et al., 2022), https://arxiv.org/abs/2110.03336
"""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import SO, Group, O, S
from softsym.groups import group as read_group
from softsym.nn.network import HasPrior, check_width, get_prior
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.atoms import Base, Sign


class FrameAveraged(nn.Module, HasPrior):
    """A module averaged over frames.

    Exact on generic inputs: those whose principal moments differ and whose vectors span the space (O, SO), or whose rows differ (S).

    Args:
        module: Maps (..., size of rep_in) to (..., size of rep_out).
        rep_in: Representation of the input; it must contain vectors.
        rep_out: Representation of the output.
        group: O(n), SO(n) or S(n).

    Example:
        >>> import softsym as ss, torch
        >>> net = ss.nn.FrameAveraged(torch.nn.Linear(6, 3), "2V", "V", "O(3)")
        >>> net(torch.ones(5, 6)).shape
        torch.Size([5, 3])
    """

    signs: Tensor

    def __init__(self, module: nn.Module, rep_in: Rep | str, rep_out: Rep | str, group: Group | str) -> None:
        super().__init__()
        self.module, self.rep_in, self.rep_out = module, read_rep(rep_in), read_rep(rep_out)
        self.group = read_group(group)
        known = (name for name, family in (("O", O), ("SO", SO), ("S", S)) if self.group == family(self.group.dim))
        self.kind = next(known, "")
        if not self.kind:
            raise InputError(f"frames are known for O(n), SO(n) and S(n), not for {self.group.name}")
        self.size_in, self.size_out = self.rep_in.size(self.group), self.rep_out.size(self.group)
        self.runs_in, self.runs_out = (_tensor_runs(self.rep_in, self.group), _tensor_runs(self.rep_out, self.group))
        vectors = (Base(),), (Base(is_dual=True),)
        self.vectors = [s for s in self.rep_in.segments(self.group) if s.type.atoms in vectors]
        if not self.vectors:
            raise InputError(f"frame averaging needs vectors in the input; {self.rep_in} has none")
        signs = torch.tensor(list(itertools.product((1.0, -1.0), repeat=self.group.dim)))
        if self.kind == "SO":  # of each pair +-, one has determinant one, by the sign of its first axis
            signs = signs[: len(signs) // 2]
        self.register_buffer("signs", signs, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """The average over the frame, for x (..., size of rep_in)."""
        check_width(x, self.size_in, self.rep_in, self.group)
        flat = x.reshape(-1, self.size_in)
        points = torch.cat([flat[:, s.start : s.stop].unflatten(1, (-1, s.size)) for s in self.vectors], dim=1)
        frames = self._sorting_frames(points) if self.kind == "S" else self._principal_frames(points)
        canonical = _act(self.runs_in, frames.transpose(-1, -2), flat.unsqueeze(0))
        out = _act(self.runs_out, frames, self.module(canonical))
        return out.mean(0).reshape(*x.shape[:-1], self.size_out)

    def prior(self) -> Tensor:
        """The prior of the module inside; zero if it has none."""
        prior = get_prior(self.module)
        return self.signs.new_zeros(()) if prior is None else prior()

    def _principal_frames(self, points: Tensor) -> Tensor:
        """Principal axes with all choices of signs, (frames, batch, d, d); about the origin, since the group fixes it."""
        _, axes = torch.linalg.eigh(points.transpose(1, 2) @ points)
        signs = self.signs.to(axes.dtype)
        frames = axes * signs[:, None, None, :]
        if self.kind == "O":
            return frames
        fix = torch.linalg.det(axes).sign() * signs.prod(1)[:, None]
        return torch.cat([frames[..., :1] * fix[..., None, None], frames[..., 1:]], dim=-1)

    def _sorting_frames(self, points: Tensor) -> Tensor:
        """The permutation that sorts coordinates by the sum over all vectors, (1, batch, n, n)."""
        order = points.sum(1).argsort(dim=-1, stable=True)
        eye = torch.eye(points.shape[-1], dtype=points.dtype, device=points.device)
        return eye[order].transpose(-1, -2).unsqueeze(0)


TensorRun = tuple[int, int, int, int, bool]


def _tensor_runs(rep: Rep, group: Group) -> list[TensorRun]:
    """(start, stop, copies, indices, whether they change sign with the determinant) of each run of tensors."""
    runs = []
    for s in rep.segments(group):
        if not all(isinstance(a, Base | Sign) and a.part is None for a in s.type.atoms):
            raise InputError(f"frame averaging knows scalars, vectors and tensors, not {s.type}")
        is_pseudo = Sign() in s.type.atoms
        runs.append((s.start, s.stop, s.copies, s.type.rank - is_pseudo, is_pseudo))
    return runs


def _act(runs: list[TensorRun], g: Tensor, x: Tensor) -> Tensor:
    """rho(g) x for orthogonal g (frames, batch, d, d) and x (frames or 1, batch, size): g acts on every index of a tensor."""
    frames, d = g.shape[0], g.shape[-1]
    pieces = []
    for start, stop, copies, rank, is_pseudo in runs:
        piece = x[..., start:stop].expand(frames, *x.shape[1:-1], stop - start)
        for axis in range(rank):
            tensor = piece.unflatten(-1, (copies * d**axis, d, d ** (rank - axis - 1)))
            piece = torch.einsum("fbij,fbcja->fbcia", g, tensor).flatten(2)
        piece = torch.linalg.det(g).sign()[..., None] * piece if is_pseudo else piece
        pieces.append(piece)
    return torch.cat(pieces, dim=-1)
