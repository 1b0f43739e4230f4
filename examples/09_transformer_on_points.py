"""torch's own TransformerEncoder on sets of 3D points: which axis is the axis of symmetry?

    python examples/09_transformer_on_points.py [--quick]

The target function is equivariant to O(2) about z and not about x or y. O(2) transforms the points of an unmodified transformer by any
angle; where the network itself breaks that (its norms, its ReLU on vectors), `infer_reps` says so once, and the strengths at the end
still separate the three axes.
"""

from __future__ import annotations

import argparse
import warnings

import torch
from torch import Tensor, nn

import softsym as ss

AXES = ("O(2)@x", "O(2)@y", "O(2)@z")


class SetTransformer(nn.Module):
    """torch's own encoder on sets of points (n, points, 3); vectors (n, 3) come out."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 2, 2 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.embed, self.head = nn.Linear(3, width), nn.Linear(width, 3)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x: Tensor) -> Tensor:
        """The mean over points, so that their order does not matter."""
        return self.head(self.encoder(self.embed(x)).mean(1))


def target(x: Tensor) -> Tensor:
    """Points (n, points, 3) attract the origin by their distance from the vertical axis, and weight pulls down: vectors (n, 3)."""
    radius = x[..., :2].square().sum(-1, keepdim=True)
    attraction = (x * torch.exp(-radius / 2)).mean(1)
    weight = (radius.squeeze(-1) * x[..., 2]).mean(1) - 1.0
    return attraction + nn.functional.pad(weight[:, None], (2, 0))


def main(quick: bool = False) -> None:
    """Trains once and prints the strengths."""
    epochs = 24 if quick else 120
    generator = torch.Generator().manual_seed(0)
    x, x_test = (torch.randn(n, 6, 3, generator=generator) for n in (200, 1_000))
    y, y_test = target(x), target(x_test)
    torch.manual_seed(0)
    net = SetTransformer()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with warnings.catch_warnings():  # of what is printed here
        warnings.simplefilter("ignore", UserWarning)
        reps = ss.infer_reps(net, "V", "V", AXES, example=x, hidden="mixed")
    for line in reps.remarks():
        print(line)
    per = ss.EquivarianceRegularizer(net, AXES, reps=reps, strength=30.0)
    controller = ss.strengths.OneShot(at_epoch=epochs // 3, gamma=4.0, window=epochs // 6)
    controller.begin(per.strengths)
    for epoch in range(1, epochs + 1):
        for batch in torch.randperm(len(x), generator=torch.Generator().manual_seed(epoch)).split(50):
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x[batch]), y[batch]).backward()
            optimizer.step()
            per.prox_(2e-3)
        per.strengths = controller.on_epoch_end(per.residuals(), epoch)
    with torch.no_grad():
        error = nn.functional.mse_loss(net(x_test), y_test) / y_test.var()
    print(f"unexplained variance on other sets: {error.item():.3f}")
    for group, strength in per.strengths.items():
        print(f"{group}: strength {strength:.3g}")
    print(f"the axis of symmetry: {max(per.strengths, key=lambda name: per.strengths[name])}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A transformer with soft symmetries.")
    parser.add_argument("--quick", action="store_true", help="fewer epochs")
    main(parser.parse_args().quick)
