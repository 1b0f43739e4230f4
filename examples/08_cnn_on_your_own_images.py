"""An ordinary CNN on images: which symmetries hold, and what they bring with 200 images.

    python examples/08_cnn_on_your_own_images.py [--quick]

The label of an image is exactly the same if the image is turned upside down, often the same for its mirror image, and the opposite after
a quarter turn. Nothing about the network is changed; the lines that softsym adds to the training are marked. How strong each candidate
should be is what the 200 images themselves say before anything is trained; the images of the test at the end decide nothing.
"""

from __future__ import annotations

import argparse

import torch
from torch import Tensor, nn

import softsym as ss
from softsym_lab.benchmarks.planted.images import SmallCNN, planted

GROUPS = {
    "O(1)@2[1]": "upside down (exact)",
    "O(1)@2[0]": "mirror image (soft)",
    "C(4)": "quarter turns (absent)",
}


def train(x: Tensor, label: Tensor, strengths: dict[str, float], epochs: int, seed: int) -> nn.Module:
    """A plain loop; without any group it is plain training."""
    torch.manual_seed(seed)
    net, per = SmallCNN(), None
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    if strengths:
        per = ss.EquivarianceRegularizer(  # softsym
            net, list(strengths), "Grid(12,12)", "2S", strength=strengths
        )
    for epoch in range(epochs):
        for batch in torch.randperm(len(x), generator=torch.Generator().manual_seed(epoch)).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x[batch]), label[batch]).backward()
            optimizer.step()
            if per is not None:
                per.prox_(
                    2e-3
                )  # softsym: the exact proximal step of all penalties, of the optimiser's length
    return net


def strengths_of(x: Tensor, label: Tensor) -> ss.strengths.Supported:
    """How strong each candidate may be, in seconds and without a network."""
    classes = nn.functional.one_hot(label, 2).double()
    return ss.strengths.from_evidence(  # softsym
        ss.evidence(x.flatten(1).double().numpy(), classes.numpy(), "Grid(12,12)", "2S", list(GROUPS))
    )


@torch.no_grad()
def accuracy(net: nn.Module, seed: int) -> float:
    """On 2,000 other images."""
    x, label = planted(2_000, 1_000 + seed)
    return float((net(x).argmax(1) == label).float().mean())


def main(quick: bool = False) -> None:
    """The plain CNN and the regularised one."""
    epochs, seeds = (30, 1) if quick else (120, 4)
    plain, soft = [], []
    for seed in range(seeds):
        x, label = planted(200, seed)
        found = strengths_of(x, label)
        print(
            f"{found}\nfrom what holds to what does not: {', '.join(GROUPS[name] for name in found.order())}"
        )
        plain.append(accuracy(train(x, label, {}, epochs, seed), seed))
        soft.append(accuracy(train(x, label, found.selected, epochs, seed), seed))
    print(f"accuracy with 200 images: {sum(soft) / seeds:.3f}, plain {sum(plain) / seeds:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A CNN with soft symmetries.")
    parser.add_argument("--quick", action="store_true", help="one seed, fewer epochs")
    main(parser.parse_args().quick)
