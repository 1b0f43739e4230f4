"""torch's own TransformerEncoder on sets of 3D points: which axis is the axis of symmetry?

    python examples/09_transformer_on_points.py [--quick]

The law is symmetric about z and about no other axis. O(2) moves the points of an unmodified transformer by any angle; where the network
itself breaks that (its norms, its ReLU on vectors), `infer_reps` says so once, and the strengths still tell the three axes apart.
"""

from __future__ import annotations

import argparse

import torch
from torch import nn

import softsym as ss
from softsym_lab.benchmarks.planted.points import AXES, SetTransformer, sets


def main(quick: bool = False) -> None:
    """Trains once and prints what was found."""
    epochs = 24 if quick else 120
    (x, y), (x_test, y_test) = sets(seed=0)
    torch.manual_seed(0)
    net = SetTransformer()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    reps = ss.infer_reps(net, "V", "V", AXES, example=x.view(-1, 6, 3), hidden="mixed")
    for line in reps.breaks:
        print(line)
    per = ss.EquivarianceRegularizer(net, AXES, reps=reps, strength=30.0)
    controller = ss.strengths.OneShot(at_epoch=epochs // 3, gamma=4.0, window=epochs // 6)
    controller.begin(per.strengths)
    for epoch in range(1, epochs + 1):
        for batch in torch.randperm(len(x), generator=torch.Generator().manual_seed(epoch)).split(50):
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x[batch].view(-1, 6, 3)), y[batch]).backward()
            optimizer.step()
            per.prox_(2e-3)
        per.strengths = controller.on_epoch_end(per.residuals(), epoch)
    with torch.no_grad():
        error = nn.functional.mse_loss(net(x_test.view(-1, 6, 3)), y_test) / y_test.var()
    print(f"unexplained on other sets: {error.item():.3f}")
    for group, strength in per.strengths.items():
        print(f"{group}: strength {strength:.3g}")
    print(f"the axis of symmetry: {max(per.strengths, key=lambda name: per.strengths[name])}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A transformer with soft symmetries.")
    parser.add_argument("--quick", action="store_true", help="fewer epochs")
    main(parser.parse_args().quick)
