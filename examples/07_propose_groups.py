"""Which symmetries do data suggest, without any candidate groups?

    python examples/07_propose_groups.py

The drag of a ball in a wind from an unknown direction, with and without gravity, and an invariant of two four-vectors. Each takes seconds,
and no network is trained.
"""

from __future__ import annotations

import numpy as np

import softsym as ss

WIND = np.array([1.0, 2.0, 0.0])


def drag(n: int, gravity: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of balls, and their accelerations in a wind along (1, 2, 0), with two percent of noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    relative = X - WIND / np.linalg.norm(WIND)
    Y = -np.linalg.norm(relative, axis=1, keepdims=True) * relative - [0.0, 0.0, gravity]
    return X, Y + 0.02 * Y.std() * rng.standard_normal(Y.shape)


def four_vectors(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The Minkowski product of two four-vectors, with two percent of noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 8))
    Y = np.sum(X[:, :4] * [1.0, -1.0, -1.0, -1.0] * X[:, 4:], axis=1, keepdims=True)
    return X, Y + 0.02 * rng.standard_normal(Y.shape)


def main() -> None:
    """Proposes groups for each data set and prints them."""
    for title, gravity in (("drag in a wind, no gravity", 0.0), ("drag in a wind and gravity", 1.0)):
        print(f"--- {title}\n{ss.propose(*drag(400, gravity), 'V', 'V')}\n")
    print(f"--- two four-vectors\n{ss.propose(*four_vectors(300), '2V', 'S')}\n")


if __name__ == "__main__":
    main()
