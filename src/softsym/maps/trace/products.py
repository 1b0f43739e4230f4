"""What products of tensors do: an axis that both have and the product has not is contracted, so it carries duals of each other."""

from __future__ import annotations

from softsym.maps.trace.layout import Axis, Layout, carrying, free, match
from softsym.maps.trace.recorder import Answer, Call, Handler, Recorder
from softsym.maps.trace.slots import DisagreementError, fresh


def contracted(rec: Recorder, layouts: list[Layout], letters: list[str], out: str) -> Layout:
    """The axes of a product in the notation of einsum.

    Args:
        rec: What watches.
        layouts: The axes of the factors.
        letters: A letter for each axis of each factor.
        out: The letters of the product.
    """
    known: dict[str, Axis] = {}
    for layout, names in zip(layouts, letters, strict=True):
        for axis, letter in zip(layout, names, strict=True):
            other = known.get(letter)
            if other is None or (other.size == 1 < axis.size):
                known[letter] = axis
            elif axis.size == other.size:
                known[letter] = match(other, axis, rec.group, "out" if letter in out else "in")
                if letter in out and known[letter].content is not None:
                    rec.pointwise(known[letter].carry(), "a product number by number")
    for letter, axis in known.items():
        if letter not in out and sum(letter in names for names in letters) == 1 and axis.size > 1:
            raise DisagreementError("adds up an axis of one factor")
        if axis.role == "open":  # a new axis that only a parameter has: it leads somewhere new
            axis.become(carrying(fresh(axis.size, axis.name)))
    return tuple(known[letter] for letter in out)


def _matmul(rec: Recorder, call: Call) -> Answer:
    a, b = (rec.layout(item) for item in call.args[:2])
    if min(len(a), len(b)) < 2:
        raise DisagreementError("multiplies a single vector")
    letters = "abcdefgh"[: max(len(a), len(b)) - 2]
    first, second = letters[len(letters) - len(a) + 2 :] + "xy", letters[len(letters) - len(b) + 2 :] + "yz"
    return contracted(rec, [a, b], [first, second], letters + "xz")


def _einsum(rec: Recorder, call: Call) -> Answer:
    equation, operands = call.args[0], call.args[1:]
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    if not isinstance(equation, str) or "->" not in equation or "." in equation:
        raise DisagreementError("is written without '->' or with dots")
    sides, out = equation.replace(" ", "").split("->")
    return contracted(rec, [rec.layout(each) for each in operands], sides.split(","), out)


def _dot_product_attention(rec: Recorder, call: Call) -> Answer:
    """Scores contract queries with keys; what comes out is like the values."""
    query, key, value = (rec.layout(call.get(k, name)) for k, name in enumerate(("query", "key", "value")))
    match(query[-1], key[-1], rec.group, "in")
    return (*query[:-1], value[-1])


def _addmm(rec: Recorder, call: Call) -> Answer:
    bias, a, b = (rec.layout(item) for item in call.args[:3])
    made = contracted(rec, [a, b], ["xy", "yz"], "xz")
    match(made[-1], bias[-1], rec.group)
    if len(bias) > 1 and bias[0].role == "open":
        bias[0].become(free(bias[0].size))
    return made


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("matmul", "bmm", "mm", "__matmul__", "__rmatmul__"), _matmul),
    "einsum": _einsum,
    "scaled_dot_product_attention": _dot_product_attention,
    "addmm": _addmm,
}
"""What each function does, by its name."""
