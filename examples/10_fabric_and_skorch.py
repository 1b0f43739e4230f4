"""The same few lines in a Lightning Fabric loop and in a skorch NeuralNet.

    python examples/10_fabric_and_skorch.py

Fabric moves the model to a device, to other precisions and to several processes; skorch makes a scikit-learn estimator of it. In both the
regularizer is made from the module and takes its proximal step after the optimiser's.
"""

from __future__ import annotations

import torch
from lightning_fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import softsym as ss
from softsym.benchmarks.planted.images import GROUPS, SmallCNN, planted


def fabric(epochs: int = 10) -> float:
    """A Fabric loop; returns the accuracy."""
    x, label = planted(200, seed=0)
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

    x, label = planted(200, seed=0)
    torch.manual_seed(0)
    net = NeuralNetClassifier(
        SmallCNN, criterion=nn.CrossEntropyLoss, optimizer=torch.optim.Adam, lr=2e-3, max_epochs=epochs, batch_size=50,
        iterator_train__shuffle=True, train_split=None, verbose=0, callbacks=[SoftSymmetry()],
    )  # fmt: skip
    net.fit(x, label)
    return accuracy(net.module_)


@torch.no_grad()
def accuracy(net: nn.Module) -> float:
    """On 500 other images."""
    x, label = planted(500, seed=1)
    return float((net(x).argmax(1) == label).float().mean())


if __name__ == "__main__":
    print(f"Fabric: accuracy {fabric():.2f}")
    print(f"skorch: accuracy {skorch():.2f}")
