"""Images with planted symmetries, and a small network for them as people write it.

An image is a sum of random blobs. Its label says whether it is wider than high, plus a little of how it leans to the right: exactly the
same after the reflection y to -y, often the same after the reflection x to -x, and the opposite after a rotation by 90 degrees.
No label is exact under y to -y, soft under rotations by 90 degrees and absent under x to -x: two such rotations and y to -y are x to -x, so
whatever breaks that reflection breaks these rotations at least as much.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

SIDE = 12
GROUPS = ("O(1)@2[1]", "O(1)@2[0]", "C(4)")
"""y to -y (exact), x to -x (soft), rotations by 90 degrees (absent)."""
LEAN = 0.25
BLOBS = 3


def draw_images(n: int, seed: int) -> tuple[Tensor, Tensor]:
    """Images (n, 1, 12, 12) and labels (n,), each 0 or 1.

    Args:
        n: How many.
        seed: Seed of the blobs.

    Example:
        >>> x, label = draw_images(8, seed=0)
        >>> x.shape, bool((planted_label(x.flip(-2)) == label).all())
        (torch.Size([8, 1, 12, 12]), True)
    """
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-0.8, 0.8, (n, BLOBS, 2, 1, 1))
    widths = rng.uniform(0.1, 0.35, (n, BLOBS, 1, 1))
    heights = rng.uniform(0.5, 1.0, (n, BLOBS, 1, 1))
    grid = np.linspace(-1, 1, SIDE)
    x, y = grid[None, None, None, :] - centres[:, :, 0], grid[None, None, ::-1, None] - centres[:, :, 1]
    images = torch.tensor((heights * np.exp(-(x**2 + y**2) / (2 * widths**2))).sum(1, keepdims=True)).float()
    return images, planted_label(images)


def planted_label(images: Tensor) -> Tensor:
    """Whether images are wider than high, or a little less but lean to the right, shape (n,)."""
    grid = torch.linspace(-1, 1, SIDE)
    mass = images.sum((1, 2, 3))
    wide = (images.sum((1, 2)) @ grid**2 - images.sum((1, 3)) @ grid**2) / mass
    lean = images.sum((1, 2)) @ grid / mass
    return (wide + LEAN * lean > 0).long()


class SmallCNN(nn.Module):
    """Two convolutions, pooling, a linear layer.

    Args:
        side: Pixels on a side, a multiple of four.
        classes: How many numbers come out.
        width: Channels of the first convolution.
    """

    def __init__(self, side: int = SIDE, classes: int = 2, width: int = 16) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.fc1 = nn.Linear(2 * width * (side // 4) ** 2, 4 * width)
        self.fc2 = nn.Linear(4 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Images (n, 1, side, side) to (n, classes)."""
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        logits: Tensor = self.fc2(torch.relu(self.fc1(x.flatten(1))))
        return logits
