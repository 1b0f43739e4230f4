"""The slow, obvious twin of equivariant spaces, and the check that a map is equivariant.

Everything here is written down from the definition, with full Kronecker matrices: no blocks, no types, no shortcuts.
"""

import functools

import numpy as np
from scipy.linalg import expm, null_space

import softsym as ss


def generator_parts(G: ss.Group, discrete: bool) -> list[tuple[np.ndarray, ...]]:
    """Each generator as a tuple of parts: zero (Lie algebra) or one (discrete) on the parts it leaves alone."""
    rest = [np.eye(d) if discrete else np.zeros((d, d)) for d in G.part_dims]
    found = G.discrete if discrete else G.lie
    return [tuple(g.matrix if k == g.part else other for k, other in enumerate(rest)) for g in found]


def exponential(A: tuple[np.ndarray, ...], t: float) -> tuple[np.ndarray, ...]:
    """The group element exp(tA), part by part."""
    return tuple(expm(t * part) for part in A)


def twin_basis(rep_in: ss.Rep | None, rep_out: ss.Rep, G: ss.Group) -> np.ndarray:
    """Orthonormal null space (n_out * n_in, dim) of all constraints B W - W C = 0, by one SVD; rows of W first."""
    rep_in = ss.Scalar if rep_in is None else rep_in
    n_out, n_in = rep_out.size(G), rep_in.size(G)
    rows = [np.zeros((1, n_out * n_in))]
    for A in generator_parts(G, discrete=False):
        rows.append(commutator(rep_out.drho(G, A), rep_in.drho(G, A)))
    for h in generator_parts(G, discrete=True):
        rows.append(commutator(rep_out.rho(G, h), rep_in.rho(G, h)))
    return null_space(np.concatenate(rows), rcond=1e-9) if n_out * n_in else np.zeros((0, 0))


def twin_tensor_basis(factors: list[ss.Rep], G: ss.Group) -> np.ndarray:
    """Orthonormal null space (product of sizes, dim) of all constraints on a tensor with one axis for each representation."""
    sizes = [rep.size(G) for rep in factors]
    rows = [np.zeros((1, np.prod(sizes)))]
    for A in generator_parts(G, discrete=False):
        slots = [np.eye(int(np.prod(sizes[:k]))) for k in range(len(sizes))]
        rows.append(
            sum(
                np.kron(np.kron(slots[k], rep.drho(G, A)), np.eye(int(np.prod(sizes[k + 1 :]))))
                for k, rep in enumerate(factors)
            )
        )
    for h in generator_parts(G, discrete=True):
        rows.append(kron_action(factors, G, h) - np.eye(int(np.prod(sizes))))
    return null_space(np.concatenate(rows), rcond=1e-9)


def reynolds_projector(factors: list[ss.Rep], G: ss.Group) -> np.ndarray:
    """The average of a finite group's action on flattened tensors, over all of its elements."""
    return np.mean([kron_action(factors, G, (g,)) for g in G.elements], axis=0)


def kron_action(factors: list[ss.Rep], G: ss.Group, g: tuple[np.ndarray, ...]) -> np.ndarray:
    """The matrix of a group element on flattened tensors, the last axis running fastest."""
    return functools.reduce(np.kron, [rep.rho(G, g) for rep in factors])


def commutator(B: np.ndarray, C: np.ndarray) -> np.ndarray:
    """The matrix of W -> B W - W C."""
    return np.kron(B, np.eye(len(C))) - np.kron(np.eye(len(B)), C.T)


def twin_project(W: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Q Q^T W."""
    return (Q @ (Q.T @ W.ravel())).reshape(W.shape)


def equivariance_gap(
    W: np.ndarray, rep_in: ss.Rep | None, rep_out: ss.Rep, G: ss.Group, n: int = 4, seed: int = 0
) -> float:
    """The largest |rho_out(g) W - W rho_in(g)| over random elements, relative to the sizes involved."""
    g = tuple(G.sample_parts(n, seed))
    out = rep_out.rho(G, g) @ (W[:, None] if rep_in is None else W)
    into = W[:, None] if rep_in is None else W @ rep_in.rho(G, g)
    scale = 1 + max(np.abs(out).max(initial=0.0), np.abs(into).max(initial=0.0))
    return float(np.abs(out - into).max(initial=0.0) / scale)
