"""The registry of groups that properties are tested on: every constructor at small sizes, and every way to combine them.

``make test`` runs over :data:`REPRESENTATIVES`, one group of each kind of generator; ``make test-all`` over the whole registry.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

import softsym as ss

_SIMPLE = """
    O(1) O(2) O(3) O(4) SO(1) SO(2) SO(3) SO(4) SL(1) SL(2) SL(3) GL(1) GL(2) Scaling(1) Scaling(3) Sp(1) Sp(2) U(1) U(2)
    SU(1) SU(2) Lorentz() SO13() SO13p() O11() SO11p() S(1) S(2) S(3) S(5) A(1) A(2) A(3) A(4) Z(1) Z(2) Z(5) C(1) C(2) C(3)
    C(4) C(5) D(1) D(3) D(4) Cube() Octahedral() Icosahedral() RubiksCube() Trivial(1) Trivial(3) E(1) E(2) E(3) SE(2) SE(3)
    Translation(1) Translation(3)
"""
_EMBEDDED = "O(2)@x O(2)@y O(2)@z SO(2)@z SL(2)@z C(4)@x S(2)@4[3,1] O(2)@z@4[1,2,3] D(3)@3[1,0]"
SIMPLE, EMBEDDED = _SIMPLE.split(), _EMBEDDED.split()
CONJUGATED = [
    "O(2)@(1,2,0)",
    "SO(2)@(0.1,0.7,0.7)",
    "D(3)@(1,-1e-3,0.5)",
    "SO(2)@[[2,0],[0,1]]",
    "SO(3)@[[0.6,-0.8,0],[0.8,0.6,0],[0,0,1]]",
    "SO13p()@[[1,0,0,0],[0,0.6,0.8,0],[0,-0.8,0.6,0],[0.1,0,0,1]]",
    "(SO(2) | Scaling(2))@[[1,1],[0,1]]",
    "O(2)@(1,1,1)@4[1,2,3]",
    "S(3)@[[0,1,0],[1,0,0],[0,0,1]]",
]
JOINED = [
    "SO(3) | Scaling(3)",
    "O(2)@x | O(2)@z",
    "C(4)@z | C(2)@x",
    "C(2) | C(3)",
    "Z(4) | A(4)",
    "SO(2) | D(3)",
    "Sp(1) | Scaling(2)",
    "Trivial(3) | SO(2)@z",
    "(SO(2) | C(4))@z",
    "SO(3) | Octahedral() | Scaling(3)",
]
PRODUCTS = [
    "SO(2) * S(3)",
    "SO(3) * Z(2)",
    "C(4) * Z(3)",
    "S(3) * S(2)",
    "(SO(2) | Scaling(2)) * S(2)",
    "SO(2) * (Z(2) * C(3))",
    "SO(2) * S(2) | C(4) * S(2)",
]
QUATERNIONS = [
    [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]],
    [[0, 0, -1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, -1, 0, 0]],
]
CUSTOM = [
    ss.Group.from_generators(discrete=[[[0, 1], [1, 0]]], name="swap"),
    ss.Group.from_generators(lie_algebra=ss.SO(3).lie_algebra, name="my 'rotations'"),
    ss.Group.from_generators(lie_algebra=[[[0, 1], [0, 0]]], name="shear"),
    ss.Group.from_generators(discrete=QUATERNIONS, name="quaternions"),
    ss.Group.from_generators(lie_algebra=[[[0, -1], [1, 0]]], discrete=[[[1, 0], [0, -1]]], name="my O(2)"),
    ss.Group.from_generators(discrete=[[[0, 2], [0.5, 0]]], name="skew swap"),
]

GROUPS = {text: ss.group(text) for text in SIMPLE + EMBEDDED + CONJUGATED + JOINED + PRODUCTS} | {
    G.name: G for G in CUSTOM
}
SMALL = {text: G for text, G in GROUPS.items() if G.dim <= 6}
ORTHOGONAL = {text: G for text, G in GROUPS.items() if G.is_orthogonal}
FINITE = {text: G for text, G in GROUPS.items() if G.is_finite and G.order <= 200}
REPRESENTATIVES = {
    "O(3)": "rotations and a reflection; Haar measure; zero-weight solver",
    "SU(2)": "unitary, in its real form",
    "SL(2)": "not compact, V and its dual differ",
    "Scaling(3)": "one symmetric generator",
    "Lorentz()": "boosts, and two discrete generators",
    "SE(2)": "homogeneous coordinates; dense solver",
    "S(3)": "permutations; orbit solver",
    "D(4)": "finite, no permutations; Reynolds operator; acts on grids",
    "Trivial(3)": "no generators",
    "O(2)@z": "embedded: coordinates that the group leaves alone",
    "SO(2)@[[2,0],[0,1]]": "conjugated: compact, not orthogonal",
    "SO(3) | Scaling(3)": "joined, with a Lie algebra",
    "C(2) | C(3)": "joined, finite",
    "SO(2) * S(3)": "product of a continuous and a permutation group",
    "C(4) * Z(3)": "product of finite groups",
    "shear": "custom generators, no normal element",
}
"""One group of each kind of generator, and what is particular to it."""
PLANE_REPS = [
    "Grid(2,2)",
    "Grid(3,3) + V",
    "Points([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])*V",
    "V*Grid(1,1)",
]

Parts = tuple[np.ndarray, ...]


def each(groups: Mapping[str, ss.Group], always: Sequence[str] = ()) -> pytest.MarkDecorator:
    """Parametrizes a test by groups ``G``: representatives in every run, the others marked ``nightly``.

    Args:
        groups: The groups by their texts.
        always: Texts of further groups to test in every run.
    """
    chosen = {*REPRESENTATIVES, *always}
    params = [
        pytest.param(G, id=text, marks=() if text in chosen else pytest.mark.nightly) for text, G in groups.items()
    ]
    return pytest.mark.parametrize("G", params)


def elements(G: ss.Group, n: int, seed: int = 0) -> Parts:
    """Random elements, part by part, each (n, d, d)."""
    return tuple(G.sample_parts(n, seed))


def reps_of(G: ss.Group, limit: int = 90) -> list[ss.Rep]:
    """Representations of several kinds, up to a size."""
    texts = [
        "S",
        "V",
        "V'",
        "2V + S + V",
        "T(2)",
        "T(1,1)",
        "V'*V",
        "T(0,2)",
        "T(3)",
        "T(2,1)",
        "V*(S + V')",
        "0",
        "pS + pV",
        "Sym(2)",
        "pV*Sym(2,V')",
    ]
    if len(G.part_dims) > 1:
        texts += ["V[0]*V[1]", "V[0] + V[1]'", "V[1]*V[0]'*V[1]", "V*V[0]'"]
    if G in (ss.C(4), ss.D(4), ss.C(2)):
        texts += PLANE_REPS
    return [rep for rep in map(ss.rep, texts) if rep.size(G) <= limit]
