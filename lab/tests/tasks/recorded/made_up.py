"""Made-up files in the layout of the recorded ones."""

import numpy as np

EDGES = [
    (1, 0),
    (2, 1),
    (3, 2),
    (4, 3),
    (5, 4),
    (6, 0),
    (7, 6),
    (8, 7),
    (9, 8),
    (10, 9),
    (11, 0),
    (12, 11),
    (13, 12),
    (14, 13),
    (15, 14),
    (16, 15),
    (17, 13),
    (18, 17),
    (19, 18),
    (20, 19),
    (21, 20),
    (22, 21),
    (23, 20),
    (24, 13),
    (25, 24),
    (26, 25),
    (27, 26),
    (28, 27),
    (29, 28),
    (30, 27),
]
"""The skeleton of CMU's motion capture: two legs, a spine with a head, two arms."""
SPLIT = {"train": (1, 2, 5, 6, 10), "val": (0, 4, 9), "test": (3, 7, 8)}


def write_trials(path, seed=0, **changed):
    """Trials in which every joint swings and all of them run along z; gives the path as a text."""
    rng = np.random.default_rng(seed)
    arrays = {"edges": np.array(EDGES)}
    for part, trials in SPLIT.items():
        for trial in trials:
            t = np.arange(130)[:, None, None] / 30
            swing, phase = rng.normal(size=(31, 3)), rng.uniform(0, 6, (31, 3))
            x = swing * np.sin(4 * t + phase) + rng.normal(size=3) + (5 + rng.normal()) * t * np.array([0, 0, 1])
            arrays |= {f"trial_{trial}": x, f"{part}_{trial}": rng.permutation(90)[:80]}
    np.savez(path, **{name: value for name, value in {**arrays, **changed}.items() if value is not None})
    return str(path)


def write_flow(path, side=24, seed=0, **changed):
    """A flow whose stress is that of a rotated gradient: but for a little noise it has every symmetry about x. Gives the path as a text."""
    rng = np.random.default_rng(seed)
    n = side**2
    y, z = (values.ravel() for values in np.meshgrid(*2 * [np.linspace(-1, 1, side)], indexing="ij"))
    gradients = np.zeros((n, 3, 3))
    gradients[:, 0, 1], gradients[:, 0, 2] = y, z
    gradients[:, 1, 2], gradients[:, 2, 1] = 0.1 * y * z, -0.1 * y * z
    whole = gradients.transpose(0, 2, 1) @ gradients - 2 * np.eye(3)
    first, second = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 2, 1, 2, 2])
    w = whole[:, first, second] * np.where(first == second, 1, 2**0.5) + 1e-4 * rng.normal(size=(n, 6))
    grid = np.stack([np.where(np.arange(n) < n // 2, 1.0, -1.0), rng.normal(size=n)], axis=1)
    arrays = {"gradU": gradients.reshape(n, 9), "w": w, "grid": grid}
    np.savez(path, **{name: value for name, value in {**arrays, **changed}.items() if value is not None})
    return str(path)
