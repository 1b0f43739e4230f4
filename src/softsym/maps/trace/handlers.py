"""All functions that are understood, by name; a new one is a line in the table of its file."""

from __future__ import annotations

from softsym.maps.trace import elementwise, layers, products, sequences, shapes
from softsym.maps.trace.recorder import Handler

HANDLERS: dict[str, Handler] = {
    **shapes.HANDLERS,
    **elementwise.HANDLERS,
    **products.HANDLERS,
    **layers.HANDLERS,
    **sequences.HANDLERS,
}
