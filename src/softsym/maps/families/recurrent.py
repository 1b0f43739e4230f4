r"""Recurrent layers: the rows of a weight are gates one after the other, each with the representation of the hidden state.

Of an RNN, a GRU and an LSTM :math:`W_{ih}` lives in :math:`(g\,\rho_h) \otimes \rho_{in}'` and :math:`W_{hh}` in
:math:`(g\,\rho_h) \otimes \rho_h'` with g = 1, 3 and 4 gates. Gates multiply the state elementwise, which commutes with a group that only
permutes the hidden numbers; on other hidden representations the layer breaks the symmetry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.tensor_map import TensorMap, incoming, outgoing
from softsym.maps.trace.tracer import Call, Output, Rule, Tracer
from softsym.maps.trace.unify import Layout, Term, TraceError, channel_axis, free_axis, new_variable, unify, unify_axes
from softsym.reps import Rep
from softsym.reps.rep import cut

GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "GRU": 3, "LSTM": 4}
WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
_NAME = re.compile(rf"({'|'.join(WEIGHTS)})_l(\d+)(_reverse)?$")


def recurrent_parameter(kind: str, gates: int, source: Rep, hidden: Rep, state: Rep) -> TensorMap:
    """The map of one parameter of a layer and direction; ``state`` is what becomes of the hidden one by a projection."""
    rows = outgoing(hidden, copies=gates)
    axes = {
        "weight_ih": (rows, incoming(source)),
        "weight_hh": (rows, incoming(state)),
        "weight_hr": (outgoing(state), incoming(hidden)),
    }
    return TensorMap(axes.get(kind, (rows,)))


def read_recurrent(layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The maps of all parameters; every layer has the same hidden representation, ``rep_out`` is the sum of those of all directions."""
    if module.proj_size:
        raise InputError(f"{layer or 'the layer'!r} projects its state; pass its parameters one by one")
    states = cut(rep_out, [module.hidden_size] * (2 if module.bidirectional else 1), groups[0])
    maps = {}
    for name, _ in module.named_parameters():
        part = _NAME.match(name)
        if part is None:
            raise InputError(f"{name!r} is not a parameter of a recurrent layer")
        source, state = rep_in if part[2] == "0" else rep_out, states[bool(part[3])]
        maps[name] = recurrent_parameter(part[1], GATES[module.mode], source, state, state)
    return maps


def _trace_recurrent(tracer: Tracer, call: Call) -> Output:
    """Layer by layer and direction by direction; the output is the direct sum of both directions."""
    if len(call.args) != 9:
        raise TraceError("is called in a way that is not understood")
    if isinstance(call.args[3], list | tuple):  # packed: batch sizes come before states, no axis is the batch
        x, _, first, weights, has_bias, layers, _, _, is_bidirectional = call.args
    else:
        x, first, weights, has_bias, layers, _, _, is_bidirectional, _ = call.args
    mode = call.name.upper()
    directions = 2 if is_bidirectional else 1
    count = len(weights) // (layers * directions)
    kinds = [kind for kind in WEIGHTS if has_bias or not kind.startswith("bias")][:count]
    layout = tracer.layout(x)
    if any(axis.role not in ("free", "open") for axis in layout[:-1]):
        raise TraceError("goes along an axis on which groups act")
    source = layout[-1].channels()
    cells: list[Term] = []
    states: list[Term] = []
    for _ in range(layers):
        for _ in range(directions):
            named, weights = dict(zip(kinds, weights[:count], strict=True)), weights[count:]
            cell, state = _trace_cell(tracer, named, GATES[mode], source)
            cells.append(cell)
            states.append(state)
        source = tuple(summand for state in states[-directions:] for summand in state)
    for k in range(1, len(cells)):  # the last states of all layers are stacked along a new axis
        unify(cells[0], cells[k], tracer.group)
        unify(states[0], states[k], tracer.group)
    batch = tuple(map(free_axis, call.out[1].shape[:-1]))
    lasts = [states[0], cells[0]] if mode == "LSTM" else [states[0]]
    for state, last in zip(first if isinstance(first, list | tuple) else [first], lasts, strict=True):
        unify_axes(tracer.layout(state)[-1], channel_axis(last), tracer.group)
    return [(*layout[:-1], channel_axis(source)), *((*batch, channel_axis(last)) for last in lasts)]


def _trace_cell(tracer: Tracer, weights: dict[str, Any], gates: int, source: Term) -> tuple[Term, Term]:
    """Records the parameters of one layer and direction; returns the terms of its cell and of its output state."""
    sizes = {kind: weight.shape[0] for kind, weight in weights.items()}
    cell = new_variable(sizes["weight_hh"] // gates)
    state = new_variable(sizes["weight_hr"]) if "weight_hr" in sizes else cell
    cell, state = tracer.reuse(weights["weight_hh"], cell, state)
    tracer.mark_pointwise(cell, "gates")
    for kind, weight in weights.items():
        tracer.use(weight, partial(recurrent_parameter, kind, gates), source, cell, state)
    return cell, state


def _trace_pack(tracer: Tracer, call: Call) -> Output:
    """Packed sequences: all steps along one axis, and the batch size at each step."""
    packed, sizes = call.out
    layout: Layout = tracer.layout(call.args[0])
    if any(axis.role != "free" for axis in layout[:2]):
        raise TraceError("packs sequences along an axis on which groups act")
    return [(free_axis(len(packed)), *layout[2:]), (free_axis(len(sizes)),)]


def _trace_unpack(tracer: Tracer, call: Call) -> Output:
    """Padded sequences and their lengths."""
    padded, lengths = call.out
    return [(*map(free_axis, padded.shape[:2]), *tracer.layout(call.args[0])[1:]), (free_axis(len(lengths)),)]


RULES: dict[str, Rule] = {
    **dict.fromkeys(("lstm", "gru", "rnn_tanh", "rnn_relu"), _trace_recurrent),
    "pack_padded_sequence": _trace_pack,
    "pad_packed_sequence": _trace_unpack,
}
