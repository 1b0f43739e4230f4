"""Made-up flights of a table-tennis ball, in the layout of recorded ones: what the tests fly in place of a data set."""

import numpy as np
import torch

from softsym.datasets.golfball import fly

DT = 0.01076
"""Seconds between samples, as in the recorded flights."""
GRAVITY, DRAG, KEPT = -9.81, 0.1, 0.8


def write_flights(path, flights=40, seed=0):
    """Writes flights in all directions: each rises, falls and bounces once; gives the path as a text."""
    rng = np.random.default_rng(seed)
    states, lengths = [], []
    for _ in range(flights):
        heading, speed, up = rng.uniform(0, 2 * np.pi), rng.uniform(2, 5), rng.uniform(1, 3)
        start = np.append(rng.uniform(-1, 1, 2), rng.uniform(0.2, 0.4))
        velocity = np.array([speed * np.cos(heading), speed * np.sin(heading), up])
        first = leg(start, velocity, int(rng.integers(45, 60)))
        again = leg(first[-1, :3], first[-1, 3:] * [1, 1, -KEPT], int(rng.integers(45, 60)))
        states += [first, again]
        lengths.append(len(first) + len(again))
    np.savez(path, states=np.concatenate(states), length=np.array(lengths))
    return str(path)


def leg(position, velocity, samples):
    """Positions and velocities after a state, shape (samples, 6)."""
    places = fly(
        torch.from_numpy(position),
        torch.from_numpy(velocity),
        gravity=torch.tensor([0.0, 0.0, GRAVITY]),
        wind=torch.zeros(3),
        drag=DRAG,
        dt=DT,
        points=samples,
    ).numpy()
    velocities = np.gradient(np.vstack([position, places]), DT, axis=0)[1:]
    return np.hstack([places, velocities])
