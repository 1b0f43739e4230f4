"""What recurrent layers and attention of torch do, each as a whole."""

from __future__ import annotations

from typing import Any

from softsym.maps.attention import Attention
from softsym.maps.recurrent import GATES, recurrent_parameter
from softsym.maps.tensor_map import TensorMap
from softsym.maps.trace.layout import Axis, carrying, free
from softsym.maps.trace.recorder import Answer, Call, Handler, Recorder
from softsym.maps.trace.slots import Content, DisagreementError, fresh, unify
from softsym.reps import Rep

WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")


def _recurrent(rec: Recorder, call: Call) -> Answer:
    """Layer by layer and direction by direction; both directions stand one after the other in what comes out."""
    if len(call.args) != 9:
        raise DisagreementError("is called in a way that is not understood")
    if isinstance(
        call.args[3], list | tuple
    ):  # packed: sizes of batches come before states, and no axis is the batch
        x, _, _, weights, has_bias, layers, _, _, both = call.args
    else:
        x, _, weights, has_bias, layers, _, _, both, _ = call.args
    mode = call.name.upper()
    directions = 2 if both else 1
    each = len(weights) // (layers * directions)
    kinds = [k for k in WEIGHTS if has_bias or not k.startswith("bias")][:each]
    layout = rec.layout(x)
    flowing: Content = layout[-1].carry(call.where)
    state: Content = ()
    cells: list[Content] = []
    handed: list[Content] = []
    for _ in range(layers):
        states = []
        for _ in range(directions):
            named, weights = dict(zip(kinds, weights[:each], strict=True)), weights[each:]
            hidden = fresh(named["weight_hh"].shape[0] // GATES[mode], call.where)
            projected = fresh(named["weight_hr"].shape[0], call.where) if "weight_hr" in named else hidden
            hidden, projected = rec.remembered(named["weight_hh"], (hidden, projected))
            rec.pointwise(hidden, "gates")
            for kind, weight in named.items():
                rec.use([weight], _reader(rec, kind, weight, GATES[mode]), flowing, hidden, projected)
            states.append(projected)
            cells.append(hidden)
            handed.append(projected)
        state = flowing = tuple(part for one in states for part in one)
    for k in range(1, len(cells)):  # the last states of all layers are stacked along an axis of their own
        unify(cells[0], cells[k], rec.group)
        unify(handed[0], handed[k], rec.group)
    out = (*layout[:-1], carrying(state))
    batch = tuple(free(n) for n in call.out[1].shape[:-1])
    lasts = [(*batch, carrying(handed[0]))]
    if mode == "LSTM":
        lasts.append((*batch, carrying(cells[0])))
    return [out, *lasts]


def _reader(rec: Recorder, kind: str, weight: Any, gates: int) -> Any:
    def read(source: Rep, hidden: Rep, projected: Rep) -> dict[str, TensorMap]:
        return {
            str(rec.parameter(weight)): recurrent_parameter(f"{kind}_l0", gates, source, hidden, projected)
        }

    return read


def _pack(rec: Recorder, call: Call) -> Answer:
    """Rows of sequences, one below the other, and how many are left at each time."""
    packed, sizes = call.out
    return [(free(len(packed)), *_not_moved(rec.layout(call.args[0]))), (free(len(sizes)),)]


def _pad(rec: Recorder, call: Call) -> Answer:
    """The same the other way round."""
    padded, lengths = call.out
    return [(*map(free, padded.shape[:2]), *rec.layout(call.args[0])[1:]), (free(len(lengths)),)]


def _not_moved(layout: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """What is behind the axes of batch and time."""
    if any(axis.role != "free" for axis in layout[:2]):
        raise DisagreementError("packs sequences along an axis that groups move")
    return layout[2:]


def _attention(rec: Recorder, call: Call) -> Answer:
    """Queries, keys and values of every head; scores are inner products, which orthogonal groups leave alone."""
    query, key, value, size, heads = call.args[:5]
    packed = ("in_proj_weight", "in_proj_bias", "bias_k", "bias_v")
    tensors = {name: call.get(5 + k, name) for k, name in enumerate(packed)}
    tensors |= {name: call.kwargs.get(name) for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")}
    tensors |= {
        "out_proj.weight": call.get(11, "out_proj_weight"),
        "out_proj.bias": call.get(12, "out_proj_bias"),
    }
    sources = [rec.layout(item)[-1].carry(call.where) for item in (query, key, value)]
    if tensors["in_proj_weight"] is not None:
        for other in sources[1:]:
            unify(sources[0], other, rec.group)
    score, mixed, target = (
        fresh(size // heads, call.where),
        fresh(size // heads, call.where),
        fresh(size, call.where),
    )
    score, mixed, target = rec.remembered(tensors["out_proj.weight"], (score, mixed, target))
    if not all(group.is_orthogonal for group in rec.groups):
        rec.pointwise(score, "an inner product")

    def read(name: str, tensor: Any) -> Any:
        def maps(*reps: Rep) -> dict[str, TensorMap]:
            return {str(rec.parameter(tensor)): Attention(heads, *reps).parameter(name)}

        return maps

    for name, tensor in tensors.items():
        if tensor is not None:
            rec.use([tensor], read(name, tensor), score, mixed, *sources, target)
    out = (*rec.layout(query)[:-1], carrying(target))
    weights: tuple[Axis, ...] | None = None
    if call.out[1] is not None:
        weights = tuple(free(n) for n in call.out[1].shape)
    return [out, weights]


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("lstm", "gru", "rnn_tanh", "rnn_relu"), _recurrent),
    "multi_head_attention_forward": _attention,
    "_pack_padded_sequence": _pack,
    "_pad_packed_sequence": _pad,
}
"""What each function does, by its name."""
