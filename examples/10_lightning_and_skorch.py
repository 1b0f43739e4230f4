"""The same few lines in a Lightning Trainer, a Lightning Fabric loop and a skorch NeuralNet.

    python examples/10_lightning_and_skorch.py

Lightning and Fabric take care of devices, precisions and processes; skorch makes a scikit-learn estimator of a module. In all of them
the regularizer is made from the module and takes its proximal step after the optimiser's. The images are small: a bright spot on noise,
whose class is whether it lies above or below the middle. The horizontal reflection leaves that unchanged.
"""

from __future__ import annotations

import logging
import tempfile
import warnings

import torch
from lightning_fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import softsym as ss

GROUPS = ["O(1)@2[0]"]


class SmallCNN(nn.Module):
    """A convolution, pooling and a linear layer: images (n, 1, 12, 12) to two classes."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 3, padding=1)
        self.head = nn.Linear(16 * 36, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits (n, 2)."""
        return self.head(nn.functional.max_pool2d(torch.relu(self.conv(x)), 2).flatten(1))


def draw_images(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Images (n, 1, 12, 12) and classes (n,)."""
    generator = torch.Generator().manual_seed(seed)
    row, column = torch.randint(12, (2, n), generator=generator)
    images = torch.randn(n, 1, 12, 12, generator=generator)
    images[torch.arange(n), 0, row, column] += 6.0
    return images, (row < 6).long()


def lightning(epochs: int = 10) -> float:
    """A LightningModule and its Trainer; returns the accuracy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Lightning's own, of names that are about to go
        import pytorch_lightning as pl
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)

    class Classifier(pl.LightningModule):
        """An ordinary module; what softsym adds is marked."""

        def __init__(self) -> None:
            super().__init__()
            self.net = SmallCNN()
            self.per = ss.EquivarianceRegularizer(self.net, GROUPS, "Grid(12,12)", "2S", strength=10.0)  # softsym

        def training_step(self, batch: list[torch.Tensor], number: int) -> torch.Tensor:
            images, labels = batch
            return nn.functional.cross_entropy(self.net(images), labels)

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.Adam(self.net.parameters(), lr=2e-3)

        def optimizer_step(self, *args: object, **options: object) -> None:
            super().optimizer_step(*args, **options)
            self.per.prox_(self.optimizers().param_groups[0]["lr"])  # softsym

    torch.manual_seed(0)
    model = Classifier()
    batches = DataLoader(TensorDataset(*draw_images(200, seed=0)), batch_size=50, shuffle=True)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would like more workers for 200 images
        trainer = pl.Trainer(
            accelerator="cpu",
            max_epochs=epochs,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir=folder,
        )
        trainer.fit(model, batches)
    return accuracy(model.net)


def fabric(epochs: int = 10) -> float:
    """A Fabric loop; returns the accuracy."""
    x, label = draw_images(200, seed=0)
    runner = Fabric(accelerator="cpu", devices=1)
    torch.manual_seed(0)
    module = SmallCNN()
    net, optimizer = runner.setup(module, torch.optim.Adam(module.parameters(), lr=2e-3))
    batches = runner.setup_dataloaders(DataLoader(TensorDataset(x, label), batch_size=50, shuffle=True))
    per = ss.EquivarianceRegularizer(module, GROUPS, "Grid(12,12)", "2S", strength=10.0)  # softsym
    for _ in range(epochs):
        for images, labels in batches:
            optimizer.zero_grad()
            runner.backward(nn.functional.cross_entropy(net(images), labels))
            optimizer.step()
            per.prox_(2e-3)  # softsym
    return accuracy(module)


def skorch(epochs: int = 10) -> float:
    """A skorch classifier; returns the accuracy."""
    from skorch import NeuralNetClassifier
    from skorch.callbacks import Callback

    class SoftSymmetry(Callback):
        """Makes the regularizer when training begins, and takes its step after each batch."""

        def on_train_begin(self, net: NeuralNetClassifier, **_: object) -> None:
            self.per = ss.EquivarianceRegularizer(net.module_, GROUPS, "Grid(12,12)", "2S", strength=10.0)

        def on_batch_end(self, net: NeuralNetClassifier, training: bool = False, **_: object) -> None:
            if training:
                self.per.prox_(net.lr)

    x, label = draw_images(200, seed=0)
    torch.manual_seed(0)
    net = NeuralNetClassifier(
        SmallCNN,
        criterion=nn.CrossEntropyLoss,
        optimizer=torch.optim.Adam,
        lr=2e-3,
        max_epochs=epochs,
        batch_size=50,
        iterator_train__shuffle=True,
        train_split=None,
        verbose=0,
        callbacks=[SoftSymmetry()],
    )
    net.fit(x, label)
    return accuracy(net.module_)


@torch.no_grad()
def accuracy(net: nn.Module) -> float:
    """On 500 other images."""
    x, label = draw_images(500, seed=1)
    return float((net(x).argmax(1) == label).float().mean())


if __name__ == "__main__":
    print(f"Lightning: accuracy {lightning():.2f}")
    print(f"Fabric: accuracy {fabric():.2f}")
    print(f"skorch: accuracy {skorch():.2f}")
