"""Which symmetries do data suggest, without any candidate groups?

    python examples/07_propose_groups.py

A golf ball in a wind from an unknown direction, with and without gravity, and an invariant of two four-vectors. Each takes seconds, and
no network is trained.
"""

from __future__ import annotations

import numpy as np
import torch

import softsym as ss
from softsym.datasets.golfball import fly, last_velocity

WIND = np.array([1.0, 2.0, 0.0])


def golf_balls(n: int, gravity: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Six past positions, about their mean, and six future ones, in units of ten metres; the wind blows along (1, 2, 0)."""
    generator = torch.Generator().manual_seed(seed)
    velocity = 15.0 * torch.nn.functional.normalize(
        torch.randn(n, 3, generator=generator, dtype=torch.float64), dim=-1
    )
    air = {
        "gravity": torch.tensor([0.0, 0.0, -gravity], dtype=torch.float64),
        "wind": torch.tensor(5.0 * WIND / np.linalg.norm(WIND)),
        "drag": 0.02,
        "points": 6,
    }
    past = fly(torch.zeros_like(velocity), velocity, dt=0.1, **air)
    past = past - past.mean(-2, keepdim=True)
    future = fly(past[:, -1], last_velocity(past, 0.1), dt=0.4, **air)
    return past.flatten(1).numpy() / 10, future.flatten(1).numpy() / 10


def four_vectors(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The Minkowski product of two four-vectors, with two percent of noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 8))
    Y = np.sum(X[:, :4] * [1.0, -1.0, -1.0, -1.0] * X[:, 4:], axis=1, keepdims=True)
    return X, Y + 0.02 * rng.standard_normal(Y.shape)


def main() -> None:
    """Proposes groups for each data set and prints them."""
    for title, gravity in (
        ("golf ball in a wind, no gravity", 0.0),
        ("golf ball in a wind and gravity", 9.8),
    ):
        X, Y = golf_balls(300, gravity)
        print(f"--- {title}\n{ss.propose(X, Y, '6V', '6V')}\n")
    print(f"--- two four-vectors\n{ss.propose(*four_vectors(300), '2V', 'S')}\n")


if __name__ == "__main__":
    main()
