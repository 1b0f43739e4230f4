"""Recorded table-tennis flights: does gravity leave the symmetry about the vertical axis and break the other two?

    python examples/06_recorded_flights.py path/to/ball_trajectories.npz [epochs]

The file holds recorded 3D ball positions (the data set "Table tennis ball trajectories", BSD-3-Clause, folder `ball_trajectories` of
https://github.com/intelligent-soft-robots/pam_configuration); the package ships none. Its array `states` (N, 6) has position and
velocity of all flights one after another, z up, and `length` the number of samples of each flight.

Six past positions are mapped to six future ones. A network that can break any symmetry is trained with a penalty towards each
candidate group; the strengths at the end rank the candidates.
"""

from __future__ import annotations

import sys

import numpy as np
import torch
from torch import nn

import softsym as ss

GROUPS = ["O(2)@x", "O(2)@y", "O(2)@z"]
POINTS, EVERY = 6, 3
"""Past and future points of a window, and samples from one point to the next."""
BOUNCE = 0.5
"""In free flight the upward velocity falls; if it rises by more than this between samples, in m/s, something hit the ball."""


def read_windows(path: str) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
    """Past positions (n, 18), future positions (n, 18), both relative to the mean of the past ones, and the flight of each row (n,)."""
    with np.load(path) as file:
        states, lengths = file["states"].astype(np.float64), file["length"]
    span = (2 * POINTS - 1) * EVERY + 1
    windows, flights = [], []
    for number, flight in enumerate(np.split(states, np.cumsum(lengths)[:-1])):
        hits = np.flatnonzero(np.diff(flight[:, 5]) > BOUNCE)
        for start in range(0, len(flight) - span + 1, EVERY):
            if not ((hits >= start) & (hits < start + span - 1)).any():
                windows.append(flight[start : start + span : EVERY, :3])
                flights.append(number)
    past, future = np.split(np.array(windows), 2, axis=1)
    centre = past.mean(axis=1, keepdims=True)
    x, y = (torch.tensor(part - centre).flatten(1).float() for part in (past, future))
    return x, y, np.array(flights)


def main(path: str, epochs: int = 60) -> dict[str, float]:
    """Trains on four fifths of the flights and prints strength and equivariance error of each group."""
    x, y, flights = read_windows(path)
    x, y = x / x.std(), y / y.std()  # one scale for all coordinates, so that rotations stay what they are
    test = torch.tensor(flights % 5 == 0)  # a flight is either trained on or held out: its windows overlap
    x, y, x_test, y_test = x[~test], y[~test], x[test], y[test]

    torch.manual_seed(0)
    net = ss.nn.SoftMLP("6V", "6V", GROUPS, width=32, layers=2)
    per = ss.EquivarianceRegularizer(net, GROUPS, strength=10.0)
    controller = ss.strengths.OneShot(at_epoch=max(epochs // 3, 1), gamma=4.0)
    controller.begin(per.strengths)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    for epoch in range(1, epochs + 1):
        for rows in torch.randperm(len(x), generator=torch.Generator().manual_seed(epoch)).split(200):
            optimizer.zero_grad()
            (nn.functional.mse_loss(net(x[rows]), y[rows]) + net.prior()).backward()
            optimizer.step()
            per.prox_(2e-3)
        per.strengths = controller.on_epoch_end(per.residuals(), epoch)

    with torch.no_grad():
        error = nn.functional.mse_loss(net(x_test), y_test) / y_test.var()
    print(f"{len(x)} windows of recorded flights; unexplained variance of held-out flights {error.item():.4f}")
    for group, strength in per.strengths.items():
        error = ss.equivariance_error(net, x_test[:200], "6V", "6V", group)
        print(f"{group}: strength {strength:.3g}, equivariance error {error:.4f}")
    return per.strengths


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} path/to/ball_trajectories.npz [epochs]   (softsym {ss.__version__})")
    main(sys.argv[1], *map(int, sys.argv[2:3]))
