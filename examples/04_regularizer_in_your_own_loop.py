"""The regularizer in a training loop of your own: any chain of linear layers, three extra lines.

    python examples/04_regularizer_in_your_own_loop.py [--quick]

Data are moments of inertia that are exactly symmetric about z and not about x or y. Two models learn them: an ordinary nn.Sequential,
whose representations are inferred from its layers, and a module of our own, whose representations are passed in.

The penalty acts on weights. A pointwise nonlinearity on the entries of a vector is not equivariant itself, so in such networks a
small residual encourages a symmetry and does not certify it; `ss.nn.SoftMLP` has gates instead, and there it becomes exact.
"""

from __future__ import annotations

import argparse

import torch
from torch import nn

import softsym as ss

GROUPS = ["O(2)@x", "O(2)@y", "O(2)@z"]
REP_IN, REP_OUT = "5S + 5V", "T(2)"


class TwoHeads(nn.Module):
    """A network with two heads that are added: a linear and a nonlinear one."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.body = nn.Linear(20, hidden)
        self.linear = nn.Linear(20, 9)
        self.nonlinear = nn.Linear(hidden, 9)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps (n, 20) to (n, 9)."""
        return self.linear(x) + self.nonlinear(torch.nn.functional.silu(self.body(x)))


def train(model: nn.Module, per: ss.EquivarianceRegularizer, epochs: int) -> None:
    """A plain loop; the lines that softsym adds are marked."""
    x, y = ss.task("inertia:Oz(2)").sample(500, seed=0)
    y = y / y.std()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    controller = ss.strengths.OneShot(at_epoch=epochs // 2, gamma=2.0)  # the paper's rule: adjust once
    controller.begin(per.strengths)  # softsym
    for epoch in range(1, epochs + 1):
        for batch in torch.randperm(len(x), generator=torch.Generator().manual_seed(epoch)).split(100):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x[batch]), y[batch])
            (loss + per()).backward()  # softsym
            optimizer.step()
        per.strengths = controller.on_epoch_end(per.residuals(), epoch)  # softsym
    print(f"after {epochs} epochs: loss {loss.item():.3f}")


def show(title: str, per: ss.EquivarianceRegularizer) -> None:
    """Unweighted residuals R_k and strengths of each group."""
    print(title)
    for group, residual in per.totals().items():
        print(f"  {group}: residual {residual:8.4f}, strength {per.strengths[group]:.3g}")


def main(quick: bool = False) -> None:
    """Both models, before and after."""
    epochs = 20 if quick else 100
    torch.manual_seed(0)
    chain = nn.Sequential(nn.Linear(20, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 9))
    per = ss.EquivarianceRegularizer(chain, GROUPS, REP_IN, REP_OUT, strength=0.1)
    print(per.describe())  # what every parameter was taken to be
    show("an ordinary chain, before training", per)
    train(chain, per, epochs)
    show("after: the symmetry that holds has the smallest residual and the largest strength", per)

    # The representations of each layer can also be given.
    hidden = ss.hidden_rep(64, "O(3)")
    model = TwoHeads(64)
    reps = {"body": (REP_IN, hidden), "linear": (REP_IN, REP_OUT), "nonlinear": (hidden, REP_OUT)}
    per = ss.EquivarianceRegularizer(model, GROUPS, reps=reps, strength=0.1)
    show("\na module of your own, before training", per)
    train(model, per, epochs)
    show("after", per)
    distance = per.project_("O(2)@z")
    print(f"projected onto O(2)@z: weights changed by {distance:.3f}, residual now {per.totals()['O(2)@z']:.1e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The regularizer in a plain training loop.")
    parser.add_argument("--quick", action="store_true", help="fewer epochs")
    main(parser.parse_args().quick)
