"""Losses whose rows count by their weights."""

import torch

from softsym.discovery.fit.weighted import Weighted


def test_a_weight_counts_as_copies_do():
    generator = torch.Generator().manual_seed(0)
    predicted, true = torch.randn(2, 3, 2, generator=generator)
    counts = torch.tensor([1, 2, 3])
    for loss in (torch.nn.functional.mse_loss, torch.nn.functional.cross_entropy):
        true = true.softmax(1) if loss is torch.nn.functional.cross_entropy else true
        with_weights = torch.cat([true, counts[:, None] / counts.float().mean()], 1)
        copies = loss(predicted.repeat_interleave(counts, 0), true.repeat_interleave(counts, 0))
        assert torch.allclose(Weighted(loss)(predicted, with_weights), copies)
