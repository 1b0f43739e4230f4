"""An ordinary CNN on images: which symmetries hold, and what they bring with 200 images.

    python examples/08_cnn_on_your_own_images.py [--quick]

Images are sums of random blobs; the label says whether an image is wider than high, plus a little of how it leans to the right. It is
exactly invariant to the vertical reflection (y to -y), often invariant to the horizontal one (x to -x), and the opposite after a
rotation by 90 degrees. The network is unchanged; the lines that softsym adds to the training are marked. The strength of each
candidate comes from the 200 training images before anything is trained; the test images decide nothing.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch import Tensor, nn

import softsym as ss

GROUPS = {
    "O(1)@2[1]": "vertical reflection (exact)",
    "O(1)@2[0]": "horizontal reflection (soft)",
    "C(4)": "rotations by 90 degrees (absent)",
}


def draw_images(n: int, seed: int) -> tuple[Tensor, Tensor]:
    """Images (n, 1, 12, 12) of three blobs each, and labels (n,)."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-0.8, 0.8, (n, 3, 2, 1, 1))
    widths, heights = rng.uniform(0.1, 0.35, (n, 3, 1, 1)), rng.uniform(0.5, 1.0, (n, 3, 1, 1))
    grid = np.linspace(-1, 1, 12)
    x, y = grid[None, None, None, :] - centres[:, :, 0], grid[None, None, ::-1, None] - centres[:, :, 1]
    images = (heights * np.exp(-(x**2 + y**2) / (2 * widths**2))).sum(axis=1)
    wide = (images.sum(1) @ grid**2 - images.sum(2) @ grid**2) / images.sum((1, 2))
    lean = images.sum(1) @ grid / images.sum((1, 2))
    return torch.tensor(images).float()[:, None], torch.tensor(wide + 0.25 * lean > 0).long()


def make_cnn() -> nn.Module:
    """Two convolutions with pooling, two linear layers."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 9, 64),
        nn.ReLU(),
        nn.Linear(64, 2),
    )


def train(x: Tensor, label: Tensor, strengths: dict[str, float], epochs: int, seed: int) -> nn.Module:
    """An ordinary training loop; without any group nothing is regularized."""
    torch.manual_seed(seed)
    net, per = make_cnn(), None
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    if strengths:
        per = ss.EquivarianceRegularizer(net, list(strengths), "Grid(12,12)", "2S", strength=strengths)  # softsym
    for epoch in range(epochs):
        for batch in torch.randperm(len(x), generator=torch.Generator().manual_seed(epoch)).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x[batch]), label[batch]).backward()
            optimizer.step()
            if per is not None:
                per.prox_(2e-3)  # softsym: the proximal step of all penalties, with the optimiser's step size
    return net


def strengths_from_data(x: Tensor, label: Tensor) -> ss.strengths.Supported:
    """The strength that the data support for each candidate, in seconds and without a network."""
    classes = nn.functional.one_hot(label, 2).double()
    table = ss.evidence(x.flatten(1).double().numpy(), classes.numpy(), "Grid(12,12)", "2S", list(GROUPS))
    return ss.strengths.from_evidence(table)  # softsym


@torch.no_grad()
def accuracy(net: nn.Module, seed: int) -> float:
    """On 2,000 other images."""
    x, label = draw_images(2_000, 1_000 + seed)
    return float((net(x).argmax(1) == label).float().mean())


def main(quick: bool = False) -> None:
    """The unconstrained CNN and the regularized one."""
    epochs, seeds = (30, 1) if quick else (120, 4)
    unconstrained, soft = [], []
    for seed in range(seeds):
        x, label = draw_images(200, seed)
        supported = strengths_from_data(x, label)
        ranking = ", ".join(GROUPS[name] for name in supported.order())
        print(f"{supported}\nfrom the least violated to the most: {ranking}")
        unconstrained.append(accuracy(train(x, label, {}, epochs, seed), seed))
        soft.append(accuracy(train(x, label, supported.selected, epochs, seed), seed))
    print(f"accuracy with 200 images: {sum(soft) / seeds:.3f}, without penalties {sum(unconstrained) / seeds:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A CNN with soft symmetries.")
    parser.add_argument("--quick", action="store_true", help="one seed, fewer epochs")
    main(parser.parse_args().quick)
