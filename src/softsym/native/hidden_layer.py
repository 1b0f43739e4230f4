"""A hidden layer in compiled code: what it computes, its programs, and how they are called."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

from torch import Tensor

from softsym.native.layer_programs import LayerPrograms
from softsym.native.plan import Gates, Plan
from softsym.native.program import Split

Twin = Callable[..., Tensor]
_numbers = itertools.count()
_known: WeakValueDictionary[int, HiddenLayer] = WeakValueDictionary()


class HiddenLayer:
    """A bilinear layer and the gates after it, apart from their weights; copies of a network share it.

    Args:
        plan: What the bilinear layer computes.
        gates: What the gates compute.
        twin: The same in torch operations: (plan, gates, x, weight of the gates, *weights) to the result.
    """

    def __init__(self, plan: Plan, gates: Gates, twin: Twin) -> None:
        self.plan, self.gates, self.twin = plan, gates, twin
        self.number = next(_numbers)  # operators of torch take numbers and tensors, no objects
        _known[self.number] = self

    @staticmethod
    def numbered(number: int) -> HiddenLayer:
        """The layer of a number."""
        return _known[number]

    @functools.cached_property
    def programs(self) -> LayerPrograms:
        """What compiled code carries out."""
        return LayerPrograms(self.plan, self.gates)

    def __call__(self, x: Tensor, gate: Tensor, *weights: Tensor) -> Tensor:
        """The result in torch operations."""
        return self.twin(self.plan, self.gates, x, gate, *weights)

    def forward(self, x: Tensor, gate: Tensor, weights: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """The result (batch, values) in compiled code, and what the backward pass needs, (numbers,)."""
        at = self.programs.at
        split = Split.of(len(x), self.plan.size, x.dtype)
        kept = x.new_empty(split.batch * at.kept.width)
        work = x.new_empty(split.threads, split.chunk * at.forward_work.width)
        out = x.new_empty(split.batch, self.gates.size)
        weights = [weight.contiguous() for weight in weights]
        self.programs.forward.run(split, (kept, work, x.contiguous(), out, work, gate.contiguous(), *weights))
        return out, kept

    def backward(
        self, grad: Tensor, kept: Tensor, gate: Tensor, weights: Sequence[Tensor]
    ) -> tuple[Tensor, Tensor]:
        """Gradients of the input (batch, gates and values) and of all weights, one after the other, (numbers,)."""
        at = self.programs.at
        split = Split.of(len(grad), self.plan.size, grad.dtype)
        work = grad.new_empty(split.threads, split.chunk * at.backward_work.width)
        d_x = grad.new_empty(split.batch, self.plan.size)
        grads = grad.new_zeros(split.threads, at.grads.width)
        weights = [weight.contiguous() for weight in weights]
        spaces = (kept, work, d_x, grad.contiguous(), grads, gate.contiguous(), *weights)
        self.programs.backward.run(split, spaces)
        return d_x, grads.sum(0) if split.threads > 1 else grads[0]

    def __deepcopy__(self, memo: Any) -> HiddenLayer:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return HiddenLayer, (self.plan, self.gates, self.twin)
