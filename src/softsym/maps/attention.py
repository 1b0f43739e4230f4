r"""The family of attention: queries, keys and values are one representation in every head.

A score is the inner product of a query and a key, so it is invariant if each head holds a whole orthogonal representation; what comes
out is a weighted sum of values. Packed weights are three maps one above the other, :math:`(\rho_q + \rho_q + \rho_v) \otimes \rho'`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.tensor_map import TensorMap, incoming, outgoing
from softsym.reps import Rep
from softsym.reps.rep import equal_part


@dataclass(frozen=True)
class Attention:
    """What flows through an attention layer.

    Args:
        heads: How many heads there are.
        score: Representation of a query, and of a key, in one head.
        value: Representation of a value in one head.
        query_in: Representation of what queries are made from.
        key_in: Of what keys are made from.
        value_in: Of what values are made from.
        out: Representation of the output.
    """

    heads: int
    score: Rep
    value: Rep
    query_in: Rep
    key_in: Rep
    value_in: Rep
    out: Rep

    def parameter(self, name: str) -> TensorMap:
        """What a parameter is, by its name in :class:`torch.nn.MultiheadAttention`."""
        scores, values = self.heads * self.score, self.heads * self.value
        packed = outgoing(scores + scores + values)
        if self.score == self.value:
            packed = outgoing(self.score, copies=3 * self.heads)
        queries, results = outgoing(self.score, copies=self.heads), outgoing(self.value, copies=self.heads)
        known = {
            "in_proj_weight": lambda: (packed, incoming(self.query_in)),
            "in_proj_bias": lambda: (packed,),
            "q_proj_weight": lambda: (queries, incoming(self.query_in)),
            "k_proj_weight": lambda: (queries, incoming(self.key_in)),
            "v_proj_weight": lambda: (results, incoming(self.value_in)),
            "bias_k": lambda: (outgoing("S"), outgoing("S"), queries),
            "bias_v": lambda: (outgoing("S"), outgoing("S"), results),
            "out_proj.weight": lambda: (outgoing(self.out), incoming(self.value, copies=self.heads)),
            "out_proj.bias": lambda: (outgoing(self.out),),
        }
        if name not in known:
            raise InputError(f"{name!r} is not a parameter of nn.MultiheadAttention")
        return TensorMap(known[name]())


def read_attention(
    layer: str, module: nn.Module, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """What all parameters of attention of torch are, if queries, keys and values come from the same representation.

    Args:
        layer: Its name in the model; empty if it is the model itself.
        module: The layer.
        rep_in: Representation of its input; whole in each head, that is as many equal copies as there are heads.
        rep_out: Representation of its output.
        groups: The groups.
    """
    if not isinstance(module, nn.MultiheadAttention):
        raise InputError(f"{type(module).__name__} is not nn.MultiheadAttention")
    head = equal_part(rep_in, module.num_heads, groups[0])
    flow = Attention(module.num_heads, head, head, rep_in, rep_in, rep_in, rep_out)
    prefix = f"{layer}." if layer else ""
    return {prefix + name: flow.parameter(name) for name, _ in module.named_parameters()}
