"""An ordinary CNN on images: which symmetries hold, and what they bring with 200 images.

    python examples/08_cnn_on_your_own_images.py [--quick]

The label of an image is exactly the same if the image is turned upside down, often the same for its mirror image, and the opposite after
a quarter turn. Nothing about the network is changed; the lines that softsym adds to the training are marked.
"""

from __future__ import annotations

import argparse

import torch
from torch import nn

import softsym as ss
from softsym.benchmarks.planted.images import SmallCNN, planted

GROUPS = {
    "O(1)@2[1]": "upside down (exact)",
    "O(1)@2[0]": "mirror image (soft)",
    "C(4)": "quarter turns (absent)",
}


def train(strength: float, epochs: int, seed: int) -> tuple[nn.Module, ss.EquivarianceRegularizer]:
    """A plain loop; with strength zero it is the plain CNN."""
    x, label = planted(200, seed)
    torch.manual_seed(seed)
    net = SmallCNN()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    per = ss.EquivarianceRegularizer(net, list(GROUPS), "Grid(12,12)", "2S", strength=strength)  # softsym
    controller = ss.strengths.OneShot(at_epoch=epochs // 3, gamma=4.0, window=max(1, epochs // 6))  # softsym
    controller.begin(per.strengths)  # softsym
    for epoch in range(1, epochs + 1):
        for batch in torch.randperm(len(x), generator=torch.Generator().manual_seed(epoch)).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x[batch]), label[batch]).backward()
            optimizer.step()
            per.prox_(2e-3)  # softsym: the exact proximal step of all penalties, as long as the optimiser's
        per.strengths = controller.on_epoch_end(per.residuals(), epoch)  # softsym
    return net, per


@torch.no_grad()
def accuracy(net: nn.Module, seed: int = 1_000) -> float:
    """On 2,000 other images."""
    x, label = planted(2_000, seed)
    return float((net(x).argmax(1) == label).float().mean())


def main(quick: bool = False) -> None:
    """The plain CNN and the regularised one."""
    epochs, seeds = (60, 1) if quick else (120, 4)
    plain = [accuracy(train(0.0, epochs, seed)[0]) for seed in range(seeds)]
    fitted = [train(30.0, epochs, seed) for seed in range(seeds)]
    soft = [accuracy(net) for net, _ in fitted]
    print(fitted[0][1].describe())
    for group, meaning in GROUPS.items():
        shown = ", ".join(f"{per.strengths[group]:.3g}" for _, per in fitted)
        print(f"{group}, {meaning}: strength {shown}")
    print(f"accuracy with 200 images: {sum(soft) / seeds:.3f}, plain {sum(plain) / seeds:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A CNN with soft symmetries.")
    parser.add_argument("--quick", action="store_true", help="one seed, fewer epochs")
    main(parser.parse_args().quick)
