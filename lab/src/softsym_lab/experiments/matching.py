"""Choosing the width at which a network has a given number of parameters, so that compared models are of equal size."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from softsym.errors import InputError
from softsym.nn import count_parameters


def match_width(build: Callable[[int], nn.Module], parameters: int, widths: range = range(8, 2049)) -> int:
    """The width at which ``build(width)`` comes closest to a number of parameters.

    Args:
        build: Makes a network of a given width; its size must grow with the width.
        parameters: The number to match.
        widths: The widths to choose from.

    Example:
        >>> import softsym as ss
        >>> match_width(lambda w: ss.nn.MLP("5S + 5V", "T(2)", "O(3)", width=w), 36_873)
        128
    """
    if parameters < 1:
        raise InputError(f"cannot match {parameters} parameters; pass a positive number")
    low, high = widths.start, widths.stop - 1
    while low < high:
        middle = (low + high) // 2
        if count_parameters(build(middle)) < parameters:
            low = middle + 1
        else:
            high = middle
    nearby = [w for w in (low - 1, low) if widths.start <= w < widths.stop]
    return min(nearby, key=lambda w: abs(count_parameters(build(w)) - parameters))
