"""Groups and representations: what a symmetry is, and how it acts on the columns of a table.

    python examples/01_groups_and_representations.py

A group is a set of matrices, given by its generators. A representation says what the numbers of one row are (scalars, vectors,
matrices), and so how every element of a group transforms them. Both are values with a text form; wherever one is expected, its text
is accepted too.
"""

from __future__ import annotations

import numpy as np

import softsym as ss


def groups() -> None:
    """A group knows its generators, draws elements from a seed, and its text parses back."""
    G = ss.O(2).about("z")  # rotations and reflections of the x-y plane; z stays
    print(
        f"{G}: acts on R^{G.dim}, {len(G.lie_algebra)} continuous and {len(G.discrete_generators)} discrete generator"
    )
    print("its Lie algebra, the velocity of a rotation:\n", G.lie_algebra[0])
    assert ss.group(str(G)) == G

    for text in ["SO(3)", "S(5)", "Cube()", "O(2)@x | O(2)@z", "SO(3) | Scaling(3)"]:
        H = ss.group(text)
        print(f"{text:20s} dim {H.dim}, order {H.order}, {'orthogonal' if H.is_orthogonal else 'not orthogonal'}")

    # Your own: rotations by 90 degrees about z, from one matrix.
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    own = ss.Group.from_generators(discrete=[quarter], name="quarter rotations")
    print("rotations by 90 degrees have order", own.order)


def representations() -> None:
    """A representation is the layout of a row; together with a group it has a size and matrices."""
    rep = ss.rep("5S + 5V")  # five masses, then five positions
    assert rep == 5 * ss.Scalar + 5 * ss.Vector
    G = ss.group("O(2)@z")
    print(f"\n{rep} under {G} has {rep.size(G)} columns, under O(2) of the plane {rep.size('O(2)')}")

    # A representation is a homomorphism: applying g and then h is applying h g.
    g, h = G.sample(2, seed=0)
    assert np.allclose(rep.rho(G, h @ g), rep.rho(G, h) @ rep.rho(G, g))

    # A row of data, transformed: masses are invariant, positions rotate.
    row = np.random.default_rng(0).standard_normal(rep.size(G))
    transformed = rep.rho(G, g) @ row
    print("masses are invariant:", np.allclose(transformed[:5], row[:5]))
    print("positions rotate:    ", np.allclose(transformed[5:8], g @ row[5:8]))

    # Matrices are T(2); under groups that are not orthogonal a vector and its dual differ.
    print("V*V is", ss.Vector * ss.Vector, "and V*V' is", ss.Vector * ss.Vector.dual)
    print("a hidden layer of width 384 under O(3):", ss.hidden_rep(384, "O(3)"))


if __name__ == "__main__":
    groups()
    representations()
